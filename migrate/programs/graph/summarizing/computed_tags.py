"""Summaries called after what an object counts by: ``'Score/' + str(self.games) + ' games'``.

The name is written where the value is, at each step; it is what the graph's was, as long as the
object's attribute is set once. TF 1 has no spaces in tags: the texts are written without.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

CLEAN = re.compile(r"[^-/\w.]")
REASON = "a summary's name is computed"
SETTERS = frozenset({"setattr", "__dict__", "vars"})


def stays(walker: Any, own: ast.expr) -> bool:
    """Whether a summary's name is a text with values that are set once, as texts, and no more.

    Raises:
        Spelled: it is, and TF 1 makes something else of its texts.
    """
    up = parents_of(own)
    texts: list[tuple[ast.Constant, str]] = []
    for n in walk(own):
        match n:
            case ast.Call(ast.Name("str"), [ast.Attribute() as value], []):
                if not _once(walker, value):
                    return False
            case ast.Constant(str(text)):
                texts.append((n, text))
            case ast.Attribute():
                if not isinstance(up.get(id(n)), ast.Call):
                    return False
            case ast.Call():
                return False
            case ast.BinOp() if not isinstance(n.op, ast.Add):
                return False
            case ast.BinOp() | ast.Add() | ast.Name() | ast.expr_context():
                pass
            case _:
                return False
    if not texts or not isinstance(own, ast.BinOp) or _first(own) == "/":
        return False
    names = [
        n for n in all_of(own, ast.Name) if not isinstance(up.get(id(n)), (ast.Call, ast.Attribute))
    ]
    if names:
        return False
    written: list[Written] = []
    for node, text in texts:
        new = CLEAN.sub("_", text)
        if new != text:
            written.append((node, _quoted(node, new)))
    if written:
        raise Spelled(own, REASON, written)
    return True


def _first(own: ast.expr) -> str:
    """The first letter of a sum of texts; TF 1 takes slashes away there."""
    while isinstance(own, ast.BinOp):
        own = own.left
    return str(own.value)[:1] if isinstance(own, ast.Constant) else ""


def _quoted(node: ast.AST, text: str) -> Callable[[Source], str]:
    """A text in the author's quotes."""
    return lambda source: f"{source(node)[-1]}{text}{source(node)[-1]}"


def _once(walker: Any, value: ast.Attribute) -> bool:
    """Whether an attribute is set by one statement, where its object is made, to a number."""
    if not isinstance(value.value, ast.Name):
        return False
    trees = list(walker.program())
    stores = [
        s
        for tree in trees
        for s in all_of(tree, ast.Attribute)
        if s.attr == value.attr and not isinstance(s.ctx, ast.Load)
    ]
    if len(stores) != 1 or any(_named(n) in SETTERS for tree in trees for n in walk(tree)):
        return False
    (store,) = stores
    home = next((f for f in (function_around(tree, store) for tree in trees) if f), None)
    if home is None or home.name != "__init__":
        return False  # a method may be called again
    made = [
        s.value
        for tree in trees
        for s in all_of(tree, ast.Assign)
        if len(s.targets) == 1 and s.targets[0] is store
    ]
    return len(made) == 1 and (_number(walker, made[0]) or _counted(trees, value.attr))


def _counted(trees: Iterable[ast.AST], name: str) -> bool:
    """Whether something is divided by an attribute, or counted by it: it is a number."""
    for tree in trees:
        for n in walk(tree):
            right: ast.expr | None = None
            match n:
                case ast.BinOp(_, ast.Sub() | ast.Div() | ast.FloorDiv() | ast.Pow(), divisor):
                    right = divisor
                case ast.Compare(ast.BinOp(_, ast.Mod(), most), [ast.Eq()], [ast.Constant(int())]):
                    right = most
            if getattr(right, "attr", None) == name:
                return True
            if isinstance(n, ast.Call) and getattr(n.func, "id", None) == "range":
                if any(getattr(a, "attr", None) == name for a in n.args):
                    return True
    return False


def _named(node: ast.AST) -> str:
    return str(getattr(node, "id", getattr(node, "attr", "")))


def _number(walker: Any, node: ast.expr) -> bool:
    """Whether a value is a number that is written, or the one constant of its name."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    if not isinstance(node, (ast.Attribute, ast.Name)):
        return False
    name = _named(node)
    trees = list(walker.program())
    bound = [n for tree in trees for n in walk(tree) if _binds(n, name)]
    made = [
        s.value
        for tree in trees
        for s in getattr(tree, "body", [])
        if isinstance(s, ast.Assign) and s.targets == bound
    ]
    return (
        len(bound) == 1
        and len(made) == 1
        and isinstance(made[0], ast.Constant)
        and _number(walker, made[0])
    )


def _binds(node: ast.AST, name: str) -> bool:
    """Whether something gives a name a value, or is called so."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _named(node) == name and not isinstance(node.ctx, ast.Load)
    called = (getattr(node, "arg", ""), getattr(node, "asname", ""), getattr(node, "name", ""))
    return name in called
