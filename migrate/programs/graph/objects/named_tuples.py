"""Tensors in a named tuple of the program's own: ``Outputs(mean=mean, total=total)``."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.fetching.structures import Structure
from migrate.programs.graph.model import Kind, Symbol, Value
from migrate.programs.graph.objects import record_classes


def made(walker: Any, node: ast.Call, values: list[Value]) -> Value | None:
    """A named tuple of tensors; None: it isn't one, or has other parts of the graph."""
    symbol = walker.meant.get(id(node.func))
    names = _fields(walker, symbol) if symbol is not None else None
    if names is None or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    given = [*names[: len(node.args)], *(k.arg for k in node.keywords)]
    if sorted(map(str, given)) != sorted(names):
        return None
    if not all(_followed(v) for v in values) or all(v.kind is not Kind.TENSOR for v in values):
        region, target = walker.frame.region, walker.frame.node
        if region is not None and region.built is not None and region.node is target:
            reason = f"`{target.name}` returns a named tuple of parts of its graph"
            record_classes.check(walker, target, reason)
        return None
    fields = dict(zip(map(str, given), values, strict=True))
    return Value(Kind.TENSOR, Structure(fields), [(i, fields[n]) for i, n in enumerate(names)])


def _followed(value: Value) -> bool:
    """Whether a field is a tensor, or tensors."""
    plain = value.data is None or isinstance(value.data, str)
    return value.kind in (Kind.TENSOR, Kind.CONST) and plain


def _fields(walker: Any, symbol: Symbol) -> list[str] | None:
    """The fields of a class that `collections.namedtuple` has made."""
    made = getattr(symbol.step.node, "value", None)
    if not isinstance(made, ast.Call) or len(made.args) != 2 or made.keywords:
        return None
    called = made.func.id if isinstance(made.func, ast.Name) else ast.unparse(made.func)
    source = "from collections import" if isinstance(made.func, ast.Name) else "import collections"
    if called not in ("namedtuple", "collections.namedtuple") or not _imported(walker, source):
        return None
    try:
        names = ast.literal_eval(made.args[1])
    except ValueError:
        return None
    found = names.replace(",", " ").split() if isinstance(names, str) else list(names)
    return found if all(isinstance(n, str) for n in found) else None


def _imported(walker: Any, source: str) -> bool:
    """Whether a statement of the program imports what its name says."""
    imports = (n for n in walk(walker.tree) if isinstance(n, (ast.Import, ast.ImportFrom)))
    return any(ast.unparse(n).startswith(source) for n in imports)
