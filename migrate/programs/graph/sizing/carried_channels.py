"""Sizes that one round of loops leaves to the next: ``net = unit(net, depth=args['depth'])``.

No loop's name tells them. What the call is given does, so that a name of its own goes from round to
round: ``net_channels = 64`` above the loops, ``net_channels = args['depth']`` behind the call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from migrate.engine.trees import all_of, children, holds, walk
from migrate.programs.graph.sizing.static_run.expressions import Fact
from migrate.programs.graph.sizing.static_run.values import Tensor
from migrate.programs.graph.wording.known_branches import span
from migrate.programs.graph.wording.spelled import Source, free

PARTS = (ast.Name, ast.Subscript, ast.Attribute, ast.Constant, ast.expr_context)
OTHERS = (ast.While, ast.Try, ast.FunctionDef, ast.Lambda)


def told(texts: Any, node: ast.expr, axis: int, scope: Any, own: Sequence[Any]) -> str | None:
    """A name for the size of what a call in a loop is given; None where nothing tells it."""
    if not isinstance(node, ast.Name) or not isinstance(scope, ast.FunctionDef):
        return None
    loop = next((n for n in _loops(scope) if holds(n, node)), None)
    if loop is None or loop.orelse or node.id in {n.id for n in all_of(loop.target, ast.Name)}:
        return None
    key = (id(loop), node.id, axis)
    if key in texts.carried:
        return str(texts.carried[key])
    stores = _stores(loop, node.id)
    if stores is None or any(isinstance(n, OTHERS) for n in walk(loop)):
        return None
    given: list[tuple[ast.Assign, ast.expr]] = []
    for stmt in stores:
        after = _sizes(texts, stmt.value, axis)
        if after is None:
            return None
        before = [_sizes(texts, n, axis) for n in all_of(stmt.value, ast.Name) if n.id == node.id]
        if after in before:
            continue
        said = _said(texts, stmt.value, node.id, after)
        if said is None:
            return None
        given.append((stmt, said))
    begun = _begun(texts, node, axis, scope, own)
    if not given or begun is None:
        return None
    new = free(texts.walker, f"{node.id}_{'channels' if axis else 'size'}", texts.carried.values())
    texts.carried[key] = new
    start = (loop.lineno, loop.col_offset)
    texts.inserted.append((span(start, start), _line(new, begun, loop.col_offset)))
    for stmt, said in given:
        end = (stmt.end_lineno or 0, stmt.end_col_offset or 0)
        place = span(end, ((stmt.end_lineno or 0) + 1, 0))
        texts.inserted.append((place, _behind(place, new, said, stmt.col_offset)))
    return new


def _loops(scope: ast.FunctionDef) -> Iterator[ast.For]:
    """The outermost loops of a function."""
    stack: list[ast.AST] = list(scope.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.For):
            yield node
        elif isinstance(node, (ast.With, ast.If)):
            stack.extend(children(node))


def _stores(loop: ast.For, name: str) -> list[ast.Assign] | None:
    """The statements of a loop that give a name a value; None where another one may."""
    every = [n for n in all_of(loop, ast.Name) if n.id == name and not isinstance(n.ctx, ast.Load)]
    found = [
        s
        for s in all_of(loop, ast.Assign)
        if len(s.targets) == 1 and any(s.targets[0] is n for n in every)
    ]
    return found if len(found) == len(every) else None


def _sizes(texts: Any, node: ast.expr, axis: int) -> list[int] | None:
    """A size of a tensor, each time that it was computed."""
    found: list[int] = []
    for fact in texts.run.facts.get(id(node), ()):
        shape = fact.value.shape if isinstance(fact.value, Tensor) else None
        size = shape[axis] if shape is not None and axis < len(shape) else None
        if not isinstance(size, int):
            return None
        found.append(int(size))
    return found or None


def _said(texts: Any, call: ast.expr, name: str, sizes: list[int]) -> ast.expr | None:
    """What a call is given that is the size of what it computes, each time."""
    if not isinstance(call, ast.Call):
        return None
    for given in (*call.args, *(k.value for k in call.keywords)):
        if not all(isinstance(n, PARTS) and getattr(n, "id", "") != name for n in walk(given)):
            continue
        values = [fact.value for fact in texts.run.facts.get(id(given), ())]
        if all(type(v) is int for v in values) and values == sizes:
            return given
    return None


def _begun(texts: Any, node: ast.Name, axis: int, scope: Any, own: Sequence[Any]) -> str | None:
    """The size with which the loops begin."""
    first: dict[int, Fact] = {}
    for fact in texts.run.facts.get(id(node), ()):
        first.setdefault(fact.frame, fact)
    sizes = [fact.value.shape[axis] for fact in first.values()]
    text: str | None = texts.text(list(first.values()), sizes, scope, own)
    return text


def _line(name: str, value: str, margin: int) -> Any:
    return lambda source: f"{name} = {value}\n{' ' * margin}"


def _behind(place: ast.AST, name: str, value: ast.expr, margin: int) -> Any:
    def written(source: Source) -> str:
        return f"{source(place).rstrip()}\n{' ' * margin}{name} = {source(value)}\n"

    return written
