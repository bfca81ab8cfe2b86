"""Programs of TF 2 with a name of TF 1 in one of their files are left without a graph."""

from __future__ import annotations

import json

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

MODEL = "import tensorflow as tf\n\n\n@tf.function\ndef call(x):\n    return x + 1\n"
SEED = "import tensorflow as tf\n\ntf.random.set_seed(1)\n"
OLD = "import tensorflow as tf\n\n\ndef old():\n    return tf.Session(), tf.log(1.0)\n"
MAIN = "import model\nimport layers\nimport data\nimport old\n\nprint(model.call(1.0))\n"


def upgrade(**files: str) -> dict[str, FileResult]:
    sources = {f"{name}.py": text.encode() for name, text in files.items()}
    return {result.path: result for result in texts(sources, Options())}


def switched(found: dict[str, FileResult]) -> list[str]:
    """The files that switch v2 behaviour off."""
    return [p for p, result in found.items() if b"disable_v2_behavior" in (result.after or b"")]


def test_one_file_of_tf1_keeps_no_library_of_tf2_on_a_graph() -> None:
    found = upgrade(main=MAIN, model=MODEL, layers=SEED, data=SEED, old=OLD)
    assert switched(found) == []
    assert b"tf.math.log(1.0)" in (found["old.py"].after or b"")
    assert "TFM401" in [f.rule for f in found["old.py"].left]  # the session is reported


def test_a_script_of_tf1_that_is_built_on_it_is_none_of_tf1() -> None:
    script = "import tensorflow as tf\nimport model, layers, data, more\ntf.set_random_seed(1)\n"
    more = "import tensorflow as tf\n\ninit = tf.truncated_normal_initializer()\n"
    files = {"model": MODEL, "layers": SEED, "data": SEED, "more": more, "script": script}
    main = "import model, layers, data\n"
    assert switched(upgrade(main=main, **files)) == []
    assert switched(upgrade(**files)) != []  # alone, as much of it is TF 1's


def test_a_part_of_it_that_is_run_by_itself_is_a_part_of_it() -> None:
    tested = "import old\n\nif __name__ == '__main__':\n    print(old.old())\n"
    files = {"model": MODEL, "layers": SEED, "data": SEED, "old": OLD}
    assert switched(upgrade(main=MAIN, tested=tested, **files)) == []
    assert switched(upgrade(tested=tested, old=OLD)) != []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("data", "import tensorflow as tf\n\nx = tf.constant(1.0)\n"),  # two are too few
        ("layers", OLD),  # as many for TF 1
        ("model", "import tensorflow as tf\n\ntf.enable_eager_execution()\n" + MODEL),
    ],
)
def test_a_program_of_tf1_with_a_few_names_of_tf2(name: str, text: str) -> None:
    files = {"main": MAIN, "model": MODEL, "layers": MODEL, "data": MODEL, "old": OLD, name: text}
    found = upgrade(**files)
    assert found["old.py"].level is Level.COMPAT


@pytest.mark.parametrize(
    ("call", "level"),
    [
        ("tf.saved_model.load('folder')", "TF 2"),
        ("tf.saved_model.load(sess, ['serve'], 'folder')", "TF 1"),
        ("tf.summary.scalar('loss', data=1.0, step=3)", "TF 2"),
        ("tf.image.resize_images(x, [2, 2])", "TF 1"),
    ],
)
def test_calls_that_only_tf2_takes(call: str, level: str) -> None:
    text = f"import tensorflow as tf\n\nfound = {call}\n"
    (result,) = upgrade(program=text).values()
    assert (result.after is None and not result.left) is (level == "TF 2")


def test_a_method_that_only_tf2_has_in_a_program_with_a_graph() -> None:
    text = """\
import tensorflow as tf

x = tf.placeholder(tf.float32)
made = eval('x')
with tf.Session() as sess:
    print(sess.run(x, {x: 1.0}))
model = tf.lite.TFLiteConverter.from_concrete_functions([made])
other = tf.lite.TFLiteConverter.from_session(sess, [x], [x])
"""
    (result,) = upgrade(program=text).values()
    after = (result.after or b"").decode()
    assert "= tf.compat.v2.lite.TFLiteConverter.from_concrete_functions(" in after
    assert "= tf.lite.TFLiteConverter.from_session(" in after


def test_a_module_beside_another_ones() -> None:
    text = """\
import tensorflow as tf
try:
    from tensorflow.python.ops.rnn import rnn_cell_impl as _rnn_cell
    core_rnn_cell = _rnn_cell
except ImportError:
    from tensorflow.contrib.rnn.python.ops import core_rnn_cell

x = tf.placeholder(tf.float32)


class Cell(core_rnn_cell.RNNCell):
    pass
"""
    (result,) = upgrade(program=text).values()
    assert result.status == "changed", result.reason


def test_a_file_with_more_of_tf1_is_changed_once() -> None:
    old = (
        OLD
        + """

def loss(y, logits):
    labels = tf.one_hot(y, 3)
    return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
"""
    )
    found = upgrade(main=MAIN, model=MODEL, layers=SEED, data=SEED, old=old)
    assert found["old.py"].status == "changed", found["old.py"].reason


@pytest.mark.parametrize(
    ("test", "new"),
    [
        ("tf.__version__.startswith('2.')", True),
        ('tf.__version__ >= "2.0"', True),
        ("tf.__version__.startswith('1.')", False),
        ("tf.__version__ >= '1.4'", False),
        ("tf.keras.__version__ >= '2.1'", False),  # Keras 2 was TF 1's
        ("keras.__version__ >= '2.0'", False),
    ],
)
def test_a_program_that_asserts_its_version(test: str, new: bool) -> None:
    main = f"import tensorflow as tf\nimport old\n\nassert {test}\n"
    assert (switched(upgrade(main=main, old=OLD)) == []) is new


def test_a_notebook_that_asks_colab_for_tf2() -> None:
    def notebook(version: str) -> bytes:
        lines = [f"%tensorflow_version {version}.x\n", "import tensorflow as tf\n", "import old\n"]
        cell = {"cell_type": "code", "source": lines, "metadata": {}, "outputs": []}
        made = {"cells": [cell | {"execution_count": None}], "metadata": {}}
        return json.dumps(made | {"nbformat": 4, "nbformat_minor": 2}).encode()

    def found(version: str) -> list[str]:
        sources = {"main.ipynb": notebook(version), "old.py": OLD.encode()}
        return switched({result.path: result for result in texts(sources, Options())})

    assert found("2") == []
    assert "old.py" in found("1")


ASKS = """\
import tensorflow as tf


@tf.function
def given(value):
    if hasattr(tf, "placeholder") and not tf.executing_eagerly():
        return tf.placeholder(tf.float32)
    return tf.get_variable("x", [1]) if hasattr(tf, "get_variable") else tf.math.log(value)
"""


def test_what_hasattr_asks_for_is_no_sign_of_tf1() -> None:
    assert switched(upgrade(program=ASKS)) == []
    assert switched(upgrade(program=ASKS.replace('"placeholder"', '"Placeholder"'))) != []
    assert switched(upgrade(program=ASKS.replace('"get_variable"', '"Variable"'))) != []


def test_a_private_module_that_is_still_there_is_no_sign_of_tf1() -> None:
    text = """\
import tensorflow as tf
from tensorflow.python.framework import smart_cond
from tensorflow.python.ops import array_ops

y = smart_cond.smart_cond(True, lambda: 1, lambda: 2)
"""
    assert switched(upgrade(program=text)) == []
    assert switched(upgrade(program=text + "x = array_ops.placeholder(tf.float32)\n")) != []


def test_private_modules_of_tf2_are_looked_for_in_code_of_tf1_only() -> None:
    text = """\
import tensorflow as tf
from tensorflow.python.trackable import base

print(base.Trackable, tf.function)
"""
    (new,) = upgrade(program=text).values()
    assert (new.after, new.left) == (None, [])
    (old,) = upgrade(program=text + "tf.placeholder(tf.float32)\n").values()
    assert {"TFM105", "TFM111"} <= {f.rule for f in old.left}
