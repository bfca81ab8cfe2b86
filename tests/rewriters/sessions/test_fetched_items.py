"""Items of a dict of tensors that a loop fetches one by one."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])

def net(x):
    layers = {}
    layers['a'] = x * 2.0
    layers['b'] = tf.nn.tanh(layers['a'])
    return layers

layers = net(x)
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": (PROGRAM + source).encode()}, Options())
    return result


@pytest.mark.parametrize(
    "run",
    [
        "layers[name].eval(feed_dict={x: [[1, 2, 3]]})",
        "layers[name].eval({x: [[1, 2, 3]]}, sess)",
        "layers[name].eval({x: [[1, 2, 3]]}, session=sess)",
        "sess.run(layers[name], {x: [[1, 2, 3]]})",
        "sess.run(feed_dict={x: [[1, 2, 3]]}, fetches=layers[name])",
    ],
)
def test_all_are_fetched_and_the_round_takes_its_own(run: str) -> None:
    source = f"with tf.Session() as sess:\n    for name in ['a', 'b']:\n        print({run})\n"
    result = upgrade(source)
    assert result.level is Level.NATIVE
    assert result.after is not None
    call = "tf.nest.map_structure(lambda t: t.numpy(), compute_layers([[1, 2, 3]]))[name]"
    assert call in result.after.decode()


@pytest.mark.parametrize(
    "source",
    [
        # Another dict in each round.
        "for name in ['a', 'b']:\n    layers = net(x)\n"
        "    print(sess.run(layers[name], {x: [[1, 2, 3]]}))\n",
        # More would be drawn.
        "layers['a'] = tf.nn.dropout(x, 0.5)\n"
        "for name in ['a', 'b']:\n    print(sess.run(layers[name], {x: [[1, 2, 3]]}))\n",
        # A new session for each: none has a name.
        "for name in ['a', 'b']:\n    print(layers[name].eval({x: [[1, 2, 3]]}))\n",
    ],
)
def test_what_keeps_the_session(source: str) -> None:
    assert upgrade("sess = tf.Session()\n" + source).level is Level.COMPAT
