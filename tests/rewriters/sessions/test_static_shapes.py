"""Sizes of variables that come from the shape of what is computed: written where they are known."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

SIDE = 8


def pool(x):
    return tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], padding="{padding}")


x = tf.placeholder(tf.float32, [None, {side}, 8, 3])
k = tf.Variable(tf.ones([3, 3, 3, 4]))
h = pool({kind}(tf.nn.conv2d(x, k, strides=[1, 1, 1, 1], padding="{padding}")))
{size}
w = tf.Variable(tf.ones([size, 2]))
out = tf.matmul(tf.reshape(h, [-1, size]), w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {{x: np.ones((2, 8, 8, 3))}}))
"""
PROD = "size = int(np.prod(h.get_shape()[1:]))"


def program(
    size: str = PROD, padding: str = "SAME", side: str = "8", kind: str = "tf.nn.relu"
) -> str:
    return PROGRAM.format(size=size, padding=padding, side=side, kind=kind)


@pytest.mark.parametrize(
    ("size", "written"),
    [
        (PROD, "size = 4 * 4 * 4\n"),
        ("size = np.prod(h.get_shape().as_list()[1:])", "size = 4 * 4 * 4\n"),
        ("size = np.prod([int(d) for d in h.shape[1:]])", "size = 4 * 4 * 4\n"),
        ("s = h.get_shape()\nsize = s[1:4].num_elements()", "size = 4 * 4 * 4\n"),
        ("s = h.shape.as_list()\nsize = s[1] * s[2] * s[-1]", "size = 4 * 4 * 4\n"),
        ("size = 2 * h.get_shape()[1].value * 8", "size = 2 * 4 * 8\n"),
        ("size = 16 * h.get_shape()[3:].num_elements()", "size = 16 * 4\n"),
    ],
)
def test_the_size_is_written(size: str, written: str) -> None:
    text = after(program(size))
    assert f"\n{written}" in text
    assert "get_shape" not in text
    assert "\ns = " not in text  # the shape's own name goes


def test_what_no_padding_leaves() -> None:
    assert "size = 3 * 3 * 4\n" in after(program(padding="VALID"))


def test_a_constant_of_the_module_counts() -> None:
    assert "size = 4 * 4 * 4\n" in after(program(side="SIDE"))


@pytest.mark.parametrize(
    "text",
    [
        program(side="None"),
        program(side="SIDE").replace("SIDE = 8\n", "SIDE = int(input())\n"),
        program(kind="tf.square").replace("tf.square(", "tf.image.rot90("),
        program().replace('padding="SAME")))', 'padding="SAME", dilations=[1, 2, 2, 1])))'),
        program()
        .replace(
            "    return tf.nn.max_pool(",
            "    if FLAG:\n        return x\n    return tf.nn.max_pool(",
        )
        .replace("SIDE = 8\n", "SIDE = 8\nFLAG = bool(input())\n"),
    ],
)
def test_a_size_that_is_not_seen_keeps_the_session(text: str) -> None:
    assert "a variable starts with a tensor" in stopped(text)


def test_a_size_that_the_program_runs_into_is_told() -> None:
    text = after(program(side="SIDE").replace("SIDE = 8\n", "SIDE = 8\nSIDE = 6\n"))
    assert "size = 48\nw = tf.Variable(tf.ones([size, 2]))\n" in text  # 3 * 4 * 4
    branch = "    if FLAG:\n        return x\n    return tf.nn.max_pool("
    text = program().replace("    return tf.nn.max_pool(", branch)
    assert "size = 64\n" in after(text.replace("SIDE = 8\n", "SIDE = 8\nFLAG = False\n"))


NET_FILE = """\
import tensorflow as tf

SIZE = 8

def net(x):
    shape = tf.nn.relu(x).get_shape().as_list()
    nodes = shape[1] * shape[2]
    w = tf.get_variable('w', [nodes, 2])
    return tf.matmul(tf.reshape(x, [-1, nodes]), w)
"""
ITS_PROGRAM = """\
import tensorflow as tf
import model

x = tf.placeholder(tf.float32, [None, model.SIZE, model.SIZE])
y = model.net(x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(y, {x: [[[1.0] * 8] * 8]})
"""


@pytest.mark.parametrize(
    ("old", "new", "level"),
    [
        ("", "", Level.NATIVE),
        # Another file's name that isn't told.
        ("SIZE = 8\n", "SIZE = int(open('size').read())\n", Level.COMPAT),
    ],
)
def test_sizes_that_another_file_has(old: str, new: str, level: Level) -> None:
    files = {"model.py": NET_FILE.replace(old, new), "program.py": ITS_PROGRAM}
    found = {r.path: r for r in texts({k: v.encode() for k, v in files.items()}, Options())}
    assert found["program.py"].level is level
    net = found["model.py"].after
    assert net is not None
    assert ("nodes = 8 * 8\n" in net.decode()) is (level is Level.NATIVE)


def test_the_size_of_what_every_run_draws() -> None:
    text = after("""\
import tensorflow as tf
x = tf.random_normal([1, 3])
d = x.get_shape().as_list()[-1]
w = tf.Variable(tf.zeros([d, 4]))
y = tf.matmul(x, w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([x, y]))
""")
    assert "d = 3\nw = tf.Variable(tf.zeros([d, 4]))\n" in text
    assert "    x = tf.random.normal([1, 3])\n" in text


TRANSPOSED = """\
import numpy as np
import tensorflow as tf


def paint(z, n):
    with tf.variable_scope("painter"):
        h = tf.reshape(z, [n, 2, 2, 2])
        wide = [n, 4, 4, 6]
        w = tf.get_variable("w", [3, 3, 6, 2])
        h = tf.nn.conv2d_transpose(h, w, output_shape=wide, strides=[1, 2, 2, 1], padding="SAME")
        h = tf.nn.relu(h)
        v = tf.get_variable("v", [int(h.get_shape()[-1]), 3])
        return tf.matmul(tf.reshape(h, [-1, 6]), v)


z = tf.placeholder(tf.float32, [None, 8])
out = paint(z, 5)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {z: np.ones((5, 8))}))
"""


def test_a_transposed_convolution_has_the_shape_that_it_is_told() -> None:
    assert "[6, 3]" in after(TRANSPOSED)
    assert "[6, 3]" in after(TRANSPOSED.replace("output_shape=wide", "output_shape=[n, 4, 4, 6]"))


def test_an_item_of_a_list_of_sizes_is_told() -> None:
    source = TRANSPOSED.replace("nn.relu(h)", "nn.relu(h + tf.get_variable('b', [wide[-1]]))")
    assert "[6, 3]" in after(source)
    source = source.replace("[n, 4, 4, 6]", "[n, *[4, 4], 6]")
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        w = ", "        wide[-1] = 6\n        w = "),
        ("        w = ", "        wide.append(3)\n        wide.pop()\n        w = "),
        ("        w = ", "        other = wide\n        other[0] = n\n        w = "),
        ("        wide = [n, 4, 4, 6]\n", "        wide = [n, 4, 4, np.random.choice([6])]\n"),
        ("        wide = ", "        wide = [n, 4, 4, 5]\n        wide = "),
    ],
)
def test_a_list_of_sizes_that_changes_keeps_the_session(old: str, new: str) -> None:
    assert old in TRANSPOSED
    (result,) = texts({"program.py": TRANSPOSED.replace(old, new).encode()}, Options())
    assert result.level is Level.COMPAT


HELPER = """\
def flatten(h):
    shape = h.get_shape().as_list()
    dim = np.prod(shape[1:])
    return tf.reshape(h, [-1, dim])


x ="""


def test_a_shape_that_a_helper_gives_a_name() -> None:
    text = after(program("h = flatten(h)\nsize = 64").replace("x =", HELPER, 1))
    assert "    dim = np.prod(shape[1:])\n" in text


def test_a_helper_that_only_flattens_is_a_layer() -> None:
    helper = "def flatten(h):\n    return tf.contrib.layers.flatten(h)\n\n\nx ="
    text = after(program("h = flatten(h)\nsize = 64").replace("x =", helper, 1))
    assert "tf.keras.layers.Flatten()" in text


SCALED = """\
import numpy as np
import tensorflow as tf


def attend(queries, keys, units):
    k = tf.layers.dense(keys, units, name='k')
    align = tf.matmul(queries, k, transpose_b=True) / np.sqrt(SIZE)
    return tf.matmul(tf.nn.softmax(align), k)


x = tf.placeholder(tf.float32, [None, 4, 6])
y = attend(x, x, int(np.ones(6).sum()))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: np.ones([2, 4, 6])}))
"""


def test_numpy_s_root_of_a_size() -> None:
    size = "k.get_shape().as_list()[-1]"
    assert "/ np.sqrt(units)" in after(SCALED.replace("SIZE", size))
    untold = SCALED.replace("    align", "    h = tf.concat(tf.split(k, units, 2), 0)\n    align")
    size = "h.get_shape().as_list()[-1]"
    assert f"/ np.sqrt({size})" in after(untold.replace("SIZE", size))


UNTOLD = SCALED.replace("    align", "    h = tf.concat(tf.split(k, units, 2), 0)\n    align", 1)
SIZED = UNTOLD.replace("    align", "    d = h.get_shape()[-1].value\n    align", 1)


@pytest.mark.parametrize("call", ["np.arange(0, d, 2)[0] + d", "np.reshape([d, 2.0], [2])[0]"])
def test_numpy_computes_of_sizes(call: str) -> None:
    assert f"/ ({call})" in after(SIZED.replace("np.sqrt(SIZE)", f"({call})"))


def test_numpy_computes_of_what_it_has_computed_of_sizes() -> None:
    arrays = "    i = np.arange(1, d + 1)\n    align"
    call = "np.prod(np.reshape(np.power(1.5, i / d), [1, -1]))"
    program = SIZED.replace("    align", arrays, 1).replace("np.sqrt(SIZE)", call)
    assert f"/ {call}" in after(program)
    again = program.replace("    align", "    i = tf.shape(k)\n    align", 1)
    assert "is given to `np.power`" in stopped(again)


def test_what_else_numpy_is_given_keeps_the_session() -> None:
    assert "is given to `np.mean`" in stopped(SIZED.replace("np.sqrt(SIZE)", "np.mean(d)"))
    kept = SIZED.replace("    align", "    np.fill_diagonal(d, 1)\n    align", 1)
    assert "is given to `np.fill_diagonal`" in stopped(kept.replace("SIZE", "2.0"))


def test_numpy_s_root_of_a_tensor_keeps_the_session() -> None:
    assert "is given to `np.sqrt`" in stopped(SCALED.replace("SIZE", "tf.shape(k)[-1]"))


SPEC = """\
import sys
import tensorflow as tf

size = len(sys.argv)
slow = size > 3
x = tf.placeholder(tf.float32, [size, 4])
if slow:
    v = tf.Variable(tf.random_normal(x.get_shape()))
else:
    v = x * 2.0
y = tf.reduce_sum(x * v)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1.0] * 4] * size}))
"""


def test_a_spec_has_the_shape_that_a_variable_starts_with() -> None:
    text = after(SPEC)
    assert "if slow:\n    v_variable = tf.Variable(tf.random.normal(x.shape))\n" in text
    assert "    v = v_variable if slow else x * 2.0\n" in text


def test_what_is_fed_isnt_there_when_a_variable_starts() -> None:
    assert "starts with" in stopped(
        SPEC.replace("x.get_shape()", "x.get_shape()) + tf.reduce_sum(x")
    )
