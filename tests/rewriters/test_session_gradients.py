"""`tf.gradients` and `var_list`: by one thing or by a list of them, by what is fed, weighted."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
g = tf.placeholder(tf.float32, [None, 1])
w = tf.Variable(tf.zeros([2, 1]), name='w')
y = tf.matmul(x, w)
{made}
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(found, {{x: [[1, 2]], g: [[1]]}}))
"""


@pytest.mark.parametrize(
    ("made", "written"),
    [
        ("found = tf.gradients(y, w)[0]", "found = tape.gradient(y, w)\n"),
        ("found = tf.gradients(y, w)", "found = tape.gradient(y, [w])\n"),
        ("found, = tf.gradients(y, [w])", "found, = tape.gradient(y, [w])\n"),
        ("found = tf.gradients(y, [w], g)[0]",
         "found = tape.gradient(y, [w], output_gradients=g)[0]\n"),
        ("found = tf.gradients(y, w, grad_ys=g)[0]",
         "found = tape.gradient(y, w, output_gradients=g)\n"),
        ("found = tf.gradients(y, x)[0]", "found = tape.gradient(y, x)\n"),
    ],
)  # fmt: skip
def test_what_is_differentiated(made: str, written: str) -> None:
    (result,) = texts({"program.py": PROGRAM.format(made=made).encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert written in text
    assert ("tape.watch(x)\n" in text) is ("(y, x)" in made)


def test_one_variable_may_be_all_that_is_trained() -> None:
    made = "train = tf.train.AdamOptimizer(0.1).minimize(y, var_list=w)"
    source = PROGRAM.format(made=made).partition("print(")[0] + "sess.run(train, {x: [[1, 2]]})\n"
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.after is not None
    assert "variables = [w]\n" in result.after.decode()
