"""The cpu column: which graph is replayed, and rungs A, B and C."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from migrate.parity.bundle import Bundle
from migrate.parity.devices import cpu
from migrate.parity.harness import Harness, Options, Program
from migrate.parity.verdict import FAILED, NOT_RUN, PASSED


def of(*kinds: str) -> Bundle:
    return Bundle({"original": {"op_types": list(kinds)}})


def test_a_graph_that_reads_from_outside_is_replayed_with_what_it_was_given() -> None:
    plain, recorded = of("MatMul"), of("MatMul", "VarHandleOp")
    assert cpu.graph_of(plain, recorded) is plain
    for kind in ("QueueDequeueManyV2", "IteratorGetNext", "OneShotIterator", "PyFunc"):
        golden = of("MatMul", kind)
        assert cpu.graph_of(golden, recorded) is recorded
        assert cpu.graph_of(golden, None) is golden  # harness.witness says what it can't replay
    assert cpu.graph_of(Bundle({}), recorded) is recorded
    assert cpu.graph_of(Bundle({}), None) is None


def test_of_several_sessions_no_graph_is_replayed() -> None:
    """Each has its own values; a replay has one of each variable."""
    golden = of("MatMul")
    several = Bundle({"original": {"op_types": ["MatMul"], "sessions": 2}})
    assert cpu.graph_of(golden, several) is several
    with Harness(Options()) as harness:
        found = harness.witness(several)
    assert isinstance(found, dict)
    assert found["status"] == NOT_RUN
    assert "2 sessions" in found["reason"]


def two_losses(*trained: str) -> Bundle:
    """A run that trains two variables, each by a loss of its own, in this order."""
    losses = {"critic": np.array([1.0, 0.5]), "actor": np.array([3.0, 2.0])}
    arrays = {}
    for site, name in enumerate(trained):
        arrays[f"series/{site}/values"] = losses[name]
        arrays[f"series/{site}/steps"] = np.arange(2)
        arrays[f"gradient/{site}/{name}"] = np.ones(1)
        arrays[f"v/0/{name}"] = np.full(1, losses[name][0])
    variables = [{"name": name, "shape": [1], "dtype": "float64", "trainable": True, "order": 0}
                 for name in losses]  # fmt: skip
    series = [{"key": f"loss/{site}", "kind": "loss", "label": str(site), "dtype": "float64"}
              for site in range(2)]  # fmt: skip
    record = {"variables": variables, "series": series, "slots": {}, "snapshots": ["0"],
              "gradients": [[site, name] for site, name in enumerate(trained)]}  # fmt: skip
    return Bundle(record, arrays)


def test_losses_are_paired_by_what_they_train() -> None:
    """A function's gradients are seen in the order of its calls, a graph's in that of building."""
    golden, other = two_losses("critic", "actor"), two_losses("actor", "critic")
    for witness, statuses in (({"reason": "none"}, [NOT_RUN, NOT_RUN, PASSED]),
                              (golden, [PASSED, PASSED, PASSED])):  # fmt: skip
        rungs = cpu._of_setting("s", golden, witness, other, Options())
        assert [rung.status for rung in rungs] == statuses
    other.arrays["series/0/values"] = np.array([3.0, 2.1])
    assert cpu._of_setting("s", golden, golden, other, Options())[2].status == FAILED


def test_of_several_models_no_losses_are_paired() -> None:
    options = Options(printed=True)
    rungs = cpu.rungs(golden=two_losses("critic", "actor"), graph=None, program=Program("p.py"),
                      options=options, harness=Harness(options))  # fmt: skip
    assert len(rungs) == 3 * len(cpu.SETTINGS)
    assert {rung.status for rung in rungs} == {NOT_RUN}


def test_equal_settings_share_a_process() -> None:
    """Each process imports TensorFlow, which costs more than a small program does."""
    with Harness(Options(), tf1="python1", tf2=sys.executable) as harness:
        own = harness.launcher("tf2")
        shared, others = [], []
        for setting in cpu.SETTINGS:
            harness.options = replace(Options(), variables=setting.variables())
            (shared if setting == cpu.Setting(1, False) else others).append(harness.launcher("tf2"))
        for device in ("tpu", "gpu", "xla"):
            harness.options = replace(Options(), device=device)
            (shared if device == "tpu" else others).append(harness.launcher("tf2"))
        assert shared == [own, own]
        assert len({id(launcher) for launcher in [own, *others]}) == 6
        harness.options = Options()
        assert harness.launcher("tf1") is not own
