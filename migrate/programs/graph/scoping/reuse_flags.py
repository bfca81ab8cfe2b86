"""Flags of functions that make cells: ``def cell(reuse=False): return GRUCell(128, reuse=reuse)``.

Cells own their variables, so the flag goes, in its function and in what the function makes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from migrate.engine.trees import all_of, holds
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

REASON = "a cell with `reuse`"


def never(walker: Any, node: ast.expr, asked: frozenset[int] = frozenset()) -> bool:
    """Whether a flag is a parameter that says of each call that nothing is reused.

    Raises:
        Spelled: it can go where no call needs it, or where calls hand it on.
    """
    target = function_around(walker.tree, node)
    if not isinstance(node, ast.Name) or target is None or target.args.posonlyargs:
        return False
    if node.id not in [a.arg for a in target.args.args] or id(target) in asked:
        return False
    reads = [n for n in all_of(target, ast.Name) if n.id == node.id]
    calls = known_branches.every(walker, target)
    if not calls or any(not isinstance(n.ctx, ast.Load) for n in reads):
        return False
    handed: list[ast.Call] = []
    for call in calls:
        given = known_branches.place(target, call, node.id)
        constant = known_branches.given_to(target, call, node.id)
        if given is not None and constant is None:
            if not never(walker, given, asked | {id(target)}):
                return False
            handed.append(call)
        elif constant is None or constant.value not in (None, False):
            return False
    if asked:
        return True
    told = [k.value for k in all_of(target, ast.keyword) if k.arg == "reuse"]
    if not all(any(n is one for one in told) for n in reads):
        return True
    said = [c for c in calls if known_branches.place(target, c, node.id) is not None]
    if not said:
        gone: list[Written] = [(target, lambda source: _without(source, target, node.id))]
        gone += [(f, _unread(f, node.id)) for f in _handed_by(walker, target, calls, node.id)]
        raise Spelled(node, REASON, gone)
    own = dict(
        zip([a.arg for a in target.args.args][::-1], target.args.defaults[::-1], strict=False)
    )
    if (
        node.id in own
        and all(_last(target, c, node.id) for c in said)
        and all(any(c is one for one in all_of(walker.tree, ast.Call)) for c in said)
    ):
        raise Spelled(node, REASON, [(c, _shorter(c)) for c in said])
    return True


def _handed_by(
    walker: Any, target: ast.FunctionDef, calls: list[ast.Call], name: str
) -> list[ast.FunctionDef]:
    """Functions around a function's calls that have its flag, too, and no more use for it."""
    found: dict[int, ast.FunctionDef] = {}
    for call in calls:
        outer = function_around(walker.tree, call)
        if outer is None or holds(outer, target) or holds(target, outer):
            continue
        own = [a.arg for a in outer.args.args]
        plain = all(isinstance(n, ast.Constant) for n in outer.args.defaults)
        last = own[-1:] == [name] and bool(outer.args.defaults) and plain
        read = any(n.id == name for n in all_of(outer, ast.Name))
        others = known_branches.every(walker, outer)
        given = any(known_branches.place(outer, c, name) is not None for c in others)
        if last and others and not read and not given:
            found[id(outer)] = outer
    nested = found.values()
    return [f for f in nested if not any(holds(g, f) for g in nested if g is not f)]


def _unread(target: ast.FunctionDef, name: str) -> Callable[[Source], str]:
    """A function without its last parameter, a flag that nothing reads."""

    def written(source: Source) -> str:
        flag = rf"{re.escape(name)}\s*=\s*(?:False|None)"
        return re.sub(rf",\s*{flag}(?=\s*\))|(?<=\(){flag}(?=\))", "", source(target), count=1)

    return written


def _last(target: ast.FunctionDef, call: ast.Call, name: str) -> bool:
    """Whether a flag is a call's last argument."""
    if call.keywords:
        return call.keywords[-1].arg == name
    return len(call.args) == len(target.args.args) and target.args.args[-1].arg == name


def _shorter(call: ast.Call) -> Any:
    """A call without its last argument."""

    def written(source: Source) -> str:
        parts = [source(a) for a in call.args]
        parts += [f"{k.arg}={source(k.value)}" for k in call.keywords]
        return f"{source(call.func)}({', '.join(parts[:-1])})"

    return written


def _without(source: Source, target: ast.FunctionDef, name: str) -> str | None:
    """A function without a flag; None where its text hides it."""
    flag = re.escape(name)
    text = source(target)
    for what in (rf"(?<=[(,\s]){flag}\s*=\s*(?:False|None)", rf"\breuse\s*=\s*{flag}"):
        # With the comma before it, or the one behind where it is the first.
        text, count = re.subn(rf",\s*{what}(?=\s*[,)])|{what}\s*,\s*|{what}(?=\s*\))", "", text)
        if not count:
            return None
    return None if re.search(rf"\b{flag}\b", text) else text
