"""Graphs under names: each has its own variables, its sessions run in turn."""

from __future__ import annotations

import textwrap

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

NETS = """\
import numpy as np
import tensorflow as tf

class Policy(object):
    def __init__(self, n):
        self.n = n
        self._build()
        self.sess = tf.Session(graph=self.g)
        self.sess.run(self.init)

    def _build(self):
        self.g = tf.Graph()
        with self.g.as_default():
            self.x = tf.placeholder(tf.float32, (None, self.n), 'x')
            self.y = tf.placeholder(tf.float32, (None,), 'y')
            self.out = tf.squeeze(tf.layers.dense(self.x, 1, name='h'), 1)
            loss = tf.reduce_mean(tf.square(self.out - self.y))
            self.train_op = tf.train.AdamOptimizer(.1).minimize(loss)
            self.init = tf.global_variables_initializer()

    def sample(self, x):
        return self.sess.run(self.out, {self.x: x})

    def update(self, x, y):
        self.sess.run(self.train_op, {self.x: x, self.y: y})

class Values(object):
    def __init__(self, n):
        self.g = tf.Graph()
        with self.g.as_default():
            self.x = tf.placeholder(tf.float32, (None, n), 'x')
            self.y = tf.placeholder(tf.float32, (None,), 'y')
            self.out = tf.squeeze(tf.layers.dense(self.x, 1, name='h'), 1)
            self.loss = tf.reduce_mean(tf.square(self.out - self.y))
            found = tf.trainable_variables()
            grads = tf.gradients(self.loss, found)
            self.train_op = tf.train.AdamOptimizer(.1).apply_gradients(zip(grads, found))
            self.init = tf.global_variables_initializer()
        self.sess = tf.Session(graph=self.g)
        self.sess.run(self.init)

    def fit(self, x, y):
        before = self.predict(x)
        self.sess.run(self.train_op, {self.x: x, self.y: y})
        return before

    def predict(self, x):
        return self.sess.run(self.out, {self.x: x})

def main():
    policy = Policy(3)
    policy.update(np.ones((2, 3)), np.ones(2))
    values = Values(3)
    for i in range(3):
        x, y = np.random.rand(5, 3), np.random.rand(5)
        print(policy.sample(x), values.fit(x, y))
        policy.update(x, y)

if __name__ == '__main__':
    main()
"""
TWO = """\
import tensorflow as tf

g1, g2 = tf.Graph(), tf.Graph()
with g1.as_default():
    a = tf.placeholder(tf.float32, [])
    v = tf.get_variable('v', [])
    train1 = tf.train.GradientDescentOptimizer(0.1).minimize(
        a * v, var_list=tf.trainable_variables())
    start1 = tf.global_variables_initializer()
with g2.as_default():
    b = tf.placeholder(tf.float32, [])
    w = tf.get_variable('w', [])
    train2 = tf.train.GradientDescentOptimizer(0.1).minimize(
        b * w, var_list=tf.trainable_variables())
    saver = tf.train.Saver()
    start2 = tf.global_variables_initializer()
s1 = tf.Session(graph=g1)
s2 = tf.Session(graph=g2)
s1.run(start1)
s1.run(train1, {{a: 1}})
s2.run(start2)
for i in range(3):
    s2.run(train2, {{b: s1.run(v)}})
{more}
saver.save(s2, 'model')
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": textwrap.dedent(source).encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def kept(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.COMPAT
    (finding,) = [f for f in result.left if f.rule == "TFM420"]
    return finding.message


def test_objects_with_graphs_of_their_own_run_in_turn() -> None:
    text = native(NETS)
    assert "Graph" not in text
    assert "Session" not in text
    assert "found = [*out_layer.trainable_variables]\n" in text


def test_each_graph_lists_and_saves_its_own_variables() -> None:
    text = native(TWO.format(more="s1.run(train1, {a: 2})"))
    assert "variables = [v]\n" in text
    assert "variables = [w]\n" in text
    assert "tf.train.Checkpoint(w=w, " in text
    assert "train2_step(v.numpy())\n" in text


def test_a_second_initializer_of_one_graph_starts_it_anew() -> None:
    assert "variables are initialised a second time" in kept(TWO.format(more="s2.run(start2)"))


def test_two_sessions_of_one_graph_in_turn_keep_them() -> None:
    more = "s3 = tf.Session(graph=g2)\ns3.run(start2)\ns2.run(train2, {b: 1})"
    message = kept(TWO.format(more=more))
    assert "two sessions in turn" in message or "a second session" in message


def test_a_graph_after_a_reset_isn_t_at_hand() -> None:
    more = "tf.reset_default_graph()\ns1.run(train1, {a: 2})"
    assert "that was reset" in kept(TWO.format(more=more))


SAVED = """\
import tensorflow as tf

class Net(object):
    def __init__(self, n):
        self.g = tf.Graph()
        with self.g.as_default():
            self.x = tf.placeholder(tf.float32, (None, n))
            self.w = tf.get_variable('w', initializer=tf.ones([n]))
            self.out = tf.reduce_sum(self.x * self.w, 1)
            self.train_op = tf.train.GradientDescentOptimizer(.1).minimize(self.out)
            self.saver = tf.train.Saver()
            self.sess = tf.Session()
            self.sess.run(tf.global_variables_initializer())

    def fit(self, x):
        self.sess.run(self.train_op, {self.x: x})
        self.saver.save(self.sess, './net')

class Other(object):
    def __init__(self, n):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, (None, n))
            self.v = tf.get_variable('w', initializer=tf.ones([n]) * 3)
            self.out = tf.reduce_sum(self.x * self.v, 1)
            self.saver = tf.train.Saver()
            self.sess = tf.Session()
            self.saver.restore(self.sess, './other')

    def predict(self, x):
        with self.graph.as_default():
            return self.sess.run(self.out, {self.x: x})

a = Net(3)
b = Other(3)
a.fit([[1, 2, 3]])
print(b.predict([[1, 2, 3]]))
"""


def test_each_object_s_saver_has_what_its_graph_has() -> None:
    text = native(SAVED)
    assert "tf.train.Checkpoint(w=self.w, optimizer=optimizer)" in text
    assert "tf.train.Checkpoint(v=self.v)" in text or "Checkpoint(w=self.v)" in text


CLOSED = """\
import numpy as np
import tensorflow as tf

class Net(object):
    def __init__(self, n):
        self.n = n
        self.x = tf.placeholder(tf.float32, (None, n))
        self.w = tf.Variable(tf.ones([n]))
        self._prob(n)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def _prob(self, n):
        prob = {start}
        prob += -0.5 * tf.reduce_sum(self.w)
        prob += tf.reduce_sum(tf.square(self.x - self.w), axis=1)
        self.prob = prob

    def predict(self, x):
        return self.sess.run(self.prob, {{self.x: x}})

    def close_sess(self):
        self.sess.close()

    def __del__(self):
        self.sess.close()
{made}"""
MADE = "\nprint(Net(3).predict([[1, 2, 3]]))\n"


@pytest.mark.parametrize("made", [MADE, ""])
def test_methods_that_close_the_session_and_nobody_calls(made: str) -> None:
    text = native(CLOSED.format(start="0", made=made))
    assert "def close_sess(self):\n        pass\n" in text
    assert "sess" not in text.replace("close_sess", "")


@pytest.mark.parametrize(
    "start", ["-0.5 * (np.log(np.sqrt(2.0 * np.pi)) * n)", "2.0 * self.n", "-np.exp(1.5)"]
)
def test_a_sum_begins_with_a_number_that_is_computed(start: str) -> None:
    text = native(CLOSED.format(start=start, made=MADE))
    assert "prob += -0.5 * tf.reduce_sum(self.w)" in text


@pytest.mark.parametrize("start", ["np.random.rand() + n", "2.0 * next(n)"])
def test_a_sum_that_begins_with_what_is_done_once_keeps_the_session(start: str) -> None:
    kept(CLOSED.format(start=start, made=MADE))


def test_comments_in_other_scripts_do_not_end_a_run() -> None:
    found = (
        "    with tf.variable_scope('', reuse=True):\n        print(sess.run(tf.get_variable('v')))"
    )
    source = "import tensorflow as tf\n\n" + "".join(
        f"{g} = tf.Graph()\nwith {g}.as_default():\n"
        f"    v = tf.get_variable('v', initializer=tf.constant([{n}.0, 3.0]))\n"
        for n, g in enumerate(("g1", "g2"))
    )
    for graph in ("g1", "g2"):
        source += f"with tf.Session(graph={graph}) as sess:\n"
        source += f"    sess.run(tf.global_variables_initializer())\n{found}  # {'图' * 20}\n"
    assert "print(g1_v.numpy())  # 图" in (upgrade(source).after or b"").decode()
