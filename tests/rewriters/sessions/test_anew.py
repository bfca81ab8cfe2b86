"""Functions that make a graph of their own at every call, and optimizers that they are given."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after

TRAIN = """\
import tensorflow as tf

def train({parameters}):
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.Variable(tf.ones([2, 1]), name='w')
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    {more}
    train_op = {optimizer}.minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train_op, {{x: [[1, 2]]}})
"""
OWN = "tf.train.GradientDescentOptimizer(rate)"


def upgrade(calls: str, parameters: str, optimizer: str, more: str = "pass") -> FileResult:
    source = TRAIN.format(parameters=parameters, optimizer=optimizer, more=more) + calls
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(result: FileResult) -> str:
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


@pytest.mark.parametrize(
    "calls", ["train(0.1)\ntrain(0.2)\n", "for rate in (0.1, 0.2):\n    train(rate)\n"]
)
def test_a_graph_for_every_call(calls: str) -> None:
    text = native(upgrade(calls, "rate", OWN))
    assert text.endswith(calls)
    assert "    optimizer = tf.keras.optimizers.SGD(rate)\n" in text


def test_a_graph_that_later_ones_are_confused_by_must_be_left() -> None:
    calls = "train(0.1)\ntrain(0.2)\n"
    saver = "saver = tf.train.Saver()"
    result = upgrade(calls, "rate", OWN, saver)
    assert result.level is Level.COMPAT
    (finding,) = [f for f in result.left if f.rule == "TFM420"]
    assert "`train` builds its graph anew at every call" in finding.message
    blocks = "".join(f"with tf.Graph().as_default():\n    {call}\n" for call in calls.split())
    native(upgrade(blocks, "rate", OWN, saver))


def test_optimizers_that_a_function_is_given() -> None:
    calls = (
        "train(tf.train.MomentumOptimizer(0.1, 0.9))\ntrain(opt=tf.train.AdagradOptimizer(1.))\n"
    )
    text = native(upgrade(calls, "opt=tf.train.AdamOptimizer()", "opt"))
    assert "train(tf.keras.optimizers.SGD(0.1, momentum=0.9))\n" in text
    assert "train(opt=tf.keras.optimizers.Adagrad(1., epsilon=0))\n" in text
    assert "def train(opt=tf.keras.optimizers.Adam(0.001, " in text
    assert "    opt.apply_gradients(zip(gradients, variables))\n" in text.replace(
        "        ", "    "
    )


@pytest.mark.parametrize(
    "calls",
    [
        "opt = tf.train.AdamOptimizer()\ntrain(opt)\n",  # it may train something else, too
        "train()\ntrain()\n",  # one object of Keras's would train two models
    ],
)
def test_an_optimizer_that_isn_t_its_function_s_alone(calls: str) -> None:
    result = upgrade(calls, "opt=tf.train.AdamOptimizer()", "opt")
    assert result.level is Level.COMPAT
    (finding,) = [f for f in result.left if f.rule == "TFM420"]
    assert "an optimizer that has a name, or a rate that changes, is given" in finding.message


def test_the_none_of_an_initializer_is_a_none() -> None:
    program = (
        "import tensorflow as tf\nw = tf.Variable(1.0)\nwith tf.Session() as sess:\n"
        "    out = sess.run(tf.global_variables_initializer())\n    print(out, sess.run(w))\n"
    )
    assert "out = None\nprint(out, w.numpy())" in after(program)


METHOD = """\
import tensorflow as tf


class Stack:
    def __init__(self, sizes):
        self.sizes = sizes
        self.kernels = []
        {kept}

    def fit(self, data):
        for size in self.sizes:
            data = self.layer(data, size)
        return data

    def layer(self, data, size):
        tf.reset_default_graph()
        x = tf.placeholder(tf.float32, [None, len(data[0])])
        w = tf.Variable(tf.ones([len(data[0]), size]), name='w')
        out = self.act(tf.matmul(x, w)){also}
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(out))
        sess = {session}
        sess.run(tf.global_variables_initializer())
        sess.run(train_op, {{x: data}})
        self.kernels.append(sess.run(w))
        return sess.run(out, {{x: data}})

    def act(self, x):
        return tf.nn.tanh(x)


print(Stack([3, 2]).fit([[1., 2.]]))
"""


def test_a_graph_for_every_call_of_a_method() -> None:
    text = after(METHOD.format(kept="pass", also="", session="tf.Session()"))
    assert "            data = self.layer(data, size)\n" in text
    assert "        optimizer = tf.keras.optimizers.SGD(0.1)\n" in text


@pytest.mark.parametrize(
    "parts",
    [
        {"kept": "self.b = tf.Variable(1.0)", "also": " + self.b", "session": "tf.Session()"},
        {"kept": "self.sess = tf.Session()", "also": "", "session": "self.sess"},
    ],
)
def test_a_method_of_what_its_object_has_of_a_graph_keeps_the_session(
    parts: dict[str, str],
) -> None:
    (result,) = texts({"program.py": METHOD.format(**parts).encode()}, Options())
    assert result.level is Level.COMPAT


NEAREST = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
far = {far}

def nearest(k):
    found = tf.reduce_max(tf.nn.top_k(far, k=k)[0])
    with tf.Session() as sess:
        return sess.run(found, {{x: [1.0, 2.0, 3.0]}})

for k in (1, 2):
    print(nearest(k))
"""


def upgraded(far: str) -> FileResult:
    (result,) = texts({"program.py": NEAREST.format(far=far).encode()}, Options())
    return result


def test_ops_of_what_is_fed_elsewhere() -> None:
    text = native(upgraded("tf.abs(x)"))
    assert "        far = compute_far(x)\n" in text
    assert text.index("def nearest(k):") < text.index("def compute_found(x):")


@pytest.mark.parametrize("far", ["x * tf.Variable(2.0)", "x + tf.random_uniform([3], seed=1)"])
def test_what_starts_anew_in_every_session_must_be_left(far: str) -> None:
    result = upgraded(far)
    assert result.level is Level.COMPAT
    assert any("`nearest` is called in a loop" in f.message for f in result.left)
