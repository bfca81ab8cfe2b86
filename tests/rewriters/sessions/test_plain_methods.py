"""Methods that use nothing of their object, and whose variables are shaped by what they get."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SIAMESE = """\
import tensorflow as tf


class Siamese:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 4])
        self.y = tf.placeholder(tf.float32, [None, 4])
        with tf.variable_scope('siamese') as scope:
            self.a = self.net(self.x)
            scope.reuse_variables()
            self.b = self.net(self.y)
        self.loss = tf.reduce_sum(tf.square(self.a - self.b))

    # One layer
    def fc(self, x, units, name):
        \"\"\"A layer.

        It has no bias.
        \"\"\"
        initer = tf.truncated_normal_initializer(stddev=0.1)
        w = tf.get_variable(name + 'w', [x.get_shape()[1], units], initializer=initer)
        return self.relu(tf.matmul(x, w))

    def relu(self, x):
        return tf.nn.relu(x)

    def net(self, x):
        return self.fc(self.fc(x, 5, 'fc1'), 2, 'fc2')


model = Siamese()
train = tf.train.GradientDescentOptimizer(0.1).minimize(model.loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, model.loss], {model.x: [[1, 2, 3, 4]], model.y: [[2, 2, 3, 4]]})[1])
"""


def test_such_a_method_becomes_a_layer_before_its_class() -> None:
    text = after(SIAMESE)
    assert "# One layer\nclass Fc(tf.keras.layers.Layer):\n" in text
    assert "        initer = tf.keras.initializers.TruncatedNormal(stddev=0.1)\n" in text
    assert "def relu(x):\n    return tf.nn.relu(x)\n\n\nclass Siamese:\n" in text
    assert "        return relu(tf.matmul(x, self.w))\n" in text
    assert "        fc1_layer = Fc(5, 'fc1')\n        fc2_layer = Fc(2, 'fc2')\n" in text
    assert "compat" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return tf.nn.relu(x)", "return tf.nn.relu(x) * self.scale"),
        ("model = Siamese()", "model = Siamese()\nmethod = Siamese.fc"),
        ("\nmodel =", "\nclass Other(Siamese):\n    def fc(self, x):\n        pass\n\n\nmodel ="),
    ],
)
def test_a_method_that_may_be_another_one_stays(old: str, new: str) -> None:
    assert old in SIAMESE
    assert "a variable starts with a tensor" in stopped(SIAMESE.replace(old, new))
