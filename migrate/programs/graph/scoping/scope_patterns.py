"""What scopes may be called whose names are computed: ``variable_scope(name)`` in a helper.

A name is a regular expression here. Parameters stand for all that the program's calls give them,
local names for what they are bound to, other parts for anything: ``'conv%d' % i`` is ``conv.*``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

from migrate.engine.trees import all_of, named, outward, walk
from migrate.programs.graph.wording import known_branches

ANYTHING = ".*"
FIELD = re.compile(r"%%|%[-+ #0]*\d*(?:\.\d+)?[sdifr]|\{\{|\}\}|\{[^{}]*\}")


class Patterns:
    """Names in small letters, and what names may be."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.open: list[re.Pattern[str]] = []

    def add(self, found: Iterable[str]) -> None:
        """Add what a scope may be called."""
        self.open.extend(re.compile(one, re.IGNORECASE) for one in sorted(found))

    def __contains__(self, name: str) -> bool:
        return name in self.names or any(one.fullmatch(name) for one in self.open)


def of(
    walker: Any, node: ast.expr, target: ast.AST, asked: frozenset[tuple[int, str]] = frozenset()
) -> set[str]:
    """What a name that is computed in a function may be; ``asked``: the names asked for so far."""
    match node:
        case ast.Constant(str(text)):
            return {re.escape(text)}
        case ast.Constant(None):
            return set()
        case ast.Name():
            return _given(walker, node, target, asked)
        case ast.BoolOp(ast.Or()):
            return set().union(*(of(walker, one, target, asked) for one in node.values))
        case ast.IfExp():
            ways = node.body, node.orelse
            return set().union(*(of(walker, one, target, asked) for one in ways))
        case ast.BinOp(left, ast.Add(), right):
            ends = of(walker, right, target, asked)
            return {start + end for start in of(walker, left, target, asked) for end in ends}
        case ast.BinOp(ast.Constant(str(text)), ast.Mod(), _):
            return {_filled(text)}
        case ast.Call(ast.Attribute(ast.Constant(str(text)), "format")):
            return {_filled(text)}
        case ast.JoinedStr(values):
            texts = [v.value if isinstance(v, ast.Constant) else None for v in values]
            return {"".join(re.escape(t) if isinstance(t, str) else ANYTHING for t in texts)}
    return {ANYTHING}


def _filled(text: str) -> str:
    """A template, with anything in its fields."""
    parts = map(re.escape, FIELD.split(text))
    whole = {"%%": "%", "{{": r"\{", "}}": r"\}"}
    between = [whole.get(one, ANYTHING) for one in FIELD.findall(text)]
    return next(parts) + "".join(a + b for a, b in zip(between, parts, strict=True))


def _given(
    walker: Any, name: ast.Name, target: ast.AST, asked: frozenset[tuple[int, str]]
) -> set[str]:
    """What all calls of a function give its parameter, or what its local name is bound to."""
    key = id(target), name.id
    if not isinstance(target, ast.FunctionDef) or key in asked:
        return {ANYTHING}
    asked |= {key}
    args = target.args
    known = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    stores = [
        n for n in all_of(target, ast.Name) if n.id == name.id and not isinstance(n.ctx, ast.Load)
    ]
    if stores and name.id not in [a.arg for a in known]:
        made = all_of(target, ast.Assign)
        bound = {id(n.targets[0]): n.value for n in made if len(n.targets) == 1}
        if any(id(n) not in bound for n in stores):
            return {ANYTHING}
        values = (of(walker, bound[id(n)], target, asked) for n in stores)
        return set().union(*values)
    if stores or name.id not in [a.arg for a in known] or args.posonlyargs or args.kwonlyargs:
        return {ANYTHING}
    calls = known_branches.every(walker, target) or _by_aliases(walker, target)
    found: set[str] = set() if calls else {ANYTHING}
    for call in calls:
        node = known_branches.place(target, call, name.id)
        if node is None:
            node = known_branches.given_to(target, call, name.id) or ast.Constant(...)
        found |= of(walker, node, _around(walker, call, target), asked)
    return found


def _around(walker: Any, call: ast.Call, target: ast.FunctionDef) -> ast.AST:
    """The function whose names a call reads."""
    functions = (n for n in outward(walker.tree, call) if isinstance(n, ast.FunctionDef))
    return next((n for n in functions if n is not target), ast.Module([], []))


def _by_aliases(walker: Any, target: ast.FunctionDef) -> list[ast.Call]:
    """The calls of a function, also by other names: ``block = resblock``, ``self.net = net``."""
    calls: list[ast.Call] = []
    names = [target.name]
    for name in names:
        reads = {
            id(n): n
            for n in named(walker.tree, name)
            if not isinstance(n.ctx, ast.Store)
            and not (isinstance(n, ast.Attribute) and id(n) in walker.endpoints)
        }
        for n in walk(walker.tree):
            if isinstance(n, ast.Call) and reads.pop(id(n.func), None) is not None:
                calls.append(n)
            elif isinstance(n, ast.Assign) and reads.pop(id(n.value), None) is not None:
                to = n.targets[0]
                also = getattr(to, "id", "") or getattr(to, "attr", "")
                if len(n.targets) > 1 or not also:
                    return []
                names += [also] if also not in names else []
        if reads:
            return []
    return calls
