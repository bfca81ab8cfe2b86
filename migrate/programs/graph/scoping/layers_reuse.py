"""``reuse=reuse`` of layers in a function: its calls say whether the variables are used again."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.made import Layer
from migrate.programs.graph.meaning import SCOPES, T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.scoping.scopes import (
    AUTO,
    REUSE,
    Reuse,
    again,
    agreed,
    by_parameter,
    mode,
    note,
)
from migrate.programs.graph.wording import known_branches

NAMED = frozenset({"name", "scope"})
STRAIGHT = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)
STATELESS = ("pooling1d", "pooling2d", "pooling3d", "pool2d", "pool3d", "flatten")
COMPUTED = "whether variables are used again is computed"


def mode_of(walker: Any, value: ast.expr | None) -> Reuse:
    """What the ``reuse`` of a layer says; nothing of its own where a parameter says it.

    Raises:
        Blocked: a parameter says it, and other variables of the function don't hear of it.
    """
    region = walker.frame.region
    if value is None or region is None or region.inputs is None:
        return mode(value)
    told = _by_calls(walker, region, value)
    if not told and mode(value) != AUTO:
        return mode(value)
    inside = _told_by_scopes(walker, region, value)
    if any(
        not _hears(walker, c, value) for c in all_of(region.node, ast.Call) if id(c) not in inside
    ):
        if told:
            raise Blocked(value, COMPUTED)
        return AUTO
    if not told:
        note(walker, region, AUTO)
    return False


def unsure(walker: Any, value: ast.expr | None) -> bool:
    """Whether a layer's ``reuse`` is ``tf.AUTO_REUSE``, or as good as that."""
    region = walker.frame.region
    if region is not None and region.inputs is not None and value is not None:
        if _by_calls(walker, region, value):
            return False
    return mode(value) == AUTO


def _by_calls(walker: Any, region: Any, value: ast.expr) -> bool:
    """Whether a function's parameter says what is used again."""
    if isinstance(value, ast.Name) and value.id in REUSE and value.id in _parameters(region):
        return True
    return isinstance(value, (ast.Name, ast.UnaryOp)) and by_parameter(walker, region, value)


def first_unnamed(walker: Any, layer: Layer) -> Layer | None:
    """The first layer of its kind without a name, which one more without, told to, finds again.

    TF 1.15.5's tensorflow/python/layers/base.py, `_set_scope`: it opens the scope ``dense`` itself,
    not the next one.
    """
    if not layer.endpoint.startswith(T + "layers.") or NAMED & set(layer.given):
        return None
    body = getattr(walker.frame.node, "body", [])
    here = {id(n) for stmt in body if isinstance(stmt, STRAIGHT) for n in walk(stmt)}
    alike = [
        other
        for key, other in walker.layers.items()
        if key not in walker.past and other.endpoint == layer.endpoint
        if not NAMED & set(other.given)
    ]
    if not alike or any(id(other.call) not in here for other in alike):
        return None
    first: Layer = alike[0]
    return first if first.same is None and first.path == layer.path else None


def told_alike(walker: Any, layer: Layer) -> Layer | None:
    """The layer of the same function that is given the same scope, under a parameter's name.

    ``batch_norm(x, True, reuse=None, scope=name)``, then ``batch_norm(x, False, reuse=True,
    scope=name)``.
    """
    function = walker.frame.node
    own = [v for k, v in layer.given.items() if k in NAMED]
    if not isinstance(function, ast.FunctionDef) or len(own) != 1 or layer.path is not None:
        return None
    inside = {id(n) for n in walk(function)}
    parts = list(walk(own[0]))
    fixed = (ast.Name, ast.Constant, ast.BinOp, ast.operator, ast.JoinedStr, ast.FormattedValue)
    names = {n.id for n in parts if isinstance(n, ast.Name)}
    stores = [n for n in all_of(function, ast.Name) if n.id in names]
    if not all(isinstance(n, fixed) for n in parts) or not names <= {
        a.arg for a in function.args.args
    }:
        return None
    if any(not isinstance(n.ctx, ast.Load) for n in stores):
        return None
    said = ast.dump(own[0])
    for key, other in walker.layers.items():
        if key in walker.past or id(other.call) not in inside or other.same is not None:
            continue
        if other.endpoint == layer.endpoint and other.scopes == layer.scopes:
            if [ast.dump(v) for k, v in other.given.items() if k in NAMED] == [said]:
                found: Layer = other
                return found
    return None


def told_by(walker: Any, region: Any, given: dict[str, ast.expr]) -> list[Reuse]:
    """What a call's arguments say of the variables.

    Raises:
        Blocked: nothing is said.
    """
    args = region.node.args
    defaults = zip(reversed(args.args), reversed(args.defaults), strict=False)
    values = {a.arg: value for a, value in defaults} | given
    found = [mode_of(walker, agreed(walker, v)) for name, v in values.items() if name in REUSE]
    for name, negated in walker.kept.get(("reuse by",), {}).get(id(region), ()):
        if negated is None:
            continue  # as good as `tf.AUTO_REUSE`
        value = values.get(name)
        if value is None:
            raise Blocked(region.node, COMPUTED)
        constant = isinstance(value, ast.Constant)
        found.append(bool(value.value) is not negated if constant else AUTO)
    return found


def _parameters(region: Any) -> set[str]:
    names = {a.arg for a in region.node.args.args}
    stores = (n for n in all_of(region.node, ast.Name))
    return names - {n.id for n in stores if not isinstance(n.ctx, ast.Load)}


def _told_by_scopes(walker: Any, region: Any, value: ast.expr) -> set[int]:
    """What stands in a function's scopes that are told the same, or behind what tells its own."""
    said = [i for i, s in enumerate(region.node.body) if _same(again(s), value)]
    behind = {id(n) for stmt in region.node.body[said[0] :] for n in walk(stmt)} if said else set()
    return behind | {
        id(n)
        for block in all_of(region.node, ast.With)
        if any(_says(walker, i, value) for i in block.items)
        for stmt in block.body
        for n in walk(stmt)
    }


def _says(walker: Any, item: ast.withitem, value: ast.expr) -> bool:
    call = item.context_expr
    if not isinstance(call, ast.Call) or walker.endpoints.get(id(call.func)) not in SCOPES:
        return False
    return _same(next((k.value for k in call.keywords if k.arg == "reuse"), None), value)


def _same(said: ast.expr | None, value: ast.expr) -> bool:
    return said is not None and ast.dump(said) == ast.dump(value)


def _hears(walker: Any, call: ast.Call, value: ast.expr) -> bool:
    """Whether a call makes no variables, or is told the same."""
    name = walker.endpoints.get(id(call.func), "")
    if not name:
        return all(_passed_on(c, call, value) for c in _callees(walker, call))
    if name in meaning.VARIABLES | meaning.CELLS:
        return False
    if name not in meaning.MAKING or name.endswith(STATELESS):
        return True
    return _same(next((k.value for k in call.keywords if k.arg == "reuse"), None), value)


def _callees(walker: Any, call: ast.Call) -> list[ast.FunctionDef]:
    """What a call may call that makes variables."""
    own = walker._module_function(call.func)
    methods = walker._methods(call.func) if isinstance(call.func, ast.Attribute) else []
    return [f for f in ([own] if own is not None else methods) if walker._variables_made(f)]


def _passed_on(callee: ast.FunctionDef, call: ast.Call, value: ast.expr) -> bool:
    """Whether a call gives on what its own function is told."""
    first = callee.args.args[0].arg if callee.args.args else ""
    given = ast.Call(call.func, [call.func, *call.args], call.keywords) if first == "self" else call
    return _same(known_branches.place(callee, given, "reuse"), value)
