"""A regularizer that the program itself applies: ``l2_regularizer(scale)(w)``.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/layers/python/layers/regularizers.py
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import children, walk
from migrate.programs.graph.model import Blocked, Kind, Region, Value

APPLIED = frozenset({Kind.VARIABLE, Kind.TENSOR, Kind.CONST})
SIMPLE = (ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def is_one(value: Value) -> bool:
    """Whether a value is a regularizer of TensorFlow's."""
    return (
        value.kind is Kind.HOST and isinstance(value.data, tuple) and value.data[0] == "regularizer"
    )


def applied(walker: Any, regularizer: ast.Call, node: ast.Call) -> Value:
    """A call of one: a penalty, of a variable or of what a run computes.

    One that has a name is a Keras regularizer under that name. Made where it is called, it is
    written out.

    Raises:
        Blocked: what it is given, or its scale, isn't seen; TF 1 gives None for a scale of zero.
    """
    _given(node, walker.arguments(node))
    l1, l2 = _scales(walker, regularizer, node)
    if node.func is not regularizer:
        walker.rewrites[id(regularizer)] = lambda writer: writer.regularizer(regularizer)
        return Value(Kind.TENSOR)
    whole = _stands_alone(walker.stmt, node)

    def written(writer: Any) -> str:
        weights = writer.source(node.args[0])
        parts = []
        if l1 is not None:
            parts.append(
                f"{_factor(l1, writer)} * {writer.tf}.reduce_sum({writer.tf}.abs({weights}))"
            )
        if l2 is not None:
            parts.append(f"{_factor(l2, writer)} * {writer.tf}.nn.l2_loss({weights})")
        text = " + ".join(parts)
        return text if whole and len(parts) == 1 else f"({text})"

    walker.rewrites[id(node)] = written
    return Value(Kind.TENSOR)


def noted(walker: Any, region: Region, node: ast.Call, values: Sequence[Value]) -> None:
    """A parameter of a function is called, which may be a regularizer."""
    assert isinstance(node.func, ast.Name)
    calls = walker.kept.setdefault(("called", id(region)), [])
    calls.append((node.func.id, node, list(values)))


def passed(walker: Any, region: Region, name: str, node: ast.Call) -> bool:
    """Whether a function gives another one a parameter of its own, which that one calls."""
    outer, target = walker.frame.region, region.node
    assert isinstance(target, ast.FunctionDef)
    names = [a.arg for a in target.args.args]
    given = dict(zip(names, node.args, strict=False)) | {k.arg: k.value for k in node.keywords}
    value = given.get(name)
    own = outer is not None and isinstance(outer.node, ast.FunctionDef)
    if not own or outer.inputs is None or not isinstance(value, ast.Name):
        return False
    outer.called.add(value.id)
    calls = walker.kept.setdefault(("called", id(outer)), [])
    for called, call, values in list(walker.kept.get(("called", id(region)), ())):
        if called == name:
            calls.append((value.id, call, values))
    return True


def handed(walker: Any, region: Region, name: str, value: Value, node: ast.Call) -> None:
    """A function that makes variables is given a regularizer, which it applies to them.

    Raises:
        Blocked: it does something else with it, or its scale isn't seen.
    """
    for called, call, values in walker.kept.get(("called", id(region)), ()):
        if called == name:
            _given(call, values)
    regularizer = value.data[1]
    _scales(walker, regularizer, node)
    walker.rewrites[id(regularizer)] = lambda writer: writer.regularizer(regularizer)


def _given(node: ast.Call, values: Sequence[Value]) -> None:
    """See that a regularizer is applied to one variable or tensor."""
    if len(node.args) != 1 or node.keywords or values[0].kind not in APPLIED:
        raise Blocked(node, "what a regularizer is given")
    if values[0].data == "container":
        raise Blocked(node, "a regularizer of several variables")


def _scales(
    walker: Any, regularizer: ast.Call, node: ast.Call
) -> tuple[ast.expr | None, ast.expr | None]:
    """The factors of a regularizer, of absolute values and of squares."""
    name, given = walker.regularizers[id(regularizer)]
    scales = {k: v for k, v in given.items() if k.startswith("scale") and k != "scope"}
    l1 = scales.get("scale_l1", scales.get("scale") if name.endswith(".l1_regularizer") else None)
    l2 = scales.get("scale_l2", scales.get("scale") if name.endswith(".l2_regularizer") else None)
    if len(scales) != (1 if (l1 is None or l2 is None) else 2) or set(given) - set(scales) - {
        "scope"
    }:
        raise Blocked(node, "a regularizer whose scale isn't seen")
    for scale in scales.values():
        if isinstance(scale, ast.Constant) and not scale.value:
            raise Blocked(scale, "a regularizer with a scale of zero")
    return l1, l2


def _factor(node: ast.expr, writer: Any) -> str:
    source: str = writer.source(node)
    return source if isinstance(node, SIMPLE) else f"({source})"


def _stands_alone(stmt: ast.stmt, node: ast.Call) -> bool:
    """Whether a product may stand where a call stood, without brackets."""
    for parent in walk(stmt):
        if any(child is node for child in children(parent)):
            if isinstance(parent, ast.BinOp):
                return isinstance(parent.op, (ast.Add, ast.Sub))
            return not isinstance(
                parent, (ast.UnaryOp, ast.Attribute, ast.Subscript, ast.Call)
            ) or (isinstance(parent, ast.Call) and parent.func is not node)
    return False
