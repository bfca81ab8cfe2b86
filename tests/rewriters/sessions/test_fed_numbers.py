"""Floats that placeholders of integers and booleans are fed."""

import pytest

from tests.rewriters.sessions.test_sessions import after

GRAPH = "import tensorflow as tf\nn = tf.placeholder({dtype})\ny = tf.identity(n)\n"
RUN = "with tf.Session() as sess:\n    print(sess.run(y, {{n: {value}}}))\n"


@pytest.mark.parametrize(
    ("dtype", "value", "written"),
    [
        ("tf.int32", "4.0", "4"),
        ("tf.int64", "-4.7", "-4"),
        ("tf.int32", "[1.5, 2]", "[1, 2]"),
        ("tf.bool", "1.0", "True"),
        ("tf.bool", "0.", "False"),
        ("tf.float32", "4.0", "4.0"),
        ("tf.int32", "4", "4"),
    ],
)
def test_they_are_written_as_what_they_are_fed_as(dtype: str, value: str, written: str) -> None:
    text = after((GRAPH + RUN).format(dtype=dtype, value=value))
    assert f"print(compute_y({written}).numpy())" in text
