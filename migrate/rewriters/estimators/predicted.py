"""What `predict` gives: a dict of arrays, or one array."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.syntax import stores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from migrate.rewriters.estimators.program import Program
    from migrate.rewriters.estimators.specs import Specs


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
    if _is_dict(owner.program, value):
        return True
    if isinstance(value, ast.Call) and (owner.program.called(value) or owner.makes(value)):
        return False
    sliced = isinstance(value, ast.Subscript) and isinstance(value.slice, (ast.Slice, ast.Tuple))
    if sliced or isinstance(value, ast.BinOp):
        return False
    raise Blocked(node, "whether predictions are a dict isn't seen")


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
            for n in ast.walk(stmt)
        ):
            return name
    return name
