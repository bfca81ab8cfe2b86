"""A list of placeholders that are fed together: ``holders = [x, y, rate]``.

``dict(zip(holders, batch))`` is what ``{x: batch[0], y: batch[1], rate: batch[2]}`` is, where
``batch`` is a list of as many: written so, or what a generator of the program yields.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import named, outward
from migrate.programs.graph.own_nodes import own_nodes
from migrate.programs.graph.wording.spelled import Source, Spelled

WHY = "the feed_dict isn't seen"
DISPLAY = (ast.List, ast.Tuple)


def check(walker: Any, node: ast.expr, key: ast.expr, values: ast.expr) -> None:
    """See whether a list of placeholders is fed a list.

    Raises:
        Spelled: each of them is fed its item.
    """
    lists = Lists(walker.files, walker.tree)
    holders = lists.items(key)
    if not holders or any(not isinstance(n, (ast.Name, ast.Attribute)) for n in holders):
        return
    given: list[ast.expr] | None = values.elts if isinstance(values, DISPLAY) else None
    if lists.length(values) != len(holders) or not isinstance(values, (ast.Name, *DISPLAY)):
        return

    def written(source: Source) -> str:
        said = [source(n) for n in given or ()]
        said = said or [f"{source(values)}[{i}]" for i in range(len(holders))]
        pairs = zip(map(source, holders), said, strict=True)
        return f"{{{', '.join(f'{holder}: {value}' for holder, value in pairs)}}}"

    raise Spelled(node, WHY, [(node, written)])


@dataclass(frozen=True)
class Bound:
    """What a name is bound to: a value, or each that an iterable gives, or an item of these."""

    value: ast.expr
    each: bool = False
    place: int | None = None


class Lists:
    """How many items the lists of a program have."""

    def __init__(self, files: Any, tree: ast.AST) -> None:
        self.files, self.tree = files, tree

    def items(self, node: ast.expr) -> list[ast.expr] | None:
        """The items of a list that is written here, or that a name stands for."""
        if isinstance(node, DISPLAY):
            return None if any(isinstance(n, ast.Starred) for n in node.elts) else node.elts
        bound = self.bound(node)
        whole = bound is not None and not bound.each and bound.place is None
        value = bound.value if bound is not None and whole else None
        return self.items(value) if isinstance(value, DISPLAY) else None

    def length(self, node: ast.expr | None) -> int | None:
        """How many items a list has."""
        items = self.items(node) if node is not None else None
        if items is not None or node is None:
            return len(items) if items is not None else None
        bound = self.bound(node)
        if bound is None or not bound.each or not isinstance(bound.value, ast.Call):
            return None
        counts = {self.length(one) for one in self.yielded(bound.value, bound.place)}
        return counts.pop() if len(counts) == 1 else None

    def bound(self, node: ast.expr) -> Bound | None:
        """What a name is bound to where it is read, as far as that is certain."""
        if not isinstance(node, ast.Name):
            return None
        inner: ast.AST = node
        scope = next(
            n for n in outward(self.tree, node) if isinstance(n, (ast.FunctionDef, ast.Module))
        )
        if _grows(scope, node.id):
            return None
        for outer in outward(self.tree, node):
            if isinstance(outer, (ast.Lambda, ast.ClassDef)):
                return None
            for block in (getattr(outer, "body", None), getattr(outer, "orelse", None)):
                if isinstance(block, list) and inner in block:
                    for stmt in reversed(block[: block.index(inner)]):
                        if _stored(stmt, node.id):
                            return _given(stmt, node.id)
            if isinstance(outer, (ast.For, ast.While)) and inner in outer.body:
                inside = [s for s in outer.body if _stored(s, node.id)]
                if inside or _stored(getattr(outer, "target", outer), node.id):
                    return None if inside else _given(outer, node.id)
            elif isinstance(outer, (ast.For, ast.While, ast.Try)) and inner not in outer.body:
                if _stored(outer, node.id):
                    return None
            if outer is scope:
                return None
            inner = outer
        return None

    def yielded(self, call: ast.Call, place: int | None) -> list[ast.expr | None]:
        """What a generator of the same file yields, or a part of each."""
        home = self.files.at(call).tree
        func = call.func.id if isinstance(call.func, ast.Name) else None
        own = [s for s in home.body if getattr(s, "name", None) == func]
        if len(own) != 1 or not isinstance(own[0], ast.FunctionDef) or own[0].decorator_list:
            return []
        nodes = own_nodes(own[0])
        if any(isinstance(n, ast.YieldFrom) for n in nodes):
            return []
        found = [n.value for n in nodes if isinstance(n, ast.Yield)]
        if place is None:
            return found
        parts = [n.elts if isinstance(n, ast.Tuple) else [] for n in found]
        return [p[place] if place < len(p) else None for p in parts]


def _stored(node: ast.AST, name: str) -> bool:
    """Whether a name is bound somewhere in a node."""
    found = (n for n in named(node, name) if isinstance(n, ast.Name))
    return any(not isinstance(n.ctx, ast.Load) for n in found)


def _given(stmt: ast.AST, name: str) -> Bound | None:
    """What a statement binds a name to; None: in another way."""
    if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
        target, value, each = stmt.targets[0], stmt.value, False
    elif isinstance(stmt, ast.For):
        target, value, each = stmt.target, stmt.iter, True
    else:
        return None
    if isinstance(target, ast.Name):
        return Bound(value, each)
    for place, item in enumerate(getattr(target, "elts", ())):
        if isinstance(item, ast.Name) and item.id == name:
            return Bound(value, each, place)
    return None


def _grows(scope: ast.AST, name: str) -> bool:
    """Whether a list may get more items, or fewer, or others under its name."""
    return any(
        (isinstance(up, ast.Attribute) and up.value is n)
        or (isinstance(up, ast.Subscript) and up.value is n and not isinstance(up.ctx, ast.Load))
        for n in named(scope, name)
        if isinstance(n, ast.Name)
        for up in list(outward(scope, n))[1:2]
    )
