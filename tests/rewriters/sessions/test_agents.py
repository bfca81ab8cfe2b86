"""Agents: classes whose methods build nets, with distributions, slow copies and threads."""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

NORMAL = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable([[1.0], [2.0]])
policy = {normal}(tf.matmul(x, w), 1.0)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run({fetched}, {{x: [[1.0, 2.0]]}}))
"""
POLICY = """\
import threading

import tensorflow as tf


class Agent:
    def __init__(self):
        self.s = tf.placeholder(tf.float32, [None, 2])
        a, params = self.build("policy", trainable=True)
        old, old_params = self.build("old", trainable=False)
        self.copy = [o.assign(p) for o, p in zip(old_params, params)]
        self.loss = tf.reduce_mean(tf.square(a - old))
        self.train = tf.train.AdamOptimizer(0.1).minimize(self.loss)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def build(self, name, trainable):
        with tf.variable_scope(name):
            a = tf.layers.dense(self.s, 3, name="a", trainable=trainable)
        params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope={scope})
        return a, params

    def work(self, n):
        self.sess.run(self.copy)
        [self.sess.run(self.train, {{self.s: [[1.0, 2.0]]}}) for _ in range(n)]


agent = Agent()
thread = threading.Thread(target=agent.work, args=(3,))
{rest}
thread.start()
"""
CRITIC = """\
import numpy as np
import tensorflow as tf


class Critic:
    def __init__(self, n):
        self.n = n
        self.s = tf.placeholder(tf.float32, [None, n])
        self.a = tf.layers.dense(self.s, 2, name="actor")
        q = self.build(self.s, self.a, "eval", True)
        slow = self.build(self.s, self.a, "slow", False)
        ours = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, "eval")
        theirs = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, "slow")
        self.copy = [tf.assign(t, o) for t, o in zip(theirs, ours)]
        loss = tf.reduce_mean(tf.square(q - slow))
        self.train = tf.train.AdamOptimizer(0.1).minimize(loss{var_list})
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def build(self, s, a, scope, trainable):
        with tf.variable_scope(scope):
            w = tf.get_variable("w", [self.n, 4], trainable=trainable)
            w_a = tf.get_variable("w_a", [2, 4], trainable=trainable)
            net = tf.nn.relu(tf.matmul(s, w) + tf.matmul(a, w_a))
            return tf.layers.dense(net, 1, name="q", trainable=trainable)

    def learn(self, s, a):
        self.sess.run(self.copy)
        self.sess.run(self.train, {{self.s: s{fed}}})
        return self.sess.run(self.a, {{self.s: s}})


print(Critic(3).learn(np.ones([1, 3]), np.ones([1, 2])))
"""


SUMMARIES = """\
import tensorflow as tf


class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.loss = tf.reduce_mean(tf.matmul(self.x, tf.Variable(tf.ones([2, 1]))))


net = Net()
sess = tf.Session()
sess.run(tf.global_variables_initializer())
writer = tf.summary.FileWriter("log")
tf.summary.scalar("Loss", net.loss)
write_op = tf.summary.merge_all()
writer.add_summary(sess.run(write_op, {net.x: [[1.0, 2.0]]}), 1)
"""


def test_a_normal_distribution_is_a_class_with_what_is_asked_of_it() -> None:
    for normal in ("tf.distributions.Normal", "tf.contrib.distributions.Normal"):
        text = after(NORMAL.format(normal=normal, fetched="policy.prob(2.0)"))
        assert "class Normal:" in text
        assert "    def log_prob(self, value):" in text
        assert "    def prob(self, value):" in text
        assert "def sample" not in text
        assert "def entropy" not in text
        assert "import math\n" in text
    fetched = "[policy.sample(2), policy.mean(), policy.scale]"
    text = after(NORMAL.format(normal="tf.distributions.Normal", fetched=fetched))
    assert "def sample" in text
    assert "import math\n" not in text
    inner = after(NORMAL.format(normal="tf.distributions.Normal", fetched="policy._sample_n(2)"))
    assert "policy.sample(2)" in inner


@pytest.mark.parametrize("home", ["tf.distributions", "tf.contrib.distributions"])
def test_a_categorical_distribution_is_a_class_with_what_is_asked_of_it(home: str) -> None:
    program = NORMAL.replace("{normal}(tf.matmul(x, w), 1.0)", "{normal}(probs=tf.matmul(x, w))")
    made = f"{home}.Categorical"
    text = after(program.format(normal=made, fetched="[policy.log_prob(1), policy.probs]"))
    assert "class Categorical:" in text
    assert "policy = Categorical(probs=tf.matmul(x, w))" in text
    assert "def log_prob" in text
    assert "def sample" not in text
    assert "class Normal" not in text
    found = stopped(program.format(normal=made, fetched="policy.mean()"))
    assert "`.mean()` of a distribution isn't followed" in found
    other = program.replace("probs=", "dtype=tf.int64, probs=")
    assert "`dtype` of a distribution" in stopped(other.format(normal=made, fetched="policy.probs"))


def test_other_things_that_are_asked_of_a_distribution_keep_the_session() -> None:
    found = stopped(NORMAL.format(normal="tf.distributions.Normal", fetched="policy.cdf(1.0)"))
    assert found == "8: `.cdf()` of a distribution isn't followed"
    found = stopped(
        NORMAL.format(normal="tf.distributions.Normal", fetched="policy.sample(2, seed=3)")
    )
    assert found == "8: a distribution's draw with a seed or a name"
    assert "isn't followed" in stopped(
        NORMAL.format(normal="tf.distributions.Gamma", fetched="policy.mean()")
    )


def test_lists_that_a_method_returns_are_asked_for_by_its_callers() -> None:
    text = after(POLICY.format(scope="name", rest=""))
    assert (
        '        policy_layer = self.build("policy", trainable=True)\n'
        "        params = [v for layer in policy_layer.layers for v in layer.weights]\n"
    ) in text
    assert "get_collection" not in text
    assert "[self.train_step([[1.0, 2.0]]) for _ in range(n)]" in text


def test_a_list_of_another_scope_than_an_argument_says_keeps_the_session() -> None:
    found = stopped(POLICY.format(scope="name.lower()", rest=""))
    assert found.endswith("the variables of a scope whose name is computed")


def test_a_thread_that_runs_the_graph_stays() -> None:
    text = after(POLICY.format(scope="name", rest=""))
    assert "thread = threading.Thread(target=agent.work, args=(3,))" in text
    # Threads could both make what is made by the first call.
    assert "        a_layer.build([None, 2])\n" in text


def test_what_starts_the_graph_behind_a_thread_keeps_the_session() -> None:
    rest = "agent.sess.run(tf.global_variables_initializer())"
    assert "before all of it is built" in stopped(POLICY.format(scope="name", rest=rest))


def test_a_methods_variables_and_layers_are_known_together() -> None:
    text = after(CRITIC.format(fed="", var_list=", var_list=ours"))
    assert "        apply.variables = [w, w_a, *q_layer.weights]\n" in text
    assert "        ours = q_layer.variables\n" in text
    assert "        q_layer.build([None, 4])\n" in text


def test_what_a_method_makes_untrained_is_left_out() -> None:
    text = after(CRITIC.format(fed="", var_list=""))
    assert "*(v for v in q_layer.variables if v.trainable)" in text


def test_layers_are_told_the_shape_of_what_is_fed() -> None:
    text = after(CRITIC.format(fed=", self.a: a", var_list=", var_list=ours"))
    assert "@tf.function(input_signature=[self.s, tf.TensorSpec([None, 2], tf.float32)])" in text


def test_variables_behind_what_is_fed_are_trained_in_tf_1() -> None:
    found = stopped(CRITIC.format(fed=", self.a: a", var_list=""))
    assert found.endswith("`a` is fed, and variables behind it are trained")


def test_summaries_of_an_objects_tensors_call_its_functions() -> None:
    text = after(SUMMARIES)
    assert "@tf.function(input_signature=[net.x])\ndef compute_write(x):" in text
    assert "loss = net.compute_loss(x)" in text


def test_a_placeholder_of_two_methods_is_told_of_once() -> None:
    text = """\
import tensorflow as tf


class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.y = tf.matmul(self.x, tf.Variable([[1.0], [2.0]]))
        self.z = tf.reduce_sum(self.y)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def predict(self, x):
        return self.sess.run(self.y, {self.x: x})

    def total(self, x):
        return self.sess.run(self.z, {self.x: x})


net = Net()
print(net.predict([[1.0, 2.0]]), net.total([[1.0, 2.0]]))
"""
    (result,) = texts({"case.py": text.encode()}, Options())
    said = [(f.line, f.column, f.message) for f in result.fixed]
    assert (6, 18, "a placeholder becomes the spec of a parameter") in said
    assert len(said) == len(set(said))
