"""Variables by collection and scope: which they are, and where they can be named."""

from __future__ import annotations

import textwrap

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
with tf.variable_scope('main'):
    w = tf.get_variable('w', [2, 1])
    count = tf.get_variable('count', [], trainable=False)
with tf.variable_scope('target'):
    v = tf.get_variable('w', [2, 1])
    seen = tf.get_variable('count', [], trainable=False)
goal = tf.stop_gradient(tf.matmul(x, v))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - goal))
"""
TRAIN = "train = tf.train.AdamOptimizer(0.1).minimize(loss)\n"
RUN = """\
copy = [t.assign(s) for s, t in zip(source, target)]
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(train, {x: [[1, 2]]})
sess.run(copy)
"""
ALL = "tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='{}')"


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": textwrap.dedent(source).encode()}, Options())
    return result


def lists(main: str, target: str) -> str:
    return f"source = {main.format('main')}\ntarget = {target.format('target')}\n"


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def test_all_variables_of_a_scope_and_those_that_are_trained() -> None:
    text = native(HEAD + lists(ALL, ALL) + TRAIN + RUN)
    assert "source = [w, count]\ntarget = [v, seen]\n" in text
    assert "    for s, t in zip(source, target):\n        t.assign(s)\n" in text
    trained = native(HEAD + lists(*["tf.trainable_variables('{}')"] * 2) + TRAIN + RUN)
    assert "source = [w]\ntarget = [v]\n" in trained


def test_an_optimizer_trains_what_the_loss_flows_back_to() -> None:
    assert "variables = [w]\n" in native(HEAD + lists(ALL, ALL) + TRAIN + RUN)


def test_an_optimizer_s_slots_are_cut_off_by_a_list_without_any() -> None:
    assert "source = [w, count]\n" in native(HEAD + TRAIN + lists(ALL, ALL) + RUN)


def test_an_optimizer_s_slots_among_all_variables_keep_the_session() -> None:
    result = upgrade(HEAD + TRAIN + lists(ALL, ALL) + "print(len(source))\n" + RUN)
    assert result.level is Level.COMPAT
    (finding,) = [f for f in result.left if f.rule == "TFM420"]
    assert finding.line == 13
    assert "all variables, an optimizer's among them" in finding.message


def test_variables_by_what_their_names_do_not_begin_with() -> None:
    source = (
        "every = tf.trainable_variables()\n"
        "target = [v for v in every if v.name.startswith('target')]\n"
        "source = [v for v in every if not v.name.startswith('target')]\n"
    )
    assert "target = [v]\nsource = [w]\n" in native(HEAD + source + TRAIN + RUN)


def test_variables_that_another_list_does_not_have() -> None:
    source = (
        "target = tf.trainable_variables('target')\n"
        "source = [v for v in tf.trainable_variables() if v not in target]\n"
    )
    assert "target = [v]\nsource = [w]\n" in native(HEAD + source + TRAIN + RUN)


def test_variables_that_a_list_of_something_else_does_not_have() -> None:
    source = (
        "target = tf.trainable_variables('target')\n"
        "source = [v for v in tf.trainable_variables() if v not in known]\n"
    )
    result = upgrade("known = make()\n" + HEAD + source + TRAIN + RUN)
    assert result.level is Level.COMPAT


MADE = """\
import numpy as np
import tensorflow as tf


def fc(x, n_in, n_out, name):
    with tf.variable_scope(name):
        w = tf.get_variable('w', [n_in, n_out])
        return tf.matmul(x, w)


class Net:
    def __init__(self, x):
        self.x = x
        self.create()

    def create(self):
        h = tf.nn.relu(fc(self.x, 4, 3, 'fc1'))
        self.out = fc(h, 3, 2, 'fc2')


x = tf.placeholder(tf.float32, [None, 4])
chosen = ['fc2']
net = Net(x)
mine = {listed}
loss = tf.reduce_mean(tf.square(net.out))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=mine)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, {{x: np.ones([1, 4])}})
"""


def test_what_functions_make_for_an_object_is_asked_of_it() -> None:
    text = native(MADE.format(listed="tf.trainable_variables()"))
    assert "mine = [*net.h_layer.variables, *net.out_layer.variables]\n" in text
    for test in ("v.name.startswith('fc2')", "v.name.split('/')[0] in chosen"):
        text = native(MADE.format(listed=f"[v for v in tf.trainable_variables() if {test}]"))
        (line,) = [one for one in text.splitlines() if one.startswith("mine = ")]
        assert line.count("*net.") == 1


def test_first_words_that_are_not_written_out_keep_the_session() -> None:
    listed = "[v for v in tf.trainable_variables() if v.name.split('/')[0] in chosen]"
    source = MADE.format(listed=listed).replace(
        "chosen = ['fc2']", "chosen = ['fc2']\nchosen.append(x.name)"
    )
    assert upgrade(source).level is Level.COMPAT


PAIR = """\
import tensorflow as tf


def make(n):
    w = tf.Variable(tf.ones([n]), name='w')
    return w, tf.Variable(tf.zeros([n]), name='b')


x = tf.placeholder(tf.float32, [None, 2])
w, b = make(2)
y = x * w + b
loss = tf.reduce_sum(y) + tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([step, loss], {x: [[1, 2]]})[1])
"""


def test_variables_that_a_function_returns_in_a_tuple_have_the_names_that_they_get() -> None:
    one = PAIR.replace(
        "return w, tf.Variable(tf.zeros([n]), name='b')",
        "b = tf.Variable(tf.zeros([n]), name='b')\n    return w, b",
    )
    text = after(one)
    assert "for v in [w, b]])" in text
    assert "variables = [b, w]\n" in text
    again = one.replace("y = x", "w, w = make(2)\ny = x")
    stopped(again)
