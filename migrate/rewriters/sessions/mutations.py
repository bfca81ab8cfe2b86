"""Objects of the host that change in place: what TF 1's graph read of them, it had read once.

A function of TF 2 reads them when it is traced, at its first call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.engine.trees import all_of, children, parents_of, walk

METHODS = frozenset(
    [
        *("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update"),
        *(
            "setdefault",
            "popitem",
            "add",
            "discard",
            "fill",
            "put",
            "resize",
            "itemset",
            "partition",
        ),
        *("appendleft", "popleft", "rotate", "difference_update", "intersection_update"),
    ]
)
# Functions that change their first argument.
IN_PLACE = frozenset({"shuffle", "copyto", "put", "place", "putmask", "fill_diagonal", "setattr"})


def mutations(tree: ast.AST) -> dict[str, list[tuple[ast.AST, bool]]]:
    """Where a module changes what its names stand for; whether a function of its own does."""
    found: dict[str, list[tuple[ast.AST, bool]]] = {}
    modules = {
        (alias.asname or alias.name).partition(".")[0]
        for n in walk(tree)
        if isinstance(n, (ast.Import, ast.ImportFrom))
        for alias in n.names
    }
    stack: list[tuple[ast.AST, frozenset[str] | None]] = [(tree, None)]
    while stack:
        node, local = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            local = (local or frozenset()) | _locals(node)
        name = _changed(node)
        if name and name not in modules:
            inner = local is not None and name not in local
            found.setdefault(name, []).append((node, inner))
        stack.extend((child, local) for child in children(node))
    return found


def given_and_changed(
    tree: ast.Module,
    function: ast.FunctionDef,
    name: str,
    changed: dict[str, list[tuple[ast.AST, bool]]],
) -> Iterator[ast.AST]:
    """Where callers change what they gave a function as a parameter, after the call."""
    params = [a.arg for a in function.args.args]
    if name not in params or not changed:
        return
    owner = next((c for c in tree.body if isinstance(c, ast.ClassDef) and function in c.body), None)
    named = owner.name if owner is not None and function.name == "__init__" else function.name
    place = params.index(name) - (owner is not None)
    for call in all_of(tree, ast.Call):
        func = call.func
        if (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")) != named:
            continue
        given: ast.AST | None = call.args[place] if 0 <= place < len(call.args) else None
        given = next((k.value for k in call.keywords if k.arg == name), given)
        if isinstance(given, ast.Name):
            for node, elsewhere in changed.get(given.id, ()):
                line: int = getattr(node, "lineno", 0)
                if elsewhere or line > (call.end_lineno or call.lineno):
                    yield node


def _changed(node: ast.AST) -> str:
    """The name whose object a node changes."""
    if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
        return _base(node)
    if not isinstance(node, ast.Call):
        return ""
    func = node.func
    last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    if last in IN_PLACE and node.args and isinstance(node.args[0], (ast.Name, ast.Subscript)):
        return _base(node.args[0])
    if isinstance(func, ast.Attribute) and last in METHODS:
        return _base(func.value)
    return ""


def filled(scope: ast.AST, name: str, reader: ast.stmt) -> ast.AST | None:
    """What changes a list or a dict of variables behind a statement of a graph that reads it.

    ``name``: as written, `ws` or `self.ws`. A later item changes nothing for what reads others.
    """
    keys: list[ast.expr | None] = []
    parents = parents_of(reader)
    for node in walk(reader):
        if isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == name:
            outer = parents.get(id(node))
            keys.append(outer.slice if isinstance(outer, ast.Subscript) else None)
    said = [k.value if isinstance(k, ast.Constant) else None for k in keys]
    line = reader.end_lineno or reader.lineno
    for node in walk(scope):
        if getattr(node, "lineno", 0) <= line:
            continue
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            other = node.slice.value if isinstance(node.slice, ast.Constant) else None
            apart = other is not None and None not in said and other not in said
            if ast.unparse(node.value) == name and not apart:
                return node
        func = node.func if isinstance(node, ast.Call) else None
        if isinstance(func, ast.Attribute) and func.attr in METHODS:
            if ast.unparse(func.value) != name:
                continue
            front = all(isinstance(k, (int, str)) for k in said)
            if func.attr not in ("append", "extend") or not front:
                return node
    return None


def other_item(change: ast.AST, name: str, read: Iterable[ast.AST]) -> bool:
    """Whether a change sets an item under a constant, and statements read others of them only."""
    if not isinstance(change, ast.Subscript) or not isinstance(change.slice, ast.Constant):
        return False
    if not isinstance(change.value, ast.Name):
        return False
    read = list(read)
    items = {id(n.value): n.slice for s in read for n in all_of(s, ast.Subscript)}
    for stmt in read:
        for node in walk(stmt):
            if isinstance(node, ast.Name) and node.id == name:
                key = items.get(id(node))
                if not isinstance(key, ast.Constant) or key.value == change.slice.value:
                    return False
    return True


def _base(node: ast.AST) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _locals(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    args = node.args
    names = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    names |= {a.arg for a in (args.vararg, args.kwarg) if a is not None}
    for n in walk(node):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            names.add(n.id)
    return frozenset(names)
