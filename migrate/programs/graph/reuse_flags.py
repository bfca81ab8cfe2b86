"""Flags of functions that make cells: ``def cell(reuse=False): return GRUCell(128, reuse=reuse)``.

Cells own their variables, so the flag goes, in its function and in what the function makes.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph import known_branches
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.spelled import Source, Spelled

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
        raise Spelled(node, REASON, [(target, lambda source: _without(source, target, node.id))])
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
