"""Going through gradients with their variables for the variables alone."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [])
w = tf.Variable(1.0)
b = tf.Variable(2.0)
loss = tf.square(x * w + b)
opt = tf.train.GradientDescentOptimizer(0.1)
tvs = tf.trainable_variables()
sums = [tf.Variable(0.0, trainable=False) for _ in tvs]
"""
RUNS = """\
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(add, {x: 1.0})
sess.run(step)
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize(
    ("wanted", "pairs", "written"),
    [
        (
            "tvs",
            "[(sums[i], gv[1]) for i, gv in enumerate(gvs)]",
            "[(sums[i], tv) for i, tv in enumerate(tvs)]",
        ),
        (
            "tvs",
            "[(a / 2, v) for a, (g, v) in zip(sums, gvs)]",
            "[(a / 2, v) for a, v in zip(sums, tvs)]",
        ),
        (
            "[w, b]",
            "[(sums[i], gv[1]) for i, gv in enumerate(gvs)]",
            "[(sums[i], variable) for i, variable in enumerate([w, b])]",
        ),
        (
            "",
            "[(sums[i], v) for i, (_, v) in enumerate(gvs)]",
            "[(sums[i], v) for i, v in enumerate([w, b])]",
        ),
    ],
)
def test_a_step_that_needs_no_gradient_is_fed_nothing(
    wanted: str, pairs: str, written: str
) -> None:
    given = f"loss, {wanted}" if wanted else "loss"
    result = upgrade(
        f"{HEAD}gvs = opt.compute_gradients({given})\n"
        "add = [sums[i].assign_add(gv[0]) for i, gv in enumerate(gvs)]\n"
        f"step = opt.apply_gradients({pairs})\n{RUNS}"
    )
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert f"def train_step():\n    opt.apply_gradients({written})\n" in str(result.after, "utf-8")


@pytest.mark.parametrize(
    ("between", "wanted", "pairs"),
    [
        # Another variable is trained by then: the list would be longer.
        ("late = tf.Variable(3.0)\n", "loss", "[(sums[i], gv[1]) for i, gv in enumerate(gvs)]"),
        ("tvs = [b, w]\n", "loss, tvs", "[(sums[i], gv[1]) for i, gv in enumerate(gvs)]"),
        # The gradients count.
        ("", "loss", "[(s, v) for s, (g, v) in zip(sums, gvs) if g is not None]"),
        ("", "loss", "[(sums[i] + 0 * gv[0], gv[1]) for i, gv in enumerate(gvs)]"),
    ],
)
def test_what_may_mean_something_else_stays(between: str, wanted: str, pairs: str) -> None:
    result = upgrade(
        f"{HEAD}gvs = opt.compute_gradients({wanted})\n{between}"
        "add = [sums[i].assign_add(gv[0]) for i, gv in enumerate(gvs)]\n"
        f"step = opt.apply_gradients({pairs})\n{RUNS}"
    )
    assert result.level is Level.COMPAT


BY_NAME = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]){first})
b = tf.Variable(tf.ones([1]){second})
loss = tf.reduce_sum(tf.square(tf.matmul(x, w) + b))
optimizer = tf.train.GradientDescentOptimizer(0.1)
pairs = optimizer.compute_gradients(loss)
pairs = [(tf.clip_by_norm(g, 4.0), v) for g, v in pairs]
pairs = [(g + 1.0, v) for g, v in pairs]
chosen = []
for g, v in pairs:
    if v.name in [{asked}]:
        chosen.append((g * 2.0, v))
    else:
        chosen.append((g, v))
step = optimizer.apply_gradients(chosen)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, step], {{x: [[1.0, 2.0]]}})[0])
"""


@pytest.mark.parametrize("asked", ["w.name", "'w:0'"])
def test_pairs_are_gone_through_by_the_names_of_variables(asked: str) -> None:
    text = after(BY_NAME.format(first=", name='w'", second=", name='b'", asked=asked))
    assert "        if v.name in [" in text
    assert "optimizer.apply_gradients(chosen)" in text


@pytest.mark.parametrize(
    ("first", "second", "asked"),
    [("", "", "w.name"), (", name='w'", ", name='w'", "'w_1:0'"), ("", "", "'Variable:0'")],
)
def test_names_that_tf1_numbers(first: str, second: str, asked: str) -> None:
    reason = "a name is read that TF 1 has made or numbered"
    assert reason in stopped(BY_NAME.format(first=first, second=second, asked=asked))


LOOPED = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
layers = []
for size in [1, 2]:
    with tf.name_scope("part-%d" % size):
        w = tf.Variable(tf.ones([2, size]), name="w")
        b = tf.Variable(tf.ones([size]), name="{second}")
        layers.append(tf.reduce_sum(tf.matmul(x, w) + b, 1))
loss = tf.reduce_mean(tf.add_n(layers))
optimizer = tf.train.GradientDescentOptimizer(0.1)
pairs = optimizer.compute_gradients(loss)
chosen = []
for g, v in pairs:
    if v.name == "part-1/w:0":
        g = 2.0 * g
    chosen.append((g, v))
step = optimizer.apply_gradients(chosen)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, step], {{x: [[1.0, 2.0]]}})[0])
"""


def test_names_that_a_loop_computes() -> None:
    assert 'if v.name == "part-1/w:0":' in after(LOOPED.format(second="b"))


def test_two_of_a_round_that_have_one_name() -> None:
    assert "a name is read" in stopped(LOOPED.format(second="w"))
