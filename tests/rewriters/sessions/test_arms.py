"""Branches whose ways build a graph each, sessions in a branch, Savers of a method's own object."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

CLASS = """\
import sys
import numpy as np
import tensorflow as tf

class Model(object):
    def build(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.get_variable('w', [2, 1], initializer=tf.ones_initializer())
        self.out = tf.matmul(self.x, self.w)
        self.loss = tf.reduce_mean(self.out ** 2)
        self.step = tf.train.GradientDescentOptimizer(.1).minimize(self.loss)

    def train(self):
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run([self.loss, self.step], {self.x: np.ones([2, 2])})[0])
            saver.save(sess, 'm')

    def test(self):
        saver = tf.train.Saver()
        with tf.Session() as sess:
            saver.restore(sess, 'm')
            print(sess.run(self.out, {self.x: np.ones([2, 2])}))

"""
WAYS = """\
if sys.argv[1] == 'train':
    model = Model()
    model.build()
    model.train()
elif sys.argv[1] == 'test':
    model = Model()
    model.build()
    model.test()
"""
DEMO = """\
else:
    model = Model()
    model.build()
    saver = tf.train.Saver()
    with tf.Session() as sess:
        saver.restore(sess, 'm')
        print(sess.run(model.out, {model.x: np.ones([2, 2])}))
"""
MAIN = "def main():\n" + "".join(f"    {line}\n" for line in WAYS.splitlines()) + "\nmain()\n"
SAVED = "tf.train.Checkpoint(w=self.w, optimizer=self.optimizer)"


@pytest.mark.parametrize("ways", [WAYS, WAYS + DEMO, MAIN], ids=["module", "three", "main"])
def test_each_way_builds(ways: str) -> None:
    written = after(CLASS + ways)
    assert written.count(SAVED) == 2
    assert "self.train_step(np.ones([2, 2])).numpy()" in written
    assert "elif sys.argv[1] == 'test':" in written


def test_what_a_way_saves_for_itself() -> None:
    written = after(CLASS + WAYS + DEMO)
    assert "    saver = tf.train.Checkpoint(w=model.w, optimizer=model.optimizer)\n" in written
    assert "    print(model.predict(np.ones([2, 2])).numpy())\n" in written


@pytest.mark.parametrize(
    "ways",
    [
        WAYS.replace("    model.train()\n", "") + "model.train()\n",  # the graph goes on behind it
        WAYS.replace("elif sys.argv[1]", "if sys.argv[2]"),  # one process may go both ways
        "for i in range(2):\n" + "".join(f"    {line}\n" for line in WAYS.splitlines()),
        "tf.set_random_seed(1)\nx = tf.placeholder(tf.float32)\n" + WAYS,
        MAIN + "main()\n",
    ],
    ids=["behind", "both", "loop", "before", "twice"],
)
def test_ways_of_one_graph(ways: str) -> None:
    assert stopped(CLASS + ways)


def test_a_graph_that_is_gone() -> None:
    other = CLASS.partition("class ")[2].replace("Model", "Other").replace("'w'", "'v'")
    ways = WAYS.replace("= Model()", "= Other()", 1).replace("    model.test", "    model.train")
    assert "a graph that is gone" in stopped(CLASS + "class " + other + ways)


BRANCH = """\
import numpy as np
import tensorflow as tf

training = True
x = tf.placeholder(tf.float32, [None, 2])
w = tf.get_variable('w', [2, 1], initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.matmul(x, w) ** 2)
step = tf.train.GradientDescentOptimizer(.1).minimize(loss)
saver = tf.train.Saver()
if training:
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step, {x: np.ones([2, 2])})
        saver.save(sess, 'm')

with tf.Session() as sess:
    SECOND
    print(sess.run(loss, {x: np.ones([2, 2])}))
"""


def test_a_session_in_a_branch() -> None:
    written = after(BRANCH.replace("SECOND", "saver.restore(sess, 'm')"))
    assert "if training:\n    train_step(np.ones([2, 2]))\n    saver.write('m')\n" in written
    assert "\nsaver.read('m')" in written


def test_a_session_behind_one_in_a_branch_starts_anew() -> None:
    text = BRANCH.replace("SECOND", "sess.run(tf.global_variables_initializer())")
    written = after(
        text.replace("saver = tf.train.Saver()\n", "").replace("saver.save(sess, 'm')", "")
    )
    assert "\ninitialize()\nprint(compute_loss(" in written


def test_a_method_saves_its_own_object() -> None:
    assert SAVED in after(CLASS + "model = Model()\nmodel.build()\nmodel.train()\n")


COPIED = """\
import sys
import tensorflow as tf

{around}
class Net:
    def __init__(self, sess):
        self.sess = sess
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.q = self.build('main')
        self.target = self.build('target')

    def build(self, name):
        with tf.variable_scope(name):
            return tf.layers.dense(self.x, 4)

    def update(self):
        main = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='main')
        target = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='target')
        self.sess.run([t.assign(m) for m, t in zip(main, target)])

    def both(self, x):
        return self.sess.run([self.q, self.target], {{self.x: x}})


def one():
    sess = tf.Session()
    net = Net(sess)
    sess.run(tf.global_variables_initializer())
    net.update()
    print(net.both([[1.0, 2.0, 3.0]]))


def other():
    sess = tf.Session()
    net = Net(sess)
    sess.run(tf.global_variables_initializer())
    print(net.both([[1.0, 2.0, 3.0]]))


if len(sys.argv) > 1:
    one()
else:
    other()
"""


@pytest.mark.parametrize("other_first", [False, True])
def test_a_method_lists_what_its_object_has_on_either_way(*, other_first: bool) -> None:
    source = COPIED.format(around="")
    if other_first:  # its session stands for the object's where the method is first called
        source = source.replace("    one()\nelse:\n    other()", "    other()\nelse:\n    one()")
        assert "    other()\nelse" in source
    text = after(source)
    assert "main = [v for layer in self.q_layer.layers for v in layer.trainable_variables]" in text
    assert text.count("net = Net()") == 2


def test_what_the_object_has_not_made_is_listed_on_one_way_alone() -> None:
    more = "with tf.variable_scope('main'):\n    w = tf.get_variable('w', [3, 4])\n"
    stopped(COPIED.format(around=more))


MODES = """\
import sys
import tensorflow as tf

class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.out = tf.layers.dense(self.x, 1)
        self.loss = tf.reduce_mean(tf.square(self.out))
        self.step = tf.train.AdamOptimizer(0.1).minimize(self.loss)

def train():
    net = Net()
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run([net.loss, net.step], {net.x: [[1.0, 2.0, 3.0]]})[0])
        saver.save(sess, 'm')

def test():
    net = Net()
    saver = tf.train.Saver()
    with tf.Session() as sess:
        saver.restore(sess, 'm')
        print(sess.run(net.out, {net.x: [[1.0, 2.0, 3.0]]}))

"""
LEFT = """\
def main():
    mode = sys.argv[1]
    if mode == 'test':
        test()
        LEAVE
    train()

main()
"""
TURNS = """\
def main(mode):
    print(mode)
    if mode == 'train':
        train()
    if mode == 'test':
        test()
    print('done')

if __name__ == '__main__':
    main(sys.argv[1])
"""


@pytest.mark.parametrize(
    "ways", [LEFT.replace("LEAVE", "return"), LEFT.replace("LEAVE", "sys.exit(0)"), TURNS]
)
def test_what_follows_a_branch_is_another_way(ways: str) -> None:
    text = after(MODES + ways)
    assert text.endswith(ways)
    assert text.count("net = Net()") == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mode == 'test':", "mode != 'train2':"),  # both may be taken
        ("        train()\n    if", "        train()\n        mode = 'test'\n    if"),
        ("    if mode == 'test'", "    mode = 'test'\n    if mode == 'test'"),
        ("    print('done')", "    train()"),
        ("    if mode == 'test':\n        test()", "    test()"),
    ],
)
def test_ways_that_one_process_may_go_keep_the_session(old: str, new: str) -> None:
    assert old in TURNS
    stopped(MODES + TURNS.replace(old, new))
