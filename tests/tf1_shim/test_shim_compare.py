"""The comparison of the shim's cases itself: what it has to find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .shim_compare import UNSTABLE, elsewhere, problems
from .test_cases import NAMES

SEEN: dict[str, Any] = {"variables": [], "collections": {}, "facts": {}, "shapes": {}}
WANT = np.array([1.0, -2.0])


def found(name: str, got: np.ndarray, tolerance: float | None = None) -> list[str]:
    return problems(name, SEEN, SEEN, {"y": WANT}, {"y": got}, tolerance)[0]


def test_a_nudged_number_is_found() -> None:
    assert not found("layers/dense", WANT)
    assert found("layers/dense", WANT + 1e-5)


def test_a_wrong_golden_is_found_on_another_machine() -> None:
    assert not found("layers/dense", WANT + 1e-5, elsewhere("layers/dense"))
    assert found("layers/dense", WANT + 1e-2, elsewhere("layers/dense"))


@pytest.mark.parametrize("name", UNSTABLE)
def test_what_is_unstable_is_a_case_and_keeps_its_shapes(name: str) -> None:
    assert name in NAMES
    assert not found(name, WANT * 9, elsewhere(name))
    assert found(name, WANT[:1], elsewhere(name))
    assert found(name, WANT + 1e-5)
