"""Names in what is fetched, and names of a file that a function sets."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

CHAIN = """\
import numpy as np
import tensorflow as tf


class Chain(object):
    def __init__(self, moves):
        self.moves = moves
        self.state = tf.placeholder(tf.float64)

    def next_op(self, state):
        return tf.matmul(state, self.moves)


def forward(sess, chain, state):
    return sess.run(tf.reduce_sum(chain.next_op(chain.state)), {chain.state: state})


chain = "another"
model = Chain(np.eye(2))
with tf.Session() as sess:
    print(forward(sess, model, [[1.0, 2.0]]))
"""
PLAIN = """\
import tensorflow as tf

k = 5.0


def load():
    global k
    k = 7.0


BEFORE
x = tf.placeholder(tf.float32, [])
y = x * k


def f(sess, n):
    BODY
    return sess.run(FETCHED, {x: 2.0})


with tf.Session() as sess:
    print(f(sess, 3.0), f(sess, 4.0))
"""


def program(before: str = "k = 6.0", body: str = "n = n", fetched: str = "y") -> str:
    found = PLAIN.replace("BEFORE", before).replace("BODY", body)
    return found.replace("FETCHED", fetched)


def test_a_method_that_is_fetched_is_the_object_s_own() -> None:
    assert "return tf.reduce_sum(self.next_op(state))" in after(CHAIN)


def test_an_attribute_that_changes_where_it_is_fetched() -> None:
    changed = CHAIN.replace("    return sess", "    chain.moves = chain.moves * 2\n    return sess")
    assert "`moves`, which a function would read, changes later" in stopped(changed)


def test_a_local_name_in_what_is_fetched() -> None:
    assert "`n`, with which this is computed, is a local" in stopped(program(fetched="y * n"))
    local = CHAIN.replace("(chain.state))", "(chain.state) * len(state))")
    assert "`state`, with which this is computed, is a local" in stopped(local)


@pytest.mark.parametrize("before", ["load()", "k = 6.0"])
def test_a_name_that_a_function_set_before(before: str) -> None:
    assert "return x * k" in after(program(before))


def test_a_name_that_a_function_sets_between_runs() -> None:
    assert "`k`, which a function would read, is set by" in stopped(program(body="load()"))
    assert "`k`, with which this is computed, is set by" in stopped(program(fetched="x * k"))


ATTRIBUTES = """\
import tensorflow as tf


class Net:
    def __init__(self, sizes):
        self.sizes = sizes
        self.options = {"rate": 0.1, "scale": 2.0}
        self.x = tf.placeholder(tf.float32, [])
        self.y = self.forward(self.x) * self.options["scale"]

    def forward(self, x):
        return x * self.sizes[0]

    def change(self):
        CHANGE


net = Net([1.0, 2.0])
with tf.Session() as sess:
    net.change()
    print(sess.run(net.y, {net.x: 1.0}))
"""


@pytest.mark.parametrize(
    "change",
    [
        "self.sizes[0] *= 2",
        "self.sizes.append(2.0)",
        "self.options['scale'] = 3.0",
        "self.options.update(scale=3.0)",
        "self.options[key] = 3.0",
    ],
)
def test_an_attribute_that_changes_in_place(change: str) -> None:
    assert "changes in place" in stopped(ATTRIBUTES.replace("CHANGE", change))


@pytest.mark.parametrize(
    "change", ["self.sizes[1] = 5.0", "self.options['rate'] *= 0.5", "self.seen = [0]"]
)
def test_another_item_of_an_attribute(change: str) -> None:
    assert "self.sizes[0]" in after(ATTRIBUTES.replace("CHANGE", change))


def test_a_name_of_a_function_that_another_one_in_it_sets() -> None:
    inner = """\
import tensorflow as tf


def main():
    k = 2.0

    def more():
        nonlocal k
        k += 1

    x = tf.placeholder(tf.float32, [])
    y = x * k
    with tf.Session() as sess:
        more()
        print(sess.run(y, {x: 1.0}))


main()
"""
    assert "`k`, which a function would read, is set by" in stopped(inner)
    assert "return x * k" in after(inner.replace("        more()\n", ""))


FLAG = """\
import tensorflow as tf

tf.app.flags.DEFINE_float("k", 2.0, "k")
FLAGS = tf.app.flags.FLAGS


def main(_):
    FIRST
    x = tf.placeholder(tf.float32, [])
    y = x * FLAGS.k
    LAST
    with tf.Session() as sess:
        print(sess.run(y, {x: 1.0}))


if __name__ == "__main__":
    tf.app.run()
"""


def test_a_flag_that_is_set_behind_what_reads_it() -> None:
    program = FLAG.replace("FIRST", "pass").replace("LAST", "FLAGS.k = 5.0")
    assert "`FLAGS.k`, which a function would read, changes later" in stopped(program)
    before = FLAG.replace("FIRST", "FLAGS.k = 5.0").replace("LAST", "pass")
    assert "return x * FLAGS.k" in after(before)


def test_ops_alone_under_a_name_that_nobody_reads() -> None:
    """``_ = sess.run([train])`` runs the step; a name that is read keeps the session."""
    text = (
        "import tensorflow as tf\n"
        "x = tf.placeholder(tf.float32, [])\n"
        "w = tf.Variable(2.0)\n"
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(w - x))\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    _ = sess.run([train], {x: 1.0})\n"
    )
    assert after(text).rstrip().endswith("\ntrain_step(1.0)")
    assert "which are None" in stopped(text.replace("_ =", "out =") + "print(out)\n")


def test_flags_that_are_gone_through() -> None:
    """``for k in FLAGS`` goes through the names of a command line's flags."""
    new = after(
        "import tensorflow as tf\n"
        'tf.app.flags.DEFINE_float("k", 2.0, "k")\n'
        "FLAGS = tf.app.flags.FLAGS\n"
        "values = {k: FLAGS[k].value for k in FLAGS}\n"
        "x = tf.placeholder(tf.float32, [])\n"
        "y = x * FLAGS.k\n"
        "with tf.Session() as sess:\n"
        "    print(sess.run(y, {x: 1.0}))\n"
    )
    assert "for k in FLAGS}" in new
