"""Summaries beside a layer function's variables: the function stands where it is called."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

SOURCE = """import tensorflow as tf


def fc_layer(x, units, name, use_relu=True):
    with tf.variable_scope(name):
        size = x.get_shape()[1]
        W = tf.get_variable('W', [size, units], initializer=tf.zeros_initializer())
        tf.summary.histogram('weight', W)
        b = tf.get_variable('b', initializer=tf.constant(0., shape=[units], dtype=tf.float32))
        layer = tf.matmul(x, W)
        layer += b
        if use_relu:
            layer = tf.nn.relu(layer)
        tf.summary.histogram('activation', layer)
        return layer


x = tf.placeholder(tf.float32, [None, 20])
fc1 = fc_layer(x, 8, 'FC1')
out = fc_layer(fc1, 4, 'OUT', use_relu=False)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter('logs')
    writer.add_summary(sess.run(merged, {x: [[1.] * 20]}), 0)
    writer.close()
"""


def upgraded(source: str) -> str:
    (result,) = texts({"case.py": source.encode()}, Options())
    assert result.level is Level.NATIVE, result.left
    assert result.after is not None
    return result.after.decode()


def test_each_call_has_its_own_summaries() -> None:
    after = upgraded(SOURCE)
    assert "def fc_layer" not in after
    for tag in ("FC1/weight", "OUT/weight", "FC1/activation", "OUT/activation"):
        assert f"'{tag}': " in after, after
    assert "Session" not in after


def test_a_size_of_a_sum_with_a_variable_that_a_constant_shapes_is_told() -> None:
    """`get_variable(name, initializer=tf.constant(…, shape=[n]))` has the constant's shape."""
    after = upgraded(SOURCE.replace("        tf.summary.histogram('weight', W)\n", ""))
    assert "get_shape" not in after


HELPERS = """import tensorflow as tf


def weights(shape):
    return tf.get_variable('W', shape, initializer=tf.zeros_initializer())


def fc_layer(x, units, name):
    with tf.variable_scope(name):
        W = weights([20, 20])
        tf.summary.histogram('weight', W)
        return tf.matmul(x, W)
"""
MAIN = """import tensorflow as tf
from ops import fc_layer

x = tf.placeholder(tf.float32, [None, 20])
fc1 = fc_layer(x, 20, 'FC1')
out = fc_layer(fc1, 20, 'OUT')
"""
MAIN += SOURCE[SOURCE.index("merged = ") :]


def files(**more: str) -> dict[str, bytes]:
    found = {"ops.py": HELPERS, "main.py": MAIN, **{f"{k}.py": v for k, v in more.items()}}
    return {f"/home/tensorflow/work/{name}": text.encode() for name, text in found.items()}


def results(given: dict[str, bytes]) -> dict[str, FileResult]:
    return {r.path.rpartition("/")[2]: r for r in texts(given, Options())}


@pytest.mark.parametrize("imported", ["from ops import fc_layer", "from ops import *"])
def test_a_function_of_another_file_that_is_called_twice(imported: str) -> None:
    """It reads a helper of its own file, which is imported instead of it."""
    found = results(files(main=MAIN.replace("from ops import fc_layer", imported)))
    assert {r.level for r in found.values()} == {Level.NATIVE}
    main, ops = ((found[name].after or b"").decode() for name in ("main.py", "ops.py"))
    assert "def fc_layer" not in main + ops
    assert imported.replace("fc_layer", "weights") in main
    assert "fc1_W = weights([20, 20])" in main or "W = weights([20, 20])" in main
    assert "'FC1/weight': " in main
    assert "'OUT/weight': " in main


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("main", "x = tf", "weights = 3\nx = tf"),
        ("main", "from ops import fc_layer", "from ops import fc_layer\nfrom more import weights"),
        ("main", "from ops import fc_layer", "from ops import *\nfrom more import *"),
        ("ops", "def fc_layer", "other = weights\nweights = other\n\n\ndef fc_layer"),
        ("ops", "def fc_layer", "__all__ = ['fc_layer']\n\n\ndef fc_layer"),
    ],
)
def test_a_helper_that_would_be_another_one_keeps_the_session(
    name: str, old: str, new: str
) -> None:
    star = {"ops": HELPERS, "main": MAIN}
    if "__all__" in new:
        star["main"] = MAIN.replace("import fc_layer", "import *")
    given = files(
        **star | {name: star[name].replace(old, new, 1)}, more="def weights(n):\n    return n\n"
    )
    assert {r.level for n, r in results(given).items() if n == "main.py"} == {Level.COMPAT}
