"""``reuse=reuse`` of layers in a function: its calls say whether the variables are used again."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph import meaning
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.scopes import REUSE, Reuse, by_parameter, mode

STATELESS = ("pooling1d", "pooling2d", "pool2d", "flatten")
COMPUTED = "whether variables are used again is computed"


def mode_of(walker: Any, value: ast.expr | None) -> Reuse:
    """What the ``reuse`` of a layer says; nothing of its own where a parameter says it.

    Raises:
        Blocked: it is computed, or other variables of the function don't hear of it.
    """
    region = walker.frame.region
    if value is None or region is None or region.inputs is None:
        return mode(value)
    if not isinstance(value, (ast.Name, ast.UnaryOp)):
        return mode(value)
    told = isinstance(value, ast.Name) and value.id in REUSE and value.id in _parameters(region)
    if not told and not by_parameter(walker, region, value):
        return mode(value)
    if any(not _hears(walker, call, value) for call in _calls(region.node)):
        raise Blocked(value, COMPUTED)
    return False


def _parameters(region: Any) -> set[str]:
    names = {a.arg for a in region.node.args.args}
    stores = (n for n in walk(region.node) if isinstance(n, ast.Name))
    return names - {n.id for n in stores if not isinstance(n.ctx, ast.Load)}


def _calls(node: ast.AST) -> list[ast.Call]:
    return [n for n in walk(node) if isinstance(n, ast.Call)]


def _hears(walker: Any, call: ast.Call, value: ast.expr) -> bool:
    """Whether a call makes no variables, or is told the same."""
    name = walker.endpoints.get(id(call.func), "")
    if not name:
        callee = walker._module_function(call.func)
        return callee is None or not walker._variables_made(callee)
    if name in meaning.VARIABLES | meaning.CELLS:
        return False
    if name not in meaning.MAKING or name.endswith(STATELESS):
        return True
    said = next((k.value for k in call.keywords if k.arg == "reuse"), None)
    return said is not None and ast.dump(said) == ast.dump(value)
