"""Branches that make several parts of a graph, of which a run asks for some only."""

from __future__ import annotations

import textwrap

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

l1 = True
x = tf.placeholder(tf.float32, [None, 3])
z = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.ones([3, 1]))
if l1:
    pos = tf.reduce_sum(
        abs(x), 1)
    neg = tf.reduce_sum(abs(z), 1)
    predict = pos
else:
    pos = tf.reduce_sum(x ** 2, 1)
    predict = pos
    neg = tf.reduce_sum(z ** 2, 1)
loss = tf.reduce_mean(pos - neg + tf.matmul(x, w))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1.0, 2.0, 3.0]], z: [[1.0, 0.0, 0.0]]})
    print(sess.run(predict, {x: [[1.0, 2.0, 3.0]]}))
"""


def test_each_part_has_a_branch_of_its_own() -> None:
    text = after(PROGRAM)
    assert text.count("if l1:") == 2
    assert "\n            abs(x), 1)\n        predict = pos\n    else:\n" in text
    assert text.count("abs(z)") == 1


def test_in_a_method_with_tabs() -> None:
    lines = PROGRAM.splitlines()
    head, body = lines[:2], lines[2:]
    inner = "\n".join("\t" + line.replace("    ", "\t") for line in body)
    text = after("\n".join(head) + "\ndef main():\n" + inner + "\n\nmain()\n")
    assert text.count("if l1:") == 2


MOVED = "    far = near + z\n    near = p\n"


def test_what_reads_a_name_before_it_is_given_stays_before_it() -> None:
    text = after(
        PROGRAM.replace(
            "if l1:\n", "near = x\nif l1:\n    p = abs(x)\n    far = near + z\n    near = p\n"
        )
        .replace("else:\n", "else:\n    p = x ** 2\n    far = near + z\n    near = p\n")
        .replace("loss = tf.reduce_mean(", "loss = tf.reduce_mean(tf.reduce_sum(far * near, 1) + ")
    )
    before = text[: text.index("near = p")]
    assert before.count("far = near + z") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    neg = tf.reduce_sum(abs(z), 1)\n", "    neg = pos * tf.reduce_sum(abs(z), 1)\n"),
        ("    predict = pos\nelse", "    predict = pos  # as said\nelse"),
        ("    neg = tf.reduce_sum(z ** 2, 1)\n", "    neg = 0.0 * z\n    far = 1.0\n"),
    ],
)
def test_what_belongs_together_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert "is needed here and not fed" in stopped(PROGRAM.replace(old, new))


def test_a_variable_of_main_beside_what_an_object_has() -> None:
    text = after(
        textwrap.dedent("""\
        import tensorflow as tf


        class Net:
            def __init__(self):
                self.x = tf.placeholder(tf.float32, [None, 3])
                self.y = tf.reduce_sum(self.x ** 2, 1)


        def main():
            net = Net()
            steps = tf.Variable(0, trainable=False)
            count = steps.assign_add(1)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())

                def ask(x):
                    step, y = sess.run([steps, net.y], {net.x: x})
                    return step, y

                sess.run(count)
                print(ask([[1.0, 2.0, 3.0]]))


        main()
        """)
    )
    assert "def compute_steps_and_y(x):" in text[text.index("def main") :]
