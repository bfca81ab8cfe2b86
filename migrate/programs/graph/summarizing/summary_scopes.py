"""Summaries called after the scope around them: ``tf.summary.scalar(scope.name + "/loss", loss)``.

In ``with tf.variable_scope("loss") as scope:`` of a function that is called once, outside of all
scopes, what it says is written.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.making.repeated import chain
from migrate.programs.graph.meaning import T
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Spelled, Written, word

REASON = "a summary's name is computed"


def check(walker: Any, own: ast.expr, *, entered: bool) -> None:
    """See which scopes a summary's name reads the names of.

    ``entered``: the walk is in these scopes; so far it is only in those of the call otherwise.

    Raises:
        Spelled: it does, and they are constants.
    """
    reads = [n for n in all_of(own, ast.Attribute) if n.attr == "name"]
    function = function_around(walker.files.at(own).tree, own)
    blocks = _blocks(walker, function or walker.files.at(own).tree, own)
    if not reads or blocks is None:
        return
    if function is not None and not _once(walker, function):
        return
    around = [s for s in walker.scopes if not s.ops_only]
    if len(around) != (len(blocks) if entered else 0):
        return
    written: list[Written] = []
    for read in reads:
        name = _name(read, blocks)
        if name is None:
            return
        written.append((read, word(repr(name))))
    raise Spelled(own, REASON, written)


def _blocks(walker: Any, scope: ast.AST, own: ast.expr) -> list[ast.With] | None:
    """The variable scopes around a place in its function; None where another one may be."""
    found: list[ast.With] = []
    for block in chain(scope, own) or ():
        if not isinstance(block, ast.With):
            continue
        opened = [
            i.context_expr
            for i in block.items
            if isinstance(i.context_expr, ast.Call)
            and walker.endpoints.get(id(i.context_expr.func)) == T + "variable_scope"
        ]
        if opened and (len(block.items) > 1 or _said(opened[0]) is None):
            return None
        found += [block] if opened else []
    return found


def _said(call: ast.Call) -> str | None:
    """The constant that a scope is called."""
    plain = bool(call.args) and isinstance(call.args[0], ast.Constant)
    value = call.args[0].value if plain else None  # type: ignore[attr-defined]
    return value if isinstance(value, str) and value and not value.endswith("/") else None


def _name(read: ast.Attribute, blocks: list[ast.With]) -> str | None:
    """What ``scope.name`` says in these scopes."""
    if not isinstance(read.value, ast.Name):
        return None
    own = read.value.id
    for place in reversed(range(len(blocks))):
        block = blocks[place]
        stores = [
            n for n in all_of(block, ast.Name) if n.id == own and not isinstance(n.ctx, ast.Load)
        ]
        if stores:
            if stores != [block.items[0].optional_vars]:
                return None
            calls = (b.items[0].context_expr for b in blocks[: place + 1])
            return "/".join(str(_said(c)) for c in calls if isinstance(c, ast.Call))
    return None


def _once(walker: Any, function: ast.FunctionDef) -> bool:
    """Whether a file's function is called once, by such a one or the file itself, in no loop."""
    tree = walker.files.at(function).tree
    calls = known_branches.every(walker, function)
    if tree is None or function not in tree.body or known_branches.mentions(walker, function) > 1:
        return False
    if len(calls) != 1:
        return not calls and not known_branches.mentions(walker, function)
    home = walker.files.at(calls[0]).tree
    outer = function_around(home, calls[0])
    repeats = (ast.For, ast.While, ast.comprehension, ast.Lambda)
    if any(isinstance(n, repeats) for n in chain(outer or home, calls[0]) or ()):
        return False
    return outer is None or _once(walker, outer)
