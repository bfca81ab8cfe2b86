"""Names that a branch or a loop gives to one variable after the other."""

from __future__ import annotations

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = "import tensorflow as tf\n\nDEEP = True\nx = tf.placeholder(tf.float32, [None, 3])\n"
TAIL = """\
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(out, {x: [[1, 2, 3]]}))
"""
BRANCH = """\
if DEEP:
    with tf.variable_scope('one'):
        w = tf.get_variable('w', [3, 1])
        first = tf.matmul(x, w)
    with tf.variable_scope('two'):
        w = tf.get_variable('w', [3, 1])
        out = first + tf.matmul(x, w)
else:
    w = tf.get_variable('w', [3, 1])
    out = tf.matmul(x, w)
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(HEAD + source + TAIL)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def stopped(source: str) -> str:
    result = upgrade(HEAD + source + TAIL)
    assert result.level is Level.COMPAT
    return " ".join(f.message for f in result.left)


def test_the_later_variable_of_a_branch_is_told_apart_by_its_scope() -> None:
    text = native(BRANCH)
    assert "first = tf.matmul(x, w)\n" in text
    assert "out = first + tf.matmul(x, two_w)\n" in text
    assert "    two_w = tf.Variable(" in text
    assert text.count("    w = tf.Variable(") == 2


def test_a_tensor_that_takes_the_name_of_a_variable_has_its_own() -> None:
    source = (
        "if DEEP:\n    w = tf.Variable(tf.ones([3, 1]))\n    w = tf.nn.relu(w)\n"
        "    out = tf.matmul(x, w)\nelse:\n    out = x\n"
    )
    text = native(source)
    assert "        w2 = tf.nn.relu(w)\n        out = tf.matmul(x, w2)\n" in text


def test_the_later_variable_of_a_loop_has_a_list_of_its_own() -> None:
    source = (
        "out = x\nfor i in range(2):\n    b = tf.Variable(tf.ones([1]))\n    out = out + b\n"
        "    b = tf.Variable(tf.zeros([1]))\n    out = out * b\n"
    )
    text = native(source)
    assert "for b, b2 in zip(bs, b2s):\n        out = out + b\n        out = out * b2\n" in text


def test_three_of_a_name() -> None:
    source = BRANCH.replace(
        "else:",
        "    w = tf.Variable(tf.zeros([1, 1]))\n    out = tf.matmul(out, w)\nelse:",
    )
    text = native(source)
    assert "out = tf.matmul(out, w2)" in text
    assert "tf.matmul(x, two_w)" in text


def test_what_is_read_behind_the_branch_stops_it() -> None:
    assert "`w`, a variable that a block makes, is bound anew in it" in stopped(
        BRANCH + "out = out + tf.reduce_sum(w)\n"
    )


def test_what_reads_the_last_rounds_stops_it() -> None:
    source = (
        "out, b = x, 0.\nfor i in range(2):\n    out = out + b\n    b = tf.Variable(tf.ones([1]))\n"
        "    out = out + b\n    b = tf.Variable(tf.zeros([1]))\n"
    )
    assert upgrade(HEAD + source + TAIL).level is Level.COMPAT


def test_ways_of_a_branch_may_share_a_name() -> None:
    source = (
        "if DEEP:\n    w = tf.Variable(tf.ones([3, 1]))\n    out = tf.matmul(x, w)\nelse:\n"
        "    w = tf.Variable(tf.ones([3, 2]))\n    out = tf.matmul(x, w)\n"
    )
    text = native(source)
    assert text.count("w = tf.Variable(") == 2
    assert "w2" not in text


def test_a_variable_that_takes_the_name_of_a_tensor_has_its_own() -> None:
    source = (
        "if DEEP:\n    w = tf.nn.relu(x)\n    out = w * 2.\n    w = tf.Variable(tf.ones([3, 3]))\n"
        "    out = tf.matmul(out, w)\nelse:\n    out = x\n"
    )
    text = native(source)
    assert "    w2 = tf.Variable(tf.ones([3, 3]))\n" in text
    assert "        out = tf.matmul(out, w2)\n" in text


def test_a_variable_of_one_way_and_a_tensor_of_another() -> None:
    """A function that binds a name on one way has it for itself on all."""
    source = (
        "if DEEP:\n    w = tf.nn.relu(x)\n    out = w * 2.\nelse:\n"
        "    w = tf.Variable(tf.ones([3, 3]))\n    out = tf.matmul(x, w)\n"
    )
    assert "`w` is a variable on one way, a tensor on another" in stopped(source)


CLASS = """\
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        w = tf.Variable(tf.ones([3, 3]))
        {own} = tf.tanh(tf.matmul(self.x, w))
        self.out = tf.matmul({own}, w)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def predict(self, data):
        return self.sess.run(self.out, {{self.x: data}})


print(Net().predict([[1, 2, 3]]))
"""


def test_an_attribute_and_a_local_variable_of_one_name() -> None:
    """In a function the attribute's tensor has another name."""
    assert upgrade(CLASS.format(own="self.h")).level is Level.NATIVE
    result = upgrade(CLASS.format(own="self.w"))
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = (result.after or b"").decode()
    assert "w_value = tf.tanh(tf.matmul(x, w))\n            return tf.matmul(w_value, w)\n" in text


def test_the_last_variable_of_a_loop_that_another_method_reads() -> None:
    source = CLASS.format(own="h").replace(
        "        h = tf.tanh(tf.matmul(self.x, w))\n        self.out = tf.matmul(h, w)\n",
        "        for i in range(2):\n            v = tf.get_variable('v_%d' % i, [3, 3])\n"
        "        self.out = tf.matmul(self.x, v)\n        self.build()\n",
    )
    source = source.replace(
        "    def predict",
        "    def build(self):\n        self.loss = tf.reduce_mean(self.out)\n"
        "        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)\n\n"
        "    def fit(self, data):\n        self.sess.run(self.train, {self.x: data})\n\n"
        "    def predict",
    )
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = (result.after or b"").decode()
    assert "            self.v = tf.Variable(" in text


def test_what_a_block_around_reads_stops_it() -> None:
    source = (
        "out = x\nif DEEP:\n    if DEEP:\n        w = tf.Variable(tf.ones([3, 3]))\n"
        "        out = tf.matmul(out, w)\n        w = tf.Variable(tf.zeros([3, 3]))\n"
        "    out = tf.matmul(out, w)\n"
    )
    assert "`w`, a variable that a block makes, is bound anew in it" in stopped(source)
