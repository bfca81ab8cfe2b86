"""Pairs of programs with the known answer: no wrong verdict, in either direction."""

from __future__ import annotations

from dataclasses import replace

import pytest
from parity_matrix import load_matrix

from migrate.parity import bundle, climb, ladder, naming
from migrate.parity.environment import Interpreter
from migrate.parity.harness import Harness, Options
from migrate.parity.verdict import FAILED, Result, decide

matrix = load_matrix()
PAIRS = matrix.pairs()
ORIGINALS = {pair.golden.name: pair for pair in PAIRS}


def outcome(result: Result) -> str:
    """ "agree", or the name of the rung that failed."""
    return result.failed.name if result.failed else result.verdict


@pytest.mark.tf2
@pytest.mark.parametrize("pair", PAIRS, ids=[pair.name for pair in PAIRS])
def test_verdict_is_the_known_answer(pair: matrix.Pair, harness: Harness) -> None:
    result = harness.verify(bundle.read(pair.golden), pair.after, pair.name)
    assert outcome(result) == pair.expect, f"{pair.why}: {result.reason}"
    assert result.exit_code == {"agree": 0, "exit": 3}.get(pair.expect, 1)


def test_matrix_is_large_enough() -> None:
    agree = [pair for pair in PAIRS if pair.expect == "agree"]
    assert len(agree) >= 20
    assert len(PAIRS) - len(agree) >= 20
    rungs = {pair.expect for pair in PAIRS}
    assert rungs >= {
        "exit", "variables", "forward", "gradients", "one step", "lock-step", "free run",
        "end state", "outputs", "checkpoints",
    }  # fmt: skip


def test_agreeing_pairs_climb_as_far_as_they_can(harness: Harness) -> None:
    pair = next(pair for pair in PAIRS if pair.name == "saver-compat")
    result = harness.verify(bundle.read(pair.golden), pair.after)
    reached = {rung.name: rung.status for rung in result.rungs}
    assert set(reached.values()) == {"passed"}, reached


@pytest.mark.tf1
@pytest.mark.parametrize("name", sorted(ORIGINALS))
def test_golden_bundle_is_what_1_15_5_computes(name: str, recorder: Harness) -> None:
    pair = ORIGINALS[name]
    golden = bundle.read(pair.golden)
    fresh = recorder.run_program("tf1", pair.before, trace_steps=0)
    context = climb.Climb(
        golden, fresh, naming.match(golden, fresh), lockstep_reason="one runtime only"
    )
    result = Result(name, "golden", "fresh", rungs=ladder.climb(context))
    decide(result)
    assert not [rung for rung in result.rungs if rung.status == FAILED], result.reason
    assert result.verdict == "agree"
    assert golden.record["runtime"]["tensorflow"] == "1.15.5"


@pytest.mark.tf1
@pytest.mark.parametrize(
    ("variant", "expect"), [("agree", "agree"), ("epsilon", "one step"), ("reduction", "forward")]
)
def test_seed_only_compares_from_the_originals_start_values(
    variant: str, expect: str, tf1: Interpreter, tf2: Interpreter
) -> None:
    pair = next(pair for pair in PAIRS if pair.name == "dense-keras")
    options = Options(randomness="seed", envelope_runs=0, witness=False, steps=12)
    with Harness(options, tf1=tf1.path, tf2=tf2.path) as made:
        result, golden = made.run(pair.before, replace(pair.after, args=(variant,)))
    assert golden.steps == 12
    assert outcome(result) == expect, result.reason


@pytest.mark.tf2
def test_witness_tells_the_runtime_from_the_migration(harness: Harness) -> None:
    pair = next(pair for pair in PAIRS if pair.name == "learning-rate")
    plain = harness.options
    harness.options = replace(plain, witness=True)
    try:
        result = harness.verify(bundle.read(pair.golden), pair.after)
    finally:
        harness.options = plain
    assert result.witness["status"] == "run"
    assert result.witness["runtime"] < 2e-6
    assert result.witness["migration"] > 1e-3
