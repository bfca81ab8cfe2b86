"""Objects that others use: their attributes, their Savers, and the scopes that they have opened."""

from __future__ import annotations

import ast

import pytest

from migrate.programs.graph.objects.own_attributes import of_flags
from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import sys
import numpy as np
import tensorflow as tf


class Settings(object):
    size = 3


class Other(object):
    def __init__(self, config):
        self.config = config
        {other}


class Net(object):
    def __init__(self, config):
        self.config = config
        self.x = tf.placeholder(tf.float32, [None, self.config.size])
        self.w = tf.get_variable("w", [self.config.size, 1])
        self.y = tf.matmul(self.x, self.w)
        with tf.name_scope("accuracy"):
            self.accuracy = tf.reduce_mean(self.y) * self.config.size


def train():
    tf.summary.scalar("accuracy", net.accuracy)
    merged = tf.summary.merge_all()
    writer = tf.summary.FileWriter("/tmp/logs")
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        writer.add_summary(sess.run(merged, {{net.x: np.ones([2, 3])}}), 0)
        saver.save(sess, "/tmp/m")


if __name__ == "__main__":
    net = Net(Settings())
    if len(sys.argv) < 9:
        train()
"""


def test_an_attribute_that_another_class_sets_on_its_own_objects() -> None:
    text = after(PROGRAM.format(other="self.config = config or Settings()"))
    assert "* self.config.size" in text


def test_an_attribute_that_another_object_s_method_sets() -> None:
    text = PROGRAM.format(other="net.config = config")
    assert "`config`, which a function would read, changes later" in stopped(text)


def test_a_saver_in_a_function_of_an_object_of_the_module() -> None:
    assert "tf.train.Checkpoint(w=net.w)" in after(PROGRAM.format(other="pass"))


def test_a_scope_that_an_object_opened_before_takes_a_summary_s_name() -> None:
    # TF 1.15.5 writes `accuracy_1`.
    assert '"accuracy_1": ' in after(PROGRAM.format(other="pass"))


def test_a_scope_of_objects_that_a_loop_makes() -> None:
    text = PROGRAM.format(other="pass").replace(
        "    net = Net(Settings())", "    for _ in range(1):\n        net = Net(Settings())"
    )
    stopped(text)


KEPT = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.get_variable("w", [3, 1])
        self.y = tf.matmul(self.x, self.w)


class Runner(object):
    def __init__(self):
        self.net = Net()
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        saver.restore(self.session, "/tmp/m")

    def predict(self, x):
        return self.session.run(self.net.y, {self.net.x: x})


print(Runner().predict(np.ones([2, 3])))
"""


def test_a_saver_of_an_object_that_another_keeps() -> None:
    text = after(KEPT)
    assert "saver = tf.train.Checkpoint(w=self.net.w)" in text


ROWS = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.reduce_sum(x)


def run(sess, labels):
    rows = {call}
    print(rows.dtype, sess.run(y, {{x: rows}}))


with tf.Session() as sess:
    run(sess, [1, 2])
"""


@pytest.mark.parametrize("told", ["labels, 3", "labels, num_classes=3"])
def test_rows_of_a_category_have_tf1_s_type(told: str) -> None:
    text = after(ROWS.format(call=f"tf.keras.utils.to_categorical({told})"))
    assert f'tf.keras.utils.to_categorical({told}).astype("float32")' in text


def test_rows_of_another_type_keep_the_session() -> None:
    call = "tf.keras.utils.to_categorical(labels, 3, dtype='int32')"
    assert "these arguments aren't followed" in stopped(ROWS.format(call=call))


CHOSEN = """\
import tensorflow as tf


class Net:
    def __init__(self, small, n):
        if small:
            self.n = 1
        else:
            self.n = n
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.Variable(tf.ones([3, 2]))
        self.y = tf.matmul(self.x, self.w) / self.n
        self.z = self.y * self.n


net = Net(True, 4)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([net.y, net.z], {net.x: [[1, 2, 3]]}))
"""


def test_a_value_that_a_branch_chooses_before() -> None:
    assert "y = tf.matmul(x, self.w) / self.n\n" in after(CHOSEN)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        self.z =", "        if small:\n            self.n = 2\n        self.z ="),
        ("net = Net(True, 4)\n", "net = Net(True, 4)\nnet.n = 3\n"),
        (
            "            self.n = n\n",
            "            for k in range(3):\n                self.n = n + k\n",
        ),
    ],
)
def test_a_value_that_changes_later_or_in_a_loop(old: str, new: str) -> None:
    assert old in CHOSEN
    assert stopped(CHOSEN.replace(old, new))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("FLAGS = flags.FLAGS\nprint(FLAGS.size, other.size)\n", 1),
        ("FLAGS = flags.FLAGS\nwith f() as FLAGS:\n    print(FLAGS.size)\n", 0),
        ("FLAGS = flags.FLAGS\nFLAGS, a = pair\nprint(FLAGS.size)\n", 0),
        ("FLAGS = flags.FLAGS\ndef f(FLAGS):\n    print(FLAGS.size)\n", 0),
    ],
    ids=["flags", "a block's", "one of two", "a parameter"],
)
def test_what_has_the_flags(text: str, count: int) -> None:
    assert len(of_flags(ast.parse(text))) == count
