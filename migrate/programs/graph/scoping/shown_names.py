"""The names of ops that a program prints: ``print(t.op.name, ' ', t.get_shape().as_list())``.

A function of TF 2 has names of its own. Those that TF 1 gives, where the author named the ops, are
written in their place; a function that prints what it is given, `print_activations(conv1)`, is
given the name, too.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import all_of, holds
from migrate.programs.graph.feeding import helper_placeholders
from migrate.programs.graph.model import HOST, Blocked, Kind, Value
from migrate.programs.graph.scoping.named_ops import IMPLIED
from migrate.programs.graph.wording.known_branches import span
from migrate.programs.graph.wording.spelled import Spelled, Written, word

REASON = "the name of an op is printed"
NAMED = frozenset({Kind.TENSOR, Kind.CONST, Kind.PLACEHOLDER})
VALUES, READS = ("named tensors",), ("printed names",)


@dataclass(slots=True, eq=False, repr=False)
class Read:
    """A place that reads a name, and what it is told in each call of its function."""

    node: ast.Attribute
    of: ast.Name
    target: ast.AST  # the function
    names: list[tuple[ast.Call | None, str]] = field(default_factory=list)


def noted(walker: Any, node: ast.Call, value: Value) -> Value:
    """Remember the name of the op that a tensor comes from."""
    name = walker.kept.get(("told ops",), {}).get(id(node))
    implied = name is not None and re.sub(r"_\d+$", "", name.rpartition("/")[2]).lower() in IMPLIED
    if value.kind in NAMED and name is not None and not implied:
        walker.kept.setdefault(VALUES, {})[id(value)] = value, name
    return value


def bound(walker: Any, value: Value, named: Value) -> None:
    """A tensor gets a name in Python."""
    values = walker.kept.get(VALUES, {})
    if id(value) in values:
        values[id(named)] = named, values[id(value)][1]


def read(walker: Any, node: ast.Attribute) -> Value | None:
    """``t.op.name`` or ``t.name`` of a tensor in a `print`; None where it is something else."""
    named = walker.kept.get(VALUES)
    if node.attr != "name" or not named:
        return None
    op = isinstance(node.value, ast.Attribute) and node.value.attr == "op"
    of = node.value.value if isinstance(node.value, ast.Attribute) and op else node.value
    if not isinstance(of, ast.Name) or not _printed(walker.stmt, node):
        return None
    value = walker.expression(of)
    _, name = named.get(id(value), (None, None))
    if name is None:
        return None
    target = walker.frame.node
    callers = walker.naming.callers
    call = callers[-1][0] if callers and isinstance(target, ast.FunctionDef) else None
    reads = walker.kept.setdefault(READS, {})
    found = reads.setdefault(id(node), Read(node, of, target))
    found.names.append((call, name if op else f"{name}:0"))
    return HOST


def _printed(stmt: ast.stmt, node: ast.AST) -> bool:
    match stmt:
        case ast.Expr(ast.Call(ast.Name("print"))):
            return holds(stmt, node)
    return False


def check(walker: Any) -> None:
    """Write the names that are printed.

    Raises:
        Spelled: there are some.
        Blocked: a place prints several, and isn't given what it prints.
    """
    reads: list[Read] = list(walker.kept.get(READS, {}).values())
    written: list[Written] = []
    for target in {id(r.target): r.target for r in reads}.values():
        mine = [r for r in reads if r.target is target]
        if all(len({name for _, name in r.names}) == 1 for r in mine) and not _is_given(mine):
            written += [(r.node, word(repr(r.names[0][1]))) for r in mine]
        else:
            written += _given(walker, mine)
    if written:
        raise Spelled(reads[0].node, REASON, written)


def _is_given(reads: list[Read]) -> bool:
    """Whether a function prints the names of what it is given."""
    args = getattr(reads[0].target, "args", None)
    params = {a.arg for a in args.args} if args is not None else set()
    return any(r.of.id in params for r in reads)


def _given(walker: Any, reads: list[Read]) -> list[Written]:
    """A function of one tensor's name is given it.

    Raises:
        Blocked: not all of its calls say so.
    """
    target, node = reads[0].target, reads[0].node
    calls = {id(c): (c, name) for r in reads for c, name in r.names if c is not None}
    told = {(id(c), name) for r in reads for c, name in r.names}
    if not isinstance(target, ast.FunctionDef) or len(told) != len(calls):
        raise Blocked(node, REASON)
    args = target.args
    every = helper_placeholders.calls_of(walker, target)
    bound = [n.id for n in all_of(target, ast.Name) if not isinstance(n.ctx, ast.Load)]
    plain = not (args.vararg or args.kwarg or args.kwonlyargs or args.defaults)
    plain = plain and not target.decorator_list and set(map(id, every)) == set(calls)
    home = walker.files.at(target)
    plain = plain and all(walker.files.at(call) is home for call, _ in calls.values())
    if (
        not plain
        or {r.of.id for r in reads} - {a.arg for a in args.args}
        or len({r.of.id for r in reads}) > 1
        or reads[0].of.id in bound
    ):
        raise Blocked(node, REASON)
    taken = {*bound, *(n.id for n in all_of(target, ast.Name)), *(a.arg for a in args.args)}
    name = "name" if "name" not in taken else "op_name"
    if name in taken:
        raise Blocked(node, REASON)
    last = args.args[-1]
    end = last.end_lineno or last.lineno, last.end_col_offset or 0
    written: list[Written] = [(r.node, word(name)) for r in reads]
    written.append((span(end, end), word(f", {name}")))
    for call, said in calls.values():
        if any(isinstance(a, ast.Starred) for a in call.args) or not all(
            k.arg for k in call.keywords
        ):
            raise Blocked(call, REASON)
        text = f", {name}={said!r}" if call.keywords else f", {said!r}"
        given = [*call.args, *(k.value for k in call.keywords)]
        behind = max((a.end_lineno or 0, a.end_col_offset or 0) for a in given)
        written.append((span(behind, behind), word(text)))
    return written
