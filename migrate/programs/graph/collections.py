"""The trainable variables of a graph, or of one of its scopes, as the list that they are."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph import metrics, penalties, update_ops
from migrate.programs.graph.made import Scope, family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value

KEY = T + "GraphKeys.TRAINABLE_VARIABLES"
LOCAL = T + "GraphKeys.LOCAL_VARIABLES"
VARIABLES = "variables"  # a list of variables that exist once their layers have been called


@dataclass(frozen=True, slots=True)
class Owned:
    """What was made and is trained: a variable, a container of some, a layer."""

    path: str | None  # its name in TF 1, scopes included; None: not seen
    ref: str | None  # how the module calls it; None: it doesn't
    layer: ast.Call | None = None


def path_of(scopes: Iterable[Scope], name: str | None, *, ops: bool) -> str | None:
    """A name in its scopes; ``ops``: name scopes count too, as they do for `tf.Variable`."""
    parts = [s.name for s in scopes if ops or not s.ops_only]
    if name is None or None in parts or any("{" in (p or "") for p in (*parts, name)):
        return None
    return "/".join([*(p for p in parts if p), name])


def _is(walker: Any, key: ast.expr, name: str) -> bool:
    """Whether a collection's key is one of `tf.GraphKeys`, by name or by value."""
    if isinstance(key, ast.Constant):
        return bool(key.value == name)
    return bool(walker.expression(key).data == f"{T}GraphKeys.{name.upper()}")


@family(T + "trainable_variables", T + "get_collection")
def collected(walker: Any, name: str, node: ast.Call) -> Value:
    """`tf.trainable_variables()` and `tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)`."""
    given = walker.bound(name, node)
    if name.endswith("get_collection"):
        key = given.pop("key", None)
        if key is not None and walker.expression(key).data == LOCAL:
            return metrics.collected(walker, node, given.get("scope"))
        if key is not None and _is(walker, key, "update_ops"):
            return update_ops.collected(walker)
        if key is not None and _is(walker, key, "regularization_losses"):
            return penalties.listed(walker, node)
        if key is None or walker.expression(key).data != KEY:
            if not (isinstance(key, ast.Constant) and key.value == "trainable_variables"):
                raise Blocked(node, "a collection isn't followed yet")
    if walker.frame.region is None:
        raise Blocked(node, "a collection inside a function that builds")
    scope = given.get("scope")
    if scope is not None and not (isinstance(scope, ast.Constant) and scope.value is None):
        if not (isinstance(scope, ast.Constant) and isinstance(scope.value, str)):
            raise Blocked(scope, "the variables of a scope whose name is computed")
        if any(o.path is None for o in walker.owned):
            raise Blocked(node, "the variables of a scope, where the name of one isn't seen")
        if set(scope.value) & set(".*+?[]()|^$\\"):
            raise Blocked(scope, "the variables of scopes that match a pattern")
        entries = [o for o in walker.owned if str(o.path).startswith(scope.value)]
    else:
        entries = list(walker.owned)
    if any(o.ref is None and o.layer is None for o in entries):
        raise Blocked(node, "the trainable variables, some of which have no name")
    if not entries:
        raise Blocked(node, "no trainable variables are seen here")
    late = any(o.layer is not None or str(o.ref).startswith("*") for o in entries)

    def written(writer: Any) -> str:
        names: list[str] = []
        for entry in entries:
            if entry.layer is not None:
                made = writer.layers[id(entry.layer)]
                names.extend(f"*{name}.trainable_variables" for name in made)
            else:
                names.append(entry.ref or "")
        return f"[{', '.join(dict.fromkeys(names))}]"

    walker.rewrites[id(node)] = written
    walker.trainable[id(node)] = []
    return Value(Kind.TENSOR, VARIABLES) if late else Value(Kind.VARIABLE, "container")
