"""`functools.partial` of TensorFlow's functions whose name is only called: the calls it makes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, children, holds, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.made import MUTATORS
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.wording.respelled import Respelled

Place = tuple[int, int]
SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef)
PLAIN = (ast.Constant, ast.Name, ast.Attribute, ast.List, ast.Tuple, ast.UnaryOp, ast.BinOp)


def met(walker: Any, node: ast.Call, values: list[Value]) -> None:
    """A call of something that isn't of the module.

    Raises:
        Respelled: it is a `partial` whose calls can be written out.
    """
    if not values or values[0].kind is not Kind.ENDPOINT or len(node.args) != 1:
        return
    tree = walker.files.at(node).tree
    if tree is None or ast.unparse(node.func) not in _names(tree):
        return
    found = _assigned(tree, node)
    if found is None or not all(k.arg and _plain(walker, k.value) for k in node.keywords):
        return
    stmt, scope = found
    name: str = stmt.targets[0].id  # type: ignore[attr-defined]
    others = [m.tree for m in walker.files.order if m.tree not in (None, tree)]
    if any(_asks(other, name) for other in others):
        return
    calls = _calls(tree, scope, stmt, name)
    if calls and _means(tree, scope, stmt, calls, node.keywords):
        raise Respelled(node, "a partial of TensorFlow's", "partial", stmt=stmt, calls=calls)


def _names(tree: ast.Module) -> set[str]:
    """What the file calls `functools.partial`."""
    found = set()
    for stmt in tree.body:
        for alias in getattr(stmt, "names", ()):
            if isinstance(stmt, ast.ImportFrom) and stmt.module == "functools":
                if alias.name == "partial":
                    found.add(alias.asname or "partial")
            elif isinstance(stmt, ast.Import) and alias.name == "functools":
                found.add(f"{alias.asname or 'functools'}.partial")
    return found


def _assigned(tree: ast.Module, node: ast.Call) -> tuple[ast.Assign, ast.AST] | None:
    """The statement that gives it a name, and the scope: no loop's, no branch's."""
    around: list[ast.AST] = [tree]
    while True:
        block = around[-1]
        inner = next((s for s in getattr(block, "body", ()) if holds(s, node)), None)
        if isinstance(inner, ast.Assign):
            single = len(inner.targets) == 1 and isinstance(inner.targets[0], ast.Name)
            scope = [b for b in around if isinstance(b, (ast.Module, ast.FunctionDef))][-1]
            return (inner, scope) if single and inner.value is node else None
        if not isinstance(inner, (ast.With, ast.FunctionDef)):
            return None
        around.append(inner)


def _plain(walker: Any, node: ast.expr) -> bool:
    """Whether an argument is the same wherever it is written."""
    if isinstance(node, ast.Call):
        name = walker.endpoints.get(id(node.func), "")
        if name not in meaning.VALUE_INITIALIZERS | meaning.DESCRIPTIONS:
            return False
        given = [*node.args, *(k.value for k in node.keywords if k.arg)]
        return len(given) == len(node.args) + len(node.keywords) and all(
            _plain(walker, value) for value in given
        )
    if not isinstance(node, PLAIN):
        return False
    return all(_plain(walker, n) for n in children(node) if isinstance(n, ast.expr))


def _asks(tree: ast.Module, name: str) -> bool:
    """Whether another file may take a name from this one."""
    return any(
        (isinstance(n, ast.alias) and n.name in (name, "*"))
        or (isinstance(n, ast.Attribute) and n.attr == name)
        for n in walk(tree)
    )


def _inside(scope: ast.AST, name: str = "") -> Iterator[tuple[ast.AST, bool]]:
    """What stands in a scope, and whether in a function or class of its own.

    ``name``: without the functions that have a name of their own like it.
    """
    stack = [(n, False) for n in children(scope)]
    while stack:
        node, nested = stack.pop()
        if name and isinstance(node, ast.FunctionDef) and node.name != name:
            if any(_bound(n, name) for n in walk(node)):
                continue
        yield node, nested
        deeper = nested or isinstance(node, SCOPES)
        stack.extend((n, deeper) for n in children(node))


def _at(node: ast.AST) -> Place:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _bound(node: ast.AST, name: str) -> bool:
    """Whether a node gives a name another meaning."""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return name in node.names
    if isinstance(node, ast.alias):
        return (node.asname or node.name) == name
    return name in (getattr(node, "arg", None), getattr(node, "name", None)) and not isinstance(
        node, ast.keyword
    )


def _calls(tree: ast.Module, scope: ast.AST, stmt: ast.Assign, name: str) -> list[ast.Call] | None:
    """The calls of what a statement gives a name to; None where it is read otherwise."""
    own = stmt.targets[0]
    called = {id(n.func): n for n in all_of(tree, ast.Call)}
    later: Place | None = None  # the next binding of the name
    many = False
    if any(isinstance(n, (ast.Global, ast.Nonlocal)) and name in n.names for n in walk(tree)):
        return None
    for node, nested in _inside(scope, name):
        if _bound(node, name) and node is not own:
            if nested or not isinstance(node, ast.Name):
                return None
            many = True
            if _at(node) > _at(stmt) and (later is None or _at(node) < later):
                later = _at(node)
    if later is not None and not _straight(scope, later):
        return None
    found = []
    for node, nested in _inside(scope, name):
        if not isinstance(node, ast.Name) or node.id != name or node is own:
            continue
        if not isinstance(node.ctx, ast.Load):
            continue
        if nested and many:
            return None
        mine = _at(node) > _at(stmt) and (later is None or _at(node) < later)
        if not mine and not many:
            return None
        call = called.get(id(node))
        if mine and (
            call is None
            or any(isinstance(a, ast.Starred) for a in call.args)
            or any(k.arg is None for k in call.keywords)
        ):
            return None
        if mine and call is not None:
            found.append(call)
    return sorted(found, key=_at)


def changed(node: ast.AST) -> set[str]:
    """The name of what is changed in place."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value if node.func.attr in MUTATORS else None
    elif isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
        owner = node.value
    else:
        return set()
    while isinstance(owner, (ast.Subscript, ast.Attribute)):
        owner = owner.value
    return {owner.id} if isinstance(owner, ast.Name) else set()


def _straight(scope: ast.AST, place: Place) -> bool:
    """Whether a binding is a statement that every way through the scope meets."""
    blocks = [scope]
    for block in blocks:  # grows
        for stmt in getattr(block, "body", ()):
            if isinstance(stmt, ast.Assign) and any(_at(t) == place for t in stmt.targets):
                return True
            if isinstance(stmt, ast.With):
                blocks.append(stmt)
    return False


def _means(
    tree: ast.Module,
    scope: ast.AST,
    stmt: ast.Assign,
    calls: list[ast.Call],
    keywords: list[ast.keyword],
) -> bool:
    """Whether the names in the arguments mean the same where they are called."""
    names = {n.id for k in keywords for n in all_of(k.value, ast.Name)}
    if any(changed(n) & names for n in walk(tree)):
        return False
    ids = set(map(id, calls))
    deep = any(nested and id(n) in ids for n, nested in _inside(scope))
    for node, nested in _inside(scope):
        if not any(_bound(node, name) for name in names) or isinstance(node, ast.FunctionDef):
            continue
        if nested:
            if deep:
                return False
        elif isinstance(node, ast.Name) and _at(stmt) < _at(node):
            if deep or _at(node) < _at(calls[-1]):
                return False
    # A loop goes back to what stands before.
    loops = [n for n, _ in _inside(scope) if isinstance(n, (ast.For, ast.While))]
    return not any(
        isinstance(n, ast.Name) and n.id in names and not isinstance(n.ctx, ast.Load)
        for loop in loops
        if any(id(inner) in ids for inner in walk(loop))
        for n in walk(loop)
    )
