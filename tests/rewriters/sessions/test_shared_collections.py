"""Collections of one's own: whose names functions are given, and that objects have in common."""

from __future__ import annotations

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

AGENT = """\
import numpy as np
import tensorflow as tf


class Agent:
    def __init__(self, n, sess=None):
        self.build(n)
        slow = tf.get_collection('slow')
        quick = tf.get_collection('quick')
        self.copy = [tf.assign(s, q) for s, q in zip(slow, quick)]
        if sess is None:
            self.sess = tf.Session()
            self.sess.run(tf.global_variables_initializer())
        else:
            self.sess = sess

    def build(self, n):
        def net(x, names, init):
            w = tf.get_variable('w', [2, n], initializer=init, collections=names)
            return tf.matmul(x, w)

        self.x = tf.placeholder(tf.float32, [None, 2])
        with tf.variable_scope('quick'):
            names, init = ['quick', tf.GraphKeys.GLOBAL_VARIABLES], tf.random_normal_initializer()
            self.now = net(self.x, names, init)
        with tf.variable_scope('slow'):
            names = ['slow', tf.GraphKeys.GLOBAL_VARIABLES]
            self.later = net(self.x, names, init)

    def both(self, x):
        self.sess.run(self.copy)
        return self.sess.run([self.now, self.later], {self.x: x})


"""
ONE = AGENT + "print(Agent(3).both(np.ones([1, 2])))\n"
TWO = """\
sess = tf.Session()
with tf.variable_scope('a'):
    a = Agent(3, sess=sess)
with tf.variable_scope('b'):
    b = Agent(3, sess=sess)
sess.run(tf.global_variables_initializer())
print(a.both(np.ones([1, 2])), b.both(np.ones([1, 2])))
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def stopped(source: str) -> str:
    result = upgrade(source)
    assert result.level is not Level.NATIVE
    return next(f.message for f in result.left if f.rule == "TFM420")


def test_a_function_that_is_given_its_collections() -> None:
    text = native(ONE)
    assert "        def net(init):\n            w = tf.Variable(init([2, n]), name='w')\n" in text
    assert "        self.now_layer = net(init)\n" in text
    assert "        slow = self.later_layer.variables\n" in text
    assert "collections" not in text
    assert "names" not in text


def test_a_session_that_no_call_gives_is_what_the_class_made() -> None:
    text = native(ONE)
    assert "    def __init__(self, n):\n" in text
    assert "sess" not in text


def test_objects_of_one_graph_find_what_is_in_the_collections_before_them() -> None:
    text = native(AGENT + TWO)
    assert "class Agent:\n    all_slow = []  # of all objects, as the collection is\n" in text
    assert (
        "        slow = [*self.all_slow, *self.later_layer.variables]\n"
        "        Agent.all_slow = slow\n"
    ) in text
    assert "a = Agent(3)\n" in text


def test_a_collection_in_common_that_others_fill_keeps_the_session() -> None:
    more = "c = tf.get_variable('c', [2, 3], collections=['slow', tf.GraphKeys.GLOBAL_VARIABLES])\n"
    text = AGENT + TWO.replace("with tf.variable_scope('b')", more + "with tf.variable_scope('b')")
    assert stopped(text).endswith("each object trains the variables of all")


def test_a_collection_in_common_that_is_in_a_branch_keeps_the_session() -> None:
    text = AGENT.replace(
        "        slow = tf.get_collection('slow')\n",
        "        if n:\n            slow = tf.get_collection('slow')\n",
    )
    assert stopped(text + TWO)


def test_calls_of_which_some_give_a_session_keep_it() -> None:
    text = AGENT + TWO.replace("b = Agent(3, sess=sess)", "b = Agent(3)")
    assert stopped(text)


def test_an_initializer_or_a_value_keeps_the_session() -> None:
    other = "            self.later = net(self.x, names, 0.5)\n"
    text = ONE.replace("            self.later = net(self.x, names, init)\n", other)
    assert stopped(text).endswith("`init` of `net` is an initializer or a value")


def test_names_of_collections_that_are_used_otherwise_keep_the_session() -> None:
    text = ONE.replace(
        "            return tf.matmul(x, w)", "            return len(names) * tf.matmul(x, w)"
    )
    assert stopped(text)


NET = """\
import numpy as np
import tensorflow as tf


def net(x, init, name):
    with tf.variable_scope(name):
        h = tf.layers.dense(x, 4, kernel_initializer=init)
        return tf.layers.batch_normalization(h, gamma_initializer=init)


x = tf.placeholder(tf.float32, [None, 2])
a = net(x, tf.random_uniform_initializer(0.1, 0.4), 'a')
b = net(x, tf.constant_initializer(0.5), 'b')
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([a, b], {x: np.ones([1, 2])}))
"""


def test_each_call_gives_its_initializer() -> None:
    text = native(NET)
    assert "Dense(4, kernel_initializer=init)" in text
    assert "BatchNormalization(gamma_initializer=init" in text
    assert "tf.keras.initializers.RandomUniform(minval=0.1, maxval=0.4, seed=" in text
    assert "net(tf.keras.initializers.Constant(0.5)" in text
    assert "compat" not in text


def test_an_initializer_that_is_kept_elsewhere_keeps_the_session() -> None:
    kept = "inits = {'b': tf.constant_initializer(0.5)}\nx = tf.pl"
    text = NET.replace("x = tf.pl", kept).replace(
        "tf.constant_initializer(0.5), 'b'", "inits['b'], 'b'"
    )
    assert stopped(text)
