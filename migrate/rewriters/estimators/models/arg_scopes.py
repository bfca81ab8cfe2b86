"""`arg_scope`s around a model_fn's layers, and batch normalizations that layers are given.

    with slim.arg_scope(                        self.fc1 = tf.keras.layers.Dense(8, use_bias=False)
            [slim.fully_connected],             self.batch_normalization = BatchNormalization(…)
            normalizer_fn=slim.batch_norm):
        net = slim.fully_connected(             net = tf.nn.relu(self.batch_normalization(
            net, 8, scope='fc1')                    self.fc1(net), training=True))

https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/contrib/framework/arg_scope
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.layering.layers import ARG_SCOPE, NORM
from migrate.programs.graph.made import Layer, Norm
from migrate.programs.graph.meaning import CONTRIB_LAYERS
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.models import normalizers
from migrate.rewriters.estimators.program import LAYERS
from migrate.rewriters.estimators.syntax import root
from migrate.rewriters.sessions import layers as keras

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

SWITCH = "is_training"


def opens(program: Program, item: ast.withitem, stmt: ast.With) -> bool:
    """Whether a block opens an arg_scope, which gives arguments to what is called right in it.

    Raises:
        Blocked: it is one of a function, has a name, or functions are called in it.
    """
    call = item.context_expr
    if program.called(call) != ARG_SCOPE or not isinstance(call, ast.Call):
        return False
    if item.optional_vars is not None:
        raise Blocked(call, "an arg_scope that is handed on")
    _told(program, call)
    for node in (n for s in stmt.body for n in walk(s)):
        function = program.scopes.function(node.func) if isinstance(node, ast.Call) else None
        if function is not None and _layered(program, function, set()):
            raise Blocked(node, f"`{function.name}`, which is called in an arg_scope")
    return True


def given(program: Program, endpoint: str, call: ast.AST) -> dict[str, ast.expr]:
    """What the arg_scopes around a call give to an endpoint."""
    found: list[dict[str, ast.expr]] = []
    for above in program.scopes.around(call):
        if isinstance(above, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            break
        items = reversed(above.items) if isinstance(above, ast.With) else ()
        calls = [i.context_expr for i in items if program.called(i.context_expr) == ARG_SCOPE]
        found += [_told(program, c).get(endpoint, {}) for c in calls if isinstance(c, ast.Call)]
    return {k: v for each in reversed(found) for k, v in each.items()}


def norm(program: Program, layer: Layer, *, updates: bool) -> Norm | None:
    """The batch normalization that follows in a layer, if it is given one.

    Raises:
        Blocked: it is given another function, or its arguments aren't seen.
    """
    function = layer.given.pop("normalizer_fn", None)
    params = layer.given.pop("normalizer_params", None)
    if function is None or (isinstance(function, ast.Constant) and function.value is None):
        return None
    normalizers.dropped(program, layer.call)
    if program.endpoint(program.scopes.value(function)) != NORM:
        raise Blocked(function, "`normalizer_fn` of a layer")
    said = given(program, NORM, layer.call) | (_entries(program, params) if params else {})
    nodes = said.get("updates_collections")
    at_once = isinstance(nodes, ast.Constant) and nodes.value is None
    if nodes is not None and not at_once:
        raise Blocked(nodes, "updates in a collection of their own")
    if "activation_fn" in said or "scope" in said:
        raise Blocked(function, "these arguments of a `normalizer_fn`")
    switch = said.get(SWITCH)
    # What it is made with, and what it is told when it is applied.
    others = [v for k, v in said.items() if k != SWITCH]
    layer.given["normalizer_params"] = ast.copy_location(ast.List(others, ast.Load()), layer.call)
    if switch is not None:
        layer.given[SWITCH] = switch
    return Norm(
        layer.call, said, switch, True, at_once, False, frozen=not (updates or at_once)
    )  # as `tf.contrib.layers` has it


def _told(program: Program, call: ast.Call) -> dict[str, dict[str, ast.expr]]:
    """What an arg_scope gives, by endpoint.

    Raises:
        Blocked: that isn't seen.
    """
    if len(call.args) != 1 or not isinstance(call.args[0], (ast.List, ast.Tuple)):
        raise Blocked(call, "an arg_scope that a function gives")
    values: dict[str, ast.expr] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            values |= _entries(program, keyword.value)
        else:
            values[keyword.arg] = keyword.value
    found = {}
    for listed in call.args[0].elts:
        endpoint = program.endpoint(listed)
        layer = keras.known(endpoint) or endpoint.endswith(".dropout")
        if endpoint not in CONTRIB_LAYERS or endpoint in LAYERS or not layer:
            raise Blocked(listed, f"an arg_scope of `{ast.unparse(listed)}`")
        found[endpoint] = values
    return found


def _entries(program: Program, node: ast.expr) -> dict[str, ast.expr]:
    """A dict of arguments.

    Raises:
        Blocked: it isn't seen.
    """
    value = program.scopes.value(node)
    changed = isinstance(node, ast.Name) and any(
        root(n) == node.id
        for n in all_of(program.scopes.scope(node), ast.Subscript)
        if not isinstance(n.ctx, ast.Load)
    )
    found: dict[str, ast.expr] = {}
    if isinstance(value, ast.Dict):
        for key, item in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found[key.value] = item
    elif isinstance(value, ast.Call) and ast.unparse(value.func) == "dict" and not value.args:
        found = {k.arg: k.value for k in value.keywords if k.arg is not None}
    size = len(getattr(value, "keys", getattr(value, "keywords", ())))
    if changed or not found or len(found) != size:
        raise Blocked(node, "a layer's arguments come from a dict that isn't seen")
    return found


def _layered(program: Program, function: ast.FunctionDef, seen: set[int]) -> bool:
    """Whether a function calls something that an arg_scope may give arguments."""
    seen.add(id(function))
    for node in walk(function):
        if program.endpoint(node) in CONTRIB_LAYERS:
            return True
        inner = program.scopes.function(node.func) if isinstance(node, ast.Call) else None
        if inner is not None and id(inner) not in seen and _layered(program, inner, seen):
            return True
    return False
