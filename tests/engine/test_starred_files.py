"""TensorFlow that files of a compat program take from one another."""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

HELPER = "import tensorflow as tf\n\n\ndef double(x):\n    return tf.concat([x, x], 0)\n"
MAIN = """\
import tensorflow as tf
{taken}

x = tf.placeholder(tf.float32, [None])
y = double(x)
sess = tf.Session()
print(sess.run(y, {{x: [1.0]}}))
"""


def upgraded(helper: str, taken: str, level: str = "compat") -> dict[str, str]:
    files = {"main.py": MAIN.format(taken=taken).encode(), "helper.py": helper.encode()}
    results = list(texts(files, Options(level=level)))  # type: ignore[arg-type]
    assert all(result.status != "failed" for result in results)
    return {r.path: (r.after or files[r.path]).decode() for r in results}


def test_a_file_gives_on_the_tensorflow_that_it_has() -> None:
    after = upgraded(HELPER, "from helper import *")
    assert "import tensorflow.compat.v1 as tf\n" in after["helper.py"]
    assert "disable_v2_behavior" not in after["helper.py"]
    again = texts({name: text.encode() for name, text in after.items()}, Options(level="compat"))
    assert [r.after for r in again] == [None, None]


@pytest.mark.parametrize(
    ("helper", "taken"),
    [
        (HELPER, "from helper import double"),
        (
            HELPER.replace("\n\n\ndef", "\n\n__all__ = ['double']\n\n\ndef", 1),
            "from helper import *",
        ),
        (HELPER.replace("tf", "_tf"), "from helper import *"),
        (HELPER, "import helper\n\ndouble = helper.double"),
    ],
)
def test_what_nothing_takes_stays(helper: str, taken: str) -> None:
    assert upgraded(helper, taken)["helper.py"] == helper


def test_a_native_program_has_one_tensorflow() -> None:
    after = upgraded(HELPER, "from helper import *", "native")
    assert "compat" not in after["helper.py"]
