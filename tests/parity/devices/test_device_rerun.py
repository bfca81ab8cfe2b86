"""How far one run of a step is from another: what is no number is never near."""

from __future__ import annotations

import math

import numpy as np
import pytest

from migrate.parity.devices import rerun, run_steps

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("expected", "found", "distance"),
    [
        (2.0, 2.0, 0.0), (2.0, 2.5, 0.25), (0.0, 0.5, 0.5), (INF, INF, 0.0), (NAN, NAN, 0.0),
        (2.0, NAN, INF), (NAN, 2.0, INF), (INF, 2.0, INF), (2.0, INF, INF), (INF, -INF, INF),
    ],
)  # fmt: skip
def test_norms_are_apart(expected: float, found: float, distance: float) -> None:
    assert run_steps.apart(expected, found) == distance


@pytest.mark.parametrize("norm", [NAN, INF])
def test_a_variable_that_becomes_no_number_is_seen(norm: float) -> None:
    runs = [{"outputs": [np.ones(2)], "norms": {"w": 1.0}},
            {"outputs": [np.array([1.0, norm])], "norms": {"w": norm}}]  # fmt: skip
    found = rerun.distances([np.ones(2)], {"w": 1.0}, runs)
    assert math.isinf(found["norms"]["w"])
    assert math.isinf(found["outputs"][0])


def test_data_move_by_one_ulp_and_whole_numbers_stay() -> None:
    data = np.array([0.0, 1.0, -3.0, 0.1, -2.5, INF, NAN], np.float32)
    moved = rerun.moved_data(data, np.random.RandomState(0))
    same = [0, 1, 2, 5, 6]
    np.testing.assert_array_equal(moved[same], data[same])
    assert moved.dtype == data.dtype
    np.testing.assert_allclose(moved[3:5], data[3:5], rtol=2e-7)
    assert (moved[3:5] != data[3:5]).all()
    labels = np.arange(3)
    assert rerun.moved_data(labels, np.random.RandomState(0)) is labels
