"""Initializers that are settings of Estimators: Keras's stand in `params` instead.

params = {'init': tf.zeros_initializer()}   params = {'init': tf.keras.initializers.Zeros()}
net = tf.layers.dense(                      self.dense = tf.keras.layers.Dense(
    x, 8, kernel_initializer=params['init'])    8, kernel_initializer=params['init'])

https://keras.io/api/layers/initializers/
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions import initializers

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.values import Values
    from migrate.rewriters.estimators.program import Program

ESTIMATOR = "tensorflow.estimator.Estimator"
UNSEEN = "an initializer that isn't seen"


def is_one(owner: Values, node: ast.expr) -> bool:
    """Whether an initializer is `params["…"]`; it is Keras's in the settings, then.

    Raises:
        Blocked: an Estimator's settings aren't seen, or the key is read by something else, too.
    """
    program = owner.program
    key = _key(node)
    if key is None:
        return False
    seen: set[int] = program.kept.setdefault(("initializers", key), set())  # type: ignore[assignment]
    if not seen:
        for value in _values(owner, node, key):
            _write(program, value)
        program.finish.append(lambda: _all_seen(program, key))
    seen.add(id(node))
    return True


def _key(node: ast.AST) -> str | None:
    """The key of `params["…"]`."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return None
    said = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return said if node.value.id == "params" and isinstance(said, str) else None


def _values(owner: Values, node: ast.expr, key: str) -> list[ast.expr]:
    """What the settings of all Estimators of a model_fn have under a key."""
    program, found = owner.program, list[ast.expr]()
    for call in program.calls():
        if program.called(call) != ESTIMATOR:
            continue
        given = program.given(call)
        if program.scopes.function(given.get("model_fn", call)) is not owner.function:
            continue
        params = program.scopes.value(given.get("params", call))
        items = zip(params.keys, params.values, strict=True) if isinstance(params, ast.Dict) else ()
        values = [v for k, v in items if isinstance(k, ast.Constant) and k.value == key]
        if len(values) != 1:
            raise Blocked(node, UNSEEN)
        found += values
    stored = [
        n
        for n in program.scopes.walk()
        if isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load)
        if isinstance(n.slice, ast.Constant) and n.slice.value == key
    ]
    if not found or stored:
        raise Blocked(node, UNSEEN)
    return found


def _write(program: Program, node: ast.expr) -> None:
    """Keras's initializer for one of TF 1, where it stands."""
    value = program.scopes.value(node)
    endpoint = program.called(value) or program.endpoint(value)
    if value is not node or not endpoint:
        raise Blocked(node, UNSEEN)
    call = value if isinstance(value, ast.Call) else None
    # Variables that begin with one object draw anew, as TF 1's did.
    source, dtype = initializers.keras(endpoint, call, program.text, program.tf, shared=True)
    if dtype is not None and not dtype.endswith("float32"):
        raise Blocked(node, "an initializer of another type than float32")
    program.edit(node, source, "Keras's initializer")


def _all_seen(program: Program, key: str) -> None:
    """See to it that nothing else reads what is Keras's now.

    Raises:
        Blocked: something does.
    """
    seen = program.kept[("initializers", key)]
    assert isinstance(seen, set)
    for node in program.scopes.walk():
        if id(node) in seen:
            continue
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            if node.slice.value == key:
                raise Blocked(node, UNSEEN)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            named = any(isinstance(a, ast.Constant) and a.value == key for a in walk(node))
            if named and node.func.attr in ("get", "pop", "items"):
                raise Blocked(node, UNSEEN)
