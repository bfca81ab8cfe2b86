"""Placeholders that branches make: above them, or in a branch of their own."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

KIND = 'b'
x = tf.placeholder(tf.float32, [None, 3])
{branch}
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
train = tf.train.GradientDescentOptimizer(.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run([train, loss], {{x: np.ones([4, 3]), y: np.ones([4, 2])}})[1])
"""
W = "w = tf.Variable(tf.ones([3, 2]))\n"
OTHERS = """\
if KIND == 'a':
    y = tf.placeholder(tf.float32, [None, 1])
else:
    y = tf.placeholder(tf.float32, [None, 2])
"""
SPECS = OTHERS.replace("placeholder(tf.float32, ", "TensorSpec(").replace("])", "], tf.float32)")
MORE = """\
if KIND == 'a':
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.Variable(tf.zeros([3, 2]))
elif KIND == 'b':
    y = tf.placeholder(
        tf.float32,
        [None, 2])
    w = tf.Variable(tf.ones([3, 2]))
else:
    raise ValueError(KIND)
"""
SAME = """\
if KIND == 'a':
    y = tf.placeholder(
        tf.float32,
        [None, 2])
    w = tf.Variable(tf.zeros([3, 2]))
else:
    y = tf.placeholder(tf.float32, [None, 2])
    w = tf.Variable(tf.ones([3, 2]))
"""


def test_each_way_has_its_own() -> None:
    text = after(PROGRAM.format(branch=OTHERS + W))
    assert SPECS in text
    assert "@tf.function(input_signature=[x, y])" in text


def test_they_stand_in_a_branch_of_their_own() -> None:
    text = after(PROGRAM.format(branch=MORE))
    head = "if KIND == 'a':\n    y = tf.TensorSpec([None, 1], tf.float32)\nelif KIND == 'b':\n"
    assert head + "    y = tf.TensorSpec([None, 2], tf.float32)\nelse:\n    raise" in text
    assert text.count("KIND == 'a'") == 2


def test_one_and_the_same_stands_above() -> None:
    text = after(PROGRAM.format(branch=SAME))
    spec = "y = tf.TensorSpec([None, 2], tf.float32)\nif KIND == 'a':\n    w = tf.Variable("
    assert spec in text
    assert text.count("TensorSpec") == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'a':", "input():"),  # asked twice
        ("    y = tf.placeholder(tf.float32, [None, 1])\n", "    y = None\n"),
        ("[None, 1])\n", "[None, n])\n    n = 2\n"),
    ],
)
def test_what_means_more_keeps_the_session(old: str, new: str) -> None:
    branch = "n = 1\n" + MORE.replace(old, new)
    assert "a placeholder is made in a loop, a branch" in stopped(PROGRAM.format(branch=branch))


def test_other_classes_have_names_of_their_own() -> None:
    lines = """\
        self.x = tf.placeholder(tf.float32, [None, 2])
        w = tf.Variable(tf.ones([2, 1]))
        self.out = tf.matmul(self.x, w)
        if training:
            self.labels = tf.placeholder(
                tf.float32, [None, 1])
            self.loss = tf.reduce_mean(tf.square(self.out - self.labels))
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def train(self, x, y):
        return self.sess.run(self.loss, {self.x: x, self.labels: y})


class Data:
    def __init__(self):
        self.labels = [[1.]]


print(Net(True).train([[1., 2.]], Data().labels))
"""
    head = "import tensorflow as tf\n\n\nclass Net:\n    def __init__(self, training):\n"
    text = after(head + lines)
    assert (
        "        self.labels = tf.TensorSpec(\n" in text or "self.labels = tf.TensorSpec([" in text
    )


SIBLINGS = """\
import tensorflow as tf


class Model:
    pass


class First(Model):
    def __init__(self):
        self.labels = [[2.]]


class Net(Model):
    def __init__(self, training):
        self.x = tf.placeholder(tf.float32, [None, 2])
        w = tf.Variable(tf.ones([2, 1]))
        self.out = tf.matmul(self.x, w)
        if training:
            self.labels = tf.placeholder(tf.float32, [None, 1])
            self.loss = tf.reduce_mean(tf.square(self.out - self.labels))
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def train(self, x, y):
        return self.sess.run(self.loss, {self.x: x, self.labels: y})


print(Net(True).train([[1., 2.]], First().labels))


class Last(Model):
    def __init__(self):
        self.labels = [[1.]]


print(Last().labels)
"""


def test_a_class_of_the_same_base_has_names_of_its_own() -> None:
    assert "self.labels = tf.TensorSpec([" in after(SIBLINGS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("class Last(Model)", "class Last(Net)"),
        ("class Last(Model)", "class Other(Net):\n    pass\n\n\nclass Last(Other)"),
    ],
    ids=["derived", "derived of a derived one"],
)
def test_names_that_a_kin_class_sets_keep_the_session(old: str, new: str) -> None:
    assert "a branch or a helper" in stopped(SIBLINGS.replace(old, new))


EACH = """\
w = tf.Variable(tf.ones([3, 2]))
size = 2
if size:
    # for ratings
    y = tf.placeholder(tf.float32, [None, 2])
# for pairs
else:
    z = tf.placeholder(
        tf.float32,
        [None, 1])
"""


def test_each_way_has_one_under_another_name() -> None:
    text = after(PROGRAM.format(branch=EACH))
    assert "if size" not in text
    made = (
        "# for ratings\ny = tf.TensorSpec([None, 2], tf.float32)\n# for pairs\nz = tf.TensorSpec("
    )
    assert made in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if size:", "if max(size, 1):"),  # what it calls is called once
        ("[None, 1]", "[None] + [size]"),  # there may be none of these
        ("z = ", "print(1)\n    z = "),
        ("else:", "else:  # of two"),
    ],
)
def test_ways_that_make_more_stay(old: str, new: str) -> None:
    assert old in EACH
    stopped(PROGRAM.format(branch=EACH.replace(old, new)))
