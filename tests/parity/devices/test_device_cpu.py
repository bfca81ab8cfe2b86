"""The cpu column: which graph is replayed, and rungs A, B and C."""

from __future__ import annotations

from migrate.parity.bundle import Bundle
from migrate.parity.devices import cpu


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
