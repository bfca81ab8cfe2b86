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


@pytest.mark.parametrize(
    "given",
    ["y, var_list=w", "y, None, [w]", "y, var_list=None", "y, None, None", "y"],
)
def test_one_variable_may_be_all_that_is_trained(given: str) -> None:
    made = f"train = tf.train.AdamOptimizer(0.1).minimize({given})"
    source = PROGRAM.format(made=made).partition("print(")[0] + "sess.run(train, {x: [[1, 2]]})\n"
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.after is not None
    assert "variables = [w]\n" in result.after.decode()


@pytest.mark.parametrize(("added", "native"), [("one + two", True), ("a + b", False)])
def test_lists_of_variables_that_are_added(added: str, native: bool) -> None:
    source = (
        "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [None])\n"
        "a = tf.Variable(1.0)\nb = tf.Variable(2.0)\none = [a]\ntwo = [b]\n"
        "loss = tf.reduce_mean(x * a + b)\n"
        f"step = tf.train.AdamOptimizer(0.1).minimize(loss, var_list={added})\n"
        "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
        "    print(sess.run([step, loss], {x: [1.0]})[1])\n"
    )
    (result,) = texts({"a.py": source.encode()}, Options())
    assert (result.level is Level.NATIVE) == native
    if native:
        assert result.after is not None
        assert b"    variables = one + two\n" in result.after


def test_lists_of_variables_that_are_added_under_a_name_are_trained() -> None:
    source = (
        "import tensorflow as tf\n\n"
        "x = tf.placeholder(tf.float32, [None])\n"
        "v, w = tf.Variable(1.0), tf.Variable(2.0)\n"
        "first, second = [v], [w]\n"
        "both = first + second\n"
        "loss = tf.reduce_sum(x * v * w)\n"
        "step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=both)\n"
        "sess = tf.Session()\n"
        "sess.run(tf.global_variables_initializer())\n"
        "sess.run(step, {x: [1.0]})\n"
        "print(sess.run([v, w]))\n"
    )
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert "gradients = tape.gradient(loss, both)\n" in str(result.after, "utf-8")
