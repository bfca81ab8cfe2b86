"""Loops that read the names of layers' variables go through the names of TF 1."""

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope("net"):
    y = tf.layers.dense(x, 2, name="out")
{loop}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1.0, 2.0, 3.0]]}}))
"""
NAMES = "['net/out/kernel:0', 'net/out/bias:0']"
ALL = "[*y_layer.trainable_variables]"


@pytest.mark.parametrize(
    ("loop", "text"),
    [
        (
            "for v in tf.trainable_variables():\n    print(v.name)",
            f"for name in {NAMES}:\n    print(name)",
        ),
        (
            "found = tf.trainable_variables()\nfor i, v in enumerate(found):\n    print(i, v.name)",
            f"for i, name in enumerate({NAMES}):\n    print(i, name)",
        ),
        (
            "for v in tf.trainable_variables():\n    print(v.name, v.get_shape())",
            f"for v, name in zip({ALL}, {NAMES}):\n    print(name, tf.TensorShape(v.shape))",
        ),
        (
            "found = tf.trainable_variables()\nprint([v.name for v in found])",
            f"print({NAMES})",
        ),
        (  # there are more by then
            "found = tf.trainable_variables()\nw = tf.layers.dense(x, 2)\ny = y + w\n"
            "for v in found:\n    print(v.name)",
            f"for name in {NAMES}:\n    print(name)",
        ),
        (
            "for v in tf.trainable_variables():\n    print(v)",
            f"for v in {ALL}:\n    print(v)",
        ),
    ],
)
def test_the_names_are_written_out(loop: str, text: str) -> None:
    assert text in after(PROGRAM.format(loop=loop))


@pytest.mark.parametrize(
    "loop",
    [
        # the last one is read behind the loop
        "for v in tf.trainable_variables():\n    print(v.name)\nprint(v.name)",
        # a branch makes more of them
        "if len('net') > 2:\n    y = tf.layers.dense(y, 2, name='more')\n"
        "for v in tf.trainable_variables():\n    print(v.name)",
        # not all are the layers'
        "for v in tf.global_variables():\n    print(v.name)",
    ],
)
def test_what_stays(loop: str) -> None:
    assert stopped(PROGRAM.format(loop=loop))


OTHER = """
with tf.variable_scope("other"):
    y += tf.layers.dense(x, 2, name="out")
"""


@pytest.mark.parametrize(
    ("loop", "text"),
    [
        (
            "found = [v for v in tf.trainable_variables() if 'net/' in v.name]\n"
            "for v in found:\n    print(v.name)",
            f"for name in {NAMES}:\n    print(name)",
        ),
        (
            "for i, v in enumerate([v for v in tf.trainable_variables() if 'net/' in v.name]):\n"
            "    print(i, v.name)",
            f"for i, name in enumerate({NAMES}):\n    print(i, name)",
        ),
        (
            'for v in tf.trainable_variables("net"):\n    print(v.name, v.shape)',
            f"for v, name in zip([*out_layer.trainable_variables], {NAMES}):\n",
        ),
        (
            'print([v.name for v in tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "net")])',
            f"print({NAMES})",
        ),
    ],
)
def test_lists_of_some_of_them(loop: str, text: str) -> None:
    assert text in after(PROGRAM.format(loop=OTHER + loop))


@pytest.mark.parametrize(
    "listed",
    [
        "[v for v in tf.global_variables() if 'net/' in v.name]",
        'tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, "net")',
    ],
)
def test_lists_that_have_slots_too_stay(listed: str) -> None:
    step = "\ntrain = tf.train.AdamOptimizer().minimize(tf.reduce_sum(y))\n"
    stopped(PROGRAM.format(loop=OTHER + step + f"for v in {listed}:\n    print(v.name)"))
