"""Look into SavedModels, GraphDefs and MetaGraphs without TensorFlow: tags, signatures, ops."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats import wire
from migrate.parity.wire import WireError, signatures

_TABLE = Path(__file__).with_name("ops.tsv")
GONE, NO_KERNEL, UNKNOWN = "gone", "no-kernel", "unknown"
_WORDS = {
    GONE: "not in TF 2.21",
    NO_KERNEL: "in TF 2.21 without a kernel for CPUs",
    UNKNOWN: "no op of TF 1.15.5 nor of 2.21: needs the library that defines it",
}
_REFS = ("Variable", "VariableV2")


@dataclass
class Graph:
    """One MetaGraph, or a GraphDef by itself."""

    tags: list[str]
    signatures: dict[str, dict[str, dict[str, str]]]
    ops: Counter[str]
    nodes: dict[str, list[str]] = field(default_factory=dict)  # op -> nodes that have it
    functions: set[str] = field(default_factory=set)
    written_by: str = ""
    variables: int = 0
    producer: int = 0

    def lost(self) -> dict[str, str]:
        """Op → why TF 2.21 can't run it."""
        table = states()
        found = {}
        for op in sorted(self.ops):
            if op in self.functions:
                continue
            state = table.get(op, UNKNOWN)
            if state in _WORDS:
                found[op] = _WORDS[state]
        return found


@cache
def states() -> dict[str, str]:
    """What became of every op that TF 1.15.5 or 2.21 has."""
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines if not line.startswith("#"))
    return {pair[0]: pair[1] for pair in pairs}


def inspect(path: str) -> list[Graph]:
    """The graphs of a SavedModel's folder, of a frozen ``.pb`` or of a ``.meta``.

    Raises:
        CheckpointError: it is none of these, or damaged.
    """
    try:
        if os.path.isdir(path):
            return _saved_model(_content(os.path.join(path, "saved_model.pb")), path)
        data = _content(path)
        if os.path.basename(path) == "saved_model.pb":
            return _saved_model(data, path)
        if path.endswith(".meta"):
            return [_meta_graph(memoryview(data))]
        return [_graph_def(memoryview(data), path)]
    except CheckpointError as error:
        text = str(error)
        raise CheckpointError(text if path in text else f"{path}: {text}") from None
    except (WireError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: damaged, or no graph: {error}") from None


def _content(path: str) -> bytes:
    if path.endswith(".pb") and not os.path.exists(path) and os.path.exists(path + "txt"):
        raise CheckpointError(f"{path}txt: text is not read here; TensorFlow converts it to .pb")
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise CheckpointError(f"{path}: {error.strerror or error}") from None


def _saved_model(data: bytes, path: str) -> list[Graph]:
    found = []
    for field_, value in wire.fields(data):
        if field_ == 2:
            found.append(_meta_graph(wire.views(value)))
    if not found:
        raise CheckpointError(f"{path}: damaged, or no SavedModel: it has no graph")
    return found


def _meta_graph(data: memoryview) -> Graph:
    graph = Graph([], {}, Counter())
    version = ""
    for number, value in wire.fields(data):
        if number == 1:
            for inner, held in wire.fields(wire.views(value)):
                if inner == 4:
                    graph.tags.append(wire.texts(held))
                elif inner == 5:
                    version = wire.texts(held)
        elif number == 2:
            _nodes(wire.views(value), graph)
    graph.written_by = version
    graph.signatures = signatures(wire.block(2, bytes(data)))
    return graph


def _graph_def(data: memoryview, path: str) -> Graph:
    graph = Graph([], {}, Counter())
    _nodes(data, graph)
    if not graph.ops:
        raise CheckpointError(f"{path}: damaged, or no GraphDef: it has no nodes")
    return graph


def _nodes(data: memoryview, graph: Graph) -> None:
    for number, value in wire.fields(data):
        if number == 1:
            _node(wire.views(value), graph)
        elif number == 4:
            for inner, held in wire.fields(wire.views(value)):
                if inner == 1:
                    graph.producer = wire.numbers(held)
        elif number == 2:
            for inner, held in wire.fields(wire.views(value)):
                if inner == 1:
                    _function(wire.views(held), graph)


def _function(data: memoryview, graph: Graph) -> None:
    for number, value in wire.fields(data):
        if number == 1:
            for inner, held in wire.fields(wire.views(value)):
                if inner == 1:
                    graph.functions.add(wire.texts(held))
        elif number == 3:
            _node(wire.views(value), graph)


def _node(data: memoryview, graph: Graph) -> None:
    name = op = ""
    for number, value in wire.fields(data):
        if number == 1:
            name = wire.texts(value)
        elif number == 2:
            op = wire.texts(value)
    if not op:
        raise CheckpointError("damaged, or no graph: a node without an op")
    graph.ops[op] += 1
    graph.variables += op in (*_REFS, "VarHandleOp")
    graph.nodes.setdefault(op, []).append(name)


def named_lost(graphs: list[Graph]) -> Iterator[tuple[str, str, list[str]]]:
    """Lost ops of all graphs: op, why, the nodes that have it."""
    seen: dict[str, tuple[str, list[str]]] = {}
    for graph in graphs:
        for op, why in graph.lost().items():
            seen.setdefault(op, (why, []))[1].extend(graph.nodes[op])
    for op, (why, nodes) in seen.items():
        yield op, why, list(dict.fromkeys(nodes))
