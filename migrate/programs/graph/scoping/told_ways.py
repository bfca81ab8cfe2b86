"""``with (arg_scope(…) if is_training is not None else NoOpScope()):`` where it is told which.

The program's building is executed with Python's values, and what no program calls with those that
it takes by default. Where all calls of a function take one way, that is what is written.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.own_nodes import function_around, own_nodes
from migrate.programs.graph.sizing.size_texts import Texts
from migrate.programs.graph.sizing.static_run.expressions import Stop
from migrate.programs.graph.sizing.static_run.run import Run
from migrate.programs.graph.wording.known_branches import chosen, place
from migrate.programs.graph.wording.spelled import Gone, Spelled, Written, same

PLAIN = (bool, int, float, str, type(None))
GONE = " would have no value any more"


def check(walker: Any, node: ast.IfExp, reason: str) -> None:
    """See whether one of two ways is always taken.

    Raises:
        Spelled: it is.
    """
    ways = _Ways(walker)
    target = _around(walker, node)
    way = ways.way(node) if target is not None and ways.settled(target, node.test) else None
    if way is not None:
        raise Spelled(node, reason, [(node, same(node.body if way else node.orelse))])


def found(walker: Any, error: Blocked) -> Spelled | None:
    """What stops in a way that no call of a function takes, without it; None where it isn't one."""
    target = _around(walker, error.node)
    ways: _Ways | None = None
    if target is None or not walker._variables_made(target):
        return None
    read = {n.id for n in all_of(error.node, ast.Name) if isinstance(n.ctx, ast.Load)}
    for stmt in all_of(target, ast.If):
        asks = stmt is error.node or holds(stmt.test, error.node)
        first = any(holds(s, error.node) for s in stmt.body)
        other = any(holds(s, error.node) for s in stmt.orelse)
        gives = read & {n.id for n in all_of(stmt, ast.Name) if not isinstance(n.ctx, ast.Load)}
        if not (asks or first or other or gives) or not _own(target, stmt.test):
            continue
        ways = ways or _Ways(walker)
        way = ways.way(stmt) if ways.settled(target, stmt.test) else None
        if way is not None and (asks or gives or way is not first):
            return _without(target, [(stmt, way)], error)
    return None


def counted(walker: Any, error: Blocked) -> Spelled | None:
    """A number that a function counts for ways that no call takes, without them, and without it.

    ``if output_stride is not None and current_stride > output_stride: raise …``
    """
    name = error.reason.removesuffix(GONE).strip("`")
    if not error.reason.endswith(GONE):
        return None
    tree = walker.files.at(error.node).tree
    for target in all_of(tree, ast.FunctionDef):
        every = [n for n in own_nodes(target) if isinstance(n, ast.Name) and n.id == name]
        stores = [n for n in every if not isinstance(n.ctx, ast.Load)]
        stmts = [s for s in own_nodes(target) if getattr(s, "target", None) in stores]
        if not stmts or not all(isinstance(s, ast.AugAssign) for s in stmts):
            continue
        if not walker._variables_made(target):
            continue
        asks = [s for s in own_nodes(target) if isinstance(s, ast.If) and _reads(s.test, name)]
        asks = [s for s in asks if not any(holds(s, other) for other in asks if other is not s)]
        if asks:
            ways = _Ways(walker)
            told = [(s, ways.way(s)) for s in asks if _own(target, s.test)]
            told = [(s, way) for s, way in told if ways.settled(target, s.test)]
            known = [(s, way) for s, way in told if way is not None]
            return _without(target, known, error) if len(known) == len(asks) else None
    return None


def _without(target: ast.FunctionDef, told: list[tuple[ast.If, bool]], error: Blocked) -> Spelled:
    """A function without ways that aren't taken, and without the numbers that only they read."""
    found: list[Written] = []
    gone: set[int] = set()
    names: set[str] = set()
    for stmt, way in told:
        kept = stmt.body if way else stmt.orelse
        found.append((stmt, chosen(stmt, kept)))
        left = {id(n) for s in kept for n in walk(s)}
        gone |= {id(n) for n in walk(stmt) if id(n) not in left}
    every = [n for n in all_of(target, ast.Name) if id(n) not in gone]
    names = {n.id for n in all_of(target, ast.Name) if id(n) in gone}
    for made in own_nodes(target):
        if isinstance(made, ast.Assign) and isinstance(made.value, ast.Constant):
            mine = getattr(made.targets[0], "id", None)
            alone = any(block == [made] for block in _blocks(target))
            if mine in names and len([n for n in every if n.id == mine]) == 1 and not alone:
                found.append((made, lambda _: Gone("")))
    return Spelled(error.node, error.reason, found)


def unread(target: ast.FunctionDef) -> None:
    """See whether a function counts what it doesn't read, and makes layers meanwhile.

    Raises:
        Spelled: it does, and can do without.
    """
    names = [n for n in own_nodes(target) if isinstance(n, ast.Name)]
    counts = [n for n in own_nodes(target) if isinstance(n, ast.AugAssign) and _quiet(n)]
    for name in sorted({s.target.id for s in counts if isinstance(s.target, ast.Name)}):
        every = [n for n in all_of(target, ast.Name) if n.id == name]
        mine = [n for n in names if n.id == name]
        stmts: list[ast.stmt] = [s for s in counts if s.target in every]
        stmts += [
            s
            for s in own_nodes(target)
            if isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant)
            if len(s.targets) == 1 and s.targets[0] in every
        ]
        alone = any(block == [s] for s in stmts for block in _blocks(target))
        if len(every) == len(mine) == len(stmts) and not alone:
            gone = [(s, lambda _: Gone("")) for s in stmts]
            raise Spelled(stmts[0], "a number that is counted for nothing", gone)


def _reads(test: ast.expr, name: str) -> bool:
    return any(n.id == name for n in all_of(test, ast.Name))


def _quiet(stmt: ast.AugAssign) -> bool:
    """Whether a number is counted on by what leaves no trace."""
    calls = all_of(stmt.value, ast.Call)
    return all(isinstance(c.func, ast.Attribute) and c.func.attr == "get" for c in calls)


def _blocks(target: ast.AST) -> Iterator[list[ast.stmt]]:
    for n in walk(target):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(n, part, None)
            if isinstance(block, list):
                yield block


def _around(walker: Any, node: ast.AST) -> ast.FunctionDef | None:
    """The innermost function in which a node stands."""
    return function_around(walker.files.at(node).tree, node)


def _own(target: ast.AST, test: ast.expr) -> bool:
    """Whether all that a condition reads is a function's own, and no switch of its file."""
    mine = {n.arg for n in all_of(target, ast.arg)}
    mine |= {n.id for n in all_of(target, ast.Name) if not isinstance(n.ctx, ast.Load)}
    names = {n.id for n in all_of(test, ast.Name)} - set(dir(builtins))
    return bool(names) and names <= mine


class _Ways:
    """A program's execution, which tells the ways that are taken."""

    def __init__(self, walker: Any) -> None:
        self.run = Run(walker)
        self.texts = Texts(walker, self.run)
        try:
            self.run.entries()
            self.run.idle()
        except (Stop, RecursionError):
            self.run.facts.clear()

    def way(self, node: ast.IfExp | ast.If) -> bool | None:
        """Which of its ways is always taken; None where that isn't told."""
        told = [fact.value for fact in self.run.facts.get(id(node.test), ())]
        if not told or not all(isinstance(value, PLAIN) for value in told):
            return None
        if len(set(map(bool, told))) != 1 or not self.texts.trusted(self.texts.home(node)):
            return None
        return bool(told[0])

    def settled(self, target: ast.FunctionDef, test: ast.expr) -> bool:
        """Whether what decides a condition is written in calls, and no switch of the author's."""
        if target not in self.texts.walker.files.at(target).tree.body:
            return False  # a method's object may say it
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
            return True  # whether something is there
        names = {n.id for n in all_of(test, ast.Name)} & {a.arg for a in target.args.args}
        return bool(names) and all(self._constant(target, name, []) for name in names)

    def _constant(self, target: ast.FunctionDef, name: str, seen: list[ast.AST]) -> bool:
        """Whether all calls give a parameter a constant, or one of their own that is."""
        if target in seen:
            return True
        args = target.args
        names = [a.arg for a in args.args]
        default = dict(zip(reversed(names), reversed(args.defaults), strict=False)).get(name)
        for call in self.texts.calls(target):
            value = place(target, call, name) or default
            outer = self.texts.home(call)
            if isinstance(value, ast.Constant):
                continue
            if not isinstance(value, ast.Name) or not isinstance(outer, ast.FunctionDef):
                return False
            if value.id not in {a.arg for a in outer.args.args}:
                return False
            if not self._constant(outer, value.id, [*seen, target]):
                return False
        return True
