"""Dicts that name parts of a graph, tensors of one statement, and elements inside of a call."""

from __future__ import annotations

from typing import Any

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

ENTRIES = """\
g['x'] = tf.placeholder(tf.float32, [None])
w = tf.Variable(1.)
g['loss'] = tf.reduce_sum(g['x'] * w)
g['step'] = tf.train.GradientDescentOptimizer(.1).minimize(g['loss'])
"""
RUN = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    loss, _ = sess.run([g['loss'], g['step']], feed_dict={g['x']: [1.]})
"""
FUNCTION = "".join(f"    {line}\n" for line in ENTRIES.splitlines())
OBJECT = """\
class M:
    def __init__(self):
        self.ops = {}
        self.build()
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
    def build(self):
        self.ops['x'] = tf.placeholder(tf.float32, [None])
        w = tf.Variable(1.)
        self.ops['loss'] = tf.reduce_sum(self.ops['x'] * w)
        self.ops['step'] = tf.train.GradientDescentOptimizer(.1).minimize(self.ops['loss'])
    def fit(self, x):
        return self.sess.run([self.ops['loss'], self.ops['step']], {self.ops['x']: x})[0]
m = M()
loss = m.fit([1.])
"""


def written(text: str) -> tuple[Level | None, str]:
    source = f"import tensorflow as tf\n{text}"
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.after is not None
    return result.level, result.after.decode()


@pytest.mark.parametrize(
    "text",
    [
        f"g = {{}}\n{ENTRIES}{RUN}",
        f"g = dict()\n{ENTRIES}{RUN}",
        f"def build():\n    g = {{}}\n{FUNCTION}    return g\ng = build()\n{RUN}",
        OBJECT,
    ],
    ids=["module", "call", "returned", "attribute"],
)
def test_entries_are_names(text: str) -> None:
    level, after = written(text)
    assert level is Level.NATIVE
    assert "['" not in after
    found: dict[str, Any] = {}
    exec(after, found)
    assert float(found["loss"]) == 1.0


@pytest.mark.parametrize(
    "more",
    [
        "for name in g: print(name)\n",
        "print(len(g))\n",
        "def late():\n    g['x'] = 1\n",
        "g = {}\n",
        "print(f\"{g['x']}\")\n",
    ],
)
def test_a_dict_that_is_asked_for_more_keeps_the_session(more: str) -> None:
    level, _ = written(f"g = {{}}\n{ENTRIES}{more}{RUN}")
    assert level is Level.COMPAT


def test_an_attribute_that_is_asked_for_more_keeps_the_session() -> None:
    level, _ = written(OBJECT + "print(sorted(m.ops))\n")
    assert level is Level.COMPAT


TUPLE = """\
x = tf.placeholder(tf.float32, [None, 2])
z = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable([[1.], [2.]])
{}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    a = sess.run(fake, {{z: [[1., 1.]]}})
    b = sess.run(real, {{x: [[2., 1.]]}})
"""


def test_each_tensor_of_a_statement_asks_for_its_own_feeds() -> None:
    level, after = written(TUPLE.format("real, fake = tf.matmul(x, w), tf.matmul(z, w)"))
    assert level is Level.NATIVE
    found: dict[str, Any] = {}
    exec(after, found)
    assert [found["a"].tolist(), found["b"].tolist()] == [[[3.0]], [[4.0]]]


METHOD = """\
class Net(object):
    def __init__(self, sess, size):
        self.sess, self.size = sess, size
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.z = tf.placeholder(tf.float32, [None, 2])
        w = tf.Variable([[1.], [2.]])
        self.real, self.fake = tf.matmul(self.x, w), tf.matmul(self.z, w)
        self.sess.run(tf.global_variables_initializer())
    def run(self, batch):
        return self.sess.run(self.fake, {self.z: batch})
with tf.Session() as sess:
    net = Net(sess, 2)
    a = net.run([[1., 1.]])
"""


def test_values_of_several_kinds_in_a_statement_of_a_method() -> None:
    level, after = written(METHOD)
    assert level is Level.NATIVE
    assert "        self.size = size\n" in after
    found: dict[str, Any] = {}
    exec(after, found)
    assert found["a"].tolist() == [[3.0]]


def test_tensors_of_a_statement_that_read_each_others_names() -> None:
    both = "real, fake = tf.matmul(x, w), tf.matmul(z, w)\nreal, fake = fake + 0., real + 0."
    level, _ = written(TUPLE.format(both))
    assert level is Level.COMPAT


ELEMENT = """\
parts = {'train': tf.data.Dataset.range(4), 'test': tf.data.Dataset.range(10, 13)}
it = tf.data.Iterator.from_structure(
    parts['train'].output_types, parts['train'].output_shapes)
n = tf.cast(it.get_next(), tf.float32)
first = it.make_initializer(parts['train'])
second = it.make_initializer(parts['test'])
seen = []
with tf.Session() as sess:
    for _ in range(2):
        sess.run(first)
        for _ in range(2):
            seen.append(sess.run(n))
        sess.run(second)
        for _ in range(1):
            seen.append(sess.run(n))
"""


def test_an_element_inside_of_a_call() -> None:
    level, after = written(ELEMENT)
    assert level is Level.NATIVE
    found: dict[str, Any] = {}
    exec(after, found)
    assert list(map(float, found["seen"])) == [0.0, 1.0, 10.0] * 2


READS = """\
class Net(object):
    size = 1.
    def __init__(self, sess):
        self.x = tf.placeholder(tf.float32, [None])
        self.size, self.y = 2., self.scaled()
        self.sess = sess
    def scaled(self):
        return self.x * self.size
    def run(self, batch):
        return self.sess.run(self.y, {self.x: batch})
with tf.Session() as sess:
    a = Net(sess).run([1.])
"""


def test_a_value_that_reads_what_its_statement_sets_stays_beside_it() -> None:
    _, after = written(READS)
    assert "self.size = 2." not in after


RETURNED = """\
import tensorflow as tf

def build():
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.Variable(tf.ones([2, 1]))
    loss = tf.reduce_sum(tf.matmul(x, w))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return {RETURN}

graph = build()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([graph['train_op'], graph['loss']], {graph['x']: [[1., 2.]]})[1])
    graph['saver'].save(sess, 'model')
"""


@pytest.mark.parametrize(
    "shown",
    [
        "{'x': x, 'loss': loss, 'train_op': train_op, 'saver': tf.train.Saver()}",
        "dict(x=x, loss=loss, train_op=train_op, saver=tf.train.Saver())",
    ],
)
def test_a_dict_that_has_a_saver_too_is_names(shown: str) -> None:
    (result,) = texts({"program.py": RETURNED.replace("{RETURN}", shown).encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "saver = tf.train.Checkpoint(w=w, optimizer=optimizer)\n" in text
    assert "def train_step(x):\n" in text
    assert "_2" not in text  # an entry that has a name has no other one


def test_an_entry_whose_name_is_bound_anew_has_one_of_its_own() -> None:
    shown = "{'x': x, 'loss': loss, 'train_op': train_op, 'saver': tf.train.Saver()}"
    source = RETURNED.replace("{RETURN}", shown).replace(
        "def build():", "x = [[3., 4.]]\n\ndef build():"
    )
    (result,) = texts({"program.py": source.replace("[[1., 2.]]", "x").encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert "x = [[3., 4.]]\n" in result.after.decode()
    assert "train_step(x)" in result.after.decode()
