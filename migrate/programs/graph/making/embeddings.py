"""Rows of an embedding: of one variable, which nothing partitions."""

from __future__ import annotations

import ast
from itertools import chain
from typing import Any

from migrate.engine.trees import all_of
from migrate.engine.values import dense
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value


@family(T + "nn.embedding_lookup")
def embedding_lookup(walker: Any, name: str, node: ast.Call) -> Value:
    """Rows of a variable or a tensor; the rules for names see to lists of them."""
    given = walker.bound(name, node)
    params = given.get("params")
    if params is None or "ids" not in given:
        raise Blocked(node, "an embedding without ids")
    table = walker.expression(params)
    joined = walker.join([walker.expression(v) for v in given.values()], node)
    several = table.items is not None or not (table.kind is Kind.VARIABLE or _one(walker, table))
    listed = walker.kept.setdefault("listed embeddings", set())
    if several or table.data == "container" or _partitions(walker):
        listed.add(id(node))
    if id(node) in listed:
        walker.rewrites.pop(id(node), None)
        return Value(joined.kind if joined.kind is not Kind.HOST else Kind.CONST)

    def written(writer: Any) -> str:
        parts = [writer.source(params), writer.source(given["ids"])]
        parts += [f"{a}={writer.source(v)}" for a, v in given.items() if a == "max_norm"]
        return f"{writer.tf}.nn.embedding_lookup({', '.join(parts)})"

    walker.rewrites[id(node)] = written
    return Value(joined.kind)


def _partitions(walker: Any) -> bool:
    """Whether a file may make variables of several parts."""
    key = ("partitions", id(walker.tree))
    known: bool | None = walker.kept.get(key)
    if known is None:
        said = (n.arg or "" for n in all_of(walker.tree, ast.keyword))
        names = (n.id for n in all_of(walker.tree, ast.Name))
        attributes = (n.attr for n in all_of(walker.tree, ast.Attribute))
        words = chain(said, names, attributes)
        known = walker.kept[key] = any("partitioner" in word for word in words)
    return known


def _one(walker: Any, table: Value) -> bool:
    """Whether a name means one tensor, by what it was given last."""
    made = table.symbol.step.node if table.symbol is not None else None
    if table.kind not in (Kind.TENSOR, Kind.CONST) or not isinstance(made, ast.Assign):
        return False
    if isinstance(made.targets[0], (ast.Tuple, ast.List)):
        return False
    if isinstance(made.value, ast.Call):
        return dense(walker.endpoints.get(id(made.value.func)) or "")
    return isinstance(made.value, ast.BinOp) and isinstance(made.value.op, (ast.Div, ast.Sub))
