"""Objects that are variables and a way to apply them: in lists, of several classes."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

LAYER = """\
import numpy as np
import tensorflow as tf


class Layer(object):
    def __init__(self, n, m, f=tf.nn.relu):
        self.w = tf.Variable(tf.random_normal([n, m]))
        self.params = [self.w]
        self.f = f

    def forward(self, x):
        return self.f(tf.matmul(x, self.w))


class Scale:
    def __init__(self, m):
        self.scale = tf.Variable(tf.ones([m]))
        self.params = [self.scale]

    def forward(self, x):
        return x * self.scale


"""
SIZES = "    for n, m in zip([3, 4], [4, 2]):\n"
NET = """\
class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.layers = []
        for n, m in zip([3, 4], [4, 2]):
            layer = Layer(n, m)
            self.layers.append(layer)
            self.layers.append(Scale(m))
        self.params = []
        for layer in self.layers:
            self.params += layer.params
        z = self.x
        for layer in self.layers:
            z = layer.forward(z)
        loss = tf.reduce_mean(tf.square(z))
        self.loss = loss
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


net = Net()
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range(3):
    print(sess.run([net.train, net.loss], {net.x: np.ones([2, 3])})[1])
"""
PROGRAM = LAYER + NET
FORWARD = "z = X\n            for layer in self.layers:\n                z = layer.forward(z)\n"


def test_lists_of_objects_of_two_classes() -> None:
    text = after(PROGRAM)
    assert "tf.Variable(tf.random.normal([n, m]))" in text
    assert "            self.layers.append(Scale(m))\n" in text
    assert "    for layer in self.layers:\n                    z = layer.forward(z)\n" in text
    assert "variables = tape.watched_variables()" in text
    assert "loss = loss" not in text


@pytest.mark.parametrize(
    "made",
    [
        "self.layers = [Layer(n, m) for n, m in zip([3, 4], [4, 2])]",
        "self.layers = [Layer(3, 4), Scale(4)]",
        "self.layers = [Layer(3, 4, tf.nn.tanh)] + [Layer(4, 2, lambda h: 2.0 * h)]",
    ],
)
def test_lists_made_at_once(made: str) -> None:
    body = NET[NET.index("        self.layers = []") : NET.index("        self.params")]
    assert f"        {made}\n" in after(LAYER + NET.replace(body, f"        {made}\n"))


def test_parts_of_such_lists() -> None:
    loop = "        for layer in self.layers:\n            z = layer.forward(z)\n"
    sliced = loop.replace("self.layers", "self.layers[:-1]")
    source = PROGRAM.replace(loop, sliced + "        z = self.layers[-1].forward(z)\n")
    assert "z = self.layers[-1].forward(z)\n" in after(source)
    zipped = "        for layer, k in zip(self.layers, [1.0, 2.0, 3.0, 4.0]):\n"
    zipped += "            z = k * layer.forward(z)\n"
    assert "z = k * layer.forward(z)\n" in after(PROGRAM.replace(loop, zipped))


def test_a_variable_of_an_object_is_fetched() -> None:
    source = PROGRAM + "print(sess.run(net.layers[0].w))\nprint(sess.run(net.params)[0])\n"
    text = after(source)
    assert "print(net.layers[0].w.numpy())\n" in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Layer(n, m)", "Layer(n, m, tf.random_shuffle)", "isn't a function of tensors"),
        ("Layer(n, m)", "Layer(n, m, lambda h: h + tf.random_normal([]))", "isn't a function"),
        ("self.params = [self.w]", "self.p = [tf.nn.l2_loss(self.w)]", "keeps a"),
        ("Scale(m))", "tf.Variable(1.0))", "of method"),
        ("layer.forward(z)", "layer.backward(z)", "isn't seen"),
        ("for i in", "print(sess.run(tf.trainable_variables()))\nfor i in", "have no name"),
        ("for i in", "tf.train.Saver().save(sess, 'a')\nfor i in", "of objects"),
        ("z = layer.forward(z)", "z = Layer(2, 2).forward(layer.forward(z))", "made"),
    ],
)
def test_what_keeps_the_session(old: str, new: str, reason: str) -> None:
    assert reason in stopped(PROGRAM.replace(old, new))


def test_objects_that_a_helper_makes() -> None:
    helper = "def dense(x, n, m):\n    return Layer(n, m).forward(x)\n\n\n"
    source = LAYER + helper + NET.replace("z = self.x\n", "z = dense(self.x, 3, 3)\n")
    assert "helper" in stopped(source)


BUILDS_AND_RUNS = """\
class Net(object):
    def fit(self, data):
        self.w = tf.Variable(tf.ones([3, 1]))
        x = tf.placeholder(tf.float32, [None, 3])
        loss = tf.reduce_mean(tf.square(self.forward(x)))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(3):
                print(sess.run([train, loss], {x: data})[1])

    def forward(self, x):
        return tf.matmul(x, self.w)


Net().fit(np.ones([2, 3]))
"""


def test_a_method_that_builds_runs_what_it_has_names_for() -> None:
    text = after(LAYER[: LAYER.index("class")] + BUILDS_AND_RUNS)
    assert "            print(self.train_step(data).numpy())\n" in text


COPIES = """\
class Net(object):
    def __init__(self):
        self.w = tf.Variable(tf.random_normal([3, 1]))
        self.params = [self.w]

    def copy_from(self, sess, other):
        ops = []
        for p, q in zip(self.params, other.params):
            actual = sess.run(q)
            op = p.assign(actual)
            ops.append(op)
        # all at once
        sess.run(ops)

    def disturb(self, sess):
        ops = []
        for p in self.params:
            v = sess.run(p)
            if v.sum() > 0:
                op = p.assign(v - 1.0)
            else:
                op = p.assign(v + 1.0)
            ops.append(op)
        sess.run(ops)


one, two = Net(), Net()
sess = tf.Session()
sess.run(tf.global_variables_initializer())
one.disturb(sess)
two.copy_from(sess, one)
print(sess.run(two.w))
"""


def test_assignments_that_are_gathered_for_a_later_run() -> None:
    text = after(LAYER[: LAYER.index("class")] + COPIES)
    copied = """\
        values = []
        for p, q in zip(self.params, other.params):
            actual = q.numpy()
            values.append(actual)
        # all at once
        for p, value in zip(self.params, values):
            p.assign(value)
"""
    disturbed = """\
                op = v + 1.0
            values.append(op)
        for p, value in zip(self.params, values):
            p.assign(value)
"""
    assert copied in text
    assert disturbed in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ops.append(op)\n        # all", "ops.append(op)\n            v += 1\n        # all"),
        (
            "            actual = sess",
            "            if q is p:\n                continue\n            actual = sess",
        ),
        ("sess.run(ops)\n\n    def", "print(len(ops))\n        sess.run(ops)\n\n    def"),
        ("zip(self.params, other.params)", "zip(iter(self.params), other.params)"),
        ("            actual = sess", "            p = q\n            actual = sess"),
    ],
)
def test_what_a_loop_gathers_otherwise(old: str, new: str) -> None:
    assert "in a loop" in stopped(LAYER[: LAYER.index("class")] + COPIES.replace(old, new))


def test_variables_that_start_again() -> None:
    again = "for k in range(2):\n    sess.run(tf.global_variables_initializer())\n"
    line = "sess.run(tf.global_variables_initializer())\nfor i in range(3):\n    "
    assert "again" in stopped(PROGRAM.replace(line, again + "    "))


SCANS = """\
class Net(object):
    def __init__(self):
        self.w = tf.Variable(tf.ones([3, 3]))
        self.u = tf.Variable(tf.ones([3, 3]))
        self.h0 = tf.Variable(tf.zeros([1, 3]))
        self.x = tf.placeholder(tf.float32, [None, 1, 3])

        def step(h, x):
            return tf.tanh(tf.matmul(x, self.w) + tf.matmul(h, self.u))

        h = tf.scan(step, self.x, initializer=self.h0)
        self.loss = tf.reduce_sum(h)
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def mixed(self, h):
        return tf.matmul(h, self.u)


net = Net()
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([net.train, net.loss], {net.x: np.ones([4, 1, 3])})[1])
"""


def test_what_a_function_that_an_op_is_given_reads_of_its_object_is_trained() -> None:
    source = LAYER[: LAYER.index("class")] + SCANS
    assert "variables = [self.w, self.u, self.h0]\n" in after(source)
    hidden = after(source.replace("tf.matmul(h, self.u))", "self.mixed(h))"))
    assert "variables = tape.watched_variables()\n" in hidden
    given = source.replace(
        "step, self.x", "lambda h, x: tf.matmul(x, self.w) + self.mixed(h), self.x"
    )
    assert "variables = tape.watched_variables()\n" in after(given)


def test_a_layer_that_an_op_s_function_calls_keeps_the_session() -> None:
    """The step wouldn't know its variables."""
    source = (
        "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [None, 4])\n"
        "on = tf.placeholder(tf.bool)\nw = tf.Variable(tf.ones([4, 3]))\n"
        "dense = tf.layers.Dense(3)\nh = {}\nloss = tf.reduce_mean(tf.square(h - 1.0))\n"
        "step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\nsess = tf.Session()\n"
        "sess.run(tf.global_variables_initializer())\n"
        "print(sess.run([loss, step], {{x: [[1, 2, 3, 4]], on: True}})[0])\n"
    )
    chosen = source.format("tf.cond(on, lambda: dense(x), lambda: tf.matmul(x, w))")
    assert "a layer that is called in a function" in stopped(chosen)
    after(source.format("dense(tf.cond(on, lambda: x * 1.0, lambda: 2.0 * x))"))
