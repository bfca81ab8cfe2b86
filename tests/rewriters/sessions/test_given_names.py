"""Objects that loops make, each in a scope with a number."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

AGENTS = """
import numpy as np
import tensorflow as tf


class Agent(object):
    def __init__(self, name, sess):
        self.sess = sess
        with tf.variable_scope(name):
            self.x = tf.placeholder(tf.float32, [None, 3])
            out = tf.layers.dense(self.x, 2)
            self.loss = tf.reduce_mean(tf.square(out))
            weights = tf.trainable_variables(scope=name)
            optimizer = tf.train.GradientDescentOptimizer(0.1)
            self.step = optimizer.minimize(self.loss, var_list=weights)

    def learn(self, x):
        return self.sess.run([self.loss, self.step], {self.x: x})[0]


sess = tf.Session()
agents = [Agent("agent_%d" % i, sess) for i in range(12)]
sess.run(tf.global_variables_initializer())
for agent in agents:
    print(agent.learn(np.ones([2, 3])))
"""
MADE = '[Agent("agent_%d" % i, sess) for i in range(12)]'


def test_each_has_its_own() -> None:
    text = after(AGENTS)
    assert "agent_%d" in text
    assert "weights = " in text


def test_through_another_object() -> None:
    worker = """class Worker(object):
    def __init__(self, number, sess):
        self.name = "agent_" + str(number)
        self.net = Agent(self.name, sess)

    def learn(self, x):
        return self.net.learn(x)


sess = tf.Session()"""
    source = AGENTS.replace("sess = tf.Session()", worker, 1)
    after(source.replace(MADE, "[Worker(i, sess) for i in range(3)]"))


def test_names_that_may_be_the_same_stay() -> None:
    reason = "the variables of a scope whose name is computed"
    assert stopped(AGENTS.replace('"agent_%d" % i', '"agent"')).endswith(reason)
    assert stopped(AGENTS.replace("i in range(12)", "i in (1, 12, 1)")).endswith(reason)
    assert stopped(AGENTS.replace("range(12)", "range(12, 0, -1)")).endswith(reason)


def test_another_object_whose_name_may_begin_so_stays() -> None:
    source = AGENTS.replace(MADE, f'{MADE}\nother = Agent("agent_10x", sess)')
    assert stopped(source).endswith("an object's scope, as which another name may begin")


def test_objects_of_one_name_in_several_others_stay() -> None:
    worker = """class Worker(object):
    def __init__(self, sess):
        self.net = Agent("net", sess)

    def learn(self, x):
        return self.net.learn(x)


sess = tf.Session()"""
    source = AGENTS.replace("sess = tf.Session()", worker, 1)
    source = source.replace(MADE, "[Worker(sess), Worker(sess)]")
    assert stopped(source).endswith("the variables of a scope whose name is computed")
