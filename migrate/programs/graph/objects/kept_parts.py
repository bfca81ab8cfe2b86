"""Methods that build parts of their object's graph when others call them: ``model.inference()``.

They put tensors, ops or placeholders into attributes; others only compute, or run a session.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.meaning import T
from migrate.programs.graph.objects import part_classes
from migrate.programs.graph.optimizing.training_helpers import METHODS

LAYERS = (T + "contrib.layers.", T + "contrib.slim.")
SETTINGS = ("arg_scope", "_initializer", "_regularizer", "initializer", "regularizer", "summaries")


def keeps(walker: Any, node: ast.FunctionDef, seen: frozenset[int] = frozenset()) -> bool:
    """Whether a method puts tensors, ops or placeholders into attributes."""
    inner = {f.name: f for f in all_of(node, ast.FunctionDef) if f is not node}
    made = _local(walker, node, inner, seen)
    for n in walk(node):
        if not isinstance(n, (ast.Assign, ast.AnnAssign)) or n.value is None:
            continue
        targets = [n.target] if isinstance(n, ast.AnnAssign) else n.targets
        stores = (a for t in targets for a in all_of(t, ast.Attribute))
        if any(isinstance(a.ctx, ast.Store) for a in stores) and (
            _makes(walker, n.value, inner, seen) or _computes(n.value, made)
        ):
            return True
    return any(keeps(walker, m, seen | {id(node)}) for m in walker._used(node, seen))


def _local(
    walker: Any,
    node: ast.FunctionDef,
    inner: dict[str, ast.FunctionDef],
    seen: frozenset[int],
) -> set[str]:
    """The names that a function gives to what it makes of the graph."""
    made: set[str] = set()
    for n in walk(node):
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name):
            runs = any(getattr(m, "attr", "") in ("run", "eval") for m in walk(n.value))
            if not runs and (_makes(walker, n.value, inner, seen) or _computes(n.value, made)):
                made.add(n.targets[0].id)
    return made


def _makes(
    walker: Any,
    node: ast.expr,
    inner: dict[str, ast.FunctionDef],
    seen: frozenset[int],
) -> bool:
    """Whether an expression calls what makes tensors, ops, placeholders or optimizers."""
    for n in walk(node):
        if part_classes.made_by(walker, n):
            return True
        name = walker.endpoints.get(id(n), "")
        made = meaning.PLACEHOLDERS | meaning.OPTIMIZERS | meaning.VARIABLES | meaning.LAYERS
        if name in made or (name and meaning.is_op(name) and not meaning.is_host(name)):
            return name not in meaning.SETTINGS | meaning.INITIALIZERS | meaning.SCOPES
        if name.startswith(LAYERS) and not name.endswith(SETTINGS):
            return True
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and not name:
            function = inner.get(n.func.id) or walker._module_function(n.func)
            if function is not None and _gives(walker, function, inner, seen):
                return True
    return False


def _gives(
    walker: Any,
    function: ast.FunctionDef,
    inner: dict[str, ast.FunctionDef],
    seen: frozenset[int],
) -> bool:
    """Whether a function of the program returns what it makes of the graph."""
    if id(function) in seen or walker.runs(function):
        return False
    seen |= {id(function)}
    returned = [r.value for r in all_of(function, ast.Return) if r.value is not None]
    made = _local(walker, function, inner, seen)
    return any(_makes(walker, v, inner, seen) or _computes(v, made) for v in returned)


def _computes(node: ast.expr, made: set[str]) -> bool:
    """Whether an expression is made of what has one of some names: a sum, `opt.minimize(loss)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in METHODS and _computes(node.func.value, made)
    if isinstance(node, ast.BinOp):
        return _computes(node.left, made) or _computes(node.right, made)
    if isinstance(node, ast.UnaryOp):
        return _computes(node.operand, made)
    return isinstance(node, ast.Name) and node.id in made
