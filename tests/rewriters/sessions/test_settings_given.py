"""Classes that are given a session's configuration, and that merge summaries while they train."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Base(object):
    def add_summary(self, sess):
        self.merged = tf.summary.merge_all()
        self.writer = tf.summary.FileWriter("/tmp/logs", sess.graph)


class Net(Base):
    def __init__(self, size, config):
        self.config = config
        self.use_bias = size > 2
        self.x = tf.placeholder(tf.float32, [None, size])
        w = tf.get_variable("w", [size, 1])
        y = tf.matmul(self.x, w)
        if self.use_bias:
            self.b = tf.get_variable("b", [1])
            y = y + self.b
        self.loss = tf.reduce_mean(y)
        tf.summary.scalar("loss", self.loss)
        OPTIMIZER
        self.step = optimizer.minimize(self.loss)

    def train(self):
        with tf.Session(config=self.config) as sess:
            sess.run(tf.global_variables_initializer())
            self.add_summary(sess)
            _, summary = sess.run([self.step, self.merged], {self.x: np.ones([2, 3])})
            self.writer.add_summary(summary, 0)


config = tf.ConfigProto()
config.gpu_options.allow_growth = True
net = Net(3, config)
net.train()
"""
SGD = "optimizer = tf.train.GradientDescentOptimizer(0.1)"


def program(optimizer: str = SGD) -> str:
    return PROGRAM.replace("OPTIMIZER", optimizer)


def test_a_configuration_goes_with_its_parameter() -> None:
    text = after(program())
    assert "config" not in text
    assert "def __init__(self, size):" in text
    assert "net = Net(3)\n" in text


def test_a_configuration_that_is_read_otherwise_keeps_the_session() -> None:
    stopped(
        program().replace("self.config = config", "self.config = config\n        print(config)")
    )


def test_summaries_are_merged_by_the_method_that_made_the_last() -> None:
    text = after(program())
    assert 'merged = {"loss": loss}' in text
    assert "def add_summary(self):\n        self.writer = tf.summary.create_file_writer(" in text


def test_a_variable_of_one_way_is_no_part_of_a_plain_list() -> None:
    assert "variables = tape.watched_variables()" in after(program())
    whole = program().replace("if self.use_bias:", "with tf.name_scope('bias'):")
    assert "watched_variables" not in after(whole)
