"""Ops that a loop makes: those that it runs at once are made where they are run.

``update = tf.assign(w, value)``, then ``sess.run(update)``: in a graph, each round adds an op; what
it does is done once, by the run that follows. Those that a loop puts into a list, and nothing else,
are a comprehension.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.listing import sorted_alike
from migrate.programs.graph.wording.spelled import Source, Spelled

REASON = "ops are made in a loop"
WIDTH = 100


def check(walker: Any, node: ast.Call) -> None:
    """See whether the next statement runs what is made here, and nothing else reads it.

    Raises:
        Spelled: so it is.
    """
    stmt, scope = walker.stmt, walker.frame.node
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) != 1:
        return
    target = stmt.targets[0]
    if not isinstance(target, ast.Name) or scope is None:
        return
    places = [n for n in all_of(scope, ast.Name) if n.id == target.id]
    loads = [n for n in places if n is not target]
    follows = _next(scope, stmt)
    if len(loads) != 1 or not isinstance(follows, (ast.Expr, ast.Assign)):
        return
    if isinstance(scope, ast.Module) and len(walker.files.order) > 1:
        return  # another file may take the name
    (read,) = loads
    first = _first_call(follows.value)
    if first is None or not _runs(first, read):
        return
    raise Spelled(
        node,
        REASON,
        [(stmt, lambda _: ""), (read, lambda source: source(node))],
    )


def gathered(walker: Any, node: ast.Call) -> None:
    """``ops = []``, then ``for a, b in pairs: ops.append(b.assign(a))``; the op may have a name.

    Raises:
        Spelled: it is that.
    """
    stmt, scope = walker.stmt, walker.frame.node
    if scope is None:
        return
    body: list[ast.stmt] = [stmt]  # what the loop does
    told: ast.expr = node  # what it puts there
    put = stmt.value if isinstance(stmt, ast.Expr) else None
    if isinstance(stmt, ast.Assign) and stmt.value is node:
        follows = _next(scope, stmt)
        own = _alone(scope, stmt.targets)
        if own is None or not isinstance(follows, ast.Expr):
            return
        body, told, put = [stmt, follows], own, follows.value
    if not isinstance(put, ast.Call) or not isinstance(put.func, ast.Attribute) or put.keywords:
        return
    held = put.func.value
    if put.func.attr != "append" or put.args != [told]:
        return
    name = ast.unparse(held)
    for block in _blocks(scope):
        loops = [n for n in block if isinstance(n, ast.For) and n.body == body and not n.orelse]
        begun = [n for n in block if isinstance(n, ast.Assign) and _empty(n, name)]
        if len(loops) != 1 or len(begun) != 1:
            continue
        loop, first = loops[0], begun[0]
        between = block[block.index(first) + 1 : block.index(loop)]
        bound = {n.id for n in all_of(loop.target, ast.Name)}
        later = {n.id for n in all_of(scope, ast.Name) if n.lineno > _end(loop)}
        said = [ast.unparse(n) for b in (*between, loop.iter, node) for n in walk(b)]
        if not isinstance(held, (ast.Name, ast.Attribute)) or name in said or bound & later:
            return
        through = loop.iter
        if isinstance(scope, ast.FunctionDef) and isinstance(through, ast.Call):
            if ast.unparse(through.func) == "zip" and not through.keywords:
                sorted_alike.check(walker, scope, through.args, node)

        written = _comprehension(name, node, loop)
        raise Spelled(node, REASON, [(first, lambda _: ""), (loop, written)])


def _alone(scope: ast.AST, targets: list[ast.expr]) -> ast.Name | None:
    """Where a name is read that is bound and read once."""
    if len(targets) != 1 or not isinstance(targets[0], ast.Name):
        return None
    places = [n for n in all_of(scope, ast.Name) if n.id == targets[0].id]
    reads = [n for n in places if n is not targets[0]]
    return reads[0] if len(reads) == 1 and isinstance(reads[0].ctx, ast.Load) else None


def _comprehension(name: str, node: ast.Call, loop: ast.For) -> Callable[[Source], str]:
    """What writes such a loop as a list."""

    def written(source: Source) -> str:
        parts = [source(node), f"for {source(loop.target)} in {source(loop.iter)}"]
        line, indent = f"{name} = [{' '.join(parts)}]", " " * loop.col_offset
        if len(indent) + len(line) <= WIDTH and "\n" not in line:
            return line
        inner = f"\n{indent}    "
        return f"{name} = [{inner}{inner.join(parts)}\n{indent}]"

    return written


def _blocks(scope: ast.AST) -> list[list[ast.stmt]]:
    """The blocks of statements of a scope."""
    fields = [getattr(n, part, None) for n in walk(scope) for part in ("body", "orelse")]
    return [f for f in fields if isinstance(f, list)]


def _empty(stmt: ast.Assign, name: str) -> bool:
    """``name = []``."""
    empty = isinstance(stmt.value, ast.List) and not stmt.value.elts
    return empty and [ast.unparse(t) for t in stmt.targets] == [name]


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _next(scope: ast.AST, stmt: ast.stmt) -> ast.stmt | None:
    """The statement after one in its block."""
    for node in walk(scope):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(node, part, None)
            if isinstance(block, list) and stmt in block:
                place = block.index(stmt) + 1
                return block[place] if place < len(block) else None
    return None


def _first_call(node: ast.expr) -> ast.Call | None:
    """The call that a statement does first."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        node = node.args[0]  # print(sess.run(update))
    return node if isinstance(node, ast.Call) else None


def _runs(call: ast.Call, read: ast.Name) -> bool:
    """Whether a call runs what a name means."""
    func = call.func
    if not isinstance(func, ast.Attribute):
        return False
    if func.value is read:
        return func.attr in ("eval", "run")
    named = [k.value for k in call.keywords if k.arg == "fetches"]
    return func.attr == "run" and [*call.args[:1], *named][:1] == [read]
