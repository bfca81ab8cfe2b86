"""The execution: what Python and NumPy themselves have."""

from __future__ import annotations

import ast
import functools
import math
import operator
from collections.abc import Callable
from typing import Any

from migrate.programs.graph.sizing.static_run.values import (
    UNKNOWN,
    Fields,
    Function,
    Record,
    Setting,
    Shape,
    Table,
)

NUMBERS = (bool, int, float)
OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def arithmetic(op: ast.operator, left: Any, right: Any) -> Any:
    """What an operator of Python's gives."""
    known = OPERATORS.get(type(op))
    plain = (*NUMBERS, str)
    listed = (list, tuple)
    if known is None:
        return UNKNOWN
    if isinstance(op, ast.Mod) and isinstance(left, str):
        items = right if isinstance(right, tuple) else (right,)
        if not all(isinstance(i, (*plain, type(None))) for i in items):
            return UNKNOWN
    elif isinstance(left, listed) or isinstance(right, listed):
        if isinstance(left, Shape) or isinstance(right, Shape):
            return UNKNOWN
        both = isinstance(op, ast.Add) and type(left) is type(right)
        times = isinstance(op, ast.Mult) and isinstance(right, int) and right < 1000
        if not both and not times:
            return UNKNOWN
    elif not (isinstance(left, plain) and isinstance(right, plain)):
        return UNKNOWN
    if isinstance(op, ast.Pow) and isinstance(right, (int, float)) and abs(right) > 64:
        return UNKNOWN
    if isinstance(op, ast.Mult) and (isinstance(left, str) or isinstance(right, str)):
        return UNKNOWN
    try:
        return known(left, right)
    except (TypeError, ValueError, ArithmeticError):
        return UNKNOWN


def _plain(function: Callable[..., Any]) -> Callable[[Any, list[Any]], Any]:
    """A function of numbers and texts."""

    def called(run: Any, args: list[Any]) -> Any:
        if not all(isinstance(a, (*NUMBERS, str)) for a in args):
            run.escaped(args)
            return UNKNOWN
        try:
            return function(*args)
        except (TypeError, ValueError, ArithmeticError):
            return UNKNOWN

    return called


def _listed(function: Callable[..., Any]) -> Callable[[Any, list[Any]], Any]:
    """A function of lists."""

    def called(run: Any, args: list[Any]) -> Any:
        items = [run.items(a) for a in args]
        if None in items:
            run.escaped(args)
            return UNKNOWN
        return function(*items)

    return called


def _numbers(function: Callable[..., Any]) -> Callable[[Any, list[Any]], Any]:
    """A function of a list of numbers, or of numbers."""

    def called(run: Any, args: list[Any]) -> Any:
        items = run.items(args[0]) if len(args) == 1 else args
        if items is None or not items or not all(isinstance(i, NUMBERS) for i in items):
            run.escaped(args)
            return UNKNOWN
        return function(items)

    return called


def _int(run: Any, args: list[Any]) -> Any:
    if len(args) == 1 and isinstance(args[0], int) and not isinstance(args[0], bool):
        return args[0]
    return _plain(int)(run, args)


def _len(run: Any, args: list[Any]) -> Any:
    items = run.items(args[0]) if len(args) == 1 else None
    return Setting(f"len {run.count()}") if items is None else len(items)


def _range(run: Any, args: list[Any]) -> Any:
    if not 1 <= len(args) <= 3 or not all(map(_whole, args)) or 0 in args[2:]:
        return UNKNOWN
    return range(*args)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _enumerate(run: Any, args: list[Any]) -> Any:
    items = run.items(args[0]) if args else None
    start = args[1] if len(args) > 1 else 0
    if items is None or not isinstance(start, int):
        run.escaped(args)
        return UNKNOWN
    return list(enumerate(items, start))


def _dict(run: Any, args: list[Any]) -> Any:
    return {} if not args else UNKNOWN


def _named(run: Any, args: list[Any]) -> Any:
    if len(args) != 2:
        return UNKNOWN
    names = args[1].replace(",", " ").split() if isinstance(args[1], str) else run.items(args[1])
    return Fields(list(names)) if names and all(isinstance(n, str) for n in names) else UNKNOWN


def _isinstance(run: Any, args: list[Any]) -> Any:
    if len(args) == 2 and isinstance(args[0], Record) and isinstance(args[1], Fields):
        return args[0].fields is args[1]
    run.escaped(args)
    return UNKNOWN


def _partial(run: Any, args: list[Any]) -> Any:
    if args and isinstance(args[0], Function):
        f = args[0]
        given = (*f.given, *args[1:])
        return Function(f.node, f.frame, given, f.keywords, f.defaults, f.scoped)
    run.escaped(args)
    return UNKNOWN


def _quiet(run: Any, args: list[Any]) -> Any:
    return None


def array(run: Any, args: list[Any]) -> Any:
    """``np.array`` of whole numbers, which is no list: `*` and `==` mean something else."""
    rows = _rows(run, args[0]) if len(args) == 1 else None
    if rows is None:
        run.escaped(args)
        return UNKNOWN
    return Table(rows)


def _rows(run: Any, value: Any) -> Any:
    """Lists in lists as tuples of whole numbers; None where something else is in them."""
    if _whole(value):
        return value
    items = run.items(value) if isinstance(value, (list, tuple)) else None
    rows = [_rows(run, item) for item in items] if items else [None]
    return None if None in rows else tuple(rows)


def _product(items: list[Any]) -> Any:
    return functools.reduce(operator.mul, items, 1)


PLAIN: dict[str, Callable[[Any, list[Any]], Any]] = {
    "int": _int,
    "len": _len,
    "range": _range,
    "xrange": _range,
    "enumerate": _enumerate,
    "dict": _dict,
    "print": _quiet,
    "float": _plain(float),
    "str": _plain(str),
    "bool": _plain(bool),
    "abs": _plain(abs),
    "chr": _plain(chr),
    "ord": _plain(ord),
    "round": _plain(round),
    "max": _numbers(max),
    "min": _numbers(min),
    "sum": _numbers(sum),
    "zip": _listed(lambda *items: [tuple(t) for t in zip(*items, strict=False)]),
    "reversed": _listed(lambda items: list(reversed(items))),
    "list": _listed(lambda *items: [*items[0]] if items else []),
    "tuple": _listed(lambda *items: tuple(items[0]) if items else ()),
    "namedtuple": _named,
    "isinstance": _isinstance,
    "partial": _partial,
}
METHODS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "collections.namedtuple": _named,
    "functools.partial": _partial,
    "np.prod": _numbers(_product),
    "np.product": _numbers(_product),
    "numpy.prod": _numbers(_product),
    "np.array": array,
    "np.asarray": array,
    "numpy.array": array,
    "numpy.asarray": array,
    "np.sqrt": _plain(math.sqrt),
    "math.sqrt": _plain(math.sqrt),
    "math.ceil": _plain(math.ceil),
    "math.floor": _plain(math.floor),
    "math.log": _plain(math.log),
    "np.arange": _range,
}
