"""Decays that are kept in a list or a dict, and fetched at once: each is asked at its step."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.made import Schedule
from migrate.programs.graph.model import Kind, Step, Value


def fetched(walker: Any, node: ast.expr, value: Value, sink: Step) -> bool:
    """Whether a name of several decays is fetched: what is written is each one's rate."""
    if not is_one(value) or not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    made = value.symbol.step.node if value.symbol is not None else None
    steps = {v.data.step for _, v in value.items or ()}
    display = made.value if isinstance(made, ast.Assign) else None
    if len(steps) != 1 or not isinstance(display, (ast.Dict, ast.List)):
        return False
    (step,) = steps
    sink.uses[step] = None
    keyed = isinstance(display, ast.Dict)

    def written(writer: Any) -> str:
        source, counter = writer.text.source(node), writer.ref(step)
        taken = {n.id for n in all_of(ast.parse(f"({source}, {counter})"), ast.Name)}
        key, rate = (n if n not in taken else f"each_{n}" for n in ("name", "rate"))
        each = f"{rate}({counter}).numpy()"
        if keyed:
            return f"{{{key}: {each} for {key}, {rate} in {source}.items()}}"
        return f"[{each} for {rate} in {source}]"

    walker.rewrites[id(node)] = written
    return True


def is_one(value: Value) -> bool:
    """Whether a value is a container of decays."""
    items = value.items or ()
    return (
        value.kind is Kind.OTHER
        and bool(items)
        and all(isinstance(v.data, Schedule) for _, v in items)
    )
