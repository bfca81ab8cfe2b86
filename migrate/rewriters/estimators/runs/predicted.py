"""What `predict` gives: a dict of arrays, or one array."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.syntax import stores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from migrate.rewriters.estimators.models.specs import Specs
    from migrate.rewriters.estimators.program import Program
    from migrate.rewriters.estimators.scopes import Binding

# Functions that call each other are followed so far.
DEEPEST = 9


def keyed(owner: Specs) -> bool:
    """Whether predictions are a dict.

    Raises:
        Blocked: that isn't seen.
    """
    if owner.head is not None:
        return True
    node, body = owner.specs["predict"]["predictions"], owner.bodies["predict"]
    value = owner.resolved(node, body)
    if isinstance(value, ast.Name):
        value = _filled(owner.program, value, body)
    known = _told(owner.program, value)
    if known is None and isinstance(value, ast.Name):
        known = _in_branches(owner.program, value, body)
    if known is None and isinstance(value, ast.Call):
        known = False if owner.makes(value) else _returned(owner.program, value, None)
    if known is None:
        raise Blocked(node, "whether predictions are a dict isn't seen")
    return known


def _told(program: Program, value: ast.expr) -> bool | None:
    """Whether an expression is a dict, as far as it says so itself."""
    if _is_dict(program, value):
        return True
    if isinstance(value, ast.Call) and program.called(value):
        return False
    sliced = isinstance(value, ast.Subscript) and isinstance(value.slice, (ast.Slice, ast.Tuple))
    return False if sliced or isinstance(value, ast.BinOp) else None


def _in_branches(program: Program, name: ast.Name, body: Sequence[ast.stmt]) -> bool | None:
    """Whether a name is a dict, by the last that binds it, or by all branches."""
    stmt = next((s for s in reversed(body) if name.id in stores(s)), None)
    every = program.scopes.bound(program.scopes.scope(name)).get(name.id, [])
    return _alike(program, [b for b in every if b.node is stmt] or every, 0)


def _alike(program: Program, bindings: Sequence[Binding], depth: int) -> bool | None:
    """What all of some bindings of a name say."""
    found = {_bound(program, b, depth) for b in bindings}
    return found.pop() if len(found) == 1 else None


def _bound(program: Program, binding: Binding, depth: int) -> bool | None:
    """Whether a binding makes a name a dict; a part of a tuple, too."""
    value = binding.value
    if value is None or depth > DEEPEST:
        return None
    if binding.kind == "assign":
        known = _told(program, value)
        return _returned(program, value, None, depth) if known is None else known
    target = binding.node.targets[0] if isinstance(binding.node, ast.Assign) else None
    if binding.kind != "part" or not isinstance(target, (ast.Tuple, ast.List)):
        return None
    if any(isinstance(e, ast.Starred) for e in target.elts):
        return None
    if isinstance(value, ast.Call) and program.called(value).startswith("tensorflow."):
        return False
    return _returned(program, value, (binding.place, len(target.elts)), depth)


def _returned(
    program: Program, call: ast.expr, place: tuple[int, int] | None, depth: int = 0
) -> bool | None:
    """Whether what a function of the program returns, or one of so many parts of it, is a dict."""
    function = program.scopes.function(call.func) if isinstance(call, ast.Call) else None
    if function is None or function.decorator_list:
        return None
    nodes = [n for n in walk(function) if isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom))]
    found: set[bool | None] = set()
    for node in nodes:
        value = node.value if isinstance(node, ast.Return) else None
        if place is not None:
            parts = value.elts if isinstance(value, ast.Tuple) else []
            value = parts[place[0]] if len(parts) == place[1] else None
        if value is None or program.scopes.scope(node) is not function:
            return None
        if isinstance(value, ast.Name):
            # Any of what it is given in the function may be it; a parameter isn't seen.
            every = program.scopes.bound(function).get(value.id, [])
            found.add(_alike(program, every, depth + 1))
        else:
            found.add(_told(program, value))
    return found.pop() if len(found) == 1 else None


def _is_dict(program: Program, node: ast.expr) -> bool:
    plain = isinstance(node, ast.Call) and program.source(node.func) == "dict"
    return isinstance(node, ast.Dict) or plain


def _filled(program: Program, name: ast.Name, body: Sequence[ast.stmt]) -> ast.expr:
    """The dict that a name was given before items were put into it; else the name itself."""
    for stmt in reversed(body):
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        if isinstance(target, ast.Name) and target.id == name.id:
            assert isinstance(stmt, ast.Assign)
            return stmt.value if _is_dict(program, stmt.value) else name
        if name.id in stores(stmt) and any(
            isinstance(n, ast.Name) and n.id == name.id and isinstance(n.ctx, ast.Store)
            for n in walk(stmt)
        ):
            return name
    return name
