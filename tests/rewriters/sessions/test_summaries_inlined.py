"""Short functions that compute and attach summaries stand where they are called."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

SOURCE = """\
import tensorflow as tf


def layer(h, n, number, act=None):
    name = 'layer%d' % number
    with tf.name_scope(name):
        w = tf.Variable(tf.ones([2, n]), name='w')
        tf.summary.histogram(name + '/w', w)
        if act is None:
            out = tf.matmul(h, w)
        else:
            # bent
            out = act(tf.matmul(h, w))
        return out


x = tf.placeholder(tf.float32, [None, 2])
CALLS
merged = tf.summary.merge_all()
writer = tf.summary.FileWriter('logs')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer.add_summary(sess.run(merged, {x: [[1, 2]]}), 0)
"""
TWO = "h = layer(x, 2, 1, act=tf.nn.relu)\ny = layer(h, 3, 2)\ntf.summary.histogram('y', y)"


def upgrade(calls: str) -> FileResult:
    source = SOURCE.replace("CALLS", calls)
    if "layer(" not in calls:  # what nobody calls is left as it is
        source = source[: source.index("def ")] + source[source.index("x = tf.") :]
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def test_each_call_has_its_tags_and_the_branch_that_it_decides() -> None:
    result = upgrade(TWO)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = (result.after or b"").decode()
    assert "def layer" not in text
    assert "'layer1/layer1/w': w.read_value()" in text
    assert "'layer2/layer2/w': y_w.read_value()" in text
    assert "    # bent\n    h = tf.nn.relu(tf.matmul(x, w))\n" in text
    assert "y = tf.matmul(h, y_w)\n" in text
    assert "if " not in text


@pytest.mark.parametrize(
    "calls",
    [
        "h = x\nfor i in range(2):\n    h = layer(h, 2, i)",
        "\n".join(["h = x", *(f"h = layer(h, 2, {i})" for i in range(7))]),
        "number = 1\nnumber = 2\nh = layer(x, 2, number)\n",
    ],
)
def test_what_its_calls_dont_tell_keeps_the_session(calls: str) -> None:
    assert upgrade(f"{calls}\ntf.summary.histogram('h', h)").level is Level.COMPAT


def test_pairs_under_a_name_are_what_was_zipped() -> None:
    result = upgrade(
        "v = tf.Variable(tf.ones([2, 1]), name='v')\nloss = tf.reduce_mean(tf.matmul(x, v))\n"
        "grads = list(zip(tf.gradients(loss, [v]), [v]))\nfor grad, var in grads:\n"
        "    tf.summary.histogram(var.name + '/gradient', grad)"
    )
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert """[var.name.replace(":", "_") + '/gradient'] = grad""" in (result.after or b"").decode()


def test_images_are_written_by_a_function() -> None:
    result = upgrade("tf.summary.image('x', tf.reshape(x, [-1, 1, 2, 1]), 2)")
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = (result.after or b"").decode()
    made = "    return tf.raw_ops.ImageSummary(tag=tag, tensor=value, max_images=2)\n"
    assert f"@tf.function\ndef image_summary(tag, value):\n{made}" in text
    assert "summary = image_summary(tf.constant(tag), value)\n" in text


def test_images_of_a_module_that_has_a_function_of_that_name() -> None:
    result = upgrade("image_summary = None\ntf.summary.image('x', tf.reshape(x, [-1, 1, 2, 1]), 2)")
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = (result.after or b"").decode()
    assert "    image_summary = tf.function(\n        lambda tag, value: tf.raw_ops" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("            # bent\n", "    # at the left\n"),
        ("            # bent\n", "\t\t# by tabs\n"),
        ("tf.ones([2, n]), name", "tf.ones([2, n]),\n  name"),
    ],
)
def test_comments_and_brackets_may_stand_further_to_the_left(old: str, new: str) -> None:
    assert old in SOURCE
    source = SOURCE.replace("CALLS", TWO).replace(old, new)
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
