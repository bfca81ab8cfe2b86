"""Static shapes of ops on sequences are those that TensorFlow tells."""

from __future__ import annotations

from typing import Any

import pytest

from migrate.programs.graph.sizing.static_run import ops
from migrate.programs.graph.sizing.static_run.values import Tensor
from tests.rewriters.sessions.test_sessions import after, stopped

tf: Any = pytest.importorskip("tensorflow")
V1 = tf.compat.v1
OPEN = (None, 5)
CASES: list[tuple[str, dict[str, Any]]] = [
    ("nn.embedding_lookup", {"params": (9, 4), "ids": OPEN}),
    ("gather", {"params": (9, 4, 2), "indices": (3,)}),
    ("tile", {"input": (None, 3), "multiples": [2, 4]}),
    ("where", {"condition": (None, 3), "x": (None, 3), "y": (2, 3)}),
    ("where", {"condition": (None, 3)}),
    ("nn.moments", {"x": (None, 3, 4), "axes": [-1], "keep_dims": True}),
    ("nn.moments", {"x": (None, 3, 4), "axes": [0, 1]}),
    ("matmul", {"a": (None, 3, 4), "b": (None, 6, 4), "transpose_b": True}),
    ("matmul", {"a": (3, None), "b": (3, 5), "transpose_a": True}),
    ("tensordot", {"a": (None, 3, 4), "b": (4, 6), "axes": 1}),
    ("tensordot", {"a": (None, 3, 4), "b": (4, 3, 6), "axes": [[2, 1], [0, 1]]}),
    ("sequence_mask", {"lengths": (None,), "maxlen": 7}),
    ("nn.top_k", {"input": (None, 8), "k": 3}),
    ("range", {"start": 5}),
    ("range", {"start": 1, "limit": 9, "delta": 3}),
    ("depth_to_space", {"input": (None, 4, 5, 8), "block_size": 2}),
    ("where", {"condition": (None, 3), "x": None, "y": (None, 3)}),
    ("matrix_band_part", {"input": (None, 4, 4), "num_lower": -1, "num_upper": 0}),
    ("cumsum", {"x": (None, 3)}),
]
INTEGERS = {"ids", "indices", "lengths"}


def told(made: Any) -> Any:
    """The shapes of tensors as the rules have them."""
    if isinstance(made, (list, tuple)):
        return [told(m) for m in made]
    return tuple(made.shape.as_list())


@pytest.mark.parametrize(("name", "given"), CASES)
def test_as_tensorflow_tells(name: str, given: dict[str, Any]) -> None:
    """Each rule gives the shape that the op has in a graph."""
    with tf.Graph().as_default():
        function: Any = V1
        for part in name.split("."):
            function = getattr(function, part)
        real: dict[str, Any] = {}
        for argument, value in given.items():
            real[argument] = value
            if isinstance(value, tuple) or value is None:
                dtype = tf.int32 if argument in INTEGERS else tf.float32
                dtype = tf.bool if argument == "condition" else dtype
                real[argument] = V1.placeholder(dtype, value)
        wanted = told(function(**real))
    values = {n: v if isinstance(v, (int, list)) else Tensor(v) for n, v in given.items()}
    found = ops.result("tensorflow." + name, values)
    shapes = [f.shape for f in found] if isinstance(found, tuple) else found.shape
    assert shapes == wanted


@pytest.mark.parametrize("padding", ["same", "valid"])
def test_windows_over_time(padding: str) -> None:
    """``tf.layers.conv1d``, as Keras's."""
    layer = tf.keras.layers.Conv1D(6, 3, strides=2, padding=padding)
    wanted = tuple(layer.compute_output_shape((None, 11, 4)))
    given = {"inputs": Tensor((None, 11, 4)), "filters": 6, "kernel_size": 3, "strides": 2}
    found = ops.result("tensorflow.layers.conv1d", {**given, "padding": padding})
    assert found.shape == wanted


ATTEND = (
    "import tensorflow as tf\n"
    "def attend(queries, keys, n=None, scope='att'):\n"
    "    with tf.variable_scope(scope):\n"
    "        if n is None:\n"
    "            n = queries.get_shape().as_list()[-1]\n"
    "        q = tf.layers.dense(queries, n)\n"
    "        k = tf.layers.dense(keys, n)\n"
    "        a = tf.nn.softmax(tf.matmul(q, tf.transpose(k, [0, 2, 1])))\n"
    "        out = tf.matmul(a, k) + queries\n"
    "        gain = tf.Variable(tf.ones(out.get_shape()[-1:]))\n"
    "        return out * gain\n"
    "x = tf.placeholder(tf.int32, [None, 5])\n"
    "table = tf.get_variable('table', [9, 4])\n"
    "x_embedded = tf.nn.embedding_lookup(table, x)\n"
    "y = attend(x_embedded, x_embedded)\n"
    "with tf.Session() as sess:\n"
    "    sess.run(tf.global_variables_initializer())\n"
    "    print(sess.run(y, {x: [[1, 2, 3, 4, 5]]}))\n"
)


SHIFTED = (
    "import tensorflow as tf\n"
    "size = len(open('words').read())\n"
    "def shifted(x, by):\n"
    "    w = tf.get_variable('w', [x.get_shape()[-1], 2])\n"
    "    return tf.matmul(x, w) + by\n"
    "x = tf.placeholder(tf.float32, [None, size])\n"
    "z = tf.placeholder(tf.float32, [None, 2])\n"
    "y = shifted(x, z)\n"
    "with tf.Session() as sess:\n"
    "    sess.run(tf.global_variables_initializer())\n"
    "    print(sess.run(y, {x: [[1.0] * size], z: [[1.0, 2.0]]}))\n"
)


def test_inputs_of_any_rank() -> None:
    """Keras asks for the ranks of all that a layer is given: one may have none."""
    new = after(SHIFTED)
    assert "def build(self, input_shape):" in new
    assert "def call(self, x, by):" in new
    assert "return y_layer(x, z)" in new
    odd = SHIFTED.replace("(tf.float32, [None, 2])", "(tf.float32)")
    assert "is shaped by one of several inputs" in stopped(odd)


def test_a_layer_of_several_inputs() -> None:
    """Attention: the sizes of its queries are told, and it is a function of both."""
    new = after(ATTEND)
    assert "get_shape" not in new
    assert "    n = 4\n" in new
    assert "def apply(queries, keys):" in new
