"""Going through gradients with their variables for the variables alone."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

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
