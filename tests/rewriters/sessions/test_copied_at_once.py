"""Variables that a function copies at every call."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
with tf.variable_scope('main'):
    q = tf.layers.dense(x, 3)
with tf.variable_scope('target'):
    p = tf.layers.dense(x, 3)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
steps = 0


def learn():
    global steps
    if steps % 2 == 0:
        source = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='main')
        target = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='target')
        sess.run([tf.assign(t, s) for t, s in zip(target, source)])
    steps += 1
    print(sess.run([q, p], {x: np.ones([1, 2])}))


for i in range(3):
    learn()
"""
BRANCH = """\
    if steps % 2 == 0:
        source = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='main')
        target = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='target')
        sess.run([tf.assign(t, s) for t, s in zip(target, source)])
"""
NAMED = """\
    source = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='main')
    target = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='target')
    copy = [t.assign(s * 0.5 + t) for t, s in zip(target, source)]
    sess.run(copy)
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def stopped(source: str) -> str:
    result = upgrade(source)
    assert result.level is not Level.NATIVE
    return next(f.message for f in result.left if f.rule == "TFM420")


def test_in_a_branch_of_a_function_that_a_loop_calls() -> None:
    text = native(HEAD)
    assert (
        "        source = [*q_layer.weights]\n"
        "        target = [*p_layer.weights]\n"
        "        for t, s in zip(target, source):\n"
        "            t.assign(s)\n"
    ) in text


def test_under_a_name() -> None:
    text = native(HEAD.replace(BRANCH, NAMED))
    assert "    for t, s in zip(target, source):\n        t.assign(s * 0.5 + t)\n" in text
    assert "copy" not in text


def test_what_one_reads_and_another_one_assigns_keeps_the_session() -> None:
    same = "scope='main')\n        sess"
    assert stopped(HEAD.replace("scope='target')\n        sess", same))
    assert stopped(HEAD.replace(BRANCH, NAMED.replace("s * 0.5", "target[0]")))


def test_names_that_the_function_has_besides_keep_the_session() -> None:
    assert stopped(HEAD.replace("    steps += 1\n", "    t = 1\n    steps += t\n"))


def test_variables_that_come_later_keep_the_session() -> None:
    calls = "learn()\nwith tf.variable_scope('main'):\n    v = tf.get_variable('v', [3])\nlearn()\n"
    text = HEAD.replace("for i in range(3):\n    learn()\n", calls)
    assert stopped(text)


FETCHED = """import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, sess):
        self.sess = sess
        self.x = tf.placeholder(tf.float32, [None, 2])
        with tf.variable_scope("main"):
            self.y = tf.layers.dense(self.x, 1)
        with tf.variable_scope("target"):
            self.z = tf.layers.dense(self.x, 1)

    def copy(self):
        main = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="main")
        target = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="target")
        self.sess.run([{op} for m, t in zip(main, target)])


sess = tf.Session()
net = Net(sess)
sess.run(tf.global_variables_initializer())
for _ in range(2):
    net.copy()
print(sess.run([net.y, net.z], {{net.x: np.ones([1, 2])}}))
"""


@pytest.mark.parametrize("op", ["tf.assign(t, m)", "t.assign(m)", "t.assign(m.value())"])
def test_in_what_a_method_fetches(op: str) -> None:
    text = after(FETCHED.format(op=op))
    assert "for m, t in zip(main, target):\n            t.assign(m" in text


def test_what_reads_what_another_one_assigns_stays() -> None:
    text = FETCHED.format(op="t.assign(m)")
    stopped(text.replace("zip(main, target)", "zip(main + target, target + main)"))
