"""Comments that stand for themselves in a block that goes stand as deep as its statements."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import numpy as np
import tensorflow as tf


def main():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        w = tf.Variable(tf.ones([3, 2]))
        y = tf.matmul(x, w)

        # Nothing is normalized.
        # So be it.

        y = tf.nn.relu(y)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())

            # It has begun.

            print(sess.run(y, {x: np.ones([1, 3])}))


main()
"""


def test_they_go_further_left() -> None:
    text = after(PROGRAM)
    assert "\n\n    # Nothing is normalized.\n    # So be it.\n\n" in text
    assert "\n    # It has begun.\n" in text


def test_what_ends_a_block_goes_with_it() -> None:
    last = "            print(sess.run(y, {x: np.ones([1, 3])}))\n"
    text = after(PROGRAM.replace(last, f"{last}            # Three are summed.\n"))
    assert "x: np.ones" not in text
    assert ".numpy())\n    # Three are summed.\n\n\nmain()\n" in text
    script = "import tensorflow as tf\n\nproduct = tf.constant(2.0) * 3.0\n"
    script += "with tf.Session() as sess:\n    print(sess.run(product))\n    # ==> 6.0\n"
    assert after(script).endswith("print(product.numpy())\n# ==> 6.0\n")


DEEP = """\
import tensorflow as tf

w = tf.Variable(1.0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(20):
        if step % 10 == 0:
            print(sess.run(w))

            # keep it
            # saver.save(sess, 'save')

    print('done')

        # at the end
"""


def test_comments_at_the_end_of_inner_blocks() -> None:
    text = after(DEEP)
    assert "    if step % 10 == 0:\n        print(w.numpy())\n\n        # keep it\n" in text
    assert "        # saver.save(sess, 'save')\n\nprint('done')\n\n    # at the end\n" in text


BODY = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 784])
w = tf.Variable(tf.zeros([784, 2]))
y = tf.matmul(x, w)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {x: mnist.test.images}))
"""
READER = "from tensorflow.examples.tutorials.mnist import input_data\n"
READ = 'mnist = input_data.read_data_sets("/tmp/data")\n'


def test_the_readers_comment_is_on_what_is_read() -> None:
    text = after(f'"""Digits."""\n# Import MNIST data\n{READER}{READ}\n{BODY}')
    assert '\n\n\n# Import MNIST data\nmnist = read_data_sets("/tmp/data")\n\nimport' in text
    # It has one of its own, or stands elsewhere.
    assert "# tutorials" not in after(f'"""."""\n# tutorials\n{READER}# read\n{READ}\n{BODY}')
    assert "# tutorials" not in after(f'"""."""\n# tutorials\n{READER}\n{READ}\n{BODY}')


def test_what_a_file_begins_with_stays() -> None:
    head = "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# Digits\n"
    assert after(f"{head}{READER}{READ}\n{BODY}").startswith(f"{head}import gzip\n")
    layers = BODY.replace("tf.matmul(x, w)", "layers.flatten(tf.matmul(x, w))")
    mnist = layers.replace("mnist.test.images", "[[0.0] * 784]")
    text = after(f"{head}from tensorflow.contrib import layers\n{mnist}")
    assert text.startswith(f"{head}import tensorflow as tf\n")


def test_a_train_ops_comment_is_on_its_optimizer_or_step() -> None:
    model = BODY[: BODY.index("y = ")] + "cost = tf.reduce_sum(tf.matmul(x, w))\n{train}\n"
    model += BODY[BODY.index("sess = ") : BODY.index("print")]
    model += "sess.run(train, {{x: [[1.0] * 784]}})\n"
    sgd = "tf.train.GradientDescentOptimizer(0.1)"
    text = after(model.format(train=f"# learning\ntrain = {sgd}.minimize(cost)"))
    assert "\n# learning\noptimizer = tf.keras.optimizers.SGD(0.1)\n" in text
    own = f"# the rate\nopt = {sgd}\n# a step\ntrain = opt.minimize(cost)"
    text = after(model.format(train=own))
    assert "\n# the rate\nopt = tf.keras.optimizers.SGD(0.1)\n" in text
    assert "\n    # a step\n    variables = [w]\n    gradients = tape" in text
