"""Functions that ops are given: what asks for parts of the graph there keeps the session."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [])
on = tf.placeholder(tf.bool)
w = tf.Variable(2.0)
step = tf.train.get_or_create_global_step()
loss = tf.square(w * x)


def made():
    return {value}


y = tf.cond(on, {function}, lambda: w * 1.0)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {{x: 1.0, on: True}}))
"""


@pytest.mark.parametrize("lent", [True, False])
@pytest.mark.parametrize(
    "value",
    [
        "tf.gradients(loss, w)[0]",
        "tf.cast(tf.train.get_global_step(), tf.float32) * 2.0",
        "tf.add_n(tf.get_collection('losses') + [w * 3.0])",
        "tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])",
    ],
)
def test_what_asks_for_parts_of_the_graph_keeps_the_session(value: str, lent: bool) -> None:
    function = "made" if lent else f"lambda: {value}"
    reason = stopped(PROGRAM.format(value=value if lent else "w", function=function))
    assert "in a function that an op is given" in reason


@pytest.mark.parametrize("lent", [True, False])
@pytest.mark.parametrize("value", ["w * 3.0", "tf.assign_add(w, 1.0)", "tf.nn.l2_loss(w) + x"])
def test_what_only_computes_is_followed(value: str, lent: bool) -> None:
    function = "made" if lent else f"lambda: {value}"
    assert "cond(" in after(PROGRAM.format(value=value if lent else "w * 2.0", function=function))


def test_gradients_of_what_a_function_computes_itself_are_followed() -> None:
    """An attack's steps: TF 2 takes such gradients in its graphs, too."""
    source = PROGRAM.replace(
        "    return {value}",
        "    return {value}\n\n\ndef body(i, a):\n    cost = tf.square(w * a)\n"
        "    return i + 1, a + 0.1 * tf.sign(tf.gradients(cost, a)[0])",
    ).replace("y = ", "_, x2 = tf.while_loop(lambda i, a: i < 3, body, [0, x])\ny = x2 + ")
    assert "tf.gradients(cost, a)" in after(source.format(value="w * 2.0", function="made"))
