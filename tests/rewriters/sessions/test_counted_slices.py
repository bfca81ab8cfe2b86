"""Variables that came after others, ``tf.trainable_variables()[n:]``; variables that are fed."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

AGENT = """
import numpy as np
import tensorflow as tf


class Actor(object):
    def __init__(self, sess):
        self.sess = sess
        self.x, self.out = self.create()
        self.params = tf.trainable_variables()
        self.target_x, self.target_out = self.create()
        self.target_params = tf.trainable_variables()[len(self.params):]
        self.number = len(self.params) + len(self.target_params)
        pairs = zip(self.target_params, self.params)
        self.update = [t.assign(p) for t, p in pairs]

    def create(self):
        x = tf.placeholder(tf.float32, [None, 3])
        net = tf.layers.dense(x, 4, activation=tf.nn.relu)
        out = tf.layers.dense(net, 2)
        return x, out

    def follow(self):
        self.sess.run(self.update)

    def predict(self, x):
        return self.sess.run(self.out, {self.x: x})

    def predict_target(self, x):
        return self.sess.run(self.target_out, {self.target_x: x})

    def get_number(self):
        return self.number


class Critic(object):
    def __init__(self, sess, before):
        self.sess = sess
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.out = tf.layers.dense(self.x, 1, use_bias=False)
        self.params = tf.trainable_variables()[before:]
        self.loss = tf.reduce_mean(tf.square(self.out))
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(
            self.loss, var_list=self.params
        )

    def train(self, x):
        return self.sess.run([self.loss, self.step], {self.x: x})[0]


def main():
    with tf.Session() as sess:
        actor = Actor(sess)
        critic = Critic(sess, actor.get_number())
        sess.run(tf.global_variables_initializer())
        actor.follow()
        print(critic.train(actor.predict(np.ones([1, 3]))))
        print(actor.predict_target(np.ones([1, 3])))


main()
"""


def test_what_came_after_an_own_list_and_after_another_object() -> None:
    text = after(AGENT)
    _, actor, critic = text.split("class ")
    assert "[len(self.params):]" not in actor
    assert "self.target_params = [" in actor
    assert "[before:]" not in critic
    assert "self.params = [*out_layer.trainable_variables]" in critic
    assert "self.update = update\n" in actor


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("actor.get_number()", "3"),  # one of the actor's is among them
        ("actor.get_number()", "int(input())"),
        ("return self.number", "return self.number - 1"),
        ("[before:]", "[before - 1:]"),
    ],
)
def test_numbers_of_others_keep_the_session(old: str, new: str) -> None:
    assert stopped(AGENT.replace(old, new)).endswith(
        "the variables of objects, some of which have no name here"
    )


FED = """
import tensorflow as tf


def build_summaries():
    reward = tf.Variable(0.0)
    tf.summary.scalar("Reward", reward)
    best = tf.Variable(0.0)
    tf.summary.scalar("Best", best)
    names = [reward, best]
    return tf.summary.merge_all(), names


def train(sess):
    merged, names = build_summaries()
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter("logs", sess.graph)
    for i in range(3):
        text = sess.run(merged, feed_dict={names[0]: 1.0 * i, names[1]: 2.0})
        writer.add_summary(text, i)


with tf.Session() as sess:
    train(sess)
"""


def test_variables_that_a_run_feeds_for_their_summaries() -> None:
    text = after(FED)
    assert "def compute_merged(reward, best):" in text
    assert '"Reward": reward,' in text
    assert "text = compute_merged(1.0 * i, 2.0)" in text


def test_a_list_of_variables_that_changes() -> None:
    source = FED.replace("    for i in", "    names.reverse()\n    for i in")
    assert stopped(source).endswith("the feed_dict isn't seen")


def test_a_variable_that_is_fed_and_fetched_is_what_is_fed() -> None:
    text = after(
        """
        import tensorflow as tf

        w = tf.Variable(2.0)
        x = tf.placeholder(tf.float32, [])
        y = w * x
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            a, b = sess.run([w, y], {w: 3.0, x: 2.0})
            c = sess.run(w, {w: 4.0})
            d = sess.run(w)
        """.replace("\n        ", "\n")
    )
    known: dict[str, float] = {}
    exec(text, known)
    assert [float(known[name]) for name in "abcd"] == [3.0, 6.0, 4.0, 2.0]
