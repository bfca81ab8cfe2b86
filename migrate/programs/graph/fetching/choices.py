"""Fetches that a condition of Python's chooses: a run for each way.

``sess.run([train if training else nothing, loss])`` becomes an ``if`` with two runs; a name that
was given what a condition chose is written out where it is fetched.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Kind, Step, Value
from migrate.programs.graph.wording.spelled import Source, Spelled

REASON = "what is fetched is chosen by a condition"
PARTS = frozenset({Kind.OP, Kind.TENSOR, Kind.PLACEHOLDER, Kind.VARIABLE, Kind.CONST, Kind.FETCH})
PLAIN = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp),
    *(ast.Load, ast.cmpop, ast.boolop, ast.unaryop, ast.operator),
)


def check(walker: Any, call: ast.Call, fetch: ast.expr) -> None:
    """See whether a condition chooses what a run fetches.

    Raises:
        Spelled: it does, and the run may be written for each way.
        Blocked: it does, and ops are among what it chooses.
    """
    for node in walk(fetch):
        if isinstance(node, ast.IfExp):
            kinds = {kind_of(walker, node.body), kind_of(walker, node.orelse)}
            if kinds & PARTS:
                _apart(walker, call, node)
                if Kind.OP in kinds:
                    raise Blocked(node, REASON)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            named(walker, node)


def kind_of(walker: Any, node: ast.expr) -> Kind:
    sink = walker.sink
    walker.sink = Step(-1, sink.node, Kind.HOST)
    try:
        value: Value = walker.expression(node)
    finally:
        walker.sink = sink
    return value.kind


def is_plain(test: ast.expr) -> bool:
    """Whether a condition may be asked again: it reads names, and compares."""
    return all(isinstance(n, PLAIN) for n in walk(test))


def _apart(walker: Any, call: ast.Call, choice: ast.IfExp) -> None:
    """The statement, or the call, for each way."""
    stmt = walker.stmt
    if not is_plain(choice.test):
        return

    def ways(source: Source, node: ast.AST) -> tuple[str, str] | None:
        whole, part = source(node), source(choice)
        if whole.count(part) != 1 or '"""' in whole or "'''" in whole:
            return None
        return whole.replace(part, source(choice.body)), whole.replace(part, source(choice.orelse))

    alone = isinstance(stmt, (ast.Assign, ast.Expr, ast.Return)) and stmt.value is call
    indent, unit = " " * stmt.col_offset, unit_of(walker.tree)

    def statement(source: Source) -> str | None:
        found = ways(source, stmt)
        if found is None:
            return None
        first, second = ("\n".join(deeper(text, unit)) for text in found)
        test = source(choice.test)
        return f"if {test}:\n{indent}{unit}{first}\n{indent}else:\n{indent}{unit}{second}"

    given = any(isinstance(n, ast.Call) and call in n.args for n in walk(stmt))

    def expression(source: Source) -> str | None:
        found = ways(source, call)
        if found is None:
            return None
        text = f"{found[0]} if {source(choice.test)} else {found[1]}"
        return text if given else f"({text})"

    raise Spelled(choice, REASON, [(stmt, statement) if alone else (call, expression)])


def deeper(text: str, unit: str) -> list[str]:
    first, *more = text.split("\n")
    return [first, *(unit + line if line.strip() else line for line in more)]


def unit_of(tree: ast.Module) -> str:
    """How far a block is indented."""
    for node in walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.stmt) and isinstance(body, list) and body:
            width: int = body[0].col_offset - node.col_offset
            if body[0].lineno > node.lineno and width > 0:
                return " " * width
    return " " * 4


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What a name stands for: one thing or another, or a list that may get one item more."""

    stmts: list[ast.stmt]  # that say so
    test: ast.expr
    first: ast.expr
    second: ast.expr | None  # where the condition doesn't hold
    more: ast.expr | None = None  # the item, where it does
    key: ast.expr | None = None  # of the item, in a dict


def named(walker: Any, node: ast.expr) -> None:
    """A name for what a condition chose is written out, everywhere; its statements go.

    Raises:
        Spelled: it can be.
    """
    scope = walker.frame.node
    if not isinstance(node, ast.Name):
        return
    found = _chosen(scope, *_bound(walker, scope).get(node.id, ([], 0)))
    if found is None or not is_plain(found.test):
        return
    places = [n for n in all_of(scope, ast.Name) if n.id == node.id]
    inside = {id(n) for stmt in found.stmts for n in walk(stmt)}
    loads = [p for p in places if id(p) not in inside]
    parts = [p for p in (found.first, found.second, found.more) if p is not None]
    if any(walker._variables_made(part) for part in parts):
        return  # layers are made where they stand
    if not {kind_of(walker, part) for part in parts} & {Kind.OP, Kind.TENSOR, Kind.FETCH}:
        return
    first, last = found.stmts[0].lineno, found.stmts[-1].end_lineno or 0
    read = {n.id for p in (*parts, found.test) for n in all_of(p, ast.Name)}
    for n in walk(scope):
        if isinstance(n, ast.Name) and n.id in read and n.lineno >= first:
            if not isinstance(n.ctx, ast.Load):
                return
        if isinstance(n, (ast.FunctionDef, ast.Lambda, ast.ClassDef)) and n is not scope:
            if any(p is q for p in places for q in walk(n)):
                return
    if any(isinstance(n, ast.Attribute) for n in walk(found.test)):
        return  # it may be another one by then
    declared = (n for n in walk(walker.tree) if isinstance(n, (ast.Global, ast.Nonlocal)))
    if read & {name for n in declared for name in n.names}:
        return
    if any(not isinstance(p.ctx, ast.Load) or p.lineno <= last for p in loads):
        return

    def written(source: Source) -> str:
        one, test = source(found.first), source(found.test)
        if found.more is not None:
            item = source(found.more)
            if found.key is not None:
                item = f"{source(found.key)}: {item}"
            longer = f"{one[:-1].rstrip().rstrip(',')}, {item}{one[-1]}"
            return f"({longer} if {test} else {one})"
        assert found.second is not None
        return f"({one} if {test} else {source(found.second)})"

    gone: list[tuple[ast.AST, Callable[[Source], str | None]]] = []
    gone += [(stmt, lambda _: "") for stmt in found.stmts]
    raise Spelled(node, REASON, [*gone, *((p, written) for p in loads)])


def put(walker: Any, target: ast.Subscript) -> None:
    """``fetches['step'] = train``, where a condition says so.

    Raises:
        Spelled: the fetches can be written out where they are run.
    """
    if walker.nested and isinstance(target.value, ast.Name):
        symbol = walker.frame.env.get(target.value.id)
        if symbol is not None and symbol.value.kind in PARTS:
            named(walker, target.value)


def _bound(walker: Any, scope: ast.AST) -> dict[str, tuple[list[ast.Assign], int]]:
    """What is assigned to each name alone, and how often the name is bound in all.

    It is asked for at every run, and a scope's tree stays as it is.
    """
    found: dict[str, tuple[list[ast.Assign], int]] = walker.kept.setdefault(("bound", scope), {})
    if not found:
        for n in walk(scope):
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
                stores, count = found.get(n.id, ([], 0))
                found[n.id] = stores, count + 1
            elif isinstance(n, ast.Assign) and len(n.targets) == 1:
                if isinstance(n.targets[0], ast.Name):
                    found.setdefault(n.targets[0].id, ([], 0))[0].append(n)
    return found


def _chosen(scope: ast.AST, stores: list[ast.Assign], bound: int) -> _Chosen | None:
    """The statements that choose what a name stands for, where nothing else binds it."""
    if bound != len(stores) or not 1 <= len(stores) <= 2:
        return None
    if len(stores) == 1 and isinstance(stores[0].value, ast.IfExp):
        choice = stores[0].value
        return _Chosen([stores[0]], choice.test, choice.body, choice.orelse)
    if len(stores) == 1 and not isinstance(stores[0].value, (ast.List, ast.Dict)):
        return None
    for block in _blocks(scope):
        for place, stmt in enumerate(block):
            if not isinstance(stmt, ast.If) or len(stmt.body) != 1 or len(stmt.orelse) > 1:
                continue
            both = [*stmt.body, *stmt.orelse]
            if len(both) == 2 and both == stores:
                first, second = stores
                return _Chosen([stmt], stmt.test, first.value, second.value)
            key, item = _added(stmt.body[0], stores[0].targets[0])
            begun = stores[0] if len(stores) == 1 and stores[0] in block[:place] else None
            if item is not None and begun is not None and not stmt.orelse:
                display = begun.value
                if isinstance(display, ast.List) and display.elts and key is None:
                    return _Chosen([begun, stmt], stmt.test, display, None, item)
                if isinstance(display, ast.Dict) and display.keys and key is not None:
                    said = {k.value for k in display.keys if isinstance(k, ast.Constant)}
                    if len(said) == len(display.keys) and key.value not in said:
                        return _Chosen([begun, stmt], stmt.test, display, None, item, key)
    return None


def _added(stmt: ast.stmt, name: ast.expr) -> tuple[ast.Constant | None, ast.expr | None]:
    """What ``name.append(…)`` appends, or ``name[key] = …`` puts under a key, after the key."""
    said = ast.unparse(name)
    if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
        target = stmt.targets[0]
        if isinstance(target, ast.Subscript) and ast.unparse(target.value) == said:
            if isinstance(target.slice, ast.Constant):
                return target.slice, stmt.value
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if not isinstance(call, ast.Call) or call.keywords or len(call.args) != 1:
        return None, None
    return None, call.args[0] if ast.unparse(call.func) == f"{said}.append" else None


def _blocks(scope: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in walk(scope):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(node, part, None)
            if isinstance(block, list):
                yield block
