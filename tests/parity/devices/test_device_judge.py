"""Calls on another device against the CPU's: what is compared, and what can't be."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.parity.devices.judge import rung
from migrate.parity.devices.steps import Steps
from migrate.parity.tolerances import Tolerances
from migrate.parity.verdict import FAILED, NOT_RUN, PASSED

DRAWS = ["StatelessMultinomial"]


def steps(train: list[str], act: list[str]) -> Steps:
    """A training step and a function beside it, called one after the other."""
    functions = [
        {"name": "train_step", "train": True, "draws": train},
        {"name": "act", "train": False, "draws": act},
    ]
    calls = [{"function": 0}, {"function": 1}]
    return Steps("migrated", Path("/steps"), {"functions": functions, "calls": calls})


@pytest.mark.parametrize(
    ("train", "act", "status", "compared"),
    [
        ([], [], FAILED, 2),
        ([], DRAWS, PASSED, 1),  # what another device draws beside the training isn't its fault
        (DRAWS, DRAWS, NOT_RUN, 0),
    ],
)
def test_what_draws_is_not_compared(
    train: list[str], act: list[str], status: str, compared: int
) -> None:
    same = {"outputs": [1e-7], "norms": {}}
    other = {"outputs": [1.0], "norms": {}}
    found = rung("jitted", steps(train, act), [same, other], Tolerances())
    assert (found.status, found.compared) == (status, compared)


def test_a_step_that_differs_fails_beside_what_draws() -> None:
    other = {"outputs": [1.0], "norms": {}}
    found = rung("jitted", steps([], DRAWS), [other, other], Tolerances())
    assert found.status == FAILED
    assert "train_step" in found.reason
