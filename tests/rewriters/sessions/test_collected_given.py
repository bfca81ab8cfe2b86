"""Collections that one function fills and another reads: what calls both hands the list on."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

NET = """\
import tensorflow as tf

def weight(name, shape, wd):
    w = tf.get_variable(name, shape)
    if wd is not None:
        tf.add_to_collection('losses', tf.nn.l2_loss(w) * wd)
    return w

def inference(x):
    w = weight('w', [2, 3], 0.1)
    h = tf.matmul(x, w)
    v = weight('v', [3, 1], 0.2)
    y = tf.matmul(h, v)
    return y

def loss(y, wish):
    tf.add_to_collection('losses', tf.reduce_mean(tf.square(y - wish)))
    return tf.add_n(tf.get_collection('losses'))
"""
TRAIN = """\
import tensorflow as tf
import net

def train():
    x = tf.placeholder(tf.float32, [None, 2])
    y = net.inference(x)
    total = net.loss(y, wish=1.0)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(total)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step, {x: [[1, 2]]})

if __name__ == '__main__':
    train()
"""
EVALUATE = """\
import tensorflow as tf
import net

def evaluate():
    x = tf.placeholder(tf.float32, [None, 2])
    y = net.inference(x)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        saver.restore(sess, 'net.ckpt')
        print(sess.run(y, {x: [[1, 2]]}))

if __name__ == '__main__':
    evaluate()
"""


def upgrade(**files: str) -> dict[str, FileResult]:
    sources = {f"{name}.py": text.encode() for name, text in files.items()}
    return {result.path: result for result in texts(sources, Options())}


def text(result: FileResult) -> str:
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def test_the_list_is_an_argument_of_what_reads_it() -> None:
    results = upgrade(net=NET, train=TRAIN, evaluate=EVALUATE)
    net, train, evaluate = (text(results[f"{n}.py"]) for n in ("net", "train", "evaluate"))
    assert "def loss(y, wish, losses):\n    losses.append(tf.reduce_mean(" in net
    assert "    return tf.add_n(losses)\n" in net
    assert "        y, losses = inference_layer(x)\n" in train
    assert "        total = net.loss(y, wish=1.0, losses=losses)\n" in train
    assert "    y, _ = inference_layer(x)\n" in evaluate


def test_a_reader_that_this_program_does_not_call_gets_it_too() -> None:
    net = text(upgrade(net=NET, evaluate=EVALUATE)["net.py"])
    assert "def loss(y, wish, losses):\n" in net


def test_what_only_hands_it_on_gets_it_too() -> None:
    more = """
def both(y):
    total = loss(y, 1.0)
    return total
"""
    train = TRAIN.replace("net.loss(y, wish=1.0)", "net.both(y)")
    results = upgrade(net=NET + more, train=train, evaluate=EVALUATE)
    net = text(results["net.py"])
    assert "def both(y, losses):\n    total = loss(y, 1.0, losses)\n" in net
    assert "net.both(y, losses)" in text(results["train.py"])


def test_what_a_function_puts_in_that_gives_nothing_where_nothing_reads_it_goes() -> None:
    evaluate = EVALUATE.replace(
        "    saver =", "    tf.add_to_collection('losses', tf.nn.l2_loss(y))\n    saver ="
    )
    results = upgrade(net=NET, evaluate=evaluate)
    assert "l2_loss" not in text(results["evaluate.py"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def loss(y, wish):", "def loss(y, wish, *more):"),
        (
            "    return tf.add_n(tf",
            "    total = tf.get_collection('losses')\n    return tf.add_n(tf",
        ),
    ],
)
def test_readers_that_can_not_be_told_what_is_read(old: str, new: str) -> None:
    if "total" in new:  # what is put in between isn't in what was read first
        put = "    tf.add_to_collection('losses', y)\n"
        new = new.replace("')\n", f"')\n{put}", 1).replace("tf.add_n(", "tf.add_n(total + ")
    results = upgrade(net=NET.replace(old, new), train=TRAIN, evaluate=EVALUATE)
    levels = {result.level for result in results.values()}
    assert levels == {Level.COMPAT}


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("(y), (1.0)", "net.loss((y), (1.0), losses)"),
        ("y, 1.0,", "net.loss(y, 1.0, losses)"),
        ("y, wish=(1.0)", "net.loss(y, wish=(1.0), losses=losses)"),
    ],
)
def test_a_call_in_brackets_and_commas(given: str, written: str) -> None:
    train = TRAIN.replace("y, wish=1.0", given)
    assert written in text(upgrade(net=NET, train=train)["train.py"])


def test_a_comment_behind_the_last_argument() -> None:
    train = TRAIN.replace("(y, wish=1.0)", "(y, wish=1.0  # the answer\n                    )")
    after = text(upgrade(net=NET, train=train)["train.py"])
    assert "losses" not in after.partition("# the answer")[2].partition("\n")[0]


TWICE = """\
import tensorflow as tf

def net(x):
    w = tf.Variable([1.0, 2.0])
    h = x * w
    tf.add_to_collection('losses', tf.reduce_max(h))
    return h

def total(parts):
    tf.add_to_collection('losses', tf.reduce_mean(parts))
    return tf.add_n(tf.get_collection('losses')) + parts

x = tf.placeholder(tf.float32, [None, 2])
h = net(x)
y = total(h)
z = total(2.0 * h)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1, 2]]}))
    print(sess.run(z, {x: [[1, 2]]}))
"""


def test_a_function_that_reads_and_fills_is_called_once() -> None:
    # A run of `z` alone would leave out what the first call put in.
    (result,) = texts({"program.py": TWICE.encode()}, Options())
    assert result.level is Level.COMPAT
    once = TWICE.replace("y = total(h)\n", "").replace(
        "    print(sess.run(y, {x: [[1, 2]]}))\n", ""
    )
    (result,) = texts({"program.py": once.encode()}, Options())
    assert result.level is Level.NATIVE
