"""Collections of tensors that functions fill and other functions or files read."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

NET = """\
import tensorflow as tf

def weight(shape, regularizer):
    w = tf.get_variable('w', shape)
    if regularizer is not None:
        tf.add_to_collection('losses', regularizer(w))
    return w

def net(x, regularizer):
    with tf.variable_scope('one'):
        h = tf.matmul(x, weight([2, 3], regularizer))
    with tf.variable_scope('two'):
        w = weight([3, 1], regularizer)
        y = tf.matmul(h, w)
    return y
"""
NET = NET.replace(
    "        h = tf.matmul(x, weight([2, 3], regularizer))",
    "        w = weight([2, 3], regularizer)\n        h = tf.matmul(x, w)",
)
TRAIN = """\
import tensorflow as tf
import net

def train():
    x = tf.placeholder(tf.float32, [None, 2])
    regularizer = tf.contrib.layers.l2_regularizer(0.1)
    y = net.net(x, regularizer)
    loss = tf.reduce_mean(tf.square(y)) + tf.add_n(tf.get_collection('losses'))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step, {x: [[1, 2]]})

if __name__ == '__main__':
    train()
"""


def upgrade(**files: str) -> dict[str, FileResult]:
    sources = {f"{name}.py": text.encode() for name, text in files.items()}
    return {result.path: result for result in texts(sources, Options())}


def text(result: FileResult) -> str:
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


EVALUATE = """\
import tensorflow as tf
import net

x = tf.placeholder(tf.float32, [None, 2])
error = tf.reduce_mean(tf.square(net.net(x, None)))
saver = tf.train.Saver()
with tf.Session() as sess:
    saver.restore(sess, 'model')
    print(sess.run(error, {x: [[1, 2]]}))
"""


def test_a_program_that_reads_nothing_leaves_it_to_the_one_that_does() -> None:
    found = upgrade(net=NET, train=TRAIN, evaluate=EVALUATE)
    assert "            losses.append(regularizer(w))\n" in text(found["net.py"])
    assert "            y, losses = net_layer(x)\n" in text(found["train.py"])
    assert "    outputs, _ = net_layer(x)\n" in text(found["evaluate.py"])


def test_variables_in_what_uses_them_get_names() -> None:
    inner = NET.replace("        w = weight([2, 3], regularizer)\n        h = tf.matmul(x, w)", "")
    inner = inner.replace(
        "('one'):\n", "('one'):\n        h = tf.matmul(x, weight([2, 3], regularizer))"
    )
    inner = inner.replace(
        "        w = weight([3, 1], regularizer)\n        y = tf.matmul(h, w)\n", ""
    )
    inner = inner.replace(
        "    return y", "        return tf.nn.relu(tf.matmul(h, weight([3, 1], regularizer)))"
    )
    net = text(upgrade(net=inner, train=TRAIN)["net.py"])
    assert "    w = weight([2, 3])\n    two_w = weight([3, 1])\n" in net
    assert "        h = tf.matmul(x, w)\n" in net
    assert "        return tf.nn.relu(tf.matmul(h, two_w)), losses\n" in net


def test_functions_return_what_they_put_in() -> None:
    found = upgrade(net=NET, train=TRAIN)
    net = text(found["net.py"])
    assert "def weight(shape):\n    w = tf.Variable(" in net
    assert "        losses = []\n        if regularizer is not None:\n" in net
    assert "            losses.append(regularizer(w))\n" in net
    assert "        return y, losses\n" in net
    train = text(found["train.py"])
    assert "            y, losses = net_layer(x)\n" in train
    assert "+ tf.add_n(losses)\n" in train


def test_another_program_leaves_them() -> None:
    """What evaluates the net makes it, too, and reads no collection."""
    again = TRAIN.replace("def train", "def evaluate").replace("    train()", "    evaluate()")
    again = again.replace(" + tf.add_n(tf.get_collection('losses'))", "")
    again = again.replace("net.net(x, regularizer)", "net.net(x, None)")
    found = upgrade(net=NET, train=TRAIN, evaluate=again)
    text(found["train.py"])
    assert "y, _ = net_layer(x)" in text(found["evaluate.py"])


def test_a_function_between_passes_them_on() -> None:
    between = (
        "\ndef scaled(x, regularizer):\n    y = net(x * 2.0, regularizer)\n    return y + 1.0\n"
    )
    found = upgrade(net=NET + between, train=TRAIN.replace("net.net(", "net.scaled("))
    assert "losses" in text(found["net.py"])


def test_of_several_results_the_list_is_the_last() -> None:
    found = upgrade(
        net=NET.replace("return y\n", "return h, y\n"),
        train=TRAIN.replace("    y = ", "    h, y = "),
    )
    assert "        return h, y, losses\n" in text(found["net.py"])
    assert "h, y, losses = net_layer(x)" in text(found["train.py"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # What is put in before may be another call's.
        ("    train()", "    train()\n    train()"),
        ("    train()", "    for i in range(2):\n        train()"),
        # Filled where the reader doesn't see it.
        ("    train()", "    y = net.net(tf.ones([1, 2]), None)\n    train()"),
        # Read before it is full.
        (
            "    y = net.net(x, regularizer)\n",
            "    first = tf.add_n(tf.get_collection('losses'))\n    y = net.net(x, regularizer)\n",
        ),
        # Of a part of it.
        ("get_collection('losses')", "get_collection('losses', scope='one')"),
        # Given on.
        ("net.net(x, regularizer)", "(lambda f: f(x, regularizer))(net.net)"),
    ],
)
def test_what_a_collection_holds_must_be_seen(old: str, new: str) -> None:
    found = upgrade(net=NET, train=TRAIN.replace(old, new))
    assert {r.level for r in found.values()} == {Level.COMPAT}


@pytest.mark.parametrize(
    ("regularizer", "level"),
    [
        ("tf.contrib.layers.l1_regularizer(0.1)", Level.NATIVE),
        ("tf.contrib.layers.l2_regularizer(0.0)", Level.COMPAT),  # TF 1's gives None
        ("lambda w: tf.reduce_sum(w)", Level.NATIVE),
        ("make()", Level.COMPAT),
    ],
)
def test_a_regularizer_that_a_net_is_given(regularizer: str, level: Level) -> None:
    train = TRAIN.replace("tf.contrib.layers.l2_regularizer(0.1)", regularizer)
    found = upgrade(net=NET, train=train.replace("\ndef train", "make = input\n\ndef train"))
    assert found["train.py"].level is level


INSIDE = """\
import tensorflow as tf


def net(x):
    w = tf.get_variable('w', [2, 1])
    tf.add_to_collection('losses', 0.1 * tf.nn.l2_loss(w))
    return tf.matmul(x, w)


def total(out, scale):
    tf.add_to_collection('losses', scale * tf.reduce_mean(tf.square(out)))
    return tf.add_n(tf.get_collection('losses'))


x = tf.placeholder(tf.float32, [None, 2])
loss = total(net(x), {scale})
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([step, loss], {{x: [[1, 2]]}})[1])
"""


def test_a_call_that_another_one_is_given_gets_the_name_that_it_has_there() -> None:
    (result,) = texts({"net.py": INSIDE.format(scale="2.0").encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "        out, losses = net_layer(x)\n" in text
    # It is what the statement calls first.
    early = INSIDE.format(scale="2.0").replace("total(net(x), ", "sum([1.0]) * total(net(x), ")
    (result,) = texts({"net.py": early.encode()}, Options())
    assert result.level is Level.COMPAT


WEIGHTS = """\
import tensorflow as tf


def layer(x, m, with_w=False, name='layer'):
    with tf.variable_scope(name):
        w = tf.get_variable('w', [2, m])
        tf.add_to_collection('decay', tf.nn.l2_loss(w))
        if with_w:
            return tf.matmul(x, w), w
        else:
            return tf.matmul(x, w)


x = tf.placeholder(tf.float32, [None, 2])
h = layer(x, 2, name='a')
y = layer(h, 1, name='b')
loss = tf.reduce_mean(y) + tf.add_n(tf.get_collection('decay'))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {x: [[1, 2]]}))
"""


def test_a_function_that_may_return_its_weights_too_returns_what_all_calls_ask_for() -> None:
    (result,) = texts({"net.py": WEIGHTS.encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert "with_w" not in result.after.decode()
    other = WEIGHTS.replace("y = layer(h, 1,", "y, w = layer(h, 1, with_w=True,")
    (result,) = texts({"net.py": other.encode()}, Options())
    assert result.level is Level.COMPAT


TWO_GRAPHS = """\
import numpy as np
import tensorflow as tf

def net(x, train, decay):
    w = tf.get_variable("w", [2, 1])
    if decay is not None:
        tf.add_to_collection("losses", decay(w))
    return tf.matmul(x, w)

def train():
    x = tf.placeholder(tf.float32, [None, 2])
    y = net(x, True, tf.contrib.layers.l2_regularizer(0.1))
    loss = tf.reduce_mean(y) + tf.add_n(tf.get_collection("losses"))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step, {x: np.ones([3, 2])})

def look():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2])
        y = net(x, False, None)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run(y, {x: np.ones([3, 2])}))

train()
look()
"""


def test_a_graph_of_its_own_has_its_own_collections() -> None:
    (result,) = texts({"program.py": TWO_GRAPHS.encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert b"y, _ = net_layer(x)" in result.after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.Graph().as_default()", "tf.name_scope('look')"),  # train's graph
        (
            "        with tf.Session() as sess:\n            sess.run(t",
            "        train()\n            sess.run(t",
        ),
    ],
)
def test_a_graph_that_is_read_too_keeps_its_session(old: str, new: str) -> None:
    assert old in TWO_GRAPHS
    (result,) = texts({"program.py": TWO_GRAPHS.replace(old, new).encode()}, Options())
    assert result.level is not Level.NATIVE
