"""Names that a branch or a loop gives to one variable after the other.

``if dueling: w = tf.Variable(…); v = tf.matmul(x, w); w = tf.Variable(…)``: all of a block's
variables are made before a function reads any. The later one gets a name of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Kind, Step, Symbol
from migrate.programs.graph.wording.spelled import Spelled, Written, free, word

BLOCKS = ("body", "orelse", "finalbody")
HIDING = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.JoinedStr, ast.Global, ast.Nonlocal)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def check(walker: Any, step: Step) -> None:
    """See that no block binds the name of a variable that it makes anew.

    Raises:
        Spelled: what is bound later can have another name.
        Blocked: it can't.
    """
    if not isinstance(step.node, (ast.If, ast.For, ast.While)):
        return
    bound: dict[int, list[Symbol]] = walker.kept.get("bound inside", {})
    for block in _blocks(step.node):
        flat = list(_flat(block))
        for place, stmt in enumerate(flat):
            for symbol in bound.get(id(stmt), ()):
                later = [s for s in flat[place + 1 :] if _stores(s, symbol)]
                kinds = {symbol.value.kind, *(k for s in later for k in _kinds(bound, s, symbol))}
                made = Kind.VARIABLE in kinds and symbol.value.kind in (Kind.VARIABLE, Kind.TENSOR)
                if made and later and isinstance(stmt, ast.Assign):
                    _told_apart(walker, step.node, flat, stmt, later, symbol)
    _ways(step.node, bound)


def _kinds(bound: dict[int, list[Symbol]], stmt: ast.AST, symbol: Symbol) -> Iterator[Kind]:
    """What a statement, or one in it, binds a name to."""
    for inner in walk(stmt):
        for other in bound.get(id(inner), ()):
            if (other.name, other.attribute) == (symbol.name, symbol.attribute):
                yield other.value.kind


def _ways(node: ast.stmt, bound: dict[int, list[Symbol]]) -> None:
    """Raise where a name is a variable on one way, and a tensor of functions on another."""
    for stmt in walk(node):
        for symbol in bound.get(id(stmt), ()):
            if symbol.value.kind is Kind.VARIABLE and not symbol.attribute:
                if Kind.TENSOR in _kinds(bound, node, symbol):
                    name = symbol.name
                    raise Blocked(stmt, f"`{name}` is a variable on one way, a tensor on another")


def _blocks(node: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    """The blocks of a statement and of those in it; one of a `with` is its surroundings'."""
    for name in BLOCKS:
        block = getattr(node, name, None)
        if block and not isinstance(node, ast.With):
            yield block
        for stmt in block or ():
            if not isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
                yield from _blocks(stmt)


def _flat(block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for stmt in block:
        yield stmt
        if isinstance(stmt, ast.With):
            yield from _flat(stmt.body)


def _stores(stmt: ast.stmt, symbol: Symbol) -> list[ast.Name | ast.Attribute]:
    """Where a statement binds a name; what stands in a `with` is a statement beside it."""
    nodes = [n for i in stmt.items for n in walk(i)] if isinstance(stmt, ast.With) else walk(stmt)
    kind = ast.Attribute if symbol.attribute else ast.Name
    return [
        n
        for n in nodes
        if isinstance(n, kind)
        and not isinstance(n.ctx, ast.Load)
        and symbol.name == (n.attr if isinstance(n, ast.Attribute) else n.id)
    ]


def _told_apart(
    walker: Any,
    node: ast.stmt,
    flat: Sequence[ast.stmt],
    first: ast.stmt,
    later: Sequence[ast.stmt],
    symbol: Symbol,
) -> None:
    """Give what is bound later names of its own.

    Raises:
        Spelled: it can have them.
        Blocked: it can't.
    """
    name, scope = symbol.name, walker.frame.node
    error = Blocked(later[0], f"`{name}`, a variable that a block makes, is bound anew in it")
    if symbol.attribute or scope is None:
        raise error
    inside = {id(n) for n in walk(node)}
    uses = [n for n in all_of(scope, ast.Name) if n.id == name]
    loop = any(isinstance(n, (ast.For, ast.While)) and first in walk(n) for n in walk(node))
    early = [u for u in uses if id(u) in inside and u.lineno < first.lineno]
    if loop and any(isinstance(u.ctx, ast.Load) for u in early):
        raise error  # the last round's
    if any(u.lineno > (node.end_lineno or 0) and isinstance(u.ctx, ast.Load) for u in uses):
        if not _bound_first(scope, node, uses):
            raise error
    hidden = [
        n for n in walk(scope) if isinstance(n, (*HIDING, *COMPREHENSIONS)) and n is not scope
    ]
    if any(_says(n, name) for n in hidden) or _elsewhere(walker, scope, name):
        raise error
    within = [u for s in flat for u in all_of(s, ast.Name) if u.id == name]
    apart = set(map(id, within)) | (set() if loop else _other_ways(node, first))
    for use in uses:
        behind = id(use) in inside and use.lineno > first.lineno and id(use) not in apart
        if behind and isinstance(use.ctx, ast.Load):
            raise error  # a block around this one reads it
    replaced: dict[int, Written] = {}
    names = [name]
    for stmt, end in zip(later, [*later[1:], None], strict=True):
        (*_, target), several = _stores(stmt, symbol), len(_stores(stmt, symbol)) > 1
        if not isinstance(stmt, ast.Assign) or several or stmt.lineno <= first.lineno:
            raise error
        new = free(walker, _wish(flat, first, stmt, name), names)
        names.append(new)
        values = {id(n) for n in walk(stmt.value)}
        last = {id(n) for n in walk(end.value)} if isinstance(end, ast.Assign) else set()
        for use in within:
            behind = use.lineno > (stmt.end_lineno or 0) and id(use) not in values
            before = end is None or use.lineno < end.lineno or id(use) in last
            if use is target or (behind and before):
                replaced[id(use)] = use, word(new)
    raise Spelled(later[0], error.reason, list(replaced.values()))


def _other_ways(node: ast.stmt, stmt: ast.stmt) -> set[int]:
    """The ids of what stands on the ways of branches that a statement isn't on."""
    found: set[int] = set()
    for branch in walk(node):
        if isinstance(branch, ast.If):
            ways = [{id(n) for s in way for n in walk(s)} for way in (branch.body, branch.orelse)]
            for way, other in (ways, ways[::-1]):
                found |= other if id(stmt) in way else set()
    return found


def _wish(flat: Sequence[ast.stmt], first: ast.stmt, stmt: ast.stmt, name: str) -> str:
    """A name by the scope that tells the two apart, else by number."""
    around = [[w for w in flat if isinstance(w, ast.With) and s in walk(w)] for s in (first, stmt)]
    for block in around[1]:
        call = block.items[0].context_expr
        said = call.args[0] if isinstance(call, ast.Call) and call.args else None
        scope = said.value if isinstance(said, ast.Constant) else None
        if block not in around[0] and isinstance(scope, str) and scope.isidentifier():
            return f"{scope}_{name}"
    return f"{name}_2" if name[-1].isdigit() else f"{name}2"


def _bound_first(scope: ast.AST, node: ast.stmt, uses: Sequence[ast.Name]) -> bool:
    """Whether what reads a name behind a statement reads what is bound there, on every way."""
    body = getattr(scope, "body", [])
    if node not in body:
        return False
    for stmt in body[body.index(node) + 1 :]:
        mine = [u for u in uses if u in walk(stmt)]
        if mine:
            value = getattr(stmt, "value", None)
            read = any(isinstance(u.ctx, ast.Load) for u in mine)
            return isinstance(stmt, ast.Assign) and value is not None and not read
    return True


def _says(node: ast.AST, name: str) -> bool:
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return name in node.names
    return any(name in (getattr(n, "id", None), getattr(n, "arg", None)) for n in walk(node))


def _elsewhere(walker: Any, scope: ast.AST, name: str) -> bool:
    """Whether another file may have a module's name."""
    if not isinstance(scope, ast.Module):
        return False
    told = ("globals", "vars", "exec", "eval", "__all__")
    for tree in walker.program():
        for n in walk(tree):
            if isinstance(n, ast.Name) and n.id in told:
                return True
            if tree is not scope and name in (
                getattr(n, "attr", None),
                getattr(n, "name", None),
            ):
                return True
            if tree is not scope and isinstance(n, ast.ImportFrom) and n.names[0].name == "*":
                if any(isinstance(m, ast.Name) and m.id == name for m in walk(tree)):
                    return True
    return False
