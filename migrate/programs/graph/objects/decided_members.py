"""Branches of a class that all who make its objects decide: ``if is_training:`` in ``__init__``.

What a branch makes of a graph an object may or may not have. Where every object of a program is
made with the same answer, given or a default, that way's statements stand for the condition. The
answer may come through other parameters and through an attribute that is set once.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import own_nodes
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.objects import own_attributes
from migrate.programs.graph.wording.branched import Branched
from migrate.programs.graph.wording.known_branches import chosen, cut, every, place
from migrate.programs.graph.wording.spelled import Spelled, Written

DEPTH = 6
SAME = (ast.Eq, ast.Is)
OTHERS = (ast.NotEq, ast.IsNot)


class Unseen(Exception):
    """A value that isn't a constant in the program's text."""


def check(walker: Any, stmt: ast.If, error: Blocked) -> None:
    """See whether all objects go the same way through a branch that isn't followed.

    An optimizer may stand behind its branch, with all ways there: that is tried first.

    Raises:
        Spelled: they do.
    """
    region, method = walker.frame.region, walker.frame.node
    if walker.nested and not walker.loops:
        return
    if region is None or not isinstance(region.node, ast.ClassDef):
        return
    if not isinstance(method, ast.FunctionDef) or method not in region.node.body:
        return
    try:
        found = {_holds(stmt.test, v) for v in _values(walker, method, _asked(stmt.test), 0)}
    except Unseen:
        return
    if len(found) != 1:
        return
    branch = stmt.body if found == {True} else stmt.orelse
    returns = any(isinstance(n, ast.Return) for s in branch for n in walk(s))
    if returns and _last(method) is not stmt:
        return
    replaced: list[Written] = [(stmt, chosen(stmt, branch))]
    asked = _asked(stmt.test)
    if isinstance(asked, ast.Name):
        replaced += _without(walker, method, asked)
    other = error if isinstance(error, Spelled) else None
    decided = Spelled(error.node, error.reason, replaced, otherwise=other)
    if not isinstance(error, Branched):
        raise decided
    if error.decided is None:
        error.decided = decided


def _last(method: ast.FunctionDef) -> ast.stmt:
    """What a method ends with, inside of blocks that it opens."""
    last = method.body[-1]
    while isinstance(last, ast.With):
        last = last.body[-1]
    return last


def ends(walker: Any, method: ast.AST, stmt: ast.If, reason: str) -> None:
    """See whether all objects go the same way through a branch that a method ends in.

    Raises:
        Spelled: they do; that way's statements stand for it, with what it returns.
    """
    asked = _asked(stmt.test)
    if not isinstance(method, ast.FunctionDef) or not isinstance(asked, ast.Attribute):
        return
    try:
        found = {_holds(stmt.test, v) for v in _values(walker, method, asked, 0)}
    except Unseen:
        return
    branch = stmt.body if found == {True} else stmt.orelse
    if len(found) == 1 and branch:
        raise Spelled(stmt, reason, [(stmt, chosen(stmt, branch))])


def _without(walker: Any, method: ast.FunctionDef, asked: ast.Name) -> list[Written]:
    """A method and its calls without a parameter that nothing else reads; nothing: it stays."""
    args = method.args
    reads = [n for n in all_of(method, ast.Name) if n.id == asked.id]
    if len(reads) != 1 or args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return []
    names = [a.arg for a in args.args]
    defaults: list[ast.expr | None] = [None] * (len(names) - len(args.defaults))
    params = [(a, d or a) for a, d in zip(args.args, [*defaults, *args.defaults], strict=True)]
    found = [cut(params, names.index(asked.id))]
    home = walker.files.at(method)
    for call in every(walker, method):
        value = place(method, call, asked.id)
        if walker.files.at(call.func) is not home:
            return []
        if value is None:
            continue
        given = [*call.args[1:], *call.keywords]
        mine = [i for i, n in enumerate(given) if getattr(n, "value", n) is value or n is value]
        if len(given) < 2 or len(mine) != 1:
            return []
        found.append(cut([(n, n) for n in given], mine[0]))
    return found


def _asked(test: ast.expr) -> ast.expr:
    """What a condition asks: a name or an attribute of the object."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asked(test.operand)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        if isinstance(test.comparators[0], ast.Constant):
            return test.left
    return test


def _holds(test: ast.expr, value: object) -> bool:
    """Whether a condition holds for a value."""
    if isinstance(test, ast.UnaryOp):
        return not _holds(test.operand, value)
    if isinstance(test, ast.Compare):
        other = test.comparators[0]
        if not isinstance(other, ast.Constant):
            raise Unseen
        identity = isinstance(test.ops[0], (ast.Is, ast.IsNot))
        same = other.value == value and not (identity and type(other.value) is not type(value))
        if isinstance(test.ops[0], SAME):
            return same
        if isinstance(test.ops[0], OTHERS):
            return not same
        raise Unseen
    return bool(value)


def _values(walker: Any, method: ast.FunctionDef, node: ast.expr, depth: int) -> set[object]:
    """The constants that an expression of a method, or of a function, may be.

    Raises:
        Unseen: it may be something else.
    """
    if isinstance(node, ast.Constant):
        return {node.value}
    if depth > DEPTH:
        raise Unseen
    if isinstance(node, ast.Attribute):
        return _attribute(walker, method, node, depth)
    if not isinstance(node, ast.Name) or _stored(method, node.id):
        raise Unseen
    calls = every(walker, method)
    if not calls:
        raise Unseen
    found: set[object] = set()
    for call in calls:
        given = place(method, call, node.id)
        caller = own_nodes.function_around(walker.tree, call.func)
        if given is not None:
            found |= _values(walker, caller, given, depth + 1) if caller else _module(walker, given)
        else:
            found |= _plain(_default(method, call, node.id))
    return found


def _attribute(
    walker: Any, method: ast.FunctionDef, node: ast.Attribute, depth: int
) -> set[object]:
    """What ``self.training`` may be, which one statement of the class sets."""
    home = next((n for n in all_of(walker.tree, ast.ClassDef) if method in n.body), None)
    own = method.args.args[0].arg if method.args.args else ""
    if home is None or not isinstance(node.value, ast.Name) or node.value.id != own:
        raise Unseen
    stores = own_attributes.stores(walker, home, node.attr)
    for member in home.body:
        for stmt in walk(member) if isinstance(member, ast.FunctionDef) else ():
            if isinstance(stmt, ast.Assign) and stmt.targets == stores:
                assert isinstance(member, ast.FunctionDef)
                return _values(walker, member, stmt.value, depth + 1)
    raise Unseen


def _module(walker: Any, node: ast.expr) -> set[object]:
    """What an expression of a module is: a constant, or a name that is set to one and no more."""
    if not isinstance(node, ast.Name):
        return _plain(node)
    stores = [n for n in all_of(walker.tree, ast.Name) if n.id == node.id]
    stores = [n for n in stores if not isinstance(n.ctx, ast.Load)]
    for stmt in walk(walker.tree):
        if isinstance(stmt, ast.Assign) and stmt.targets == stores:
            return _plain(stmt.value)
    raise Unseen


def _plain(node: ast.expr | None) -> set[object]:
    if not isinstance(node, ast.Constant):
        raise Unseen
    return {node.value}


def _default(method: ast.FunctionDef, call: ast.Call, name: str) -> ast.expr | None:
    """What a parameter is where a call leaves it out."""
    spread = any(isinstance(a, ast.Starred) for a in call.args)
    if spread or any(k.arg is None for k in call.keywords):
        raise Unseen
    names = [a.arg for a in method.args.args]
    return dict(zip(reversed(names), reversed(method.args.defaults), strict=False)).get(name)


def _stored(method: ast.FunctionDef, name: str) -> bool:
    """Whether a method sets a name, or doesn't have it as a parameter."""
    if name not in [a.arg for a in method.args.args]:
        return True
    return any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for n in walk(method)
    )
