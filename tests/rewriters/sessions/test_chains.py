"""``self.x = x = tf.placeholder(…)`` and ``inputs = x``: one part of a graph under two names."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

MODEL = """import tensorflow as tf
class Net:
    def __init__(self):
        self.x = x = tf.placeholder(tf.float32, [None, 3])
        x = tf.layers.dense(x, 4)
        self.out = out = tf.layers.dense(x, 1)
        self.sess = sess = tf.Session()
        sess.run(tf.global_variables_initializer())
    def predict(self, x):
        return self.sess.run(self.out, {self.x: x})
print(Net().predict([[1.0, 2.0, 3.0]]))
"""


def test_a_placeholder_that_is_an_attribute_and_a_name() -> None:
    text = after(MODEL)
    assert "self.x = tf.TensorSpec([None, 3], tf.float32)" in text
    assert "x = tf.placeholder" not in text
    assert "(x).numpy()" in text


def test_a_comment_and_brackets_stay() -> None:
    text = after(
        MODEL.replace(
            "x = tf.placeholder(tf.float32, [None, 3])",
            "x = (tf.placeholder(tf.float32, [None, 3]))  # rows",
        )
    )
    assert "# rows" in text


FED = """import tensorflow as tf
x = inputs = tf.placeholder(tf.float32, [None, 3])
w = weights = tf.Variable(tf.ones([3, 1]))
out = tf.matmul(x, weights)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {inputs: [[1.0, 2.0, 3.0]]}))
"""


@pytest.mark.parametrize("name", ["x", "inputs"])
def test_either_name_is_fed(name: str) -> None:
    text = after(FED.replace("{inputs:", f"{{{name}:"))
    assert "predict([[1.0, 2.0, 3.0]])" in text


def test_another_tensor_of_a_placeholder_that_is_fed_is_not_it() -> None:
    text = after(
        FED.replace(
            "x = inputs = tf.placeholder(tf.float32, [None, 3])",
            "x = tf.placeholder(tf.float32, [None, 3])\ninputs = tf.identity(x)",
        ).replace("matmul(x", "matmul(inputs")
    )
    assert (
        "tf.identity" not in text.split("print")[0].split("def predict")[1]
    )  # what is fed is taken


def test_the_last_of_both_names_is_what_is_fed() -> None:
    text = after(
        FED.replace("{inputs: [[1.0, 2.0, 3.0]]}", "{inputs: [[1.0]], x: [[5.0, 2.0, 3.0]]}")
    )
    assert "predict([[5.0, 2.0, 3.0]])" in text


def test_a_name_that_one_of_two_placeholders_gets_is_not_followed() -> None:
    program = FED.replace(
        "w = weights",
        "other = tf.placeholder(tf.float32)\nif len('ab') > 1:\n    inputs = other\nw = weights",
    )
    assert stopped(program)


LISTS = """import tensorflow as tf
def net(x, sizes):
    weights, biases = {first}
    for size in sizes:
        weights.append(tf.Variable(tf.ones([2, size])))
        biases.append(tf.Variable(tf.zeros([size])))
    for w, b in zip(weights, biases):
        x = tf.matmul(x, w) + b
    return x
x = tf.placeholder(tf.float32, [None, 2])
y = net(x, [2, 2])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1.0, 2.0]]}}))
"""


def test_lists_that_begin_together() -> None:
    text = after(LISTS.format(first="[], []  # both"))
    assert "    weights = []\n    biases = []" in text


def test_lists_that_begin_with_something_are_not_split() -> None:
    assert stopped(LISTS.format(first="[], [None]"))


def test_a_last_line_without_an_end() -> None:
    program = FED + "    y = z = tf.reduce_sum(x)"
    assert after(program.replace("{inputs:", "{x:"))
