"""Static methods that make variables: called by their class's name or by `self`."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.scale = tf.Variable(2.0)
        h = OWNER.dense(self.x, 3, 4, 'h')
        self.out = OWNER.dense(h, 4, 2, 'out') * self.scale
        self.saver = tf.train.Saver()

    @staticmethod
    def dense(x, n, m, name):
        w = tf.get_variable(name, [n, m])
        return tf.matmul(x, w)


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.out, {net.x: np.ones([2, 3])}))
    net.saver.save(sess, 'model')
"""
TOOLS = """\
import numpy as np
import tensorflow as tf


class Tools:
    @staticmethod
    def weights(shape, name):
        return tf.get_variable(name, shape)

    @staticmethod
    def dense(x, n, m, name):
        w = Tools.weights([n, m], name)
        return tf.matmul(x, w)


x = tf.placeholder(tf.float32, [None, 3])
scale = tf.Variable(2.0)
out = Tools.dense(x, 3, 2, 'out') * scale
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {x: np.ones([2, 3])}))
    saver.save(sess, 'model')
"""
BASE = """\
import numpy as np
import tensorflow as tf


class Base:
    @staticmethod
    def dense(x, n, m):
        w = tf.Variable(tf.truncated_normal([n, m]))
        return tf.matmul(x, w)


class Net(Base):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.out = Net.dense(Base.dense(self.x, 3, 4), 4, 2)


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.out, {net.x: np.ones([2, 3])}))
"""


@pytest.mark.parametrize("owner", ["Net", "self"])
def test_a_static_method_makes_variables_and_stays_static(owner: str) -> None:
    text = after(NET.replace("OWNER", owner))
    assert f"h_layer = {owner}.dense(3, 4, 'h')\n" in text
    assert f"out_layer = {owner}.dense(4, 2, 'out')\n" in text
    assert "    @staticmethod\n    def dense(n, m, name):\n" in text
    assert "        def apply(x):\n            return tf.matmul(x, w)\n" in text


def test_what_static_methods_make_is_saved() -> None:
    text = after(NET.replace("OWNER", "Net"))
    made = text.split("self.saver = ")[1].split("\n\n")[0]
    assert all(part in made for part in ("=self.scale", "h_layer.variables", "out_layer.variables"))
    text = after(TOOLS)
    assert "out_layer = Tools.dense(3, 2, 'out')\n" in text
    assert "tf.train.Checkpoint(scale=scale, out_layer=out_layer.variables)\n" in text


def test_a_static_method_is_a_base_classs() -> None:
    text = after(BASE)
    assert "Base.dense(3, 4)" in text
    assert "Net.dense(4, 2)" in text


def test_a_static_method_whose_variables_have_its_inputs_shape_is_a_layer() -> None:
    shaped = NET.replace("OWNER", "self").replace("dense(x, n, m", "dense(x, m")
    shaped = shaped.replace("[n, m]", "[x.get_shape()[1], m]").replace(", 3, 4,", ", 4,")
    text = after(shaped.replace(", 4, 2,", ", 2,"))
    assert "    class Dense(tf.keras.layers.Layer):\n" in text
    assert "h_layer = self.Dense(4, 'h')\n" in text
    assert "staticmethod" not in text


def test_a_static_method_that_only_computes_is_called_as_it_was() -> None:
    twice = "    @staticmethod\n    def twice(a):\n        return a + a\n\n    @staticmethod\n"
    source = TOOLS.replace("    @staticmethod\n", twice, 1)
    text = after(source.replace("Tools.dense(x, 3, 2, 'out') *", "Tools.twice(x) *"))
    assert "return Tools.twice(x) * scale\n" in text
    assert twice in text


def test_another_decorator_keeps_the_session() -> None:
    source = NET.replace("OWNER", "self").replace("@staticmethod", "@kept")
    source = source.replace("class Net", "def kept(f):\n    return staticmethod(f)\n\n\nclass Net")
    assert "`dense` has a decorator" in stopped(source)


def test_a_static_method_in_a_list_keeps_the_session() -> None:
    source = NET.replace("OWNER", "Net").replace(
        "        h = ", "        made = [Net.dense]\n        h = "
    )
    assert "a container of method" in stopped(source)


BUILT = """\
import numpy as np
import tensorflow as tf


class Agent:
    def __init__(self):
        self.x, self.out = OWNER.create(3)
        self.loss = tf.reduce_mean(tf.square(self.out))
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    @staticmethod
    def create(size):
        x = tf.placeholder(tf.float32, [None, size])
        w = tf.Variable(tf.ones([size, 2]))
        return x, tf.matmul(x, w)


agent = Agent()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(agent.train, {agent.x: np.ones([2, 3])})
    print(sess.run(agent.loss, {agent.x: np.ones([2, 3])}))
"""


@pytest.mark.parametrize("owner", ["Agent", "self"])
def test_a_static_method_that_builds_its_classs_graph_is_given_the_object(owner: str) -> None:
    text = after(BUILT.replace("OWNER", owner))
    assert "        self.create(3)\n" in text
    assert "    def create(self, size):\n" in text
    assert "        self.w = tf.Variable(tf.ones([size, 2]))\n" in text
    assert "staticmethod" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@staticmethod", "@staticmethod  # one"),
        ("agent = Agent()", "agent = Agent()\nmore = Agent.create"),
        ("def create(size)", "def create(size, self=None)"),
        (
            "\n\nagent =",
            "\n\nclass Other(Agent):\n    @staticmethod\n    def create(size):\n"
            "        return 1, 2\n\n\nagent =",
        ),
    ],
)
def test_one_that_cant_be_given_it_keeps_the_session(old: str, new: str) -> None:
    assert stopped(BUILT.replace("OWNER", "Agent").replace(old, new))


def test_a_static_method_builds_the_graph_of_a_function() -> None:
    run = (
        BUILT[BUILT.index("\n\nagent =") :]
        .replace("agent.", "")
        .replace(
            "agent = Agent()",
            "x, out = Agent.create(3)\nloss = tf.reduce_mean(tf.square(out))\n"
            "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)",
        )
    )
    head, made = BUILT.split("    def __init__")[0], BUILT.index("    @staticmethod")
    text = after(head + BUILT[made : BUILT.index("\n\nagent =")] + run)
    assert "    @staticmethod\n    def create(size):\n" in text
    assert "= Agent.create(3)\n" in text
