"""A list of recurrent cells, or a cell, under a name that one MultiRNNCell reads stands in that.

What a cell under a name says of its width, `cell.output_size`, is what it was made with.

    layers = [tf.nn.rnn_cell.LSTMCell(n) for n in sizes]
    cell = tf.nn.rnn_cell.MultiRNNCell(layers)

So does a list that a loop right below it appends cells to.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/rnn_cell/MultiRNNCell
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.rewriters.estimators.recurrence.recurrent import CELLS, WRAPPERS
from migrate.rewriters.estimators.syntax import alone, reads, stores
from migrate.rewriters.sessions.text import Text

SEVERAL = "MultiRNNCell"


def edits(tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str]) -> Iterator[Edit]:
    """The edits of one file."""
    for function in all_of(tree, ast.FunctionDef):
        for place, stmt in enumerate(function.body):
            yield from _grown(function, place, text, called)
            name = _cells(stmt, called)
            uses = [n for n in all_of(function, ast.Name) if n.id == name]
            if not name or len(uses) != 2:
                continue
            behind = function.body[place + 1 :]
            user = next((s for s in behind if name in reads(s)), None)
            call = _reader(user, name, called) if user is not None else None
            if user is None or call is None:
                continue
            bound = {n for s in behind[: behind.index(user)] for n in stores(s)}
            given = [*call.args, *(k.value for k in call.keywords)]
            given += [e for g in given if isinstance(g, ast.List) for e in g.elts]
            use = next((g for g in given if isinstance(g, ast.Name) and g.id == name), None)
            if use is None or reads(stmt) & bound or not alone(stmt, text, commented=False):
                continue
            assert isinstance(stmt, ast.Assign)
            whole = text.piece(stmt)
            yield Edit(*text.index.span(use), text.source(stmt.value))
            yield Edit(text.start(whole.line), text.start(whole.last + 1), "")


def _grown(
    function: ast.FunctionDef, place: int, text: Text, called: Callable[[ast.AST | None], str]
) -> Iterator[Edit]:
    """A list that a loop right below it appends cells to, and one call reads, stands there."""
    if len(function.body) < place + 3:
        return
    made, loop, user = function.body[place : place + 3]
    if not isinstance(made, ast.Assign) or len(made.targets) != 1:
        return
    to, empty = made.targets[0], isinstance(made.value, ast.List) and not made.value.elts
    if not isinstance(to, ast.Name) or not empty or not isinstance(loop, ast.For) or loop.orelse:
        return
    call = loop.body[-1].value if isinstance(loop.body[-1], ast.Expr) else None
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != f"{to.id}.append":
        return
    names = all_of(function, ast.Name)
    own = {n.id for n in all_of(loop.target, ast.Name)}
    value = _appended(loop, call, own, text, called)
    inside = {id(n) for n in walk(loop)}
    if not value:
        return
    read_behind = (n for n in names if isinstance(n.ctx, ast.Load) and id(n) not in inside)
    if any(n.id in own for n in read_behind):
        return  # what a comprehension would keep to itself
    uses = [n for n in names if n.id == to.id]
    read = _reader(user, to.id, called) if isinstance(user, ast.Assign) else None
    if len(uses) != 3 or read is None:
        return
    given = [*read.args, *(k.value for k in read.keywords)]
    use = next((g for g in given if isinstance(g, ast.Name) and g.id == to.id), None)
    every = [made, loop, *loop.body]
    if use is None or not all(alone(s, text, commented=False) for s in every):
        return
    start, end = text.piece(made), text.piece(loop)
    if any(line.lstrip().startswith("#") for line in text.lines[start.line - 1 : end.last]):
        return
    cells = f"{value} for {text.source(loop.target)} in {text.source(loop.iter)}"
    yield Edit(*text.index.span(use), f"[{cells}]")
    yield Edit(text.start(start.line), text.start(end.last + 1), "")


def _appended(
    loop: ast.For,
    call: ast.Call,
    own: set[str],
    text: Text,
    called: Callable[[ast.AST | None], str],
) -> str:
    """What each round of a loop appends: a cell, that a name has first, and dropouts around it."""
    said: dict[str, str] = {}
    values = [s.value for s in loop.body[:-1] if isinstance(s, ast.Assign) and len(s.targets) == 1]
    last = call.args[0] if len(call.args) == 1 and not call.keywords else None
    if last is None or len(values) < len(loop.body) - 1:
        return ""
    for stmt, value in zip(loop.body, [*values, last], strict=True):
        source, inner = text.source(value), _around(value, called)
        if isinstance(inner, ast.Name) and (known := said.get(inner.id)):
            start, (lo, hi) = text.index.span(value)[0], text.index.span(inner)
            source = f"{source[: lo - start]}{known}{source[hi - start :]}"
        elif _kind(value, called) in ("", SEVERAL):
            return ""
        if isinstance(stmt, ast.Assign):
            target = ast.unparse(stmt.targets[0])
            if not target.isidentifier() or (said and set(said) != {target}):
                return ""
            said[target] = source
            own.add(target)
    return source


def _reader(stmt: ast.stmt, name: str, called: Callable[[ast.AST | None], str]) -> ast.Call | None:
    """The MultiRNNCell of a statement that reads a name, or a list with it."""
    if not isinstance(stmt, ast.Assign):
        return None
    for call in all_of(stmt.value, ast.Call):
        if CELLS.get(called(call)) == SEVERAL and name in reads(call):
            return call
    return None


def _around(node: ast.expr, called: Callable[[ast.AST | None], str]) -> ast.expr:
    """What dropout is around, or the expression itself."""
    wraps = isinstance(node, ast.Call) and called(node) in WRAPPERS
    return node.args[0] if wraps and isinstance(node, ast.Call) and node.args else node


def _kind(node: ast.expr, called: Callable[[ast.AST | None], str]) -> str:
    """The kind of cell that an expression makes, with dropout around it or not."""
    return CELLS.get(called(_around(node, called)), "")


def widths(tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str]) -> Iterator[Edit]:
    """How wide the outputs of cells are that a function gives names."""
    for function in all_of(tree, ast.FunctionDef):
        for node in walk(function):
            if isinstance(node, ast.Attribute) and node.attr == "output_size":
                width = _width(function, node.value, called)
                if width is None:
                    continue
                bound = [n for s in function.body for n in stores(s) if n in reads(width)]
                if len(bound) == len(set(bound)):
                    said = text.source(width)
                    plain = isinstance(
                        width, (ast.Name, ast.Constant, ast.Subscript, ast.Attribute)
                    )
                    yield Edit(*text.index.span(node), said if plain else f"({said})")


def _width(
    function: ast.FunctionDef, node: ast.expr, called: Callable[[ast.AST | None], str]
) -> ast.expr | None:
    """What says how many units a cell has, that of the last one where there are several."""
    if isinstance(node, ast.Name):
        names = [n for n in all_of(function, ast.Name) if n.id == node.id]
        stored = [n for n in names if not isinstance(n.ctx, ast.Load)]
        made = [s for s in function.body if isinstance(s, ast.Assign) and s.targets == stored]
        return _width(function, made[0].value, called) if len(made) == 1 else None
    kind = CELLS.get(called(node))
    if not isinstance(node, ast.Call) or kind is None or len(node.args) > 1:
        return None
    given = {k.arg: k.value for k in node.keywords}
    if kind == SEVERAL:
        cells = node.args[0] if node.args else given.get("cells")
        last = cells.elts[-1] if isinstance(cells, ast.List) and cells.elts else None
        return None if last is None else _width(function, last, called)
    if "num_proj" in given or None in given:
        return None
    return node.args[0] if node.args else given.get("num_units")


def _cells(stmt: ast.stmt, called: Callable[[ast.AST | None], str]) -> str:
    """The name that a statement gives a list of cells, or one cell."""
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return ""
    target, value = stmt.targets[0], stmt.value
    parts = value.elts if isinstance(value, ast.List) else [value]
    parts = [value.elt] if isinstance(value, ast.ListComp) else parts
    if not parts or any(_kind(p, called) in ("", SEVERAL) for p in parts):
        return ""
    return target.id if isinstance(target, ast.Name) else ""
