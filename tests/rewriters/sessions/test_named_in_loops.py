"""Layers whose names loops put together, and methods that build more where a program ends."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import tensorflow as tf


def linear(x, units, name="linear"):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [x.get_shape()[1], units])
        return tf.matmul(x, w)


class Net(object):
    def __init__(self, session):
        self.session = session
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.z = tf.placeholder(tf.float32, [None, 3])
        self.real = self.judge(self.x)
        self.fake = self.judge(self.z, again=True)
        self.loss = tf.reduce_mean(self.real) - tf.reduce_mean(self.fake)
        self.d_vars = [v for v in tf.trainable_variables() if 'd_' in v.name]

    def judge(self, x, again=False, depth=2, wide=True):
        if again:
            tf.get_variable_scope().reuse_variables()
        h = x
        for i in range(depth):
            name = 'd_layer' + str(i)
            h = linear(h, 4, name=name)
            if wide:
                name = 'd_wide%d' % i
                h = linear(h, 6, name=name)
        name = 'd_layer' + str(i + 1)
        return linear(h, 1, name=name)

    def train(self, rows):
        self.step = tf.Variable(0, trainable=False, name='step')
        with tf.variable_scope('train', reuse=tf.AUTO_REUSE):
            self.op = tf.train.GradientDescentOptimizer(0.1).minimize(
                self.loss, global_step=self.step, var_list=self.d_vars)
        tf.global_variables_initializer().run()
        self.session.run(self.op, {self.x: rows, self.z: rows})
        print(self.count())

    def count(self):
        return self.step.eval()

    def test(self, rows):
        print(self.session.run(self.real, {self.x: rows}))


def main(training):
    with tf.Session() as session:
        net = Net(session)
        if training:
            net.train([[1, 2, 3]])
        else:
            net.test([[1, 2, 3]])


main(True)
"""


LATER = """\
            h = linear(h, 4, name=last)
            last = name
"""


def changed(*pairs: tuple[str, str]) -> str:
    text = NET
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def test_layers_are_found_by_what_is_said_of_their_names() -> None:
    text = after(NET)
    assert "again" not in text
    assert "        name = 'd_layer' + str(i + 1)\n        linear_layer_3 = Linear(" in text
    assert "            name = 'd_wide%d' % i\n            linear_layers_2.append(" in text
    assert "d_vars = [v for layer in self.real_layer.layers for v in layer.trainable" in text
    assert "        self.step = tf.Variable(0, trainable=False, name='step')\n" in text


def test_whether_they_are_found_again_is_computed() -> None:
    assert after(changed(("self.z, again=True", "self.z, again=bool(SEEN)"))) == after(NET)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        # The number tells.
        ("'d_' in v.name", "'layer1' in v.name", "the name of one isn't seen"),
        # A text that isn't seen may have the word.
        ("'d_layer' + str(i)\n", "'c' + str(self.names[i])\n", "the name of one isn't seen"),
        # Its name is another one another one in the next round.
        ("            h = linear(h, 4, name=name)\n", LATER, "the name of one isn't seen"),
        # The calls part.
        ("self.judge(self.x)", "self.judge(self.x, wide=False)", ""),
        # It may give another size each time.
        ("h = linear(h, 4,", "n = size(i)\n            h = linear(h, n,", "`size` is called"),
    ],
)
def test_what_isnt_told_of_names_and_branches_stays(old: str, new: str, why: str) -> None:
    assert why in stopped(changed((old, new)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # It trains a second time.
        ("            net.train([[1, 2, 3]])\n", "            net.train([[1, 2, 3]])\n" * 2),
        # The other way lists what there is.
        (
            "print(self.session.run(self.real",
            "tf.train.Saver()\n        print(self.session.run(self.real",
        ),
        # It asks for what only this way has.
        (
            "print(self.session.run(self.real",
            "print(self.step)\n        print(self.session.run(self.real",
        ),
        # More is done with the graph behind the branch.
        ("\n\nmain(True)", "        print(len(tf.global_variables()))\n\n\nmain(True)"),
        # Twice.
        ("main(True)", "main(True)\nmain(False)"),
    ],
)
def test_what_else_is_done_with_a_graph_that_one_way_builds_stays(old: str, new: str) -> None:
    stopped(changed((old, new)))


def test_a_value_that_both_ways_bind_again_gets_a_name_of_its_own() -> None:
    text = after(
        changed(
            (
                "        h = x\n",
                "        if wide:\n            n = 2\n        else:\n            n = 1\n"
                "        h = tf.tile(x, [1, n])\n"
                "        if wide:\n            n = 3\n        else:\n            n = 1\n"
                "        h = tf.tile(h, [1, n])\n",
            )
        )
    )
    assert "            n2 = 3\n        else:\n            n2 = 1\n" in text
    assert "            h = tf.tile(x, [1, n])\n            h = tf.tile(h, [1, n2])\n" in text


@pytest.mark.parametrize(
    "ways",
    [
        "        if wide:\n            n = n + 1\n        else:\n            n = 1\n",
        "        if wide:\n            n = 3\n",
        "        if wide:\n            n = 3\n        else:\n            print(n)\n",
    ],
)
def test_a_value_that_one_way_keeps_stays(ways: str) -> None:
    lines = (
        "        n = 2\n        h = tf.tile(x, [1, n])\n"
        + ways
        + "        h = tf.tile(h, [1, n])\n"
    )
    assert "`n`" in stopped(changed(("        h = x\n", lines)))


SUMMARY = (
    "        self.loss = tf.reduce_mean(self.real) - tf.reduce_mean(self.fake)\n",
    "        self.loss = tf.reduce_mean(self.real) - tf.reduce_mean(self.fake)\n"
    "        self.cost = tf.summary.scalar('cost', self.loss)\n",
)
SHOWN = (
    "        print(self.session.run(self.real, {self.x: rows}))\n",
    "        print(self.session.run(self.cost, {self.x: rows, self.z: rows}))\n",
)


def test_local_names_of_scopes_leave_a_summary_its_name() -> None:
    assert "'cost': loss" in after(changed(SUMMARY, SHOWN))


@pytest.mark.parametrize(
    "name", ["name = 'cos' + 't' * (i + 1)", "name = NAMES[i]", "name += 'd_layer' + str(i)"]
)
def test_local_names_that_may_be_a_summarys_stay(name: str) -> None:
    text = changed(SUMMARY, SHOWN, ("name = 'd_wide%d' % i", name))
    assert "is free for a summary can't be told" in stopped(text)


def test_a_sum_of_numbers_in_a_name_is_one_number() -> None:
    text = after(
        "import tensorflow as tf\n\n\ndef make(i, j):\n"
        "    with tf.variable_scope('part' + str(i + j)):\n"
        "        return tf.get_variable('w', [2], initializer=tf.zeros_initializer())\n\n\n"
        "w, v = make(1, 2), make(3, 4)\n"
        "x = tf.placeholder(tf.float32, [2])\ny = x * w + v\n"
        "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
        "    print(sess.run(y, {x: [1, 2]}))\n"
    )
    assert "{i + j}/w" in text
    assert "{i}{j}" not in text
