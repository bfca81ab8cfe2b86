"""`--to keras`: regularizers in functions that are layers, static input_fns, two datasets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "regularized" / "before.py"
).read_text(encoding="utf-8")
REGULARIZER = ", kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1)"
SECOND = "    net = dense_layer(net, 3, 'second')\n"
EITHER = "data.repeat().batch(8) if training else data.batch(8)"


def changed(*changes: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_a_regularizer_in_a_function_alone() -> None:
    new = after(changed((REGULARIZER, "")))
    assert "tf.add_n(self.losses)" in new


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ([(SECOND, f"    if mode == 'train':\n    {SECOND}")], "regularization losses"),
        ([(SECOND, "    if mode == 'train':\n        net = tf.layers.dense(net, 3, "
           "kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1))\n")],
         "regularization losses"),
        ([(REGULARIZER, ""), ("0.01)", "0.01) if len(points) else None")], ""),
        ([(EITHER, EITHER.replace("data.batch(8)", "(x, y)"))], "isn't a dataset that is seen"),
        ([("@staticmethod", "@functools.lru_cache()")], "an input_fn that isn't seen"),
    ],
)  # fmt: skip
def test_what_keeps_the_estimator(changes: list[tuple[str, str]], reason: str) -> None:
    assert reason in stopped(changed(*changes))[1]
