"""Objects that are told to find the variables of the first one: ``Policy(n, reuse=True)``."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


def fc(inputs, units, gain=1.0):
    return tf.layers.dense(inputs=inputs, units=units, activation=tf.nn.relu)


class Policy(object):
    def __init__(self, sess, n_batch, reuse=False):
        X = tf.placeholder(tf.float32, [n_batch, 4])
        with tf.variable_scope("model", reuse=reuse):
            h = fc(X, 8)
            pi = tf.layers.dense(h, 3, name="pi")
            scale = tf.get_variable("scale", [1, 3], initializer=tf.ones_initializer())
        self.sess = sess
        self.X = X
        self.pi = pi * scale

    def step(self, ob):
        return self.sess.run(self.pi, {self.X: ob})


class Model(object):
    def __init__(self, sess, policy):
        self.sess = sess
        self.act_model = policy(sess, 2)
        self.train_model = policy(sess, 6, reuse=True)
        self.loss = tf.reduce_mean(tf.square(self.train_model.pi))
        self.step = tf.train.GradientDescentOptimizer(.1).minimize(self.loss)

    def train(self, ob):
        return self.sess.run([self.loss, self.step], {self.train_model.X: ob})[0]


sess = tf.Session()
model = Model(sess, Policy)
sess.run(tf.global_variables_initializer())
print(model.train(np.ones([6, 4])))
print(model.act_model.step(np.ones([2, 4])))
"""


@pytest.mark.parametrize("handed", [True, False])
def test_the_second_one_is_given_the_first(handed: bool) -> None:
    source = PROGRAM
    if not handed:
        source = source.replace("sess, policy):", "sess):").replace(", Policy)", ")")
        source = source.replace("policy(sess, 2)", "Policy(sess, 2, reuse=False)")
        source = source.replace("policy(", "Policy(")
    text = after(source)
    name = "policy" if handed else "Policy"
    assert "    def __init__(self, n_batch, shared=None):\n" in text
    assert f"self.act_model = {name}(2)\n" in text
    assert f"self.train_model = {name}(6, shared=self.act_model)\n" in text
    assert "self.h_layer = shared.h_layer if shared else fc(8)\n" in text
    assert "self.pi_layer = shared.pi_layer if shared else tf.keras.layers.Dense(3" in text
    assert (
        'self.scale = shared.scale if shared else tf.Variable(tf.ones([1, 3]), name="model/scale")'
        in text
    )


def test_layers_are_built_once() -> None:
    head, _, rest = PROGRAM.partition("def fc")
    source = head + rest[rest.index("class Policy") :]
    source = source.replace("h = fc(X, 8)", "h = tf.layers.dense(X, 8)")
    lists = "        self.tvars = tf.trainable_variables('model')\n"
    place = "        self.loss ="
    text = after(
        source.replace(place, lists + place).replace(
            "minimize(self.loss)", "minimize(self.loss, var_list=self.tvars)"
        )
    )
    assert "        if not shared:\n            self.pi_layer.build([n_batch, 8])\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("6, reuse=True)", "6, reuse=bool(1))"),
        ("6, reuse=True)\n", "6, reuse=True)\n        self.other = policy(sess, 3, reuse=True)\n"),
        (
            "pi = tf.layers.dense(h, 3",
            "h = tf.layers.batch_normalization(h)\n            pi = tf.layers.dense(h, 3",
        ),
        ('name="pi")', "activation=tf.nn.relu if n_batch > 2 else None)"),
        ("h = fc(X, 8)", "h = fc(X, 8, gain=n_batch)"),
        ("self.train_model = policy", "w = tf.Variable(1.)\n        self.train_model = policy"),
        (
            "        self.sess = sess\n        self.X",
            "        print(reuse)\n        self.sess = sess\n        self.X",
        ),
        ("reuse=reuse", "reuse=reuse or n_batch > 4"),
        ("X = tf.placeholder", "self.reuse = reuse\n        X = tf.placeholder"),
    ],
)
def test_what_is_more_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    stopped(PROGRAM.replace(old, new))
