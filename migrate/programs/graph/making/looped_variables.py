"""Variables of one name that a loop asks for in each round: its first one makes them.

``for t in range(n): with tf.variable_scope("rnn", reuse=t > 0): w = tf.get_variable("w", shape)``.
They are made above the loop, in the scopes that the loop opens.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.making.repeated import chain, stores
from migrate.programs.graph.meaning import MAKING, SCOPES, T
from migrate.programs.graph.scoping import scopes
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

REASON = "a variable of one name is made in a loop"
BLOCKS = ("body", "orelse", "finalbody")


def check(walker: Any, node: ast.Call) -> None:
    """See whether a variable could stand above the loop that asks for it.

    Raises:
        Spelled: it could, and so may others of the loop.
    """
    around = chain(walker.frame.node, node) or ()
    loops = [n for n in around if isinstance(n, (ast.For, ast.While))]
    loop = loops[-1] if loops else None
    if not isinstance(loop, ast.For):
        return
    found = _found(walker, loop)
    if not any(stmt.value is node for stmt, _ in found):
        return
    gone = _emptied(loop.body, {id(stmt) for stmt, _ in found})
    if all(stmt in gone for stmt in loop.body):
        return  # a loop that does nothing else
    told = [block for block in _blocks(found) if block not in gone and _empty(walker, block, gone)]
    flags = _flags(walker.frame.node, told, gone)
    replaced: list[Written] = [(stmt, word("")) for stmt in [*gone, *flags]]
    replaced += [(i.context_expr, partial(_call, i)) for block in told for i in block.items]

    def lines(source: Source) -> list[str]:
        made: list[str] = []
        last: list[str] = []
        for stmt, blocks in found:
            opened = [_opened(block, source) for block in blocks]
            same = 0
            while same < min(len(opened), len(last)) and opened[same] == last[same]:
                same += 1
            made += ["    " * depth + opened[depth] for depth in range(same, len(opened))]
            made.append("    " * len(opened) + source(stmt))
            last = opened
        return made

    raise Spelled(node, REASON, replaced, [(loop, lines)])


def _found(walker: Any, loop: ast.For) -> list[tuple[ast.Assign, list[ast.With]]]:
    """The variables that a loop's every round asks for, with what it opens around each."""
    bound = stores(loop)
    changed = {n.attr for n in all_of(loop, ast.Attribute) if not isinstance(n.ctx, ast.Load)}
    names = all_of(loop, ast.Name)
    found: list[tuple[ast.Assign, list[ast.With]]] = []

    def fixed(node: ast.AST) -> bool:
        parts = list(walk(node))
        return not any(
            (isinstance(n, ast.Name) and n.id in bound)
            or (isinstance(n, ast.Attribute) and n.attr in changed)
            or (isinstance(n, ast.Call) and id(n.func) not in walker.endpoints)
            for n in parts
        )

    def look(body: list[ast.stmt], blocks: list[ast.With]) -> None:
        for stmt in body:
            if isinstance(stmt, ast.With) and all(map(_scope, stmt.items)):
                said = [_without_reuse(i.context_expr) for i in stmt.items]
                if all(fixed(part) for parts in said for part in parts):
                    look(stmt.body, [*blocks, stmt])
            elif isinstance(stmt, ast.Assign) and _asked(stmt) and fixed(stmt.value):
                (target,) = stmt.targets
                assert isinstance(target, ast.Name)
                own = [n for n in names if n.id == target.id]
                at = (stmt.lineno, stmt.col_offset)
                written = [n for n in own if not isinstance(n.ctx, ast.Load)]
                if written == [target] and all((n.lineno, n.col_offset) >= at for n in own):
                    found.append((stmt, blocks))

    def _scope(item: ast.withitem) -> bool:
        call = item.context_expr
        return isinstance(call, ast.Call) and walker.endpoints.get(id(call.func)) in SCOPES

    def _asked(stmt: ast.Assign) -> bool:
        call = stmt.value
        if len(stmt.targets) != 1 or not isinstance(stmt.targets[0], ast.Name):
            return False
        return (
            isinstance(call, ast.Call)
            and walker.endpoints.get(id(call.func)) == T + "get_variable"
            and not any(isinstance(a, ast.Starred) for a in call.args)
        )

    look(loop.body, [])
    return found


def _without_reuse(node: ast.expr) -> list[ast.AST]:
    """What a scope's call is given, but for its ``reuse``."""
    assert isinstance(node, ast.Call)
    return [*node.args, *(k.value for k in node.keywords if k.arg != "reuse")]


def _call(item: ast.withitem, source: Source) -> str:
    """A scope's call, but for its ``reuse``."""
    call = item.context_expr
    assert isinstance(call, ast.Call)
    given = [source(a) for a in call.args]
    given += [source(k) for k in call.keywords if k.arg != "reuse"]
    return f"{source(call.func)}({', '.join(given)})"


def _opened(block: ast.With, source: Source) -> str:
    return f"with {', '.join(_call(item, source) for item in block.items)}:"


def _blocks(found: list[tuple[ast.Assign, list[ast.With]]]) -> list[ast.With]:
    return list({id(b): b for _, blocks in found for b in blocks}.values())


def _empty(walker: Any, block: ast.With, gone: list[ast.stmt]) -> bool:
    """Whether a scope has no variables once some statements are gone."""
    hidden = {id(n) for stmt in gone for n in walk(stmt)}
    heads = {id(i.context_expr) for n in all_of(block, ast.With) for i in n.items}
    calls = [n for n in all_of(block, ast.Call) if id(n) not in hidden | heads]
    names = [walker.endpoints.get(id(n.func), "") for n in calls]
    return all(name and name not in MAKING and not scopes.makes(name) for name in names)


def _flags(function: ast.AST, told: list[ast.With], gone: list[ast.stmt]) -> list[ast.stmt]:
    """``share = False``, ``share = True``: what says nothing but what such scopes find again."""
    calls = [i.context_expr for block in told for i in block.items]
    given = [k for c in calls if isinstance(c, ast.Call) for k in c.keywords if k.arg == "reuse"]
    said = [k.value for k in given if isinstance(k.value, ast.Name)]
    found: list[ast.stmt] = []
    for name in {n.id for n in said}:
        reads = [n for n in said if n.id == name]
        uses = [n for n in all_of(function, ast.Name) if n.id == name]
        stores = [n for n in uses if not isinstance(n.ctx, ast.Load)]
        bodies = [
            body
            for n in walk(function)
            for field in BLOCKS
            if isinstance(body := getattr(n, field, None), list)
        ]
        sets = [
            (stmt, body)
            for body in bodies
            for stmt in body
            if isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Constant)
            if len(stmt.targets) == 1 and stmt.targets[0] in stores
        ]
        alone = any(all(s in gone or s is stmt for s in body) for stmt, body in sets)
        if len(uses) == len(reads) + len(stores) and len(sets) == len(stores) and not alone:
            found += [stmt for stmt, _ in sets]
    return found


def _emptied(body: list[ast.stmt], gone: set[int]) -> list[ast.stmt]:
    """The statements that go, and the blocks that have no others."""
    found: list[ast.stmt] = []
    for stmt in body:
        if id(stmt) in gone:
            found.append(stmt)
        elif isinstance(stmt, ast.With):
            inner = _emptied(stmt.body, gone)
            found += [stmt] if len(inner) == len(stmt.body) else inner
    return found
