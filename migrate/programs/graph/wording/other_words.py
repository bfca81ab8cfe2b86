"""Layers and metrics of TF 1 in other words of TF 1, which are followed.

A normalizer of the program's own is called behind its layer, the pairs of a map of metrics are made
one by one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.engine.trees import all_of, holds, parents_of, walk
from migrate.programs.graph.layering.total_losses import tensorflow
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.wording.spelled import Source, Spelled, free, word

CONTRIB = T + "contrib.layers."
METRICS = tuple(
    T + f"contrib.{part}.{name}"
    for part in ("metrics", "slim.metrics")
    for name in ("aggregate_metric_map", "aggregate_metrics")
)
RELU = frozenset({"fully_connected", "relu"})


def changed(node: ast.Call, source: Source, values: dict[str, str | None]) -> str:
    """A call with other keywords; None: without one."""
    parts = [source(a) for a in node.args]
    for keyword in node.keywords:
        if keyword.arg is None:
            parts.append(f"**{source(keyword.value)}")
        elif keyword.arg not in values:
            parts.append(f"{keyword.arg}={source(keyword.value)}")
    parts += [f"{name}={value}" for name, value in values.items() if value is not None]
    return f"{source(node.func)}({', '.join(parts)})"


def _indent(stmt: ast.stmt) -> str:
    return " " * stmt.col_offset


def _named(walker: Any, node: ast.Call, wish: str) -> tuple[str, ast.stmt, bool]:
    """What a call's result is called; the statement, and whether that is all it does.

    Raises:
        Blocked: it stands where no statement can stand before it.
    """
    stmt = walker.stmt
    if isinstance(stmt, (ast.Assign, ast.Return, ast.Expr)) and stmt.value is not None:
        whole = stmt.value is node
        if whole and isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
            if isinstance(stmt.targets[0], ast.Name):
                return stmt.targets[0].id, stmt, True
        if whole or _first(stmt.value, node):
            return free(walker, wish), stmt, False
    raise Blocked(node, f"`{ast.unparse(node.func)}` inside of another expression")


def _first(value: ast.expr, node: ast.Call) -> bool:
    """Whether a call is what a statement computes before all else."""
    while value is not node:
        inner = [*getattr(value, "args", ()), *(k.value for k in getattr(value, "keywords", ()))]
        if not isinstance(value, ast.Call) or not inner or not holds(inner[0], node):
            return False
        if any(isinstance(n, ast.Call) for n in walk(value.func)) or isinstance(
            inner[0], ast.Lambda
        ):
            return False
        value = inner[0]
    return True


def normalizer(walker: Any, layer: Any, function: ast.expr, given: dict[str, ast.expr]) -> None:
    """``conv2d(x, 4, 3, normalizer_fn=norm)``: the norm is called behind the layer.

    Raises:
        Spelled: it can be.
    """
    node, reason = layer.call, "a normalizer that isn't one of TensorFlow's"
    params = layer.given.get("normalizer_params")
    if walker.nested or (params is not None and not isinstance(params, (ast.Dict, ast.Constant))):
        raise Blocked(function, reason)
    name, stmt, whole = _named(walker, node, "hidden")
    if isinstance(stmt, ast.Expr):
        raise Blocked(function, reason)
    pairs = (
        []
        if params is None or not isinstance(params, ast.Dict)
        else list(zip(params.keys, params.values, strict=True))
    )
    if not all(isinstance(k, ast.Constant) and isinstance(k.value, str) for k, _ in pairs):
        raise Blocked(function, reason)
    makes = walker.expression(function).kind is Kind.FUNCTION and walker._variables_made(
        walker.expression(function).data.node
    )
    scope = layer.given.get("scope")
    if makes and not isinstance(scope, ast.Constant):
        raise Blocked(function, "a normalizer with variables, in a layer without a scope")
    short = layer.endpoint.rpartition(".")[2]
    activation = layer.given.get("activation_fn")
    tf = tensorflow(walker, node)

    def lines(source: Source) -> list[str]:
        gone = {"normalizer_fn": "None", "normalizer_params": None, "activation_fn": "None"}
        gone["biases_initializer"] = "None"
        of = source(function)
        called = f"({of})" if isinstance(function, ast.Lambda) else of
        said = [name, *(f"{k.value}={source(v)}" for k, v in pairs)]  # type: ignore[union-attr]
        norm = f"{name} = {called}({', '.join(said)})"
        found = [f"{name} = {changed(node, source, gone)}"]
        if makes:
            found += [f"with {tf}.variable_scope({source(scope)}):", f"    {norm}"]
        else:
            found.append(norm)
        if activation is None and not short.startswith("linear"):
            found.append(f"{name} = {tf}.nn.relu({name})")
        elif activation is not None and not _none(activation):
            act = source(activation)
            act = f"({act})" if isinstance(activation, ast.Lambda) else act
            found.append(f"{name} = {act}({name})")
        return found

    _written(node, reason, stmt, name, whole, lines)


def _written(
    node: ast.Call,
    reason: str,
    stmt: ast.stmt,
    name: str,
    whole: bool,
    lines: Callable[[Source], list[str]],
) -> None:
    """A call as several statements: in place of its own, or above it."""
    if whole:
        joined = f"\n{_indent(stmt)}"
        raise Spelled(node, reason, [(stmt, lambda source: joined.join(lines(source)))])
    raise Spelled(node, reason, [(node, lambda _: name)], [(stmt, lines)])


@family(CONTRIB + "sum_regularizer")
def sum_regularizer(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """The sum of an L1 and an L2 penalty: TF 1 has one of both.

    Raises:
        Spelled: these are its parts.
    """
    reason = "tf.contrib.layers.sum_regularizer with these arguments"
    given = walker.bound(endpoint, node)
    listed = given.get("regularizer_list")
    if not isinstance(listed, (ast.List, ast.Tuple)):
        raise Blocked(node, reason)
    scales: dict[str, ast.expr] = {}
    for part in listed.elts:
        walker.expression(part)
        name, told = walker.regularizers.get(id(part), ("", {}))
        kind = name.rpartition(".")[2].removesuffix("_regularizer")
        if kind not in ("l1", "l2") or kind in scales or "scale" not in told:
            raise Blocked(node, reason)
        scales[kind] = told["scale"]

    def written(source: Source) -> str:
        root = source(node.func).removesuffix("sum_regularizer")
        said = ", ".join(f"scale_{kind}={source(scale)}" for kind, scale in scales.items())
        one = f"{next(iter(scales))}_regularizer" if len(scales) == 1 else "l1_l2_regularizer"
        said = said if len(scales) > 1 else source(next(iter(scales.values())))
        return f"{root}{one}({said})"

    if not source_of_name(node.func):
        raise Blocked(node, reason)
    raise Spelled(node, reason, [(node, written)])


def source_of_name(func: ast.expr) -> bool:
    """Whether an endpoint is taken from its module, beside which others are."""
    return isinstance(func, ast.Attribute)


@family(CONTRIB + "convolution", T + "contrib.slim.convolution")
def convolution(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """A convolution over as many dimensions as its kernel has.

    Raises:
        Spelled: they are seen.
    """
    size = walker.bound(CONTRIB + "convolution2d", node).get("kernel_size")
    if not isinstance(size, (ast.List, ast.Tuple)) or not isinstance(node.func, ast.Attribute):
        raise Blocked(node, "a convolution whose dimensions aren't told by its kernel")

    def written(source: Source) -> str:
        root = source(node.func).removesuffix("convolution")
        return f"{root}conv{len(size.elts)}d"

    raise Spelled(node, "tf.contrib.layers.convolution", [(node.func, written)])


@family(*METRICS)
def aggregated(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """``values, updates = aggregate_metric_map({…})``: the pairs are made one by one.

    Raises:
        Spelled: they are written there.
    """
    reason = f"tf{endpoint.removeprefix('tensorflow')} of what isn't written there"
    stmt = walker.stmt
    pair = stmt.targets[0] if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
    if walker.nested or stmt.value is not node or not isinstance(pair, ast.Tuple):
        raise Blocked(node, reason)
    if len(pair.elts) != 2 or node.keywords:
        raise Blocked(node, reason)
    mapped = endpoint.endswith("_map")
    if mapped:
        (shown,) = node.args
        if not isinstance(shown, ast.Dict) or not all(map(_word, shown.keys)):
            raise Blocked(node, reason)
        keys = [str(k.value) for k in shown.keys]  # type: ignore[union-attr]
        made = shown.values
    else:
        made = node.args
        keys = [f"metric_{k}" for k in range(len(made))]
    if not all(isinstance(m, ast.Call) for m in made):
        raise Blocked(node, reason)
    names: list[tuple[str, str]] = []
    for key in keys:
        base = "".join(c if c.isalnum() else "_" for c in key).strip("_") or "metric"
        base = base if base.isidentifier() else f"metric_{base}"
        taken = [n for both in names for n in both]
        first = free(walker, f"{base}_value", taken)
        names.append((first, free(walker, f"{base}_update", [*taken, first])))

    scope = walker.frame.node
    changes: list[tuple[ast.AST, Callable[[Source], str | None]]] = []
    for place, target in enumerate(pair.elts):
        own = [both[place] for both in names]
        if not isinstance(target, ast.Name) or not _uses(scope, target, keys, own, mapped, changes):
            raise Blocked(node, reason)

    def lines(source: Source) -> str:
        return f"\n{_indent(stmt)}".join(
            f"{value}, {update} = {source(call)}"
            for (value, update), call in zip(names, made, strict=True)
        )

    raise Spelled(node, reason, [(stmt, lines), *changes])


def _uses(
    scope: ast.AST,
    target: ast.Name,
    keys: list[str],
    own: list[str],
    mapped: bool,
    changes: list[tuple[ast.AST, Callable[[Source], str | None]]],
) -> bool:
    """What reads a map or a list of metrics reads its parts; False where that isn't told."""
    parents = parents_of(scope)
    pairs = ", ".join(f"{k!r}: {n}" for k, n in zip(keys, own, strict=True))
    values = f"[{', '.join(own)}]"
    display = f"{{{pairs}}}" if mapped else values
    asked = {
        "values": values,
        "keys": repr(keys),
        "items": "[" + ", ".join(f"({k!r}, {n})" for k, n in zip(keys, own, strict=True)) + "]",
    }
    for use in all_of(scope, ast.Name):
        if use.id != target.id or use is target:
            continue
        outer = parents.get(id(use))
        if not isinstance(use.ctx, ast.Load):
            return False
        text = display
        at: ast.AST = use
        if isinstance(outer, ast.Attribute):
            call = parents.get(id(outer))
            if outer.attr not in asked or not isinstance(call, ast.Call) or not mapped:
                return False
            text, at = asked[outer.attr], call
            listed = parents.get(id(call))
            if isinstance(listed, ast.Call) and ast.unparse(listed.func) == "list":
                at = listed
        elif isinstance(outer, ast.Subscript) and isinstance(outer.slice, ast.Constant):
            key = outer.slice.value
            if mapped and key in keys:
                text = own[keys.index(str(key))]
            elif not mapped and isinstance(key, int) and key < len(own):
                text = own[key]
            else:
                return False
            at = outer
        changes.append((at, word(text)))
    return True


def _word(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
