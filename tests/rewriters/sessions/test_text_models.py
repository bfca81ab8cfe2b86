"""What programs about texts do: cells in one method and a penalty in another, merged summaries."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_files import after as written
from tests.rewriters.sessions.test_files import reasons, run
from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import copy
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 4, 2])
        self.keep = tf.placeholder(tf.float32)
        self.w = tf.get_variable("w", [3, 1])
        self.out = self.inference()
        self.loss = self.losses()
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def inference(self):
        cell = tf.nn.rnn_cell.GRUCell(3)
        if {asked} is not None:
            cell = tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=self.keep)
        outputs, state = tf.nn.dynamic_rnn(cell, self.x, dtype=tf.float32)
        return tf.matmul(state, self.w)

    def losses(self):
        penalty = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables() if {test}])
        return tf.reduce_mean(tf.square(self.out)) + penalty


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    loss, _ = sess.run([net.loss, net.train_op], {{net.x: np.ones((1, 4, 2)), net.keep: 1.0}})
    print(loss)
"""


def net(test: str = "'bias' not in v.name", asked: str = "self.keep") -> str:
    return NET.format(test=test, asked=asked)


def test_a_cell_of_another_method_is_an_attribute() -> None:
    text = after(net())
    assert "self.cell = GRUCell(3)" in text
    assert "self.cell = DropoutWrapper(self.cell" in text
    assert "is not None" not in text.partition("class Net")[2]
    assert "[self.w, *self.cell.trainable_variables] if 'bias' not in v.name]" in text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (net("'rnn' not in v.name"), ""),  # a scope
        (net("v.name.endswith('kernel:0')"), ""),
        (net(asked="FLAG").replace("class Net", "FLAG = None\n\n\nclass Net"), ""),
    ],
)
def test_other_questions_keep_the_session(text: str, reason: str) -> None:
    assert reason in stopped(text)


LISTS = """\
import copy
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
parts = tf.unstack(x, axis=1)
turned = copy.copy(parts)
turned.reverse()
total = sum(a * b for a, b in zip(parts, turned))
with tf.Session() as sess:
    print(sess.run(total, {x: np.ones((2, 3))}))
"""


def test_a_list_of_tensors_is_copied_and_turned() -> None:
    text = after(LISTS)
    assert "    turned = copy.copy(parts)\n    turned.reverse()\n" in text


MODEL = """\
import tensorflow as tf


class Model:
    def __init__(self, n):
        self.x = tf.placeholder(tf.float32, [None, n])
        self.w = tf.Variable(tf.ones([n, 1]))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w)))
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
        tf.summary.scalar("loss", self.loss)
"""
TRAIN = """\
import numpy as np
import tensorflow as tf
from model import Model


def main():
    model = Model(2)
    with tf.Session() as sess:
        summaries = tf.summary.merge_all()
        writer = tf.summary.FileWriter("logs")
        sess.run(tf.global_variables_initializer())
        for step in range(3):
            s, _ = sess.run([summaries, model.train_op], {model.x: np.ones((3, 2))})
            writer.add_summary(s, step)


main()
"""


def test_an_object_merges_its_summaries_itself() -> None:
    found = run(model=MODEL, train=TRAIN)
    assert "merge_all" not in written(found["model"]) + written(found["train"])
    assert "model.train_step(np.ones((3, 2)))" in written(found["train"])
    assert "summaries = {" in written(found["model"])


def test_others_summaries_beside_them_keep_the_session() -> None:
    more = TRAIN.replace(
        "        summaries =", "        tf.summary.scalar('two', model.loss)\n        summaries ="
    )
    ((_, _, reason),) = reasons(run(model=MODEL, train=more))
    assert "two functions or classes" in reason


CHAINED = """\
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 4, 2])
        cells = []
        for _ in range(2):
            cell = tf.nn.rnn_cell.GRUCell(3)
            cells.append(cell)
        self.cell = cell = tf.nn.rnn_cell.MultiRNNCell(cells)
        outputs, _ = tf.nn.dynamic_rnn(cell, self.x, dtype=tf.float32)
        w = tf.get_variable("w", [3, 1])
        self.out = tf.tensordot(outputs, w, [[2], [0]])


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    saver = tf.train.Saver()
    print(sess.run(net.out, {net.x: np.ones((1, 4, 2))}))
    saver.save(sess, "model")
"""


def test_a_name_beside_the_attribute_goes() -> None:
    text = after(CHAINED)
    assert "        self.cell = MultiRNNCell(cells)" in text
    assert "            cell = GRUCell(3)" in text
    assert "dynamic_rnn(self.cell, x" in text


ITERATOR = """\
import tensorflow as tf


def pairs(items):
    items = iter(items)
    while True:
        yield {inner}


numbers = iter(range(9))
x = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).make_one_shot_iterator().get_next()
y = x * 2.0
with tf.Session() as sess:
    while True:
        try:
            {before}print(sess.run(y))
        except {caught}:
            break
"""


@pytest.mark.parametrize(
    ("inner", "before", "caught", "followed"),
    [
        ("next(items)", "", "tf.errors.OutOfRangeError", True),  # Python tells of it otherwise
        ("0", "next(numbers); ", "tf.errors.OutOfRangeError", False),
        ("0", "next(numbers, 0); ", "tf.errors.OutOfRangeError", True),
        ("0", "next(pairs('ab')); ", "tf.errors.OutOfRangeError", False),
    ],
)
def test_the_end_of_something_else(inner: str, before: str, caught: str, followed: bool) -> None:
    text = ITERATOR.format(inner=inner, before=before, caught=caught)
    if followed:
        assert "StopIteration" in after(text)
    else:
        assert "`next` of something else" in stopped(text)


UNCALLED = """\
import numpy as np
import tensorflow as tf


def test():
    x = tf.placeholder(tf.float32, [None, 2])
    y = x * 2.0
    with tf.Session() as sess:
        print(sess.run(y, {x: np.ones((1, 2))}))


def load():
    train, test = range(3), range(2)
    return train, test


# test()
"""


def test_a_local_name_is_no_call() -> None:
    assert "Session" not in after(UNCALLED)


def test_a_name_that_is_looked_up_may_be_one() -> None:
    assert stopped(UNCALLED + "\nglobals()['test']()\n")


CHOSEN = """\
import numpy as np
import tensorflow as tf


def make_cell(kind, size):
    if kind == "gru":
        return tf.nn.rnn_cell.GRUCell(size)
    elif kind == "rnn":
        return tf.nn.rnn_cell.BasicRNNCell(size)
    else:
        print("no such cell")
        return None


x = tf.placeholder(tf.float32, [None, 4, 2])
cell = make_cell("gru", 3)
outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(outputs, {x: np.ones((1, 4, 2))}))
"""


def test_a_function_that_returns_one_cell_or_another() -> None:
    text = after(CHOSEN)
    assert "        return GRUCell(size)\n" in text
    assert "        return BasicRNNCell(size)\n" in text
    assert "dynamic_rnn(cell, x)" in text


FLAGGED = """\
import numpy as np
import tensorflow as tf

tf.flags.DEFINE_integer("longest", 4, "")
FLAGS = tf.flags.FLAGS


def main(_):
    words = tf.contrib.learn.preprocessing.VocabularyProcessor(FLAGS.longest)
    ids = np.array(list(words.fit_transform(["a b", "b c"])))
    x = tf.placeholder(tf.int64, [None, 4])
    y = x * 2
    with tf.Session() as sess:
        print(sess.run(y, {x: ids}))


if __name__ == "__main__":
    tf.app.run()
"""


def test_a_flag_is_data() -> None:
    assert "VocabularyProcessor(FLAGS.longest)" in after(FLAGGED)
