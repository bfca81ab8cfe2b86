"""Objects whose graphs need each other: tensors that one is given of another."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

CLASSES = """
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])


class Actor(object):
    def __init__(self, sess):
        self.sess = sess
        self.w = tf.Variable(tf.zeros([3, 2]))
        self.act = tf.matmul(x, self.w)
        self.then = tf.tanh(self.act)

    def add(self, slopes):
        self.grads = tf.gradients(self.act, [self.w], grad_ys=slopes)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.step = optimizer.apply_gradients(zip(self.grads, [self.w]))

    def learn(self, values):
        self.sess.run(self.step, {x: values})


class Critic(object):
    def __init__(self, act, then):
        self.act = tf.stop_gradient(act)
        self.value = tf.reduce_sum(tf.square(self.act) * then)
        self.slopes = tf.gradients(self.value, self.act)[0]


sess = tf.Session()
actor = Actor(sess)
critic = Critic(actor.act, actor.then)
actor.add(critic.slopes)
sess.run(tf.global_variables_initializer())
actor.learn([[1.0, 2.0, 3.0]])
"""


def test_the_object_is_given_instead() -> None:
    text = after(CLASSES)
    assert "critic = Critic(actor)" in text
    assert "actor.add(critic)" in text
    assert "def __init__(self, actor):" in text
    assert "slopes = critic.compute_slopes(x)" in text
    assert "act, then = actor.compute_act_and_then(x)" in text


def test_a_parameter_that_means_something_else_later_stays() -> None:
    source = CLASSES.replace(
        "        self.act = tf.stop_gradient(act)\n",
        "        act = act * 2.0\n        self.act = tf.stop_gradient(act)\n",
    )
    assert stopped(source).endswith("`__init__` is given a tensor")


def test_a_function_that_draws_isnt_computed_twice() -> None:
    source = CLASSES.replace("tf.matmul(x, self.w)", "tf.nn.dropout(tf.matmul(x, self.w), 0.5)")
    assert stopped(source).endswith("graphs of two functions or classes in one run")


def test_two_objects_of_one_class_arent_mixed_up() -> None:
    source = CLASSES.replace("actor = Actor(sess)", "actor = Actor(sess)\nother = Actor(sess)")
    source = source.replace("Critic(actor.act, actor.then)", "Critic(actor.act, other.then)")
    text = after(source)
    assert "critic = Critic(actor, other)" in text
    assert "actor_act = actor.compute_act(x)" in text
    assert "then = other.compute_then(x)" in text
