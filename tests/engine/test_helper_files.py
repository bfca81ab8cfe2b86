"""Files without TensorFlow that a program with it imports: what they ask for must be there, too."""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

MAIN = "import tensorflow as tf\nimport helper\nprint(tf.log(helper.f()))\n"
LOST = {
    "numpy": ("import numpy as np\nx = np.float(1)\n", "x = float(1)\n"),
    "stdlib": ("import time\nx = time.clock()\n", "import time\nx = time.perf_counter()\n"),
    "method": ("def f(x):\n    return x.tostring()\n", "def f(x):\n    return x.tobytes()\n"),
    "scipy": (
        "from scipy.misc import logsumexp\nx = logsumexp\n",
        "from scipy.special import logsumexp\nx = logsumexp\n",
    ),
    "python2": ("for i in xrange(3):\n    pass\n", "for i in range(3):\n    pass\n"),
    "kept": ("import numpy as np\nx = np.array([1])\n", None),
    "own": ("def tostring(x):\n    return x.float\n", None),
}


def upgraded(files: dict[str, str], level: str | None = None) -> dict[str, str | None]:
    options = Options() if level is None else Options(level=level)
    results = texts({name: text.encode() for name, text in files.items()}, options)
    return {r.path: None if r.after is None else r.after.decode() for r in results}


@pytest.mark.parametrize("level", [None, "compat"])
@pytest.mark.parametrize("what", LOST)
def test_a_helper_gets_what_its_program_needs(what: str, level: str | None) -> None:
    before, after = LOST[what]
    found = upgraded({"main.py": MAIN, "helper.py": before}, level)
    assert found["helper.py"] == after


@pytest.mark.parametrize("what", LOST)
def test_files_of_no_such_program_stay(what: str) -> None:
    found = upgraded({"main.py": MAIN.replace("helper", "math"), "other.py": LOST[what][0]})
    assert found["other.py"] is None


def test_beside_a_session_that_becomes_functions() -> None:
    main = (
        "import tensorflow as tf\nimport helper\nx = tf.placeholder(tf.float32, [None])\n"
        "with tf.Session() as sess:\n    print(sess.run(x * 2.0, {x: helper.f()}))\n"
    )
    helper = "import numpy as np\ndef f():\n    return np.array([1], np.float)\n"
    found = upgraded({"main.py": main, "helper.py": helper})
    assert "Session" not in (found["main.py"] or "Session")
    assert found["helper.py"] == helper.replace("np.float", "float")
