"""Savers of what a function builds, and of graphs that are built twice."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

BUILD = """\
import numpy as np
import tensorflow as tf


def build():
    x = tf.placeholder(tf.float32, [None, 2])
    with tf.variable_scope('lin'):
        w = tf.get_variable('w', [2, 1], initializer=tf.zeros_initializer())
    y = tf.matmul(x, w)
    return x, y


"""
TRAIN = """\
with tf.Graph().as_default():
    x, y = build()
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        saver.save(sess, 'logs/model')
"""


def test_a_saver_of_what_a_function_builds() -> None:
    text = after(BUILD + TRAIN + "        print(sess.run(y, {x: np.ones((1, 2))}))\n")
    assert "def build" not in text
    assert "saver = tf.train.Checkpoint(w=w)\n" in text


def test_a_graph_that_is_built_again_has_the_first_ones_keys() -> None:
    text = after(
        BUILD
        + TRAIN
        + """\
with tf.Graph().as_default():
    x, y = build()
    again = tf.train.Saver()
    with tf.Session() as sess:
        again.restore(sess, 'logs/model')
        print(sess.run(y, {x: np.ones((1, 2))}))
"""
    )
    assert "saver = tf.train.Checkpoint(w=w)\n" in text
    assert "again = tf.train.Checkpoint(w=build_w)\n" in text


def test_a_graph_with_other_names_of_pythons_has_them_too() -> None:
    text = after("""\
import tensorflow as tf
with tf.Graph().as_default():
    w = tf.get_variable('w', [2])
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        saver.save(sess, 'logs/model')
with tf.Graph().as_default():
    v = tf.get_variable('w', [2])
    again = tf.train.Saver()
    with tf.Session() as sess:
        again.restore(sess, 'logs/model')
        print(sess.run(v))
""")
    assert "again = tf.train.Checkpoint(w=v)\n" in text


NET = """\
import tensorflow as tf


def net(x):
    h = tf.layers.dense(x, 2, name='h')
    return tf.layers.dense(h, 1, name='o')


with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 2])
    y = net(x)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        saver.save(sess, 'logs/model')
        print(sess.run(y, {x: [[1., 2.]]}))
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 2])
    z = net(x)
    again = tf.train.Saver()
    with tf.Session() as sess:
        again.restore(sess, 'logs/model')
        print(sess.run(z, {x: [[1., 2.]]}))
"""


def test_layers_of_a_function_have_them_too() -> None:
    text = after(NET)
    assert "saver = tf.train.Checkpoint(y_layer=y_layer.layers)\n" in text
    assert "again = tf.train.Checkpoint(y_layer=z_layer.layers)\n" in text


def test_what_would_be_looked_for_under_another_key_keeps_the_session() -> None:
    text = NET.replace("z = net(x)", "z = tf.layers.dense(tf.layers.dense(x, 2, name='h'), 1)")
    assert "saves under other names" in stopped(text.replace("1)", "1, name='o')"))


def test_a_builders_dict_is_names_beside_a_saver() -> None:
    text = after("""\
import numpy as np
import tensorflow as tf


def build():
    x = tf.placeholder(tf.float32, [2])
    w = tf.Variable(tf.zeros([2]))
    return {'x': x, 'loss': tf.reduce_sum(x * w)}


def main():
    with tf.Graph().as_default():
        net = build()
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run(net['loss'], {net['x']: np.ones(2)}))
            saver.save(sess, 'logs/model')


main()
""")
    assert "net[" not in text
    assert "    saver = tf.train.Checkpoint(w=w)\n" in text
