"""Names that mean one thing after another, and collections of one's own."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
with tf.variable_scope('one'):
    w = tf.get_variable('w', [2, 1])
    first = tf.matmul(x, w)
"""
TWO = """\
with tf.variable_scope('two'):
    w = tf.get_variable('w', [2, 1])
    second = tf.matmul(x, w)
"""
TAIL = """\
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([first, second], {x: [[1, 2]]}), sess.run(first, {x: [[1, 2]]}))
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def test_the_later_name_is_told_apart_by_its_scope() -> None:
    result = upgrade(HEAD + TWO + TAIL)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert (
        "two_w = tf.Variable(tf.keras.initializers.GlorotUniform()([2, 1]), name='two/w')" in text
    )
    assert "second = tf.matmul(x, two_w)" in text
    assert "tf.matmul(x, w)" in text


def test_a_value_takes_a_number() -> None:
    later = "w = sess.run(first, {x: [[1, 2]]})\nprint(w, sess.run(first, {x: w.repeat(2, 1)}))\n"
    result = upgrade(
        HEAD + "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\n" + later
    )
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "w2 = predict" in text or "w2 = compute_first([[1, 2]]).numpy()" in text
    assert "print(w2, compute_first(w2.repeat(2, 1)).numpy())" in text


@pytest.mark.parametrize(
    "between",
    [
        "def show():\n    print(w.shape)\n\n\nshow()\n",
        "print(list(w.shape for _ in range(2)))\n",
        "print([w for w in range(2)])\n",
        "shape = lambda: w.shape\nprint(shape())\n",
        "print(globals()['w'].shape)\n",
        "print(f'{w.shape}')\n",
        "for w in range(3):\n    print(w)\nprint(w)\n",
        "if x.shape:\n    w = 1\n",
    ],
)
def test_a_name_that_others_may_read_stays_and_keeps_the_session(between: str) -> None:
    result = upgrade(HEAD + TWO + between + TAIL)
    assert result.level is Level.COMPAT


def test_a_comprehension_reads_the_later_name_at_once() -> None:
    result = upgrade(HEAD + TWO + "print([w.shape for _ in range(2)])\n" + TAIL)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert b"print([two_w.shape for _ in range(2)])" in result.after


MADE = """\
import tensorflow as tf

names = {names}
init = tf.random_normal_initializer(0., 0.3)
a = tf.get_variable('a', [2], initializer=init, collections=names)
b = tf.get_variable('b', [2], initializer=init, collections=names)
x = tf.placeholder(tf.float32, [2])
y = tf.reduce_sum(a * b * x)
copy = [tf.assign(v, v * 2) for v in tf.get_collection('{asked}')]
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(copy)
print(sess.run(y, {{x: [1, 2]}}))
"""


def test_a_collection_is_the_list_of_its_variables() -> None:
    source = MADE.format(names="['mine', tf.GraphKeys.GLOBAL_VARIABLES]", asked="mine")
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "for v in [a, b]:" in text
    assert "names" not in text.replace("name=", "")
    # one object for two variables: it must not draw the same for both
    assert "stddev=0.3, seed=tf.keras.random.SeedGenerator()" in text


@pytest.mark.parametrize(
    ("names", "asked"),
    [
        ("['mine']", "mine"),  # the initializer of all variables doesn't know them
        ("['mine', tf.GraphKeys.LOCAL_VARIABLES]", "mine"),
        ("['mine', tf.GraphKeys.GLOBAL_VARIABLES]", "other"),
        ("['mine', tf.GraphKeys.GLOBAL_VARIABLES] + []", "mine"),
        ("['mine', tf.GraphKeys.GLOBAL_VARIABLES]\nprint(names)", "mine"),
    ],
)
def test_other_collections_keep_the_session(names: str, asked: str) -> None:
    assert upgrade(MADE.format(names=names, asked=asked)).level is Level.COMPAT


LOOP = """\
outs = []
for size in [1, 3]:
    with tf.variable_scope('block%d' % size):
        w = tf.get_variable('w', [2, size])
        outs.append(tf.matmul(x, w))
second = tf.concat(outs, 1)
"""


def test_a_loop_that_binds_a_name_in_each_round_has_it_to_itself() -> None:
    result = upgrade(HEAD + LOOP + TAIL)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert "tf.matmul(x, w)" in result.after.decode()
    # What a round reads before it binds it was bound before.
    early = LOOP.replace("        w =", "        outs.append(tf.matmul(x, w))\n        w =")
    assert upgrade(HEAD + early + TAIL).level is Level.COMPAT
