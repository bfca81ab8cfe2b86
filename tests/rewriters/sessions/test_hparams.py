"""`tf.contrib.training.HParams` in programs with a session: a class of the program's own."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = "import numpy as np\nimport tensorflow as tf\n\n"
RUN = """\
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, hps.units]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(tf.matmul(x, w), {x: np.ones([4, 2])}))
"""
MADE = "hps = tf.contrib.training.HParams(units=3, rate=0.1)\n"


def test_a_class_with_what_the_program_uses() -> None:
    text = after(HEAD + MADE + RUN)
    assert "\n\nclass HParams:\n" in text
    assert "\n\nhps = HParams(units=3, rate=0.1)\n" in text
    assert "    def values(self):\n" in text
    assert "def parse" not in text
    assert "import re\n" not in text


@pytest.mark.parametrize(
    ("more", "defined", "imported"),
    [
        ("hps.parse('units=4')\n", ("parse", "override_from_dict", "set_hparam", "_cast"), "re"),
        ("hps.set_hparam('units', 4)\n", ("set_hparam", "_cast"), "numbers"),
        ("hps.override_from_dict({'units': 4})\n", ("override_from_dict",), "numbers"),
        ("hps.del_hparam('rate')\n", ("del_hparam",), ""),
        ("print(hps.to_json())\n", ("to_json",), "json"),
        ("hps.parse_json('{}')\n", ("parse_json", "_cast"), "json"),
        ("print(hps.get('rate', 0.5))\n", ("get", "_cast"), "numbers"),
        ("hps.add_hparam('more', [1])\n", ("add_hparam",), ""),
        ("print(hps.values(), 'rate' in hps, hps)\n", ("values", "__str__"), ""),
    ],
)
def test_methods(more: str, defined: tuple[str, ...], imported: str) -> None:
    text = after(HEAD + MADE + more + RUN)
    assert all(f"    def {name}(self" in text for name in defined)
    assert not imported or f"import {imported}\n" in text
    assert more in text


def test_imported_by_its_name_and_made_of_a_dict() -> None:
    made = "from tensorflow.contrib.training import HParams\n\n"
    made += "given = dict(units=3)\nhps = HParams(**given)\n"
    text = after(HEAD + made + RUN)
    assert "contrib" not in text
    assert "hps = HParams(**given)\n" in text


def test_in_a_file_of_their_own() -> None:
    files = {
        "hparams.py": "import tensorflow as tf\n\n" + MADE.replace("hps", "hparams"),
        "train.py": HEAD + "from hparams import hparams as hps\n\n" + RUN,
    }
    results = list(texts({k: v.encode() for k, v in files.items()}, Options()))
    new = {r.path: (r.after or b"").decode() for r in results}
    assert {r.level for r in results} == {Level.NATIVE}
    assert "class HParams:" in new["hparams.py"]
    assert "contrib" not in new["hparams.py"]
    assert "class HParams" not in new["train.py"]


@pytest.mark.parametrize(
    "program",
    [
        MADE.replace("rate=0.1", "rate=tf.constant(0.1)"),
        MADE.replace("rate=0.1", "rate=tf.nn.relu"),
        MADE.replace("rate=0.1", "model_structure=None"),
        MADE.replace("units=3", "None, units=3"),
        MADE + "print(hps.to_proto())\n",
        MADE + "hps.set_model_structure(3)\n",
        MADE + "print(isinstance(hps, tf.contrib.training.HParams))\n",
        "def HParams():\n    return 0\n\n\n" + MADE,
        "class Base(tf.contrib.training.HParams):\n    pass\n\n\n" + MADE,
    ],
)
def test_others_keep_the_session(program: str) -> None:
    stopped(HEAD + program + RUN)


PLAIN = "import tensorflow as tf\n\n# All of them.\n" + MADE + "print(hps.rate)\n"


def plain(source: str) -> tuple[Level | None, str]:
    (result,) = texts({"a.py": source.encode()}, Options())
    return result.level, (result.after or b"").decode()


def test_a_file_without_a_graph_has_all_of_the_class() -> None:
    level, text = plain(PLAIN)
    assert level is Level.NATIVE
    assert "tensorflow" not in text
    assert "import json\nimport numbers\nimport re\n\n\nclass HParams:\n" in text
    assert "\n\n\n# All of them.\nhps = HParams(units=3, rate=0.1)\n" in text
    assert all(f"    def {name}(self" in text for name in ("parse", "parse_json", "get", "values"))
    assert plain(text)[1] in ("", text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print(hps.rate)", "print(hps.to_proto())"),
        ("print(hps.rate)", "print(tf.contrib.training.HParams)"),
        ("rate=0.1", "model_structure=1"),
        ("(units", "(None, units"),
        ("# All", "re = None\n# All"),
        ("# All", "class HParams:\n    pass\n\n\n# All"),
    ],
)
def test_others_have_the_shim_s(old: str, new: str) -> None:
    level, text = plain(PLAIN.replace(old, new))
    assert level is Level.COMPAT
    assert "_hparam_types" not in text
