"""Variables that a scope finds again, and helpers that do no more than that."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
with tf.variable_scope("a"):
    v = tf.get_variable("weights", [2, 3])
h = tf.layers.dense(tf.matmul(x, v), 2, name="fc")
{found}
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([h, w], {{x: [[1.0, 2.0]]}}))
"""

HELPER = """\
def weights_of(layer, name="kernel"):
    with tf.variable_scope(layer, reuse=True):
        return tf.get_variable({name})
w = weights_of({arguments})"""


@pytest.mark.parametrize(
    ("found", "gives"),
    [
        ('with tf.variable_scope("a", reuse=True):\n    w = tf.get_variable("weights")', "w = v\n"),
        (
            'with tf.variable_scope("fc", reuse=True):\n    w = tf.get_variable("bias")',
            "w = h_layer.bias\n",
        ),
        (HELPER.format(name='"kernel"', arguments='"fc"'), "w = h_layer.kernel\n"),
        (HELPER.format(name="name", arguments="layer='fc', name='bias'"), "w = h_layer.bias\n"),
        (HELPER.format(name="name", arguments="'a', 'weights'"), "w = v\n"),
    ],
)
def test_the_variable_is_named(found: str, gives: str) -> None:
    text = after(PROGRAM.format(found=found))
    assert gives in text
    assert "weights_of" not in text


@pytest.mark.parametrize(
    "found",
    [
        # Not there: TF 1 raises.
        'with tf.variable_scope("b", reuse=True):\n    w = tf.get_variable("weights")',
        'with tf.variable_scope("fc", reuse=True):\n    w = tf.get_variable("weights")',
        # Which one is computed.
        HELPER.format(name='"kernel"', arguments='"f" + "c"'),
        HELPER.format(name='"kernel"', arguments="*['fc']"),
        # Another scope stands around the call.
        'with tf.variable_scope("b"):\n    '
        + HELPER.format(name='"kernel"', arguments='"fc"').replace("\n", "\n    "),
        # The helper does more.
        HELPER.format(name='"kernel"', arguments='"fc"').replace("return", "print(1); return"),
        # What is given does something.
        'with tf.variable_scope("a", reuse=True):\n    w = tf.get_variable("weights", [f()])',
    ],
)
def test_what_isn_t_seen_keeps_the_session(found: str) -> None:
    assert stopped(PROGRAM.format(found=found))


def test_a_helper_that_may_be_called_elsewhere_stays() -> None:
    found = HELPER.format(name='"kernel"', arguments='"fc"') + "\nhelpers = [weights_of]"
    assert stopped(PROGRAM.format(found=found))


@pytest.mark.parametrize(
    ("test", "gives"),
    [("False", ""), ("0", ""), ("True", "w = v * 3.0"), ("1", "w = v * 3.0")],
)
def test_a_constant_decides_a_branch(test: str, gives: str) -> None:
    branch = f"w = v * 2.0\nif {test}:\n    w = v * 3.0\n    print(tf.Graph().as_graph_def())"
    assert stopped(PROGRAM.format(found=branch)) if gives else after(PROGRAM.format(found=branch))
