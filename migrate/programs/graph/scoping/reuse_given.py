"""Objects that are told whether to find their variables again: ``Policy(n, reuse=True)``.

The first one makes them, ``with tf.variable_scope("model", reuse=reuse):``, the second one is given
the first one instead, `shared`, and takes its layers and variables (`shared_objects`).
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import SCOPES
from migrate.programs.graph.model import Blocked, Instance
from migrate.programs.graph.objects.shared_objects import (
    GIVEN,
    REASON,
    attributes,
    member_of,
    name_of,
)
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

COMPUTED = "whether variables are used again is computed"


def first(walker: Any, value: ast.expr) -> bool:
    """Whether the object at hand, the first of its class, is told by its call to make its own."""
    region, member = walker.frame.region, walker.frame.node
    call = walker.kept.get(("made at", id(region)))
    if not isinstance(value, ast.Name) or not isinstance(member, ast.FunctionDef) or call is None:
        return False
    if member.name != "__init__" or value.id not in {a.arg for a in member.args.args[1:]}:
        return False
    if _said(member, call, value.id) is not False or not _only_told(walker, member, value.id):
        return False
    walker.kept[("reuse by parameter", id(region))] = value.id
    return True


def check(walker: Any, instance: Instance, call: ast.Call) -> None:
    """See whether one more object finds the variables of the first one by what it is told.

    Raises:
        Spelled: it does, and is to be given that one.
        Blocked: what it is told is computed, or another object can't be told of.
    """
    name = walker.kept.get(("reuse by parameter", id(instance.region)))
    member = member_of(instance.node)
    if name is None or member is None:
        return
    left = instance.left
    if left is None or left.graph != walker.graph:
        return  # the first one of another graph
    if _said(member, call, name) is not True:
        raise Blocked(call, COMPUTED)
    args = member.args
    first_name = name_of(walker, left.call)
    calls = known_branches.every(walker, member) or _handed(walker, instance.node)
    if first_name is None or args.args[-1].arg != name or not args.defaults or not calls:
        raise Blocked(call, REASON)
    if args.vararg or args.kwarg or args.kwonlyargs or len(calls) != 2:
        raise Blocked(call, REASON)
    found = attributes(walker, instance, member, call)
    found += [(_head(args.args[-1]), word(GIVEN)), (args.defaults[-1], word("None"))]
    for node in walk(member):
        if isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) in SCOPES:
            if any(k.arg == "reuse" for k in node.keywords):
                found.append(_without(node, "reuse", ""))
    if left.call is not None and known_branches.place(member, _bound(left.call), name) is not None:
        found.append(_without(left.call, name, "", len(args.args) - 1))
    found.append(_without(call, name, f"{GIVEN}={first_name}", len(args.args) - 1))
    raise Spelled(call, REASON, found)


def _handed(walker: Any, node: ast.ClassDef) -> list[ast.Call]:
    """The calls of a class that a function is given, ``Model(MlpPolicy)``, where all are seen."""
    function = walker.frame.node
    if not isinstance(function, ast.FunctionDef):
        return []
    reads = [
        n for n in walk(walker.tree) if node.name in (getattr(n, "id", ""), getattr(n, "attr", ""))
    ]
    given = known_branches.every(walker, function)
    for param in (a.arg for a in function.args.args):
        passed = [known_branches.place(function, c, param) for c in given]
        if not given or [id(n) for n in passed] != [id(n) for n in reads]:
            continue
        uses = [n for n in all_of(function, ast.Name) if n.id == param]
        nodes = set(map(id, uses))
        calls = [n for n in all_of(function, ast.Call) if id(n.func) in nodes]
        return calls if len(calls) == len(uses) else []
    return []


def _bound(call: ast.Call) -> ast.Call:
    """A call of a class with what stands for `self`."""
    return ast.Call(call.func, [call.func, *call.args], call.keywords)


def _said(member: ast.FunctionDef, call: ast.Call, name: str) -> bool | None:
    given = known_branches.given_to(member, _bound(call), name)
    if given is None or not isinstance(given.value, (bool, type(None))):
        return None
    return bool(given.value)


def _only_told(walker: Any, member: ast.FunctionDef, name: str) -> bool:
    """Whether all that reads a parameter says to a scope of `__init__` what it finds again."""
    told = {
        id(k.value)
        for n in all_of(member, ast.Call)
        if walker.endpoints.get(id(n.func)) in SCOPES
        for k in n.keywords
        if k.arg == "reuse"
    }
    return all(id(n) in told for n in all_of(member, ast.Name) if n.id == name)


def _head(arg: ast.arg) -> ast.AST:
    """A parameter's name, without what is said of its type."""
    end = (arg.lineno, arg.col_offset + len(arg.arg))
    return known_branches.span((arg.lineno, arg.col_offset), end)


def _without(call: ast.Call, name: str, more: str, place: int | None = None) -> Written:
    """A call without an argument, and perhaps with another one at its end."""
    args = [a for i, a in enumerate(call.args) if place is None or i != place - 1]
    keywords = [k for k in call.keywords if k.arg != name]

    def written(source: Source) -> str:
        parts = [source(n) for n in (*args, *keywords)] + ([more] if more else [])
        return f"{source(call.func)}({', '.join(parts)})"

    return call, written
