"""What may be printed where the graph is built: a placeholder's spec, a variable, texts of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import HOST, RUNTIME, Blocked, Kind, Step, Value

THERE = frozenset({Kind.HOST, Kind.NONE, Kind.CONST, Kind.PLACEHOLDER, Kind.VARIABLE})


def shown(walker: Any, node: ast.Call) -> bool:
    """Whether the statement at hand prints what a call gives: ``print(type(h))``."""
    stmt = walker.stmt
    if walker.frame.region is None or walker.nested:
        return False  # in a function, which `helper` sees to
    printed = stmt.value if isinstance(stmt, ast.Expr) else None
    return (
        isinstance(printed, ast.Call)
        and ast.unparse(printed.func) == "print"
        and any(n is node for arg in printed.args for n in walk(arg))
    )


def texts(walker: Any, node: ast.Call) -> list[Value] | None:
    """What a ``print`` is given that makes texts: ``"X = " + str(X)``; None for another one."""
    inside = [_leaves(walker, a) for a in node.args]
    if walker.nested or [n for leaves in inside for n in leaves] == node.args:
        return None
    values = [_text(walker, a, n) for a, n in zip(node.args, inside, strict=True)]
    return [*values, *(walker.expression(k.value) for k in node.keywords)]


def _text(walker: Any, node: ast.expr, inside: list[ast.expr]) -> Value:
    """A text of what is there; one of tensors is looked at where these are."""
    values: list[Value] = [walker.expression(n) for n in inside]
    if inside == [node]:
        return values[0]
    kinds = {v.kind for v in values}
    if kinds - {Kind.HOST, Kind.NONE} and kinds <= THERE | {Kind.TENSOR}:
        if Kind.TENSOR not in kinds and stay(walker, values, inside):
            return HOST
        _sized(walker, node)
        return Value(Kind.TENSOR)
    found: Value = walker.expression(node)
    return found


def _sized(walker: Any, node: ast.expr) -> None:
    """See whether a text is of sizes that the graph tells, which are written as numbers then.

    Raises:
        Blocked: it is.
    """
    from migrate.programs.graph.sizing import sizes_told

    try:
        walker.expression(node)
    except Blocked as error:
        if type(error) is not Blocked or sizes_told.found(walker, error):
            raise


def _leaves(walker: Any, node: ast.expr) -> list[ast.expr]:
    """What a text is made of; the expression itself where it isn't seen to be one."""
    match node:
        case ast.BinOp(left, ast.Add(), right) if _is_text(walker, left) or _is_text(walker, right):
            inside = [left, right]
        case ast.BinOp(ast.Constant(str()), ast.Mod(), ast.Tuple(inside)):
            pass
        case ast.BinOp(ast.Constant(str()), ast.Mod(), right):
            inside = [right]
        case ast.JoinedStr(values):
            inside = [v.value for v in values if isinstance(v, ast.FormattedValue)]
        case ast.Call(ast.Attribute(ast.Constant(str()), "format"), inside, keywords):
            inside = [*inside, *(k.value for k in keywords)]
        case ast.Call(ast.Name(), [shown], []) if _makes_text(walker, node):
            inside = [shown]
        case _:
            return [node]
    if any(isinstance(n, ast.Starred) for n in inside):
        return [node]
    return [leaf for n in inside for leaf in _leaves(walker, n)]


def _is_text(walker: Any, node: ast.expr) -> bool:
    match node:
        case ast.Constant(str()) | ast.JoinedStr():
            return True
        case ast.BinOp(left, ast.Add(), right):
            return _is_text(walker, left) or _is_text(walker, right)
        case ast.BinOp(left, ast.Mod()):
            return _is_text(walker, left)
        case ast.Call(ast.Attribute(inner, "format")):
            return _is_text(walker, inner)
    return _makes_text(walker, node)


def _makes_text(walker: Any, node: ast.expr) -> bool:
    """Whether it is what Python's own `str` or `repr` makes."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    named = node.func.id in ("str", "repr") and len(node.args) == 1 and not node.keywords
    return named and walker.expression(node.func).data == "builtin"


def stay(walker: Any, values: Iterable[Value], nodes: Iterable[ast.expr] = ()) -> bool:
    """Whether all that a ``print`` shows is still there, as something else to look at.

    A placeholder is a `TensorSpec` where the author made it; what stands for one elsewhere (in an
    object that was given it, in a function that another one builds) has no such name.
    """
    values = [v for v, n in zip_longest(values, nodes) if n is None or not _item(walker, v, n)]
    region = walker.frame.region
    if region is None or any(v.kind not in THERE for v in values):
        return False
    return all(
        v.symbol is not None
        and (v.symbol.step.region is region or v.symbol.attribute)
        and v.symbol not in walker.twins
        and (v.kind is Kind.VARIABLE or v.data == T + "placeholder")
        for v in values
        if v.kind in (Kind.PLACEHOLDER, Kind.VARIABLE)
    )


def data(walker: Any, values: list[Value], node: ast.Call) -> bool:
    """Whether a ``print`` shows datasets and iterators, which are objects of Python.

    A dataset of what a run is fed is shown where it is made. Before an iterator begins, its dataset
    is there.
    """
    from migrate.programs.graph.data.datasets import Dataset
    from migrate.programs.graph.data.iterators import Iterator, Part

    if walker.nested or walker.frame.region is None or len(node.args) < len(values):
        return False
    late, parts, fed = [], [], False
    for value, at in zip(values, node.args, strict=True):
        shown = value.data
        if value.kind in (Kind.HOST, Kind.NONE, Kind.CONST):
            continue
        if isinstance(shown, Iterator) and isinstance(at, ast.Name) and shown.name == at.id:
            late += [(at, shown)] if shown.source is not None else []
            fed = fed or shown.fed
        elif isinstance(shown, Dataset):
            fed = fed or shown.fed
        elif isinstance(shown, Part) and _there(walker, value, at):
            parts.append((at, value.symbol))
        else:
            return False
    for at, shown in late:
        assert shown.source is not None
        name = shown.source.id
        walker.rewrites[id(at)] = lambda _, name=name: name
        walker.sink.uses.update(shown.uses)
    for at, symbol in parts:
        _specified(walker, at, symbol)
    if fed:
        walker.sink.kind, walker.sink.rides = Kind.TENSOR, True
    return True


def _there(walker: Any, value: Value, node: ast.expr) -> bool:
    """Whether a part of a next element is of an iterator that stands in the same statements."""
    iterator = value.data.element.iterator
    plain = isinstance(node, ast.Name) and iterator.name and "." not in iterator.name
    here = value.symbol is not None and value.symbol.step.region is walker.frame.region
    return bool(plain and here and iterator.source is None and not iterator.parameter)


def _specified(walker: Any, node: ast.expr, symbol: Any) -> None:
    """A part of what an iterator gives next is shown as how it looks."""
    from migrate.programs.graph.data.iterators import element_of, place

    element = element_of(symbol)
    assert element is not None
    iterator, number = element.iterator, place(symbol)
    iterator.handed = True  # which one of arrays doesn't say
    at = f"[{number}]" if element.several else ""
    walker.rewrites[id(node)] = lambda _: f"{iterator.spec}{at}"


def _item(walker: Any, value: Value, node: ast.expr) -> bool:
    """Whether something is one of the variables of a list or a dict: ``parameters["W1"]``."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
        return False
    held = walker.frame.env.get(getattr(node.value, "id", None))
    return bool(
        held is not None
        and value.kind is Kind.VARIABLE
        and held.value.kind is Kind.VARIABLE
        and held.value.items is not None
        and held.step.region is walker.frame.region
        and not held.step.moves
        and held not in walker.twins
    )


def beside(walker: Any, node: ast.Call) -> bool:
    """Whether a block that makes tensors prints some: it goes into a function as a whole."""
    sink = walker.sink
    if sink.region is None or sink.node is node or not isinstance(walker.stmt, ast.Expr):
        return False
    walker.kept.setdefault(("printed beside",), {}).setdefault(sink, node)
    return True


def helper(walker: Any, target: ast.AST, given: list[Value], call: ast.Call) -> None:
    """A function that only prints what it is given, in a statement of its own: it is a `print`."""
    stmt, region = walker.stmt, walker.frame.region
    if region is None or walker.nested or not isinstance(target, ast.FunctionDef):
        return
    if isinstance(stmt, ast.Expr) and stmt.value is call:
        first = int(ast.get_docstring(target) is not None)
        if not target.body[first:] or not all(map(_only_prints, target.body[first:])):
            return
        there = not call.keywords and stay(walker, given, call.args)
        if not there and not any(v.kind in RUNTIME for v in given):
            return
        if walker.sink.impure is not None and any(n is walker.sink.impure[0] for n in walk(target)):
            walker.sink.impure = None  # its own prints
        if not there:
            walker.sink.kind, walker.sink.rides = Kind.TENSOR, True


def check(walker: Any, step: Step) -> None:
    """See that a block which prints tensors makes some, or is a branch that does nothing else.

    Raises:
        Blocked: no function has it.
    """
    node = walker.kept.get(("printed beside",), {}).get(step)
    if node is None or step.kind is Kind.TENSOR:
        return
    if step.kind is Kind.HOST and not step.defs and not step.sites and _only_prints(step.node):
        step.kind, step.rides, step.impure = Kind.TENSOR, True, None  # its own prints
        return
    raise Blocked(node, "a tensor is given to `print`")


def _only_prints(stmt: ast.stmt) -> bool:
    """Whether a branch prints and does nothing else: ``if verbose: print(x.get_shape())``."""
    match stmt:
        case ast.If(body=body, orelse=others):
            return all(map(_only_prints, [*body, *others]))
        case ast.Expr(ast.Call(ast.Name("print"))) | ast.Pass():
            return True
    return False
