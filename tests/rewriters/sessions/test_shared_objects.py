"""Objects that find the variables of the first one, and train ops that functions may be given."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, training, size):
        self.x = tf.placeholder(tf.float32, [size, 3])
        with tf.device("/cpu:0"):
            w = tf.get_variable("w", [3, 1])
        cell = tf.nn.rnn_cell.BasicLSTMCell(4)
        h, _ = cell(self.x, cell.zero_state(size, tf.float32))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w) - 1.0)) + tf.reduce_sum(h)
        if not training:
            return
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)


def epoch(sess, model, x, op):
    for _ in range(3):
        loss, _ = sess.run([model.loss, op], {model.x: x})
        print(loss)


def main():
    with tf.variable_scope("net"):
        first = Net(True, 2)
    with tf.variable_scope("net", reuse=True):
        second = Net(False, 1)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        epoch(sess, first, np.ones((2, 3)), first.train)
        epoch(sess, second, np.ones((1, 3)), tf.no_op())


main()
"""


def test_the_second_object_is_given_the_first_one() -> None:
    text = after(PROGRAM)
    assert "def __init__(self, training, size, shared=None):" in text
    assert "self.w = shared.w if shared else tf.Variable(" in text
    assert 'name="net/w")' in text
    assert "self.cell = shared_cell(BasicLSTMCell(4), shared and shared.cell)" in text
    assert "    second = Net(False, 1, shared=first)\n" in text
    assert "def epoch(model, x, training):" in text
    assert "if training:\n            loss = model.train_step(x).numpy()\n" in text
    assert "epoch(first, np.ones((2, 3)), True)" in text
    assert "epoch(second, np.ones((1, 3)), False)" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            'variable_scope("net", reuse',
            'variable_scope("other", reuse',
        ),  # nothing is there
        ('get_variable("w", [3', 'get_variable("w%d" % size, [3'),  # of another name
        ("BasicLSTMCell(4)", "BasicLSTMCell(4, forget_bias=float(size))"),  # it computes otherwise
        ("        cell =", "        self.b = tf.Variable(0.0)\n        cell ="),  # each has its own
        ("tf.matmul(self.x, w)", "tf.layers.batch_normalization(tf.matmul(self.x, w))"),
        ("tf.matmul(self.x, w)", "tf.layers.dense(self.x, 1, size > 2 and tf.nn.relu)"),
        ("second = Net", "first, second = first, Net"),  # the first one's name isn't sure
        (
            '    with tf.variable_scope("net", reuse',
            '    tf.get_variable("v", [])\n    with tf.variable_scope("net", reuse',
        ),
    ],
)
def test_what_isn_t_the_same_in_both_keeps_the_session(old: str, new: str) -> None:
    assert PROGRAM.count(old) == 1
    assert "objects that share their variables" in stopped(PROGRAM.replace(old, new))


def test_a_train_op_that_may_be_none_and_is_put_into_a_dict() -> None:
    source = PROGRAM.replace("x, op):", "x, op=None):").replace(", tf.no_op())", ")")
    run = "        loss, _ = sess.run([model.loss, op], {model.x: x})\n"
    asked = (
        "    fetches = {'loss': model.loss}\n    if op is not None:\n        fetches['op'] = op\n"
    )
    source = source.replace("    for _", asked + "    for _")
    source = source.replace(run, "        loss = sess.run(fetches, {model.x: x})['loss']\n")
    text = after(source)
    assert "def epoch(model, x, training=False):" in text
    assert "model.train_step(x)" in text
    assert "epoch(second, np.ones((1, 3)))" in text


def test_a_train_op_that_is_handed_on_keeps_the_session() -> None:
    stopped(PROGRAM.replace("        print(loss)", "        print(loss, op.name)"))


def test_a_state_that_a_loop_hands_on_is_fetched_part_by_part() -> None:
    source = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 4, 3])
cell = tf.nn.rnn_cell.BasicLSTMCell(4)
initial = cell.zero_state(2, tf.float32)
state = initial
with tf.variable_scope("rnn"):
    for i in range(4):
        if i > 0:
            tf.get_variable_scope().reuse_variables()
        h, state = cell(x[:, i], state)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
last, out = sess.run([state, h], {x: np.ones((2, 4, 3))})
print(last.c, out)
"""
    text = after(source)
    assert "last, out = tf.nest.map_structure(lambda t: t.numpy(), " in text


CELL = "        cell = tf.nn.rnn_cell.BasicLSTMCell(4)\n"


@pytest.mark.parametrize("name", ["cell", "self.cell"])
def test_a_cell_that_gets_another_one_around_it(name: str) -> None:
    program = PROGRAM.replace(CELL, CELL + "        cell = tf.nn.rnn_cell.MultiRNNCell([cell])\n")
    if name != "cell":
        program = program.replace("        cell =", "        self.cell =").replace(
            "[cell]", "[self.cell]"
        )
        program = program.replace("cell(self.x, cell.", "self.cell(self.x, self.cell.")
    text = after(program)
    assert "        self.cell = BasicLSTMCell(4)\n" in text
    assert "self.cell = shared_cell(MultiRNNCell([self.cell]), shared and shared.cell)\n" in text


@pytest.mark.parametrize(
    "more",
    [
        "        if size > 1:\n            cell = tf.nn.rnn_cell.MultiRNNCell([cell])\n",
        "        first, _ = cell(self.x, cell.zero_state(size, tf.float32))\n"
        "        cell = tf.nn.rnn_cell.BasicLSTMCell(4)\n",
    ],
)
def test_two_cells_of_one_name_keep_the_session(more: str) -> None:
    reason = stopped(PROGRAM.replace(CELL, CELL + more).replace("(h)", "(h[0])"))
    assert "objects that share their variables" in reason or "are found again" in reason


SCOPED = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, training):
        self.x = tf.placeholder(tf.float32, [None, 3])
        with tf.variable_scope("first"):
            w = tf.get_variable("w", [3, 4])
            h = tf.matmul(self.x, w)
        with tf.variable_scope("second"):
            w = tf.get_variable("w", [4, 1])
            out = tf.matmul(h, w)
        self.loss = tf.reduce_mean(tf.square(out - 1.0))
        if not training:
            return
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def shown(self, sess):
        return sess.run(self.loss, {self.x: np.ones((2, 3))})


def epoch(sess, model, x, op=None):
    if op is not None:
        loss, _ = sess.run([model.loss, op], {model.x: x})
    else:
        loss = sess.run(model.loss, {model.x: x})
    print(loss)


def main():
    with tf.variable_scope("net"):
        net = Net(True)
    with tf.variable_scope("net", reuse=True):
        test = Net(False)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        epoch(sess, net, np.ones((2, 3)), net.train)
        epoch(sess, test, np.ones((1, 3)))
        saver.save(sess, "out/model")


main()
"""


def test_a_name_that_each_scope_binds_anew_is_an_attribute_for_each() -> None:
    text = after(SCOPED)
    assert "self.first_w = shared.first_w if shared else tf.Variable(" in text
    assert "self.second_w = shared.second_w if shared else tf.Variable(" in text
    assert "tf.matmul(h, self.second_w)" in text


def test_a_branch_that_asks_for_the_op_asks_whether_it_trains() -> None:
    text = after(SCOPED)
    assert "    if training:\n        loss = model.train_step(x).numpy()\n    else:\n" in text
    assert "epoch(net, np.ones((2, 3)), True)\n    epoch(test, np.ones((1, 3)))\n" in text


def test_a_saver_keeps_the_object_that_trains_alone() -> None:
    text = after(SCOPED)
    assert "first_w=net.first_w, second_w=net.second_w" in text
    with_op = SCOPED.replace("np.ones((1, 3)))", "np.ones((1, 3)), test.train)")
    with_op = with_op.replace("        if not training:\n            return\n", "")
    assert "several objects' variables" in stopped(with_op)


def test_a_name_that_means_something_else_in_one_scope_keeps_the_session() -> None:
    odd = SCOPED.replace('w = tf.get_variable("w", [4, 1])', "w = 2.0")
    odd = odd.replace("out = tf.matmul(h, w)", "out = h * w")
    assert "objects that share their variables" in stopped(odd)


def test_a_name_that_a_function_reads_later_keeps_the_session() -> None:
    late = SCOPED.replace("h = tf.matmul(self.x, w)", "h = tf.matmul(self.x, (lambda: w)())")
    assert "objects that share their variables" in stopped(late)
