"""Several objects of a class in one graph: in lists, and where they would share something."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Net(object):
    def __init__(self, name):
        with tf.variable_scope(name):
            self.x = tf.placeholder(tf.float32, [None, 3])
            self.w = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) - 1.0))
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def step(self, sess, x):
        return sess.run([self.train, self.loss], {self.x: x})[1]


nets = [Net("net%d" % i) for i in range(3)]
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print([net.step(sess, [[1.0, 2.0, 3.0]]) for net in nets])
for i, net in enumerate(nets):
    print(i, sess.run(net.loss, {net.x: [[1.0, 2.0, 3.0]]}))
"""
NAMED = 'nets = [Net("first"), Net("second")]'
LIST = 'nets = [Net("net%d" % i) for i in range(3)]'
APPENDED = 'nets = []\nfor i in range(3):\n    nets.append(Net("net%d" % i))'


@pytest.mark.parametrize("made", [LIST, NAMED, APPENDED])
def test_objects_in_a_list(made: str) -> None:
    text = after(PROGRAM.replace(LIST, made))
    assert made in text
    assert "print([net.step([[1.0, 2.0, 3.0]]) for net in nets])\n" in text
    assert "    print(i, net.compute_loss([[1.0, 2.0, 3.0]]).numpy())\n" in text


def test_attributes_that_hold_lists_of_objects() -> None:
    source = PROGRAM.replace(LIST, "all_nets = All()").replace("nets:", "all_nets.nets:")
    source = source.replace("in nets]", "in all_nets.nets]").replace("(nets)", "(all_nets.nets)")
    held = f"class All:\n    def __init__(self):\n        self.{LIST}\n\n\nall_nets"
    assert f"self.{LIST}\n" in after(source.replace("all_nets", held, 1))


AUTO = "tf.variable_scope(name, reuse=tf.AUTO_REUSE)"


def test_names_that_differ_make_variables_of_their_own() -> None:
    source = PROGRAM.replace("tf.variable_scope(name)", AUTO)
    assert NAMED in after(source.replace(LIST, NAMED))
    kept = source.replace("        with", "        self.name = name\n        with")
    kept = kept.replace("scope(name", "scope(self.name")
    assert NAMED in after(kept.replace(LIST, NAMED))
    for made in (LIST, APPENDED, NAMED.replace("second", "first")):
        assert "objects that may share" in stopped(source.replace(LIST, made))
    fixed = source.replace("scope(name", "scope('net'")
    assert "objects that may share" in stopped(fixed.replace(LIST, NAMED))


def test_objects_under_a_scope_that_uses_variables_again() -> None:
    made = (
        'with tf.variable_scope("all"):\n    first = Net("net")\n'
        'with tf.variable_scope("all", reuse=True):\n    second = Net("net")\n'
        "nets = [first, second]"
    )
    assert "objects that share" in stopped(PROGRAM.replace(LIST, made))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss",
            "        self.steps = tf.train.get_or_create_global_step()\n"
            "        optimizer = tf.train.GradientDescentOptimizer(0.1)\n"
            "        self.train = optimizer.minimize(self.loss, self.steps",
            "a global step of several objects",
        ),
        (
            "tf.matmul(self.x, self.w) - 1.0))",
            "tf.layers.dense(self.x, 1, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1))))"
            " + tf.losses.get_regularization_loss()",
            "what an object finds in the graph is of all objects",
        ),
        (
            " - 1.0))",
            " - 1.0)) + tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])",
            "each object trains the variables of all",
        ),
    ],
)
def test_what_objects_share_keeps_the_session(old: str, new: str, reason: str) -> None:
    source = PROGRAM.replace(old, new)
    for made in (LIST, NAMED, APPENDED):
        assert reason in stopped(source.replace(LIST, made))


def test_a_saver_of_objects_in_a_list_keeps_the_session() -> None:
    saver = 'saver = tf.train.Saver()\nsaver.save(sess, "/tmp/nets")\n'
    for made in (LIST, NAMED, APPENDED):
        assert "a Saver of" in stopped(PROGRAM.replace(LIST, made) + saver)


PTB = """\
import tensorflow as tf


class Model(object):
    def __init__(self, is_training, size=2):
        self.x = tf.placeholder(tf.float32, [None, size])
        w = tf.get_variable("w", [size, 1])
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w) - 1.0))
        if not is_training:
            return
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.train_op = optimizer.minimize(
            self.loss, global_step=tf.train.get_or_create_global_step())


with tf.variable_scope("model", reuse=None):
    m = Model(is_training=True)
with tf.variable_scope("model", reuse=True):
    mvalid = Model(False)
    mtest = Model(is_training=False)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(m.train_op, {m.x: [[1.0, 2.0]]})
    print([sess.run(n.loss, {n.x: [[1.0, 2.0]]}) for n in (mvalid, mtest)])
"""


def test_a_global_step_that_one_object_comes_to() -> None:
    """The language model of the PTB tutorial: those that don't train return before."""
    assert "global_step.assign_add(1)" in after(PTB)
    reason = "a global step of several objects"
    assert reason in stopped(PTB.replace("Model(False)", "Model(True)"))
    assert reason in stopped(PTB.replace("Model(False)", "Model(len(open('x').read()))"))
    assert reason in stopped(
        PTB.replace("        if not", "        is_training = 1\n        if not")
    )


EITHER = """\
import sys

import tensorflow as tf


class Model(object):
    def __init__(self, sess, size):
        self.sess = sess
        self.x = tf.placeholder(tf.float32, [None, size])
        self.one = self.net(self.x)
        self.two = self.net(self.x * 2.0, reuse=True)
        variables = tf.trainable_variables()
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
            tf.reduce_mean(self.one), var_list=[v for v in variables if "net" in v.name])
        tf.summary.scalar("mean", tf.reduce_mean(self.one))
        self.merged = tf.summary.merge_all()

    def net(self, x, reuse=False):
        with tf.variable_scope("net") as scope:
            if reuse:
                scope.reuse_variables()
            return tf.layers.dense(x, 1, name="out")

    def train(self, x):
        self.sess.run(tf.global_variables_initializer())
        writer = tf.summary.FileWriter("logs")
        _, text = self.sess.run([self.train_op, self.merged], {self.x: x})
        writer.add_summary(text, 0)
        return self.sess.run(self.two, {self.x: x})


def main():
    with tf.Session() as sess:
        if len(sys.argv) > 1:
            model = Model(
                sess,  # the one session
                size=2)
        else:
            model = Model(sess, 3)
        print(model.train([[1.0] * (2 if len(sys.argv) > 1 else 3)]))


main()
"""


def test_objects_of_which_a_process_makes_one() -> None:
    """They share nothing, and each trains its own variables."""
    text = after(EITHER)
    assert "        model = Model(\n            size=2)\n" in text
    assert '"mean_2": ' in text
    block = EITHER[EITHER.index("        if len(sys.argv) > 1:\n") : EITHER.index("\n\nmain()")]
    rounds = "        for _ in range(2):\n" + "\n".join(f"    {line}" for line in block.split("\n"))
    assert "share their variables" in stopped(EITHER.replace(block, rounds))
    assert "share their variables" in stopped(EITHER + "main()\n")
    looped = EITHER.replace("\nmain()\n", "\nfor _ in range(2):\n    main()\n")
    assert "share their variables" in stopped(looped)
    other = EITHER.replace("\nmain()\n", "\ndef start():\n    main()\n\n\nstart()\n")
    after(other)
    assert "share their variables" in stopped(other + "start()\n")
