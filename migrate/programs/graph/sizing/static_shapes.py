"""Sizes that variables take from the shape of what is computed before them.

``nodes = pool.get_shape()[1].value * …; w = tf.get_variable("w", [nodes, 10])``: variables are
made before anything is computed. Where the size can be told, it is written.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from migrate.engine.trees import all_of, children, parents_of, walk
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.sizing.dimensions import Dim
from migrate.programs.graph.sizing.shapes import OPEN
from migrate.programs.graph.sizing.static_dims import assigned, is_size, size_of
from migrate.programs.graph.wording.spelled import Source, Spelled

REASON = "a variable starts with a tensor"


def check(walker: Any, call: ast.Call) -> None:
    """See whether what a variable takes of tensors is their sizes, and which these are.

    Raises:
        Spelled: they are known.
    """
    places: dict[int, ast.expr] = {}
    if _places(walker, [*call.args, *_given(call)], places, set()):
        _say(walker, call, list(places.values()), REASON)


def given(walker: Any, call: ast.Call) -> None:
    """See whether a function that makes variables is given sizes: ``weight([nodes, 10])``.

    Raises:
        Spelled: they are known.
    """
    places: dict[int, ast.expr] = {}
    for node in (*call.args, *_given(call)):
        if _number(walker, node):
            _places(walker, [node], places, set())
    _say(walker, call, list(places.values()), "a function makes variables of a tensor's shape")


def handed(walker: Any, node: ast.expr, reason: str) -> None:
    """See whether what a function of Python or NumPy is given is a size: ``np.sqrt(n)``.

    Raises:
        Spelled: it is known.
    """
    places: dict[int, ast.expr] = {}
    if _number(walker, node):
        _places(walker, [node], places, set())
    _say(walker, node, list(places.values()), reason)


def numpys(call: ast.Call, value: Value) -> None:
    """``np.shape(x)`` of a tensor asks for its ``shape``, in both releases.

    Raises:
        Spelled: that is what is called.
    """
    one = len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred)
    parts = value.items is not None or value.data == "container"
    if ast.unparse(call.func) not in ("np.shape", "numpy.shape") or not one or parts:
        return
    if value.kind not in (Kind.TENSOR, Kind.PLACEHOLDER, Kind.VARIABLE):
        return
    (of,) = call.args
    close = isinstance(of, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))

    def written(source: Source) -> str:
        return f"{source(of)}.shape" if close else f"({source(of)}).shape"

    raise Spelled(call, "NumPy is asked for a tensor's shape", [(call, written)])


def _say(walker: Any, call: ast.expr, places: Sequence[ast.expr], reason: str) -> None:
    found: list[Any] = []
    for node in places:
        factors = size_of(walker, node, None)
        if factors is None or any(d.text == OPEN for d in factors):
            return
        found.append((node, _said(_product(walker, node, factors))))
    if found:
        gone = [(stmt, _nothing) for stmt in _unread(_around(walker, places), places)]
        raise Spelled(call, reason, [*found, *gone])


def _number(walker: Any, node: ast.AST) -> bool:
    """Whether an expression is made of numbers and sizes."""
    if isinstance(node, ast.expr) and is_size(walker, node):
        return True
    if isinstance(node, ast.Name):
        symbol = walker.meant.get(id(node))
        if symbol is None or symbol.value.kind is not Kind.TENSOR:
            return symbol is not None and symbol.value.kind is Kind.HOST
        value = assigned(symbol)
        return value is not None and _number(walker, value)
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(_number(walker, item) for item in node.elts)
    if isinstance(node, ast.BinOp):
        return _number(walker, node.left) and _number(walker, node.right)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "int" and len(node.args) == 1:
        return _number(walker, node.args[0])
    return isinstance(node, (ast.Constant, ast.Attribute))


def _around(walker: Any, places: Sequence[ast.expr]) -> ast.AST:
    """The innermost function in which places stand, or their file."""
    inside = {id(p) for p in places}
    found: ast.AST = walker.files.at(places[0]).tree
    for n in walk(found):
        if isinstance(n, ast.FunctionDef) and inside <= {id(m) for m in walk(n)}:
            found = n
    return found


def _nothing(source: Source) -> str:
    return ""


def _said(text: str) -> Any:
    return lambda source: text


def _given(call: ast.Call) -> Iterator[ast.expr]:
    return (k.value for k in call.keywords)


def _places(
    walker: Any, nodes: Sequence[ast.AST], found: dict[int, ast.expr], seen: set[int]
) -> bool:
    """The sizes that expressions read, also through names; whether nothing else is a tensor's."""
    for node in nodes:
        if isinstance(node, ast.expr) and is_size(walker, node):
            found[id(node)] = node
            continue
        if isinstance(node, ast.Name):
            symbol = walker.meant.get(id(node))
            if symbol is None or symbol.value.kind is not Kind.TENSOR:
                continue
            value = assigned(symbol)
            if value is None:
                return False
            if id(value) not in seen:
                seen.add(id(value))
                if not _places(walker, [value], found, seen):
                    return False
            continue
        if not _places(walker, list(children(node)), found, seen):
            return False
    return True


def _product(walker: Any, node: ast.expr, factors: list[Dim]) -> str:
    """The number as it is written: ``7 * 7 * 64``."""
    several = [f"({d.text})" if " " in d.text and len(factors) > 1 else d.text for d in factors]
    text = " * ".join(several)
    parents = parents_of(walker.tree)
    loose = isinstance(parents.get(id(node)), (ast.BinOp, ast.UnaryOp, ast.Attribute))
    return f"({text})" if " " in text and loose else text


def _unread(scope: ast.AST, places: Sequence[ast.expr]) -> Iterator[ast.stmt]:
    """Statements that name a shape which nothing else reads."""
    inside = {id(n) for place in places for n in walk(place)}
    names = {n.id for p in places for n in all_of(p, ast.Name)}
    blocks = [getattr(n, "body", None) for n in walk(scope)]
    bodies = [block for block in blocks if isinstance(block, list)]
    for name in names:
        reads = [n for n in all_of(scope, ast.Name) if n.id == name]
        loads = [n for n in reads if isinstance(n.ctx, ast.Load)]
        if len(reads) - len(loads) != 1 or any(id(n) not in inside for n in loads):
            continue
        for body in bodies:
            for stmt in body:
                if isinstance(stmt, ast.Assign) and any(
                    isinstance(t, ast.Name) and t.id == name for t in stmt.targets
                ):
                    if len(stmt.targets) == 1 and len(body) > 1:
                        yield stmt
