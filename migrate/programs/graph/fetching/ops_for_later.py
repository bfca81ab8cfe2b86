"""Assignments that a loop gathers and a later run does: their values are gathered instead.

``ops.append(p.assign(sess.run(q)))`` for each ``p`` of a list, then ``sess.run(ops)``: all values
are there before the first assignment. So they are in ``values.append(sess.run(q))``, and a loop
behind it that assigns them.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.fetching.ops_in_loops import REASON, _blocks, _empty
from migrate.programs.graph.model import Kind
from migrate.programs.graph.wording.spelled import Source, Spelled

LEAVES = (ast.Break, ast.Continue, ast.Return, ast.Yield, ast.YieldFrom)


def check(walker: Any, node: ast.Call) -> None:
    """See whether an assignment is one of a list that is run after its loop.

    Raises:
        Spelled: it is that.
    """
    scope = walker.frame.node
    if not isinstance(scope, (ast.FunctionDef, ast.Module)):
        return
    for block in _blocks(scope):
        for loop in block:
            if isinstance(loop, ast.For) and holds(loop, node):
                _gathered(walker, node, scope, block, loop)


def _gathered(
    walker: Any, node: ast.Call, scope: ast.AST, block: list[ast.stmt], loop: ast.For
) -> None:
    put = next(filter(None, map(_put, loop.body)), None)
    if put is None or loop.orelse or any(isinstance(n, LEAVES) for n in walk(loop)):
        return
    name, item = put
    assigned = _assigned(loop, item)
    if assigned is None or not any(call is node for call, _, _ in assigned):
        return
    (variable, *others) = {ast.unparse(v) for _, v, _ in assigned}
    items = _items(loop, variable)
    if others or items is None or not _stays(loop, variable):
        return
    if any(walker.expression(value).kind is not Kind.HOST for _, _, value in assigned):
        return
    first = [n for n in block[: block.index(loop)] if isinstance(n, ast.Assign) and _empty(n, name)]
    ran = [n for n in block[block.index(loop) + 1 :] if _run(n, name)]
    said = [n for n in all_of(scope, ast.Name) if n.id == name]
    if len(first) != 1 or len(ran) != 1 or len(said) != 3:
        return
    if any(ast.unparse(item) == n.id for n in said) or (
        isinstance(item, ast.Name)
        and sum(isinstance(n, ast.Name) and n.id == item.id for n in walk(scope))
        != len(assigned) + 1
    ):
        return
    values, value = _free(scope, "values"), _free(scope, "value")
    (run,) = ran
    assert isinstance(run, ast.Expr)
    assert isinstance(run.value, ast.Call)
    call = run.value

    def loop_of(source: Source) -> str:
        pad, func = " " * run.col_offset, source(call.func)
        unit = " " * (loop.body[0].col_offset - loop.col_offset)
        what = f"{variable}.assign({value})"
        return f"for {variable}, {value} in {items(source, values)}:\n{pad}{unit}{func}({what})"

    replaced: list[Any] = [(n, lambda _: values) for n in said if not holds(call, n)]
    replaced.append((run, loop_of))
    single = len(assigned) == 1
    for made, _, given in assigned:
        if single and isinstance(item, ast.Name):
            replaced.append((_statement(loop, made), lambda _: ""))
            replaced.append((item, lambda source, given=given: source(given)))
        else:
            replaced.append((made, lambda source, given=given: source(given)))
    raise Spelled(node, REASON, replaced)


def _free(scope: ast.AST, wish: str) -> str:
    """A name that a function, or the module, doesn't use."""
    taken = {getattr(n, "id", getattr(n, "arg", None)) for n in walk(scope)}
    while wish in taken:
        wish += "_"
    return wish


def _put(stmt: ast.stmt) -> tuple[str, ast.expr] | None:
    """``name.append(item)``."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr != "append" or not isinstance(call.func.value, ast.Name):
        return None
    if len(call.args) != 1 or call.keywords:
        return None
    return call.func.value.id, call.args[0]


def _assigned(loop: ast.For, item: ast.expr) -> list[tuple[ast.Call, ast.expr, ast.expr]] | None:
    """The assignments that an item may be, each with its variable and its value."""
    made = [item]
    if isinstance(item, ast.Name):
        made = [
            n.value
            for n in all_of(loop, ast.Assign)
            if [ast.unparse(t) for t in n.targets] == [item.id]
        ]
    found = []
    for call in made:
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return None
        if call.func.attr != "assign" or len(call.args) != 1 or call.keywords:
            return None
        found.append((call, call.func.value, call.args[0]))
    return found or None


def _items(loop: ast.For, variable: str) -> Any:
    """What goes through the variables again, beside their values; None: it can't be told."""
    if isinstance(loop.target, ast.Name) and loop.target.id == variable and _named(loop.iter):
        return lambda source, values: f"zip({source(loop.iter)}, {values})"
    if not isinstance(loop.target, ast.Tuple) or not isinstance(loop.iter, ast.Call):
        return None
    names = [ast.unparse(n) for n in loop.target.elts]
    args = loop.iter.args
    zipped = isinstance(loop.iter.func, ast.Name) and loop.iter.func.id == "zip"
    if not zipped or loop.iter.keywords or len(args) != len(names) or names.count(variable) != 1:
        return None
    if not all(map(_named, args)):
        return None  # it may be of use once only
    return lambda source, values: f"zip({source(args[names.index(variable)])}, {values})"


def _named(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    )


def _stays(loop: ast.For, variable: str) -> bool:
    """Whether the loop doesn't change what it goes through, nor the values that it has made."""
    through = {n.id for n in all_of(loop.iter, ast.Name)}
    for node in (n for stmt in loop.body for n in walk(stmt)):
        if isinstance(node, (ast.AugAssign, ast.Delete)):
            return False
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            if node.id == variable or node.id in through:
                return False
    return True


def _run(stmt: ast.stmt, name: str) -> bool:
    """``sess.run(ops)``."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "run"
        and not call.keywords
        and [ast.unparse(a) for a in call.args] == [name]
    )


def _statement(loop: ast.For, call: ast.Call) -> ast.stmt:
    """The assignment that gives an op its name."""
    return next(n for n in all_of(loop, ast.Assign) if n.value is call)
