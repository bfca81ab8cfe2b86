"""A placeholder that is fed on one way, and what a run needs for sure that a branch makes."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import sys
import numpy as np
import tensorflow as tf


class Tagger:
    def __init__(self, chain):
        self.chain = chain
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.keep = tf.placeholder(tf.float32, [])
        self.scale = tf.placeholder(tf.float32, [])
        self.w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
        self.scores = tf.matmul(tf.nn.dropout(self.x, self.keep), self.w)
        if not self.chain:
{made}

    def feed(self, x, keep=None):
        feed = {{self.x: x}}
        if keep is not None:
            feed[{fed}] = keep
        return feed

    def tags(self, sess, x):
        feed = self.feed(x, keep=1.0)
        if self.chain:
            return np.argmax(sess.run(self.scores, feed_dict=feed), 1)
        return sess.run(self.best, feed_dict=feed)


tagger = Tagger(len(sys.argv) > 1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(tagger.tags(sess, np.eye(3)))
"""
PLAIN = """\
            self.best = tf.argmax(self.scores, 1)
            self.best = tf.cast(self.best, tf.int32)"""
INNER = """\
            if self.x.shape[1] == 3:
                best = tf.argmax(self.scores, 1)
            else:
                best = tf.argmin(self.scores, 1)
            self.best = tf.cast(best, tf.int32)"""
UNASKED = """\
            self.best = tf.reduce_sum(self.x)
            self.other = tf.reduce_sum(self.scores)"""


@pytest.mark.parametrize("made", [PLAIN, INNER])
def test_what_one_way_makes_is_asked_for_where_it_was_gone(made: str) -> None:
    text = after(
        PROGRAM.format(made=made, fed="self.keep")
        .replace("len(sys.argv) > 1", "FLAG")
        .replace("\n\nclass", "\nFLAG = bool(len(sys.argv) > 1)\n\n\nclass", 1)
    )
    assert 'feed["keep"] = keep' in text


@pytest.mark.parametrize(("made", "fed"), [(UNASKED, "self.keep"), (PLAIN, "self.scale")])
def test_what_a_way_makes_beside_it_isnt_needed(made: str, fed: str) -> None:
    assert "is fed or isn't" in stopped(PROGRAM.format(made=made, fed=fed))


def test_a_name_that_a_branch_may_leave() -> None:
    made = "            self.scores = tf.nn.softmax(self.scores)"
    text = PROGRAM.format(made=made, fed="self.keep").replace("self.best", "self.scores")
    text = text.replace(
        "        if not self.chain:\n",
        "        self.scores = tf.reduce_sum(self.x)\n        if not self.chain:\n",
    ).replace("tf.nn.softmax(self.scores)", "self.scores * self.keep")
    assert "is fed or isn't" in stopped(text)
