"""Variables that a train op's run assigns before its gradients are computed.

A reference variable of TF 1 is its memory: a gradient that needs what an op was given reads what
has been assigned by then, where TF 2's tape has kept the value.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

from migrate.engine.trees import children, walk
from migrate.programs.graph.model import Blocked, Kind, Step, Symbol

# Ops whose gradients don't need what they are given.
PLAIN = frozenset(("gather", "embedding_lookup", "assign", "assign_add", "assign_sub", "shape"))


def check(steps: Collection[Step], trains: Iterable[Step]) -> None:
    """See that no gradient reads a variable that a run has assigned by then.

    Raises:
        Blocked: one may.
    """
    training = {*trains}
    if not training or any(_stops(step) for step in steps):
        return
    waited = {s for step in steps for s in step.after if s in steps and s.kind is Kind.OP}
    for op in waited - training:
        if op.value is None or op.value.data != "assign":
            continue
        before = _made_of(op, steps)
        for symbol in op.uses:
            if symbol.value.kind is Kind.VARIABLE and symbol.name in _targets(op):
                for step in before - {op}:
                    if step.kind is Kind.TENSOR and symbol in step.uses and _needed(step, symbol):
                        raise Blocked(op.node, "an update of what a gradient reads after it")


def _stops(step: Step) -> bool:
    """Whether no gradient goes through a part of a step: it isn't followed which."""
    return any(isinstance(n, ast.Attribute) and n.attr == "stop_gradient" for n in walk(step.node))


def _made_of(op: Step, steps: Collection[Step]) -> set[Step]:
    """The steps that an update's value is computed of."""
    found: set[Step] = set()
    stack = [op]
    while stack:
        step = stack.pop()
        if step not in found and step in steps:
            found.add(step)
            stack += [symbol.step for symbol in step.uses]
    return found


def _targets(op: Step) -> set[str]:
    """The names of what a step assigns."""
    found = set()
    for n in walk(op.node):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute):
            if n.func.attr.startswith("assign"):
                nodes = [n.func.value, *n.args[:1]]
                found |= {
                    n.id if isinstance(n, ast.Name) else getattr(n, "attr", "") for n in nodes
                }
    return found


def _needed(step: Step, symbol: Symbol) -> bool:
    """Whether a gradient may need a variable's value that a step computes with."""
    for node in walk(step.node):
        plain = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            plain = node.func.attr in PLAIN
        for child in children(node):
            name = child.id if isinstance(child, ast.Name) else getattr(child, "attr", None)
            if name == symbol.name and not plain and isinstance(child, (ast.Name, ast.Attribute)):
                if not isinstance(node, ast.Attribute):
                    return True
    return False
