"""Arrays, norms and printed text."""

from __future__ import annotations

import re

import numpy as np
import pytest

from migrate.parity import compare


def test_arrays_within_tolerance_are_no_difference() -> None:
    one = np.array([1.0, 2.0], np.float32)
    assert compare.arrays("x", one, one + 1e-6, 1e-5) is None


def test_difference_names_the_worst_elements_first() -> None:
    one = np.zeros((3, 4), np.float32)
    other = one.copy()
    other[1, 2], other[2, 3] = 0.1, 0.5
    found = compare.arrays("kernel", one, other, 0.01, step=7)
    assert found is not None
    assert (found.mismatched, found.total, found.step) == (2, 12, 7)
    assert found.rows[0] == ("[2, 3]", "0", "0.5")
    assert found.headline().startswith("kernel at step 7: values differ, 2 of 12 beyond")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite_on_one_side_differs_whatever_the_tolerance(bad: float) -> None:
    one = np.array([1.0, 2.0])
    other = np.array([1.0, bad])
    assert compare.arrays("x", one, other, np.inf) is not None
    assert compare.arrays("x", other, one, np.inf) is not None
    assert compare.arrays("x", other, other, 0.0) is None
    assert compare.norms("x", one, other, norm_allowed=np.inf, max_allowed=np.inf) is not None


def test_infinities_of_opposite_sign_differ() -> None:
    assert compare.arrays("x", np.array([np.inf]), np.array([-np.inf]), np.inf) is not None


def test_norm_and_largest_element_are_both_judged() -> None:
    one = np.zeros(10_000, np.float32)
    other = one.copy()
    other[5] = 1e-3
    assert compare.norms("x", one, other, norm_allowed=1.0, max_allowed=1e-4) is not None
    assert compare.norms("x", one, other, norm_allowed=1e-4, max_allowed=1.0) is not None
    assert compare.norms("x", one, other, norm_allowed=1.0, max_allowed=1.0) is None


def test_shapes_and_strings() -> None:
    found = compare.arrays("x", np.zeros(2), np.zeros(3), 1.0)
    assert found is not None
    assert found.reason == "shape [3] instead of [2]"
    assert compare.arrays("x", np.array([b"a"]), np.array([b"a"]), 0.0) is None
    assert compare.arrays("x", np.array([b"a"]), np.array([b"b"]), 0.0) is not None


def test_printed_numbers_may_differ_by_their_rounding() -> None:
    result = compare.texts("out", "loss 0.1234", "loss 0.1235", 1e-5)
    assert result.difference is None
    result = compare.texts("out", "loss 0.1234", "loss 0.1237", 1e-5)
    assert result.difference is not None
    assert result.difference.rows == [("line 1", "loss 0.1234", "loss 0.1237")]


def test_a_coarse_digit_is_hardly_ever_rounding() -> None:
    assert compare.texts("out", "accuracy 0.5", "accuracy 0.6", 1e-5).difference is not None
    assert compare.texts("out", "accuracy 0.85", "accuracy 0.86", 1e-5).difference is None


def test_printed_integers_are_exact() -> None:
    assert compare.texts("out", "correct: 97", "correct: 98", 0.5).difference is not None


def test_words_lines_and_timings() -> None:
    assert compare.texts("out", "a 1\nb 2", "a 1\nc 2", 1.0).difference is not None
    assert compare.texts("out", "a 1\n\nb 2", "a 1\nb 2\n", 0.0).difference is None
    found = compare.texts("out", "a\nb", "a", 0.0).difference
    assert found is not None
    assert found.reason == "more lines on one side"
    result = compare.texts("out", "epoch 1 took 3.2 sec", "epoch 1 took 9.9 sec", 0.0)
    assert result.difference is None
    assert result.timings == 1


def test_envelope_widens_single_numbers() -> None:
    one, other = "a 1.0000 b 2.0000", "a 1.0100 b 2.0000"
    assert compare.texts("out", one, other, 1e-5).difference is not None
    assert compare.texts("out", one, other, 1e-5, [0.02, 0.0]).difference is None
    assert compare.texts("out", one, other, 1e-5, [0.0, 0.02]).difference is not None


def test_numpy_2_scalars_and_ignored_lines() -> None:
    assert compare.texts("out", "[0.5, 1]", "[np.float32(0.5), np.int64(1)]", 0).difference is None
    ignored = [re.compile("^pid")]
    assert compare.texts("out", "pid 1\nx", "pid 22\nx", 0, None, ignored).difference is None


@pytest.mark.parametrize(
    "bar",
    [
        "Epoch 1/4",
        "Train on 60 samples",
        "15/60 [======>.......................] - ETA: 0s - loss: 1.18 - acc: 0.4",
        "60/60 [==============================] - 0s 1ms/sample - loss: 0.80",
        "\x1b[1m1/4\x1b[0m \x1b[32m━━━\x1b[0m\x1b[37m━━\x1b[0m "
        "\x1b[1m1s\x1b[0m 5ms/step - loss: 1.1\x08\x08",
    ],
)  # fmt: skip
def test_progress_bars_of_keras_are_not_compared(bar: str) -> None:
    assert compare.lines_of(bar) == []
    assert len(compare.lines_of("1/4 of the data\nEpoch 1/4 loss 0.5")) == 2


def test_nan_in_text() -> None:
    assert compare.texts("out", "loss nan", "loss nan", 0).difference is None
    assert compare.texts("out", "loss 0.1", "loss nan", 1.0).difference is not None


@pytest.mark.parametrize(
    ("number", "half"),
    [("0.12", 0.005), ("1e-3", 0.0005), ("1.5e-3", 5e-5), ("12", 0.0), ("3.", 0.5)],
)
def test_half_of_the_last_printed_digit(number: str, half: float) -> None:
    assert compare.half_digit(number) == pytest.approx(half)


def test_numpy_pads_arrays_by_their_last_digits() -> None:
    before = "Bias: [ 0.10129184 -0.01091159]"
    assert compare.texts("out", before, "Bias: [ 0.10129189 -0.0109116 ]", 1e-5).difference is None
    assert compare.texts("out", before, "Bias: [ 0.10129189 -0.0209116 ]", 1e-5).difference
