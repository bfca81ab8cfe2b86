"""One name for what stays and for what runs compute: the first one gets a name of its own."""

from __future__ import annotations

import pytest

from tests.rewriters.test_sessions import after, stopped

SOURCE = """\
import tensorflow as tf

rows = [[1.0, 2.0], [3.0, 4.0]]
rows = tf.convert_to_tensor(rows)
w = tf.Variable([[1.0], [2.0]])
rows = tf.matmul(rows, w)
factors = tf.Variable([0.5, 1.5])
factors = tf.sigmoid(factors)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(rows))
    print(sess.run(factors))
"""


def test_what_stays_gets_another_name() -> None:
    text = after(SOURCE)
    assert "rows_data = [[1.0, 2.0], [3.0, 4.0]]\n" in text
    assert "    rows = tf.convert_to_tensor(rows_data)\n    return tf.matmul(rows, w)\n" in text
    assert "factors_variable = tf.Variable([0.5, 1.5])\n" in text
    assert "def compute_factors():\n    return tf.sigmoid(factors_variable)\n" in text


def test_what_reads_the_name_between_follows() -> None:
    text = after(
        SOURCE.replace("factors = tf.sigmoid", "print(factors.name)\nfactors = tf.sigmoid")
    )
    assert "print(factors_variable.name)\n" in text


@pytest.mark.parametrize(
    "new",
    [
        "def show():\n    return factors\n\n\nfactors = tf.sigmoid(factors)\n",
        "factors, other = tf.sigmoid(factors), factors\n",
    ],
)
def test_where_the_order_does_not_tell_the_session_stays(new: str) -> None:
    assert stopped(SOURCE.replace("factors = tf.sigmoid(factors)\n", new))


KEPT = """\
import numpy as np
import tensorflow as tf


class App:
    def __init__(self):
        x = tf.placeholder(tf.float32, [None])
        self.inputs = x
        x = tf.reshape(x, [-1, 1])
        w = tf.Variable([[2.0]])
        x = tf.matmul(x, w)
        self.y = tf.reshape(x, [-1])
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())

    def predict(self, xs):
        return self.session.run(self.y, {self.inputs: xs})


print(App().predict(np.ones(2)))
"""


def test_a_placeholder_whose_local_name_gets_another_meaning() -> None:
    text = after(KEPT)
    assert "        self.inputs = tf.TensorSpec([None], tf.float32)\n" in text
    assert "            x = tf.reshape(inputs, [-1, 1])\n" in text
