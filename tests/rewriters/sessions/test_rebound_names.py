"""Names that mean a function or a variable first, and a tensor then."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """
import tensorflow as tf


def cost(y):
    cost = tf.reduce_mean(tf.square(y), name='cost')
    return cost


x = tf.placeholder(tf.float32, [None, 2])
y = x + tf.Variable(tf.zeros([2]))
cost = cost(y)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([y, cost], {x: [[1., 2.]]}))
"""


def test_a_result_with_its_functions_name_is_a_tensor_of_its_own() -> None:
    text = after(PROGRAM)
    assert "cost_tensor = cost(y)\n" in text or "return y, cost(y)" in text
    assert "def cost(y):\n" in text


def test_a_name_that_another_function_reads_keeps_the_session() -> None:
    reads = PROGRAM.replace("\n\nx = ", "\n\ndef show():\n    print(cost)\n\n\nx = ", 1)
    assert "one name means two things" in stopped(reads)


RATE = """
import tensorflow as tf

rate = 0.1
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2]))
train = tf.train.AdamOptimizer(rate).minimize(tf.reduce_sum(w * x))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    step = 0
    while step < 2:
        for i in range(3):
            rate = 0.1 / (i + 1)
            sess.run(train, {x: [[rate, 1.]]})
        step += 1
"""


def test_what_a_loop_in_a_loop_binds_anew_gets_another_name() -> None:
    text = after(RATE)
    assert "tf.keras.optimizers.Adam(rate," in text
    assert "rate2 = 0.1 / (i + 1)\n        train_step([[rate2, 1.]])\n" in text


def test_what_is_read_behind_the_loop_keeps_the_session() -> None:
    assert "`rate`, which a function would read, changes later" in stopped(f"{RATE}print(rate)\n")


SIZES = """
import tensorflow as tf


def conv(x, w, size, rate=1):
    part = lambda one: tf.nn.conv2d(one, w, [1, size, size, 1], 'SAME')
    return part(x)


x = tf.placeholder(tf.float32, [None, 4, 4, 1])
size = 1
y = conv(x, tf.Variable(tf.ones([2, 2, 1, 1])), size)
size = 2
z = conv(y, tf.Variable(tf.ones([2, 2, 1, 1])), size)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(z, {x: [[[[1.]] * 4] * 4]}))
"""


def test_a_parameter_of_the_same_name_is_another_thing() -> None:
    assert "size2 = 2\n" in after(SIZES)
    assert "changes later" in stopped(SIZES.replace("rate=1", "rate=size"))


def test_a_function_keeps_a_parameter_of_the_name() -> None:
    text = after(
        "import tensorflow as tf\n\n"
        "w = tf.Variable(tf.ones([2, 1]))\n\n\n"
        "def double(w):\n    return w * 2.0\n\n\n"
        "w = tf.sigmoid(w)\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    print(sess.run(double(w)))\n"
    )
    assert "w_variable = tf.Variable(" in text
    assert "def double(w):\n    return w * 2.0\n" in text
    assert "w = tf.sigmoid(w_variable)\n" in text


ENTRY = """
import tensorflow as tf


def loss(y, t):
    return tf.reduce_mean(tf.square(y - t))


class Watch:
    def better(self, loss):
        return loss < 1.0


if __name__ == "__main__":
    x = tf.placeholder(tf.float32, [None])
    w = tf.Variable(2.0)
    loss = loss(x * w, x)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train, {x: [1.0]})
        print(Watch().better(sess.run(loss, {x: [1.0]})))
"""


def test_a_result_has_its_functions_name_where_a_program_begins() -> None:
    text = after(ENTRY)
    assert "        loss_tensor = compute_loss(x)\n" in text
    assert "    def better(self, loss):\n        return loss < 1.0\n" in text


def test_a_class_that_reads_the_name_keeps_the_session() -> None:
    said = "one name means two things in what is run"
    assert said in stopped(ENTRY.replace("class Watch:\n", "class Watch:\n    own = loss\n\n"))


def test_a_branch_besides_keeps_the_session() -> None:
    assert stopped(ENTRY + "else:\n    print(1)\n")


ROUNDS = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [2])
w = tf.Variable([0.0, 0.0])
loss = tf.reduce_sum(tf.square(w * x - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range(4):
    if i % 2:
        value, w = sess.run([loss, w + 0.0], {x: [1, 2]})
        print(value, w)
    sess.run(train, {x: [1, 2]})
"""


def test_results_in_a_branch_of_a_loop_get_names_of_their_own() -> None:
    text = after(ROUNDS.replace("w + 0.0", "double").replace("sess = ", "double = 2 * w\nsess = "))
    assert "        value, w2 = " in text
    assert "        print(value, w2)\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    sess.run(train", "    print(w)\n    sess.run(train"),  # of this round, or the last
        ("        value, w =", "        print(w)\n        value, w ="),
        ("    sess.run(train, {x: [1, 2]})\n", "    sess.run(train, {x: [1, 2]})\nprint(w)\n"),
    ],
)
def test_results_that_are_read_elsewhere_keep_the_session(old: str, new: str) -> None:
    source = ROUNDS.replace("w + 0.0", "double").replace("sess = ", "double = 2 * w\nsess = ")
    assert old in source
    assert "means another variable from here on" in stopped(source.replace(old, new))
