"""Rungs on bundles made by hand: each stops where it should, none passes for want of data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from migrate.parity import climb, envelope, ladder, naming
from migrate.parity.bundle import Bundle
from migrate.parity.verdict import (
    AGREE,
    CRASHED,
    DIFFER,
    NOT_RUN,
    NOTHING,
    PASSED,
    RUNGS,
    Result,
    decide,
)

START = np.array([[0.5, -0.25], [1.0, 0.125]], np.float32)


def made(**changes: Any) -> Bundle:
    """A run of two steps with one weight."""
    losses = np.array([1.0, 0.5], np.float32)
    arrays: dict[str, Any] = {
        "v/0/w": START,
        "v/1/w": START - 0.1,
        "v/end/w": START - 0.2,
        "gradient/0/w": np.ones((2, 2), np.float32),
        "series/0/values": losses,
        "series/0/steps": np.array([0, 1]),
    }
    record: dict[str, Any] = {
        "schema": 1,
        "exit": {"kind": "exit", "code": 0},
        "steps": 2,
        "variables": [
            {"name": "w", "shape": [2, 2], "dtype": "float32", "trainable": True, "order": 0}
        ],
        "slots": {},
        "snapshots": ["0", "1", "end"],
        "series": [{"key": "loss/0", "kind": "loss", "label": "0", "dtype": "float32"}],
        "gradients": [[0, "w"]],
    }
    bundle = Bundle(record, arrays, "final loss 0.50000\n")
    for key, value in changes.items():
        if key == "stdout":
            bundle.stdout = value
        elif key in record:
            record[key] = value
        else:
            arrays[key.replace("__", "/")] = value
    return bundle


def climbed(before: Bundle, after: Bundle, **context: Any) -> Result:
    matching = naming.match(before, after)
    result = Result("pair", "before", "after")
    result.rungs = ladder.climb(climb.Climb(before, after, matching, **context))
    decide(result)
    return result


def test_of_several_models_only_what_is_printed_is_compared() -> None:
    """The recorder's variables and losses of one can't be paired with those of another."""
    before, after = made(), made(v__end__w=START, series__0__values=np.zeros(2, np.float32))
    assert climbed(before, after).verdict == DIFFER
    result = climbed(before, after, printed=True)
    assert result.verdict == AGREE
    assert [rung.name for rung in result.rungs if rung.status == PASSED] == ["exit", "outputs"]
    other = climbed(before, made(stdout="final loss 0.50100\n"), printed=True)
    assert other.verdict == DIFFER
    assert climbed(made(stdout=""), made(stdout=""), printed=True).verdict == NOTHING


def test_equal_runs_agree_and_lock_step_is_not_claimed() -> None:
    result = climbed(made(), made())
    assert result.verdict == AGREE
    states = {rung.name: rung.status for rung in result.rungs}
    assert states.pop("lock-step") == states.pop("checkpoints") == NOT_RUN
    assert set(states.values()) == {PASSED}
    assert [rung.name for rung in result.rungs] == list(RUNGS)


def test_nothing_to_compare_is_no_agreement() -> None:
    empty = Bundle({"schema": 1, "exit": {"kind": "exit", "code": 0}})
    result = climbed(empty, empty)
    assert result.verdict == NOTHING
    assert result.exit_code == 1


CHANGES: list[tuple[str, Callable[[], dict[str, Any]]]] = [
    ("exit", lambda: {"exit": {"kind": "exit", "code": 3}}),
    ("variables", lambda: {"v__0__w": START + np.eye(2, dtype=np.float32) * 1e-3}),
    ("variables", lambda: {"variables": [
        {"name": "w", "shape": [4], "dtype": "float32", "trainable": True, "order": 0}]}),
    ("variables", lambda: {"variables": [
        {"name": "w", "shape": [2, 2], "dtype": "float64", "trainable": True, "order": 0}]}),
    ("forward", lambda: {"series__0__values": np.array([1.00001, 0.5], np.float32)}),
    ("forward", lambda: {"series__0__values": np.array([np.nan, 0.5], np.float32)}),
    ("gradients", lambda: {"gradient__0__w": np.full((2, 2), 1.001, np.float32)}),
    ("one step", lambda: {"v__1__w": START - 0.1001}),
    ("free run", lambda: {"series__0__values": np.array([1.0, 0.5001], np.float32)}),
    ("free run", lambda: {"series__0__values": np.array([1.0], np.float32)}),
    ("end state", lambda: {"v__end__w": START - 0.201}),
    ("outputs", lambda: {"stdout": "final loss 0.51000\n"}),
]  # fmt: skip


@pytest.mark.parametrize(("rung", "change"), CHANGES)
def test_each_rung_fails_by_itself_and_stops_the_climb(
    rung: str, change: Callable[[], dict[str, Any]]
) -> None:
    result = climbed(made(), made(**change()))
    assert result.verdict == DIFFER
    assert result.failed is not None
    assert result.failed.name == rung
    above = result.rungs[RUNGS.index(rung) + 1 :]
    assert all(item.status == NOT_RUN and rung in item.reason for item in above)


def test_crash_is_not_a_difference() -> None:
    ending = {"kind": "exception", "code": 1, "error": "ValueError: no"}
    result = climbed(made(), made(exit=ending))
    assert (result.verdict, result.exit_code) == (CRASHED, 3)
    assert "ValueError: no" in result.reason


@pytest.mark.parametrize("kind", ["timeout", "signal", "disk", "exception"])
def test_two_programs_that_fail_alike_do_not_agree(kind: str) -> None:
    ending = {"kind": kind, "code": 124, "error": f"{kind}: killed"}
    result = climbed(made(exit=ending), made(exit=ending))
    assert (result.verdict, result.exit_code) == (CRASHED, 3)
    assert "original failed by itself" in result.reason


def test_two_programs_that_exit_with_the_same_code_may_agree() -> None:
    ending = {"kind": "exit", "code": 3}
    assert climbed(made(exit=ending), made(exit=ending)).verdict == AGREE


def test_missing_gradients_are_not_run_with_a_reason() -> None:
    result = climbed(made(), made(gradients=[]))
    rung = result.rung("gradients")
    assert rung is not None
    assert (rung.status, result.verdict) == (NOT_RUN, AGREE)
    assert "migrated" in rung.reason


def test_envelope_of_the_original_excuses_what_it_shows_itself() -> None:
    golden = made()
    chaos = made(series__0__values=np.array([1.0, 0.5002], np.float32), perturb=1)
    other = made(series__0__values=np.array([1.0, 0.5005], np.float32))
    assert climbed(golden, other).verdict == DIFFER
    envelope.attach(golden, [chaos])
    assert climbed(golden, other).verdict == AGREE
    far = made(series__0__values=np.array([1.0, 0.51], np.float32))
    assert climbed(golden, far).verdict == DIFFER


def test_envelope_ignores_runs_of_another_length() -> None:
    golden = made()
    envelope.attach(golden, [made(steps=1, series__0__values=np.array([1.0, 9.0], np.float32))])
    assert envelope.runs_of(golden) == 0
    assert envelope.series_of(golden, "loss/0") is None


def test_seed_only_does_not_compare_start_values() -> None:
    result = climbed(made(), made(v__0__w=START * 2), seed_only=True)
    rung = result.rung("variables")
    assert rung is not None
    assert rung.status == PASSED
    assert "start values not compared" in rung.notes[0]


def test_float64_is_judged_more_strictly() -> None:
    wide = {"series__0__values": np.array([1.0, 0.5])}
    near = {"series__0__values": np.array([1.0 + 1e-9, 0.5])}
    assert climbed(made(**wide), made(**near)).verdict == DIFFER


def test_lock_step_without_restored_variables_is_not_run() -> None:
    run = made()
    run.record["restore"] = {"every": 10, "restored": []}
    rung = climbed(made(), made(), lockstep=run).rung("lock-step")
    assert rung is not None
    assert rung.status == NOT_RUN


def test_checkpoints_compare_bit_for_bit() -> None:
    check = climb.CheckpointCheck("back", {"w": START}, {"w": np.nextafter(START, np.float32(9))})
    result = climbed(made(), made(), checkpoints=[check])
    assert result.failed is not None
    assert result.failed.name == "checkpoints"
    gone = climb.CheckpointCheck("back", {"w": START}, {})
    assert climbed(made(), made(), checkpoints=[gone]).verdict == DIFFER


def two_sites(first: str, second: str) -> Bundle:
    """Two trained variables; which gradient site is whose differs."""
    bundle = made(
        variables=[
            {"name": name, "shape": [2, 2], "dtype": "float32", "trainable": True, "order": place}
            for place, name in enumerate("ab")
        ],
        gradients=[[0, first], [1, second]],
        series=[
            {"key": f"loss/{n}", "kind": "loss", "label": str(n), "dtype": "float32"}
            for n in (0, 1)
        ],
    )
    for place, name in enumerate((first, second)):
        scale = 1.0 if name == "a" else 3.0
        bundle.arrays[f"gradient/{place}/{name}"] = np.full((2, 2), scale, np.float32)
        bundle.arrays[f"series/{place}/values"] = np.array([scale, scale / 2], np.float32)
        bundle.arrays[f"series/{place}/steps"] = np.array([0, 1])
        bundle.arrays[f"v/0/{name}"] = START * scale
        bundle.arrays[f"v/1/{name}"] = START * scale - 0.1
        bundle.arrays[f"v/end/{name}"] = START * scale - 0.2
    return bundle


def test_two_losses_belong_together_by_what_they_train() -> None:
    """A graph has its train ops as they were built, functions as they are called."""
    assert climbed(two_sites("a", "b"), two_sites("b", "a")).verdict == AGREE
    other = two_sites("b", "a")
    other.arrays["series/0/values"] = np.array([3.1, 1.5], np.float32)
    assert climbed(two_sites("a", "b"), other).failed.name == "forward"  # type: ignore[union-attr]


def test_a_program_that_trains_nothing_has_no_start_values() -> None:
    result = climbed(made(steps=0, v__0__w=START * 2), made())
    rung = result.rung("variables")
    assert rung is not None
    assert rung.status == PASSED
    assert "one program trains and the other doesn't" in rung.notes[0]
