"""What fine-tuned nets need: names told behind data in objects, and functions of other objects."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Data:
    def __init__(self, n):
        rows = tf.convert_to_tensor(np.ones([n, 3], "float32"))
        self.data = tf.data.Dataset.from_tensor_slices(rows).batch(2)


def full(x, n, name):
    with tf.variable_scope(name):
        w = tf.get_variable('w', [3, n])
        b = tf.get_variable('b', [n])
        return tf.matmul(x, w) + b


first, second = Data(4), Data(2)
x = tf.placeholder(tf.float32, [None, 3])
y = full(x, 2, 'last')
names = [v.name for v in tf.trainable_variables()]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(names, first.data, second.data, sess.run(y, {x: np.ones([1, 3])}))
"""


def test_names_are_told_behind_several_objects_that_make_data() -> None:
    assert "names = ['last/w:0', 'last/b:0']\n" in after(PROGRAM)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"float32"))', '"float32"), name="last/w")'),  # then the variable is `last/w_2`
        ('"float32"))', '"float32"), None, "last/w")'),
        ("        self.data", "        with tf.name_scope('last'):\n            self.data"),
        ("class Data:", "class Base:\n    pass\n\n\nclass Data(Base):"),
    ],
)
def test_names_that_such_objects_may_take_keep_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert "the names of layers' variables are read" in stopped(PROGRAM.replace(old, new))


def test_a_local_name_like_a_function_is_not_that_function() -> None:
    text = after("""\
import numpy as np
import tensorflow as tf


def full(x, name):
    with tf.variable_scope(name):
        w = tf.get_variable('w', [3, 3])
    full = tf.matmul(x, w)
    return full + 1.0


class Net:
    def __init__(self, x):
        self.x = x
        h = full(self.x, 'one')
        self.y = full(h, 'two')


x = tf.placeholder(tf.float32, [None, 3])
net = Net(x)
loss = tf.reduce_mean(net.y)
tf.summary.scalar('size', loss)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter('logs')
    writer.add_summary(sess.run(merged, {x: np.ones([1, 3])}), 0)
""")
    assert "'size': " in text


def test_a_name_that_is_bound_again_beside_another_object_s_function() -> None:
    text = after("""\
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, x):
        self.w = tf.Variable(tf.ones([3, 1]))
        self.y = tf.matmul(x, self.w)


x = tf.placeholder(tf.float32, [None, 3])
net = Net(x)
loss = tf.reduce_mean(tf.square(net.y))
slopes = tf.gradients(loss, [net.w])
slopes = list(zip(slopes, [net.w]))
train = tf.train.GradientDescentOptimizer(0.1).apply_gradients(slopes)
size = tf.reduce_sum(slopes[0][0])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: np.ones([1, 3])}
    sess.run(train, feed)
    print(sess.run([loss, size], feed))
""")
    assert text.count("net.compute_y(x)") + text.count("net.predict(x)") == 2
