"""Functions that build a graph and return it, and functions that are given parts of one."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, body, stopped

BUILD = """\
import numpy as np
import tensorflow as tf


def build(n, lr=0.1):
    x = tf.placeholder(tf.float32, [None, n])
    w = tf.Variable(tf.zeros([n]))
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - 1))
    train = tf.train.GradientDescentOptimizer(lr).minimize(loss)
    return x, w, train, loss


"""


def test_a_builder_returns_functions_and_hands_them_on() -> None:
    text = after(
        BUILD
        + """\
def fit(sess, inputs, op, cost, steps=10):
    for i in range(steps):
        _, value = sess.run([op, cost], feed_dict={inputs: np.ones((2, 3))})
        print(value)


def evaluate(sess, model):
    x, _, _, loss = model
    print(sess.run(loss, {x: np.ones((2, 3))}))


def report(sess, model):
    evaluate(sess, model)


def main():
    model = build(3)
    a, weights, t, cost = model
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        fit(sess, a, t, cost, steps=3)
        report(sess, model)
        print(sess.run(weights))


main()
"""
    )
    assert "    return train_step, compute_loss, w\n" in text
    assert "def fit(train_step, steps=10):\n" in text
    assert "def evaluate(compute_loss):\n    print(compute_loss(np.ones((2, 3))).numpy())\n" in text
    assert "def report(compute_loss):\n    evaluate(compute_loss)\n" in text
    assert text.endswith(
        "    train_step, compute_loss, w = build(3)\n"
        "    fit(train_step, steps=3)\n"
        "    report(compute_loss)\n"
        "    print(w.numpy())\n\n\nmain()\n"
    )


def test_a_helper_sees_the_modules_functions() -> None:
    text = body("""
        def fit(session, inputs, op, cost):
            _, value = session.run([op, cost], feed_dict={inputs: data})
            return value

        def show(variable):
            print(sess.run(variable))

        print(fit(sess, x, train, cost=loss))
        show(w)
    """)
    assert "def fit():\n    value = train_step(data).numpy()\n    return value" in text
    assert "print(fit())\nshow(w)" in text


def test_a_graph_on_what_a_builder_returns_calls_its_function() -> None:
    text = after(
        BUILD
        + "x, w, t, l = build(3)\ny = l * 2\nsess = tf.Session()\n"
        + "sess.run(t, {x: np.ones((1, 3))})\nprint(sess.run(y, {x: np.ones((1, 3))}))\n"
    )
    assert "return train_step, compute_loss, x\n" in text
    assert "train_step, compute_loss, x = build(3)\n" in text
    assert "    loss = compute_loss(x)\n    return loss * 2\n" in text


def test_a_train_method_builds_on_the_objects_graph() -> None:
    source = NET.replace("        self.build_loss()\n", "")
    cut = source.index("    def build_loss"), source.index("    def predict")
    text = after(
        source[: cut[0]]
        + """\
    def fit(self, xs):
        loss = tf.reduce_mean(tf.square(self.out))
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        self.sess.run(tf.global_variables_initializer())
        return self.sess.run([train_op, loss], {self.x: xs})[1]

"""
        + source[cut[1] :]
    )
    assert "        @tf.function(input_signature=[self.x])\n        def train_step(x):\n" in text
    assert "out = self.compute_out(x)\n" in text


def test_a_function_in_a_sessions_block_moves_left_with_it() -> None:
    text = body("""
        with sess as s:
            def show(a):
                # what it gives
                for i in range(2):
                    print(s.run(y, {x: a + i}))

            def double(a):
                return a * 2

            show(double(data))
    """)
    assert "def show(a):\n    # what it gives\n    for i in range(2):\n        print(" in text
    assert "\ndef double(a):\n    return a * 2\n" in text
    assert "\nshow(double(data))" in text


@pytest.mark.parametrize(
    ("tail", "why"),
    [
        ("a = build(3)\nb = build(4)\n", "14: `build` builds a graph twice"),
        ("for i in range(2):\n    a = build(3)\n", "14: `build` builds a graph in a loop"),
        (
            "def f(s, l, x):\n    s.run(l, {x: np.ones((1, 3))})\n"
            "def g():\n    x, w, t, l = build(3)\n    s = tf.Session()\n"
            "    f(s, l, x)\n    f(s, t, x)\ng()\n",
            "19: `f` is given other parts of the graph before",
        ),
        (
            "def f(s, l, x):\n    print(l)\n    s.run(l, {x: np.ones((1, 3))})\n"
            "x, w, t, l = build(3)\ns = tf.Session()\nf(s, l, x)\n",
            "14: `l` is used outside of a run",
        ),
    ],
)
def test_what_keeps_a_session(tail: str, why: str) -> None:
    run = "" if "ession" in tail else "tf.Session().run(tf.no_op())\n"
    assert stopped(BUILD + tail + run).startswith(why)


NET = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, sess, n):
        self.sess = sess
        self.n = n
        self.build()
        self.build_loss()

    def build(self):
        self.x = tf.placeholder(tf.float32, [None, self.n], name='x')
        h = self.dense(self.x, self.n, 4, 'h', activation=None)
        self.out = self.dense(h, 4, 1, 'o')

    def dense(self, inputs, size, units, name, activation=tf.nn.relu):
        with tf.variable_scope(name):
            w = tf.get_variable('w', [size, units], initializer=tf.ones_initializer())
            out = tf.matmul(inputs, w)
            if activation is not None:
                out = activation(out)
            return out

    def build_loss(self):
        self.loss = tf.reduce_mean(tf.square(self.out))
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def fit(self, xs):
        self.sess.run(tf.global_variables_initializer())
        return self.sess.run([self.train_op, self.loss], {self.x: xs})[1]

    def predict(self, xs):
        return self.sess.run(self.out, {self.x: xs})


net = Net(tf.Session(), 3)
print(net.fit(np.ones((2, 3))), net.predict(np.ones((2, 3))))
"""


def test_a_method_that_makes_variables_makes_them_once() -> None:
    text = after(NET)
    assert "        self.h_layer = self.dense(self.n, 4, 'h', activation=None)\n" in text
    assert "    def dense(self, size, units, name, activation=tf.nn.relu):\n" in text
    assert "        def apply(inputs):\n            out = tf.matmul(inputs, w)\n" in text
    assert text.count("self.o_layer(h)") == 1
    assert "                out = self.compute_out(x)\n" in text


def test_a_variable_whose_shape_comes_from_a_run_keeps_the_session() -> None:
    shape = "initializer=tf.ones_initializer()"
    # One that asks nothing of its object is a layer.
    source = NET.replace("[size, units]", "[tf.shape(inputs)[-1] + 0 * self.n, units]")
    assert shape in source
    assert "a variable starts with a tensor" in stopped(source)


def test_an_argument_that_is_called_must_be_seen() -> None:
    source = NET.replace("4, 1, 'o')", "4, 1, 'o', activation=max(tf.nn.relu, tf.nn.tanh))")
    assert "`activation`, which `dense` calls, isn't seen" in stopped(source)


SPECS = """\
import tensorflow as tf


def inputs(n):
    a = tf.placeholder(tf.float32, [n])
    b = tf.placeholder(tf.float32, [n])
    return a, b


"""


def test_a_helper_that_makes_placeholders_gives_their_specs() -> None:
    text = after(
        SPECS + "x, y = inputs(2)\nz = x * y\nprint(tf.Session().run(z, {x: [1, 2], y: [3, 4]}))\n"
    )
    assert "    a = tf.TensorSpec([n], tf.float32)\n" in text
    assert "x, y = inputs(2)\n" in text
    assert "@tf.function(input_signature=[x, y])\ndef compute_z(x, y):\n" in text


def test_placeholders_in_a_tuple_keep_the_session() -> None:
    source = SPECS + "p = inputs(2)\nz = p[0] * p[1]\n"
    source += "print(tf.Session().run(z, {p[0]: [1, 2], p[1]: [3, 4]}))\n"
    assert stopped(source) == "10: a placeholder is made in a loop, a branch or a helper"


@pytest.mark.parametrize(
    ("returned", "call", "loss", "train"),
    [
        ("x, loss, {}", "x, cost, train_op = build(3)", "cost", "train_op"),
        (
            "{{'x': x, 'loss': loss, 'fit': {}}}",
            "g = build(3)\nx = g['x']",
            "g['loss']",
            "g['fit']",
        ),
        ("dict(x=x, loss=loss, fit={})", "g = build(3)\nx = g['x']", "g['loss']", "g['fit']"),
    ],
)
def test_what_is_returned_without_a_name_gets_one(
    returned: str, call: str, loss: str, train: str
) -> None:
    made = "tf.train.GradientDescentOptimizer(lr).minimize(loss)"
    source = BUILD.replace(f"    train = {made}\n", "")
    source = source.replace("x, w, train, loss", returned.format(made))
    text = after(
        source + f"{call}\nsess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"
        f"_, now = sess.run([{train}, {loss}], feed_dict={{x: np.ones((2, 3))}})\nprint(now)\n"
    )
    assert "    optimizer = tf.keras.optimizers.SGD(lr)\n" in text
    assert "    return train_step\n" in text
    assert "now = train_step(np.ones((2, 3))).numpy()\n" in text
