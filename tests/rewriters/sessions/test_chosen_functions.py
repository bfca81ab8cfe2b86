"""A name that means one function or another: a branch at each call."""

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

MODULE = """import tensorflow as tf

wide = False


def small(x, units):
    return tf.layers.dense(x, units, name="small")


def large(x, units):
    return tf.layers.dense(tf.layers.dense(x, 2 * units, name="first"), units, name="second")


{choice}
x = tf.placeholder(tf.float32, [None, 3])
{call}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1.0, 2.0, 3.0]]}}))
"""
EXPRESSION = "block = large if wide else small"
BRANCH = """if wide:
    block = large
else:
    block = small"""
CALL = "y = block(x, 2)"


@pytest.mark.parametrize("choice", [EXPRESSION, BRANCH])
def test_each_call_is_written_once_for_each_function(choice: str) -> None:
    text = after(MODULE.format(choice=choice, call=CALL))
    assert "block" not in text.replace("block_layer", "")
    assert "small(2)" in text
    assert "large(2)" in text


def test_calls_with_several_functions() -> None:
    ways = [("if wide", "large"), ("elif x.shape", "tf.identity"), ("else", "small")]
    choice = "".join(f"{test}:\n    block = {name}\n" for test, name in ways)
    reason = stopped(MODULE.format(choice="x = None\n" + choice, call=CALL))
    assert "called" in reason


@pytest.mark.parametrize(
    ("choice", "call"),
    [
        (EXPRESSION, "wide = True\ny = block(x, 2)"),  # the condition changes before the call
        (EXPRESSION, "y = tf.nn.relu(block(x, 2))"),  # the call is a part of a statement
        (EXPRESSION, "kept = [block]\ny = block(x, 2)"),  # the function is handed on
        ("block = small\n" + BRANCH, CALL),  # it is bound before
    ],
)
def test_what_stays(choice: str, call: str) -> None:
    assert stopped(MODULE.format(choice=choice, call=call))


ATTRIBUTE = """import tensorflow as tf


def small(x, units):
    return tf.layers.dense(x, units, name="small")


def large(x, units):
    return tf.layers.dense(tf.layers.dense(x, 2 * units, name="first"), units, name="second")


class Net(object):
    def __init__(self, wide):
{choice}
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.y = self.block(self.x, 2)


net = Net(True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.y, {{net.x: [[1.0, 2.0, 3.0]]}}))
"""


@pytest.mark.parametrize(
    "choice",
    [
        "        self.block = large if wide else small",
        "        if wide:\n            self.block = large\n"
        "        else:\n            self.block = small",
    ],
)
def test_an_attribute_that_means_one_function_or_another_stays(choice: str) -> None:
    assert "called" in stopped(ATTRIBUTE.format(choice=choice))


def test_an_attribute_that_means_one_function() -> None:
    assert "self.block(2)" in after(ATTRIBUTE.format(choice="        self.block = large"))
