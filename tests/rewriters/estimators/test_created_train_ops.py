"""`--to keras`: train ops of `create_train_op`, slim's and contrib.training's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "created_train_ops" / "before.py"
).read_text(encoding="utf-8")  # fmt: skip
CLIP = "gradients = [g if g is None else tf.clip_by_norm(g, {}) for g in gradients]"


def test_each_gradient_is_clipped_by_itself() -> None:
    new = after(PROGRAM)
    assert CLIP.format("0.05") in new
    assert CLIP.format("0.1") in new


def test_a_norm_of_none_clips_nothing() -> None:
    new = after(PROGRAM.replace("clip_gradient_norm=0.05", "clip_gradient_norm=0"))
    assert CLIP.format("0.05") not in new


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("clip_gradient_norm=0.05", "gradient_multipliers={'logits/bias': 2.}",
         "`gradient_multipliers` of tf.contrib.slim.learning.create_train_op"),
        ("clip_gradient_norm=0.05", "clip_gradient_norm=float('2')", "isn't a number that is seen"),
        ("clip_gradient_norm=0.05", "global_step=None", "doesn't count the global step"),
        ("clip_gradient_norm=0.05", "update_ops=[]", "`update_ops` of a train op"),
        ("tf.contrib.training.clip_gradient_norms_fn(0.1)", "lambda pairs: pairs[:2]",
         "gradients that a function changes"),
        ("tf.GraphKeys.UPDATE_OPS", "tf.GraphKeys.LOSSES", "`update_ops` of a train op"),
    ],
)  # fmt: skip
def test_what_keeps_them_is_named(old: str, new: str, reason: str) -> None:
    assert old in PROGRAM
    assert reason in stopped(PROGRAM.replace(old, new))[1]
