"""`tf.layers` as objects: `tf.layers.Conv2D(4, 3)` and the others.

One that is called where it is made is the function of its name; so is one that drops or
normalizes, as its calls say in which mode. The others stay objects, Keras's (`layer_objects`).

https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/layers
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Source, Spelled, word

CLASSES = (
    *("Dense", "Dropout", "BatchNormalization", "Flatten", "Conv1D", "Conv2D", "Conv3D"),
    *("Conv2DTranspose", "Conv3DTranspose", "SeparableConv1D", "SeparableConv2D"),
    *(f"{kind}Pooling{d}D" for kind in ("Max", "Average") for d in (1, 2, 3)),
)
MODES = frozenset({"Dropout", "BatchNormalization"})


def function(name: str) -> str:
    """The function of a class: `Conv2DTranspose` is `conv2d_transpose`."""
    name = re.sub(r"(\d)D", r"\1d", name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().replace("pooling_", "pooling")


def check(walker: Any, endpoint: str, node: ast.Call) -> None:
    """Whether an object is as good as calls of a function.

    Raises:
        Spelled: it is.
        Blocked: it has to be, and isn't.
    """
    name = endpoint.rpartition(".")[2]
    stmt = walker.stmt
    parents = parents_of(stmt)
    outer = parents.get(id(node))
    if isinstance(outer, ast.Attribute) and outer.attr in ("apply", "__call__"):
        outer = parents.get(id(outer))
    if isinstance(outer, ast.Call) and node in (outer.func, getattr(outer.func, "value", None)):
        raise Spelled(node, _reason(name), [(outer, _called(node, outer, name, {}))])
    if name in MODES:
        _in_modes(walker, name, node)


def _in_modes(walker: Any, name: str, node: ast.Call) -> None:
    stmt = walker.stmt
    reason = f"an object of tf.layers.{name} that isn't only called, by one name"
    simple = isinstance(stmt, ast.Assign) and stmt.value is node and len(stmt.targets) == 1
    target = stmt.targets[0] if simple else None
    if walker.nested or not isinstance(target, (ast.Name, ast.Attribute)):
        raise Blocked(node, reason)
    if not all(map(_plain, [*node.args, *(k.value for k in node.keywords)])):
        raise Blocked(node, f"what an object of tf.layers.{name} is told isn't written out")
    said = ast.unparse(target)
    tree = walker.files.at(node).tree
    space = walker.frame.node if isinstance(target, ast.Name) else tree
    uses: list[ast.expr]
    if isinstance(target, ast.Attribute):
        if not isinstance(target.value, ast.Name) or target.value.id != "self":
            raise Blocked(node, reason)
        uses = [n for n in all_of(tree, ast.Attribute) if n.attr == target.attr]
    else:
        uses = [n for n in all_of(space, ast.Name) if n.id == target.id]
    parents = parents_of(space)
    changes: list[tuple[ast.AST, Callable[[Source], str | None]]] = [(stmt, word(""))]
    calls: list[ast.Call] = []
    for use in uses:
        if use is target:
            continue
        outer = parents.get(id(use))
        if isinstance(outer, ast.Attribute) and outer.attr in ("apply", "__call__"):
            outer = parents.get(id(outer))
        if ast.unparse(use) != said or not isinstance(outer, ast.Call):
            raise Blocked(node, reason)
        if use not in (outer.func, getattr(outer.func, "value", None)):
            raise Blocked(node, reason)
        calls.append(outer)
    calls.sort(key=lambda c: (c.lineno, c.col_offset))
    own = next((k.value for k in node.keywords if k.arg == "name"), None)
    if name == "BatchNormalization" and len(calls) > 1 and own is None:
        raise Blocked(node, f"an object of tf.layers.{name} without a name that is called again")
    for place, call in enumerate(calls):
        more = {"reuse": "True"} if place and name == "BatchNormalization" else {}
        changes.append((call, _called(node, call, name, more)))
    raise Spelled(node, _reason(name), changes)


def _called(
    node: ast.Call, outer: ast.Call, name: str, more: dict[str, str]
) -> Callable[[Source], str | None]:
    """The call of the function, from that of the class and that of its object."""

    def written(source: Source) -> str | None:
        func = source(node.func)
        root = func[: -len(name)] if func.endswith("." + name) else None
        if root is None:
            return None
        mode = [source(a) for a in outer.args[1:]]
        parts = [source(a) for a in outer.args[:1]] + [source(a) for a in node.args]
        keywords = [f"{k.arg}={source(k.value)}" for k in (*node.keywords, *outer.keywords)]
        keywords += [f"training={m}" for m in mode]
        keywords += [f"{k}={v}" for k, v in more.items()]
        return f"{root}{function(name)}({', '.join([*parts, *keywords])})"

    return written


def _plain(node: ast.expr) -> bool:
    """Whether an argument says the same wherever it stands."""
    return not any(isinstance(n, (ast.Name, ast.Call, ast.Lambda)) for n in walk(node)) or (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    )


def _reason(name: str) -> str:
    return f"an object of tf.layers.{name} isn't followed here"
