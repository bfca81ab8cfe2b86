"""Comments that stand for themselves in a block that goes stand as deep as its statements."""

from __future__ import annotations

from tests.rewriters.test_sessions import after

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
