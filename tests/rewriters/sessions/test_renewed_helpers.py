"""Variables that helpers make, initialised a second time."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HELPER = """\
def weight(shape, stddev=0.1):
    initial = tf.truncated_normal(shape, stddev=stddev)
    return tf.Variable(initial)
"""
HEAD = f"""\
import numpy as np
import tensorflow as tf

scale = 2


{HELPER}

x = tf.placeholder(tf.float32, [None, 2])
w = weight([2, 1])
"""
TAIL = """\
y = tf.matmul(x, w)
loss = tf.reduce_mean(tf.square(y - 1))
train = tf.train.AdamOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(train, {x: np.ones([3, 2])})
sess.run(tf.global_variables_initializer())
print(sess.run(loss, {x: np.ones([3, 2])}))
"""


@pytest.mark.parametrize(
    ("old", "new", "call"),
    [
        ("", "", "weight([2, 1])"),
        ("w = weight([2, 1])", "w = weight(\n    [2, 1], stddev=1.0)", "weight("),
        (
            "    return tf.Variable(initial)",
            "    v = tf.Variable(initial)\n    return v",
            "weight(",
        ),
        ("stddev=stddev)", "stddev=stddev / scale)", "weight([2, 1])"),
        ("    initial = tf.trunc", '    """A weight."""\n    initial = tf.trunc', "weight([2, 1])"),
        ("stddev=stddev)", "stddev=1.0 / np.sqrt(shape[0]))", "weight([2, 1])"),
    ],
)
def test_it_is_given_what_the_helper_makes_anew(old: str, new: str, call: str) -> None:
    text = after(HEAD.replace(old, new) + TAIL if old else HEAD + TAIL)
    assert f"def initialize():\n    w.assign({call}" in text
    assert text.index("def initialize()") < text.index("\ninitialize()\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("stddev=stddev)", "stddev=stddev, seed=3)"),
        ("shape, stddev=stddev)", "shape, 0.0, stddev, tf.float32, 3)"),
        ("stddev=stddev)", "stddev=stddev * np.random.rand())"),
        ("stddev=stddev)", "stddev=stddev * np.random.rand(2).mean())"),
        ("    return tf", "    print(shape)\n    return tf"),
        ("    return tf", "    seen.append(shape)\n    return tf"),
        ("    return tf.Variable(initial)", "    return tf.Variable(initial) * 1.0"),
        ("    return tf", "    if scale > 3:\n        initial = initial * 2\n    return tf"),
        ("w = weight([2, 1])", "w = weight([2, np.random.randint(1, 2)])"),
        ("w = weight([2, 1])", "size = [2, 1]\nw = weight(size)\nsize = [3, 1]"),
        ("stddev=stddev)", "stddev=scale)"),
    ],
)
def test_what_may_come_out_otherwise_keeps_the_session(old: str, new: str) -> None:
    assert old in HEAD
    tail = TAIL.replace("y = tf", "scale = 3\ny = tf") if "=scale" in new else TAIL
    stopped(HEAD.replace(old, new).replace("scale = 2\n", "scale = 2\nseen = []\n") + tail)


def test_an_optimizer_of_many_variables_is_told_them() -> None:
    names = [f"w{i}" for i in range(9)]
    made = "".join(f"{n} = weight([2, 1])\n" for n in names)
    text = after(
        HEAD.replace("w = weight([2, 1])\n", made)
        + TAIL.replace("tf.matmul(x, w)", "tf.matmul(x, " + " + ".join(names) + ")")
    )
    assert "tape.watched_variables()" in text
    assert f"optimizer.build([{', '.join(names)}])\n" in text
