"""What a model_fn raises for settings that it isn't made for is raised by `__init__`.

def model_fn(features, …, params):             def __init__(self, params):
    if params['rate'] > 1:                          super().__init__()
        raise ValueError('too fast')                if params['rate'] > 1:
    …                                                   raise ValueError('too fast')
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.rewriters.estimators.syntax import reads

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.inits import Inits


def of(model: Inits) -> list[ast.stmt]:
    """The statements of a model_fn that only look at its settings, and raise for some."""
    found = []
    for stmt in model.function.body:
        raises = isinstance(stmt, ast.If) and not stmt.orelse
        raises = raises and all(isinstance(s, ast.Raise) for s in getattr(stmt, "body", ()))
        if (raises or isinstance(stmt, ast.Assert)) and _settled(model, stmt, 0):
            found.append(stmt)
    return found


def _settled(model: Inits, stmt: ast.stmt, depth: int) -> bool:
    """Whether a statement depends on nothing but what the model is made with."""
    if depth > 9 or not model.is_host(stmt) or any(map(model.program.endpoint, walk(stmt))):
        return False
    bound = model.program.scopes.bound(model.function)
    for name in reads(stmt) & bound.keys():
        for one in bound[name]:
            if one.kind == "param":
                if name not in model.arguments:
                    return False
            elif (
                one.kind != "assign"
                or one.node is stmt
                or one.node not in model.function.body
                or not isinstance(one.node, ast.stmt)
                or not _settled(model, one.node, depth + 1)
            ):
                return False
    return True


__all__ = ["of"]
