"""The names that objects are given for their scopes: texts, with the number of a loop's round.

``[Agent("agent_%d" % i) for i in range(n)]`` are `agent_0`, `agent_1` …: each name is another one,
and none that comes later is the beginning of an earlier one.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.listing import object_variables
from migrate.programs.graph.making.repeated import chain
from migrate.programs.graph.objects import bases, own_attributes
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.scoping import scopes
from migrate.programs.graph.wording import known_branches

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
DEPTH = 8


@dataclass(frozen=True, slots=True)
class Name:
    """A text, or what stands before and behind the number of a round."""

    head: str
    tail: str | None = None  # None: no number

    def may_begin_as(self, other: Name) -> bool:
        """Whether one of these names may begin with one of the others."""
        if self.tail is None and other.tail is None:
            return self.head.startswith(other.head)
        return self.head.startswith(other.head) or other.head.startswith(self.head)


def given(walker: Any, call: ast.Call, text: str | None, cls: ast.ClassDef) -> Name | None:
    """What a scope's name, with what isn't known of it in braces, is for an object of a class.

    ``call``: that makes the object. None where it can't be told, or where several objects that the
    call makes have one name.
    """
    init = bases.find(walker, cls, "__init__")
    if text is None or init is None or init.args.vararg or init.args.kwarg:
        return None
    counters: set[int] = set()
    parts = _filled(walker, text, init, call, counters, DEPTH)
    rounds = _rounds(walker, call, DEPTH)
    if parts is None or rounds is None or set(map(id, rounds)) != counters or len(rounds) > 1:
        return None
    head, *rest = parts
    return Name(head, rest[0] if rest else None)


def _filled(
    walker: Any, text: str, around: Any, call: Any, counters: set[int], depth: int
) -> list[str] | None:
    """The texts around the number in a name; ``around``: the function that reads what it is of.

    ``call``: that function's.
    """
    parts = [""]
    for place, piece in enumerate(re.split(r"[{}]", text)):
        if place % 2 == 0:
            parts[-1] += piece
            continue
        try:
            node = ast.parse(piece, mode="eval").body
        except SyntaxError:
            return None
        told = _told(walker, node, around, call, counters, depth)
        if told is None or len(parts) + len(told) > 3:  # two numbers
            return None
        parts[-1:] = [parts[-1] + told[0], *told[1:]]
    return parts


def _told(
    walker: Any, node: ast.expr, around: Any, call: Any, counters: set[int], depth: int
) -> list[str] | None:
    """What an expression is in a function that is called at one place, or in the module."""
    if not depth:
        return None
    if isinstance(node, ast.Constant):
        return [str(node.value)] if isinstance(node.value, (str, int)) else None
    if isinstance(node, ast.Attribute):
        return _kept(walker, node, around, call, counters, depth)
    if not isinstance(node, ast.Name):
        text = scopes.scope_name(node)
        return _filled(walker, text, around, call, counters, depth - 1) if text else None
    scope = around or walker.tree
    stores = [n for n in all_of(scope, ast.Name) if n.id == node.id and _stored(n)]
    if around is not None and node.id in [a.arg for a in around.args.args]:
        return None if stores else _argument(walker, node.id, around, call, counters, depth)
    if not stores and around is not None:
        return _told(walker, node, None, None, counters, depth - 1)
    if len(stores) != 1:
        return None
    for stmt in all_of(scope, ast.Assign):
        if stmt.targets == stores:
            return _told(walker, stmt.value, around, call, counters, depth - 1)
    return _counted(scope, stores[0], counters)


def _stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _counted(scope: ast.AST, target: ast.Name, counters: set[int]) -> list[str] | None:
    """Whether a name is the number of a loop's round, which counts up from no less than zero."""
    loops: list[ast.For | ast.comprehension] = [*all_of(scope, ast.For)]
    for loop in (*loops, *all_of(scope, ast.comprehension)):
        if not isinstance(loop.iter, ast.Call) or not isinstance(loop.iter.func, ast.Name):
            continue
        call, first, by = loop.iter, loop.target, loop.iter.func.id
        if by == "enumerate" and isinstance(first, ast.Tuple):
            plain, first = len(call.args) == 1 and not call.keywords, first.elts[0]
        else:
            begins = call.args[0] if len(call.args) == 2 else ast.Constant(0)
            known = isinstance(begins, ast.Constant) and isinstance(begins.value, int)
            plain = by in ("range", "xrange") and len(call.args) < 3 and known
        if first is target:
            counters.add(id(loop))
            return ["", ""] if plain else None
    return None


def _kept(
    walker: Any, node: ast.Attribute, around: Any, call: Any, counters: set[int], depth: int
) -> list[str] | None:
    """What an object has in an attribute that its `__init__`, which is at hand, sets once."""
    if around is None or not around.args.args or not isinstance(node.value, ast.Name):
        return None
    home = next((c for c in all_of(walker.tree, ast.ClassDef) if around in c.body), None)
    if node.value.id != around.args.args[0].arg or around.name != "__init__" or home is None:
        return None
    stores = own_attributes.stores(walker, home, node.attr)
    for stmt in all_of(around, ast.Assign):
        if len(stores) == 1 and stmt.targets == stores:
            return _told(walker, stmt.value, around, call, counters, depth - 1)
    return None


def _argument(
    walker: Any, name: str, target: Any, call: Any, counters: set[int], depth: int
) -> list[str] | None:
    """What a function's parameter is given."""
    if call is None:
        calls = known_branches.every(walker, target)
        if len(calls) != 1:
            return None
        (call,) = calls
    else:
        method = target.name == "__init__"
        call = ast.Call(call.func, [call.func, *call.args], call.keywords) if method else call
    value = known_branches.place(target, call, name) or known_branches.given_to(target, call, name)
    if value is None:
        return None
    outer = function_around(walker.tree, call.func)
    return _told(walker, value, outer, None, counters, depth - 1)


def _rounds(walker: Any, node: ast.AST, depth: int) -> list[ast.AST] | None:
    """The loops around a call, and around the calls of the functions that it is in.

    None where there are several such calls, for one graph, or what is around isn't seen.
    """
    if not depth:
        return None
    around = function_around(walker.tree, node)
    outer = chain(around or walker.tree, node) or []
    if any(isinstance(n, ast.Lambda) for n in outer):
        return None
    found = [n for n in outer if isinstance(n, (ast.For, ast.While))]
    inside = [g for n in outer if isinstance(n, COMPREHENSIONS) for g in n.generators]
    if around is None:
        return [*found, *inside]
    calls = known_branches.every(walker, around)
    if len(calls) != 1:
        return None if _several(walker, around) else [*found, *inside]
    above = _rounds(walker, calls[0].func, depth - 1)
    return None if above is None else [*above, *found, *inside]


def _several(walker: Any, around: ast.FunctionDef) -> bool:
    """Whether a method is one of several objects of this graph."""
    return any(
        len(object_variables.made(walker, instance.region)) > 1
        for instance in walker.instances.values()
        if any(around in cls.body for cls in bases.lineage(walker, instance.node))
    )
