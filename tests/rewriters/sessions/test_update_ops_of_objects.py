"""``tf.get_collection(UPDATE_OPS, scope=name)`` of the scope that an object is given."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """
import tensorflow as tf


class Net:
    def __init__(self, name, sizes=[6, 5]):
        with tf.variable_scope(name):
            self.x = tf.placeholder(tf.float32, [None, 3])
            net = self.x
            for i, size in enumerate(sizes):
                with tf.variable_scope('fc_{}'.format(i + len(sizes))):
                    net = tf.layers.dense(net, size)
                    net = tf.layers.batch_normalization(net, training=True)
            loss = tf.reduce_mean(net)
            updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope=name)
            with tf.control_dependencies(updates):
                self.train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


net = Net('bn')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(net.train, {net.x: [[1., 2., 3.]]})
"""


def test_layers_of_a_loop_are_in_the_scope_that_stands_around_it() -> None:
    text = after(NET)
    assert "batch_normalization_layer(net, training=True)\n" in text
    assert "updates" not in text


def test_layers_beside_the_scope_keep_the_session() -> None:
    beside = NET.replace(
        "            net = self.x\n", "        if True:\n            net = self.x\n"
    )
    assert "the update ops of a scope whose name isn't seen" in stopped(beside)


OUTSIDE = """
import tensorflow as tf


class Net:
    def __init__(self, x):
        h = tf.layers.batch_normalization(tf.layers.dense(x, 3, use_bias=False), training=True)
        self.loss = tf.reduce_mean(tf.square(tf.nn.relu(h) - 1.0))


x = tf.placeholder(tf.float32, [None, 3])
net = Net(x)
updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
with tf.control_dependencies(updates):
    step = tf.train.GradientDescentOptimizer(0.1).minimize(net.loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([step, net.loss], {x: [[1., 2., 3.]]})[1])
"""


def test_what_trains_outside_of_the_class_updates_the_averages() -> None:
    assert "momentum=1.0" not in after(OUTSIDE)
    without = OUTSIDE.replace("with tf.control_dependencies(updates):", "if True:")
    assert "momentum=1.0" in after(without)


def test_updates_of_what_the_run_does_not_compute_keep_the_session() -> None:
    other = OUTSIDE.replace("minimize(net.loss)", "minimize(tf.square(tf.Variable(1.0)))")
    other = other.replace(
        "sess.run([step, net.loss], {x: [[1., 2., 3.]]})[1]", "sess.run(step, {x: [[1., 2., 3.]]})"
    )
    assert "averages are updated of what the run doesn't compute" in stopped(other)


def test_a_switch_with_a_default_that_the_object_is_given_is_told_by_its_feeds() -> None:
    switched = OUTSIDE.replace("training=True", "training=training").replace(
        "self, x)", "self, x, training)"
    )
    switched = switched.replace(
        "net = Net(x)", "t = tf.placeholder_with_default(False, [])\nnet = Net(x, t)"
    ).replace("{x: [[1., 2., 3.]]}", "{x: [[1., 2., 3.]], t: True}")
    assert "momentum=1.0" not in after(switched)
    without = switched.replace("with tf.control_dependencies(updates):", "if True:")
    assert "momentum=1.0" in after(without)
