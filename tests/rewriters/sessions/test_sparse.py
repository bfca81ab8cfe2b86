"""Sparse tensors in sessions: what is fed for one and fetched of one, what keeps the session."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


def coo(a):
    at = np.argwhere(a)
    return at, a[tuple(at.T)], a.shape


x = {placeholder}
w = tf.Variable(tf.ones([5, 1]))
scaled = tf.SparseTensor(x.indices, 2.0 * x.values, x.dense_shape)
y = tf.sparse_tensor_dense_matmul(scaled, w)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
value = coo(np.eye(5))
{run}
"""
SPARSE = "tf.sparse_placeholder(tf.float32)"


def upgrade(run: str, placeholder: str = SPARSE) -> FileResult:
    source = PROGRAM.format(placeholder=placeholder, run=run)
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(run: str, placeholder: str = SPARSE) -> str:
    result = upgrade(run, placeholder)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def test_what_is_fed_has_three_parts() -> None:
    text = native("print(sess.run(y, {x: value}))")
    assert "x_indices = tf.TensorSpec([None, None], tf.int64)\n" in text
    assert "x_values = tf.TensorSpec([None], tf.float32)\n" in text
    assert "    x = tf.SparseTensor(x_indices, x_values, x_shape)\n" in text
    assert "(value[0], value[1], value[2]).numpy()" in text


@pytest.mark.parametrize(
    "placeholder", ["tf.sparse.placeholder(tf.float32, None, 'x')", f"{SPARSE[:-1]}, name='x')"]
)
def test_a_call_is_made_once(placeholder: str) -> None:
    text = native("feed = {x: coo(np.eye(5))}\nprint(sess.run(y, feed))", placeholder)
    assert "x_value = coo(np.eye(5))\n" in text
    assert '{"x_indices": x_value[0], "x_values": x_value[1], "x_shape": x_value[2]}' in text


def test_a_sparse_tensor_is_fetched_as_a_value_of_tf1() -> None:
    text = native("got = sess.run(scaled, {x: value})\nagain = sess.run(scaled, {x: value})")
    assert "got = SparseTensorValue(*[t.numpy() for t in " in text
    assert text.count("import collections\n") == text.count("namedtuple('SparseT") == 1
    assert "return scaled.indices, scaled.values, scaled.dense_shape\n" in text


@pytest.mark.parametrize(
    "run",
    [
        "print(sess.run([scaled, y], {x: value}))",
        "print(scaled.eval({x: value}, sess))",
        "cast = tf.cast(scaled, tf.int32)\nprint(sess.run([y, cast], {x: value}))",
        "feed = {}\nfeed[x] = value\nprint(sess.run(y, feed))",
        "print([sess.run(y, {x: coo(i * np.eye(5))}) for i in range(3)])",
    ],
)
def test_what_isnt_followed_keeps_the_session(run: str) -> None:
    assert upgrade(run).level is Level.COMPAT


def test_a_shape_keeps_the_session() -> None:
    run = "print(sess.run(y, {x: value}))"
    assert upgrade(run, "tf.sparse_placeholder(tf.float32, [5, 5])").level is Level.COMPAT


@pytest.mark.parametrize(
    ("fetched", "more", "level"),
    [
        ("decoded[0]", "", Level.NATIVE),
        ("decoded", "", Level.NATIVE),
        ("decoded", ", top_paths=2", Level.COMPAT),
    ],
)
def test_decoded_labels_are_sparse(fetched: str, more: str, level: Level) -> None:
    source = (
        "import tensorflow as tf\nx = tf.placeholder(tf.float32, [5, 2, 4])\n"
        f"decoded, scores = tf.nn.ctc_beam_search_decoder(x, [5, 5]{more})\n"
        f"sess = tf.Session()\nprint(sess.run({fetched}, {{x: [[[0.5] * 4] * 2] * 5}}))\n"
    )
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is level


@pytest.mark.parametrize(
    ("use", "written"),
    [
        ("tf.sparse_tensor_to_dense(got).eval(session=sess)", "to_dense(tf.SparseTensor(*got))"),
        ("sess.run(tf.sparse.to_dense(sp_input=got))", "to_dense(sp_input=tf.SparseTensor(*got))"),
        (
            "sess.run(tf.sparse_tensor_dense_matmul(got, np.ones([5, 1], 'f')))",
            "matmul(tf.SparseTensor(*got), ",
        ),
    ],
)
def test_an_op_is_given_a_sparse_tensor_of_what_a_run_gave(use: str, written: str) -> None:
    text = native(f"got = sess.run(scaled, {{x: value}})\nprint({use})")
    assert written in text


def test_what_isnt_a_run_s_value_is_given_as_it_is() -> None:
    text = native("print(sess.run(tf.sparse_tensor_to_dense(scaled), {x: value}))")
    assert "tf.sparse.to_dense(scaled)" in text
    text = native("print(sess.run(tf.sparse_tensor_to_dense(tf.SparseTensor([[0]], [1], [2]))))")
    assert "SparseTensor(*" not in text


BESIDE = """\
import tensorflow as tf
x = tf.placeholder(tf.int64, [None])
s = tf.sparse_retain(tf.SparseTensor([[0], [2]], [1, 2], [4]), [True, False])
y = x * 2
t = tf.SparseTensor([[0], [2]], x, [4])
with tf.Session() as sess:
    a, b = sess.run([y, t], {x: [1, 2]})
    print(a, b.values)
"""


def test_a_sparse_tensor_beside_others_is_made_of_its_parts_behind_the_run() -> None:
    text = after(BESIDE)
    assert "    return [y, [t.indices, t.values, t.dense_shape]]\n" in text
    assert "\nb = SparseTensorValue(*b)\n" in text
    text = after(BESIDE.replace("a, b = sess.run([y, t]", "(b,) = sess.run([t]").replace("a, ", ""))
    assert "SparseTensorValue(*b)" in text
    text = after(BESIDE + "    print(s.eval().values, sess.run([s])[0].indices)\n")
    assert "SparseTensorValue(s.indices.numpy(), s.values.numpy(), s.dense_shape.numpy())" in text


@pytest.mark.parametrize("run", ["r = sess.run([y, t]", "a, *r = sess.run([y, t]"])
def test_sparse_tensors_whose_values_have_no_names_keep_the_session(run: str) -> None:
    text = BESIDE.replace("a, b = sess.run([y, t]", run).replace("print(a, b.values)", "print(r)")
    assert stopped(text).endswith("a sparse tensor is fetched beside others")
