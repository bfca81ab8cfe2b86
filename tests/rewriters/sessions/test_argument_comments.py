"""Comments beside a layer's arguments."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 8, 8, 1])
h = tf.layers.conv2d(
    inputs=x,  # images
    filters=4,  # maps
    # Pixels on a side.
    kernel_size=3,
    padding='same',   # keeps the size
    activation=None,  # linear
    kernel_initializer=tf.random_normal_initializer(0., .1),  # not '#'
    name='first'  # its scope
)
out = tf.layers.dense(tf.layers.flatten(h), 2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {x: [[[[1.0]] * 8] * 8]}))
"""
LAYER = """\
h_layer = tf.keras.layers.Conv2D(
    4,  # maps
    # Pixels on a side.
    3,
    padding='same',  # keeps the size
    kernel_initializer=tf.keras.initializers.RandomNormal(mean=0., stddev=.1),  # not '#'
    name='first')  # its scope
"""


def test_they_stay_beside_what_the_arguments_become() -> None:
    assert LAYER in after(PROGRAM)


def test_arguments_by_place_have_theirs() -> None:
    placed = PROGRAM.replace("inputs=x,  # images\n    filters=4,", "x,\n    4,")
    assert LAYER in after(placed.replace("kernel_size=3", "3"))


def test_a_function_that_makes_layers_has_them() -> None:
    lines = PROGRAM.splitlines(keepends=True)
    start, end = lines.index("h = tf.layers.conv2d(\n"), lines.index(")\n")
    inner = ["def net(x):\n", *("    " + line for line in lines[start : end + 1])]
    inner += ["    return h\n", "\n", "\n"]
    text = after("".join([*lines[:2], *inner, *lines[2:start], "h = net(x)\n", *lines[end + 1 :]]))
    assert "        # Pixels on a side.\n        3,\n" in text
    assert "        4,  # maps\n" in text
    assert "        name='first')  # its scope\n" in text


def test_a_call_without_comments_stays_in_one_line() -> None:
    start, end = PROGRAM.index("h = "), PROGRAM.index("out = ")
    call = "h = tf.layers.conv2d(\n    x,\n    4,\n    3,\n    padding='same')\n"
    text = after(PROGRAM[:start] + call + PROGRAM[end:])
    assert "h_layer = tf.keras.layers.Conv2D(4, 3, padding='same')\n" in text


def test_a_comment_behind_what_minimizes_stays_behind_the_update() -> None:
    train = "train = tf.train.GradientDescentOptimizer(0.1).minimize(-out)  # maximize\nwith"
    text = after(PROGRAM.replace("with", train, 1).replace("run(out,", "run([train, out],"))
    assert "apply_gradients(zip(gradients, variables))  # maximize\n" in text
