"""Functions that only train are written where they are called."""

from __future__ import annotations

import json

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

RATE = 0.1


{helper}

x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.Variable(tf.zeros([2, 1]))
cost = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
{calls}
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([{fetched}, cost], {{x: [[1, 2]], y: [[1]]}})[1])
"""
HELPER = '''\
# plain descent
def training(loss, rate=RATE):
    """Sets up the train op."""
    # what is counted
    step = tf.Variable(0, name='step', trainable=False)
    optimizer = tf.train.GradientDescentOptimizer(rate)
    train_op = optimizer.minimize(loss, global_step=step)
    return train_op
'''
SCOPED = """\
def training(loss):
    with tf.name_scope('train'):
        return tf.train.AdamOptimizer(RATE).minimize(loss)
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def test_a_helper_that_trains_stands_where_it_is_called() -> None:
    source = HEAD.format(helper=HELPER, calls="train = training(cost)", fetched="train")
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "def training" not in text
    assert "# plain descent\n" in text
    assert "# what is counted\nstep = tf.Variable(0, name='step', trainable=False)\n" in text
    assert "optimizer = tf.keras.optimizers.SGD(RATE)\n" in text
    assert "    step.assign_add(1)\n" in text


def test_a_return_in_a_block_and_an_argument_by_name() -> None:
    source = HEAD.format(helper=SCOPED, calls="train = training(loss=cost)", fetched="train")
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]


def test_two_calls_have_names_of_their_own() -> None:
    calls = "one = training(cost)\ntwo = training(cost * 2, 0.5)"
    result = upgrade(HEAD.format(helper=HELPER, calls=calls, fetched="one, two"))
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "def training" not in text
    assert "two_optimizer = tf.keras.optimizers.SGD(0.5)" in text
    assert "two_step.assign_add(1)" in text


@pytest.mark.parametrize(
    ("helper", "calls"),
    [
        # returns in a branch
        (
            "def training(loss, fast=True):\n    if fast:\n"
            "        return tf.train.AdamOptimizer(0.1).minimize(loss)\n"
            "    return tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n",
            "train = training(cost)",
        ),
        # takes all kinds of arguments
        (
            "def training(*losses):\n    return tf.train.AdamOptimizer(0.1).minimize(losses[0])\n",
            "train = training(cost)",
        ),
        # is called in an expression
        (HELPER, "train = [training(cost)][0]"),
        # is called in a loop
        (HELPER, "for rate in [0.1, 0.2]:\n    train = training(cost, rate)"),
    ],
)
def test_other_helpers_keep_the_session(helper: str, calls: str) -> None:
    result = upgrade(HEAD.format(helper=helper, calls=calls, fetched="train"))
    assert result.level is Level.COMPAT


def test_a_finding_stands_at_the_line_of_the_authors_text() -> None:
    calls = (
        "train = training(cost)\nbad = tf.py_func(open, [cost], tf.float32)\nsess0 = tf.Session()"
    )
    calls += "\nsess0.partial_run(train)"
    source = HEAD.format(helper=HELPER, calls=calls, fetched="train")
    result = upgrade(source)
    assert result.level is Level.COMPAT
    lines = source.splitlines()
    (found,) = [f for f in result.left if f.rule == "TFM420"]
    assert "partial_run" in lines[found.line - 1]


def test_a_helper_of_another_file_that_only_this_one_calls() -> None:
    training = (
        "import tensorflow as tf\nRATE = 0.1\n\n\ndef training(loss):\n"
        "    tf.summary.scalar('loss', loss)\n"
        "    return tf.train.GradientDescentOptimizer(RATE).minimize(loss)\n\n\n"
        "def scaled(x):\n    return x * RATE\n"
    )
    main = (
        "import tensorflow as tf\nimport model\n\n\ndef run():\n"
        "    x = tf.placeholder(tf.float32, [None, 2])\n    w = tf.Variable(tf.ones([2, 1]))\n"
        "    cost = tf.reduce_mean(tf.square(model.scaled(tf.matmul(x, w))))\n"
        "    train = model.training(cost)\n    with tf.Session() as sess:\n"
        "        sess.run(tf.global_variables_initializer())\n"
        "        print(sess.run([train, cost], {x: [[1, 2]]})[1])\n\n\nrun()\n"
    )
    files = {"main.py": main.encode(), "model.py": training.encode()}
    done = {r.path: r for r in texts(files, Options())}
    assert {r.level for r in done.values()} == {Level.NATIVE}
    first, second = done["main.py"].after, done["model.py"].after
    assert first is not None
    assert second is not None
    assert b"optimizer = tf.keras.optimizers.SGD(model.RATE)\n" in first
    assert b"def training" not in first + second
    assert b"def scaled(x):\n    return x * RATE\n" in second
    files["other.py"] = b"import model\nprint(model.training)\n"
    kept = {r.path: r for r in texts(files, Options())}
    assert kept["main.py"].level is Level.COMPAT
    after = kept["model.py"].after
    assert after is not None
    assert b"def training" in after


PARTLY = """\
import tensorflow as tf


def net(x, target, keep_prob):
    w = tf.Variable(tf.zeros([2, 1]))
    hidden = tf.nn.dropout(x, keep_prob)
    y = tf.matmul(hidden, w)
    loss = tf.reduce_mean(tf.square(y - target))
    return y, loss


x = tf.placeholder(tf.float32, [None, 2])
t = tf.placeholder(tf.float32, [None, 1])
keep_prob = tf.placeholder(tf.float32)
y, cost = net(x, t, keep_prob)
train = tf.train.AdamOptimizer(.1).minimize(cost)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(train, {x: [[1, 2]], t: [[1]], keep_prob: 1.0})
print(sess.run(y, {x: [[1, 2]], keep_prob: 1.0}))
"""


def test_a_function_stands_where_it_is_called_for_a_run_that_is_fed_less() -> None:
    result = upgrade(PARTLY)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "def net" not in text
    assert "def compute_y(x, keep_prob):\n    hidden = " in text
    assert "        y = compute_y(x, keep_prob)\n        cost = " in text


def test_a_function_that_is_called_twice_needs_all_that_it_is_given() -> None:
    result = upgrade(PARTLY.replace("sess = ", "z, more = net(2 * x, t, keep_prob)\nsess = "))
    assert result.level is Level.COMPAT
    assert any("`t` is needed here and not fed" in f.message for f in result.left)


def test_what_a_call_throws_away_keeps_the_functions_name() -> None:
    helper = """\
def training(loss):
    scaled = loss * 2
    train_op = tf.train.GradientDescentOptimizer(RATE).minimize(scaled)
    return scaled, train_op
"""
    source = HEAD.format(helper=helper, calls="_, train = training(cost)", fetched="train")
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "scaled = cost * 2\n" in text
    assert "_ =" not in text


NETS = """\
import tensorflow as tf


def generator(z):
    with tf.variable_scope("generator"):
        return tf.layers.dense(z, 4)


def discriminator(x, reuse=False):
    with tf.variable_scope("discriminator", reuse=reuse):
        return tf.layers.dense(x, 1)
"""
LOSSES = """\
# of both
def losses(x, z):
    fake = discriminator(generator(z))
    g_loss = tf.reduce_mean(fake)
    d_loss = tf.reduce_mean(discriminator(x, reuse=True)) - g_loss
    return g_loss, d_loss

"""
TRAINED = """\
x = tf.placeholder(tf.float32, [None, 4])
z = tf.placeholder(tf.float32, [None, 2])
g_loss, d_loss = losses(x, z)
variables = tf.trainable_variables()
g_vars = [v for v in variables if v.name.startswith("generator")]
step = tf.train.AdamOptimizer(0.1).minimize(g_loss, var_list=g_vars)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(step, {z: [[1.0, 2.0]]})
    print(sess.run(d_loss, {x: [[1, 2, 3, 4]], z: [[1.0, 2.0]]}))
"""


def test_a_function_of_two_nets_whose_variables_are_listed_apart() -> None:
    (result,) = texts({"program.py": f"{NETS}\n\n{LOSSES}\n{TRAINED}".encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = str(result.after, "utf-8")
    assert "def losses" not in text
    assert "g_vars = [v for layer in generator_layer.layers for v in" in text


def test_one_that_is_called_twice_keeps_the_session() -> None:
    again = TRAINED.replace("variables =", "losses(x, z)\nvariables =", 1)
    (result,) = texts({"program.py": f"{NETS}\n\n{LOSSES}\n{again}".encode()}, Options())
    assert result.level is Level.COMPAT


def test_a_function_goes_with_the_blank_lines_of_its_cell_only() -> None:
    cells = ["# the nets\n" + NETS, LOSSES, "\n" + TRAINED]
    book = {
        "cells": [{"cell_type": "code", "source": c, "metadata": {}, "outputs": []} for c in cells],
        "nbformat": 4,
        "nbformat_minor": 2,
        "metadata": {},
    }
    (result,) = texts({"program.ipynb": json.dumps(book).encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert "def losses" not in str(result.after)


AGAIN = """\
import tensorflow as tf


def net(z, n, reuse=False):
    with tf.variable_scope("net", reuse=reuse):
        w = tf.get_variable("w", [3, n], initializer=tf.constant_initializer(0.1))
        return tf.matmul(z, w)


def both(x, n):
    y = net(x, n)
    return y, tf.reduce_mean(tf.square(y - 1.0))


def again(x, n):
    return net(x, n, reuse=True)


def main(show):
    x = tf.placeholder(tf.float32, [None, 3])
    z = tf.placeholder(tf.float32, [None, 3])
    y, loss = both(x, 2)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    {more}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run([step, loss], {{x: [[1, 2, 3]]}})[1])
        if show:
            print(sess.run(more, {{z: [[1, 2, 3]]}}))


main(True)
"""


@pytest.mark.parametrize(
    "more", ["more = again(z, 2)", "if show:\n        more = again(z, 2)"], ids=["always", "branch"]
)
def test_functions_that_apply_one_net_stand_where_they_are_called(more: str) -> None:
    result = upgrade(AGAIN.format(more=more))
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert text.count("net(2)") == 1
    assert text.count("y_layer(") == 2


def test_a_net_that_a_branch_may_have_made_is_not_applied_in_another() -> None:
    """Its variables aren't there where the first branch wasn't taken."""
    source = AGAIN.format(more="if show:\n        more = net(z, 2, reuse=True)")
    source = source.replace("    y, loss = both(x, 2)\n", BRANCH)
    assert upgrade(source).level is Level.COMPAT


BRANCH = """\
    if show:
        y = net(x, 2)
    else:
        y = x
    loss = tf.reduce_mean(tf.square(y - 1.0))
"""


def test_functions_that_are_called_twice_and_apply_one_net_keep_the_session() -> None:
    more = "more = again(z, 2)\n    other = again(x, 2)"
    result = upgrade(AGAIN.format(more=more).replace("run(more,", "run([more, other],"))
    assert result.level is Level.COMPAT
    assert not any("in the rewriter" in f.message for f in result.left)


def test_a_helper_whose_local_has_its_name_goes_too() -> None:
    helper = HELPER.replace("train_op", "training").replace("def training", "def training", 1)
    source = HEAD.format(helper=helper, calls="train = training(cost)", fetched="train")
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert "def training" not in result.after.decode()
    assert "compat" not in result.after.decode()


def test_a_helper_that_a_comprehension_hides_in_itself_only_stays() -> None:
    source = HEAD.format(helper=HELPER, calls="train = training(cost)", fetched="train")
    source += "\ndef others(losses):\n    [training for training in losses]\n"
    source += "    return [training(loss) for loss in losses]\n"
    result = upgrade(source)
    assert "def training" in (result.after or source.encode()).decode()


NET = """\
import tensorflow as tf


class Net(object):
    def __init__(self, session, name):
        self.session = session
        with tf.variable_scope(name):
            self.x = tf.placeholder(tf.float32, [None, 2])
            self.out = tf.layers.dense(self.x, 1)

    def predict(self, x):
        return self.session.run(self.out, {self.x: x})
"""
COPIES = """\
import numpy as np
import tensorflow as tf
import net
from typing import Any, List


def copies(*, into: str, of: str = "main", rate: float = 1.0) -> List[tf.Operation]:
    ops = []
    old = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=of)
    new = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=into)
    for a, b in zip(old, new):
        ops.append(b.assign(a.value() * rate))
    return ops


def shown(value: Any):
    print(value)


with tf.Session() as sess:
    first = net.Net(sess, "main")
    second = net.Net(sess, "target")
    sess.run(tf.global_variables_initializer())
    ops = copies(into="target")
    sess.run(ops)
    shown(second.predict(np.ones([1, 2])))
"""


def written(main: str) -> str:
    """What becomes of the program that copies."""
    files = {"main.py": main.encode(), "net.py": NET.encode()}
    after = {r.path: r.after for r in texts(files, Options())}["main.py"]
    assert after is not None
    return after.decode()


def test_keyword_only_arguments_and_types_of_what_goes() -> None:
    found = written(COPIES)
    assert "compat" not in found
    assert "b.assign(a * 1.0)" in found
    assert "from typing import Any\n" in found
    alone = COPIES.replace("Any, List", "List").replace(": Any", "")
    assert "typing" not in written(alone)
