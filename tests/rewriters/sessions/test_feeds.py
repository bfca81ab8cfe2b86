"""Feeds and fetches that are put together before they are run, or in several steps."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, body, stopped

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
k = tf.placeholder(tf.float32)
w = tf.Variable(tf.zeros([2, 1]), name='w')
y = tf.matmul(x, w) * k
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(y))
sess = tf.Session()
sess.run(tf.global_variables_initializer())
"""


def test_a_feed_dict_that_is_filled_in_steps() -> None:
    text = body("""
        for i in range(3):
            fd = {}
            fd[x] = data
            fd.update({x: data + i})
            sess.run(train, fd)
    """)
    assert 'fd["x"] = data\n' in text
    assert 'fd.update({"x": data + i})\n' in text
    assert "train_step(**fd)" in text


def test_a_function_that_makes_a_feed_dict() -> None:
    text = body("""
        def fill(i, holder):
            return {holder: data * i}

        def fixed():
            return {x: data}

        for i in range(3):
            sess.run(train, fill(i, x))
        print(sess.run(loss, fixed()))
    """)
    assert 'def fill(i):\n    return {"x": data * i}' in text
    assert 'def fixed():\n    return {"x": data}' in text
    assert "train_step(**fill(i))" in text
    assert "compute_loss(**fixed()).numpy()" in text


def test_fetches_that_are_collected_before() -> None:
    text = body("""
        fetches = [train, loss]
        for i in range(3):
            _, value = sess.run(fetches, {x: data})
        print(value)
    """)
    assert "fetches" not in text
    assert "value = train_step(data).numpy()" in text


def test_a_run_whose_value_nobody_asks_for_has_no_function_of_its_own() -> None:
    text = body("""
        sess.run(train, {x: data})
        _, value = sess.run([train, loss], {x: data})
        print(value)
    """)
    assert text.startswith("train_step(data)\nvalue = train_step(data).numpy()\n")


def test_ops_in_a_list_are_one_step() -> None:
    text = body("""
        step = [
            tf.assign(w, w * 0.5),
            tf.assign_add(w, w),
        ]
        sess.run([step, loss], {x: data})
    """)
    assert "    w.assign(w * 0.5)\n    w.assign_add(w)\n" in text


def test_what_only_looks_at_tensors_goes_with_them() -> None:
    text = body("""
        assert y.shape.as_list() == [None, 1]
        print(sess.run(y, {x: data}))
    """)
    assert "    y = tf.matmul(x, w)\n    assert y.shape.as_list() == [None, 1]\n" in text


@pytest.mark.parametrize(
    ("tail", "why"),
    [
        (
            "z = tf.matmul(x, w)\nfd = {x: 1}\nif data:\n    fd[k] = 2\nsess.run(z, fd)",
            "15: `k` is fed or isn't, where no one needs it",
        ),
        ("f = [train, y]\nprint(len(f), sess.run(f, {x: 1, k: 2}))", "12: fetches that are used"),
        (
            "def fill(p):\n    return {p: p.shape}\nsess.run(y, fill(x))",
            "12: `fill` uses `p` for more than a feed_dict's key",
        ),
        ("fd = {'x:0': 1}\nfd[k] = 2\nsess.run(y, fd)", "12: a feed_dict with other things in it"),
        (
            "s = [tf.assign(w, w * 2), tf.assign(w, w + 1)]\nprint(sess.run([s, y], {x: 1, k: 2}))",
            "12: the values of ops in a list are used",
        ),
    ],
)
def test_what_keeps_a_session(tail: str, why: str) -> None:
    assert stopped(HEAD + tail).startswith(why)


OPTIONAL = """\
import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.labels = tf.placeholder(tf.float32, [None, 1])
        self.w = tf.Variable(tf.ones([2, 1]))
        self.pred = tf.matmul(self.x, self.w)
        self.loss = tf.reduce_mean(tf.square(self.pred - self.labels))

    def create_feed_dict(self, x, labels=None):
        feed_dict = {self.x: x}
        if labels is not None:
            feed_dict[self.labels] = labels
        return feed_dict

    def run_epoch(self, sess, x, labels):
        return sess.run(self.loss, feed_dict=self.create_feed_dict(x, labels))

    def predict(self, sess, x):
        return sess.run(self.pred, feed_dict=self.create_feed_dict(x))

    def fit(self, sess, x, labels):
        return [self.run_epoch(sess, x, labels) for _ in range(2)]


model = Model()
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(model.fit(sess, np.ones((3, 2)), np.ones((3, 1))), model.predict(sess, np.ones((3, 2))))
"""


def test_what_a_run_needs_may_be_fed_in_a_branch() -> None:
    text = after(OPTIONAL)
    assert '            feed_dict["labels"] = labels\n        return feed_dict\n' in text
    assert "compute_loss(**self.create_feed_dict(x, labels))" in text
    assert "    def fit(self, x, labels):\n        return [self.run_epoch(x, labels) " in text
    assert "print(model.fit(np.ones((3, 2)), np.ones((3, 1))), model.predict(" in text


def test_what_a_run_can_do_without_is_fed_on_every_way() -> None:
    source = OPTIONAL.replace("self.create_feed_dict(x))", "self.create_feed_dict(x, x))")
    assert "`labels` is fed or isn't" in stopped(source)
