"""`--to keras`: dropouts around the cells of a MultiRNNCell, rates that functions are given."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import PROGRAM, after, stopped

LOGITS = "    logits = tf.layers.dense(features['x'], 3)\n"
CELL, WRAP = "tf.nn.rnn_cell.GRUCell", "tf.nn.rnn_cell.DropoutWrapper"
KEEP = "keep = 0.5 if mode == tf.estimator.ModeKeys.TRAIN else 1.0"
RUN = (
    "out, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell({}),"
    " features['x'][..., None], dtype=tf.float32)"
)


def body(*lines: str) -> str:
    said = "".join(f"    {line}\n" for line in lines)
    new = f"{said}    logits = tf.layers.dense(out[:, -1], 3)\n"
    return PROGRAM.replace(LOGITS, new)


@pytest.mark.parametrize(
    "lines",
    [
        (KEEP, RUN.format(f"[{WRAP}({CELL}(n), output_keep_prob=keep) for n in (4, 3)]")),
        (
            KEEP,
            f"cells = [{WRAP}({CELL}(4), output_keep_prob=keep),"
            f" {WRAP}({CELL}(3), output_keep_prob=keep)]",
            RUN.format("cells"),
        ),
        (
            KEEP,
            "cells = []",
            "for n in (4, 3):",
            f"    cell = {CELL}(n)",
            f"    cells.append({WRAP}(cell, output_keep_prob=keep))",
            RUN.format("cells"),
        ),
    ],
)
def test_dropouts_around_all_cells(lines: tuple[str, ...]) -> None:
    new = after(body(*lines))
    assert "DroppedCells(self.cell, output_keep_prob=keep)" in new
    assert "self.cell = MultiRNNCell([GRUCell(" in new
    assert "keep = 0.5 if training else 1.0" in new


@pytest.mark.parametrize(
    "cells",
    [
        f"[{WRAP}({CELL}(4), output_keep_prob=keep), {CELL}(3)]",
        f"[{WRAP}({CELL}(4), output_keep_prob=keep), {WRAP}({CELL}(3), output_keep_prob=0.3)]",
        f"[{WRAP}({CELL}(4), output_keep_prob=1. / n) for n in (4, 3)]",
        f"[{WRAP}({CELL}(n), state_keep_prob=keep) for n in (4, 3)]",
        f"[{WRAP}({WRAP}({CELL}(n), 1.0), output_keep_prob=keep) for n in (4, 3)]",
    ],
)
def test_dropouts_that_differ_stay(cells: str) -> None:
    stopped(body(KEEP, RUN.format(cells)))


NET = """
def tower(x, keep_prob{}):
    x = tf.nn.dropout(tf.layers.dense(x, 4), keep_prob)
    return tf.layers.dense(x, 3)

"""


@pytest.mark.parametrize(
    "lines",
    [
        (KEEP,),
        ("keep = params['keep']", "if mode != tf.estimator.ModeKeys.TRAIN:", "    keep = 1.0"),
    ],
)
def test_a_function_is_told_a_rate_when_it_is_called(lines: tuple[str, ...]) -> None:
    text = body(*lines, "out = tower(features['x'], keep)[:, None]")
    new = after(text.replace("\ndef model_fn", f"{NET.format('')}\ndef model_fn", 1))
    assert "def call(self, x, keep_prob, training=False):" in new
    assert "self.tower(features['x'], keep_prob=keep)" in new


def test_a_rate_that_is_a_setting_is_the_layer_s() -> None:
    text = body("out = tower(features['x'], params['keep'])[:, None]")
    new = after(text.replace("\ndef model_fn", f"{NET.format('')}\ndef model_fn", 1))
    assert "self.tower = Tower(params['keep'])" in new
