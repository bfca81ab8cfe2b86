"""Whether a program only reads what it fetched: `as_numpy_iterator` gives arrays that can't be
written to."""

from __future__ import annotations

import ast

from migrate.engine.trees import parents_of, walk

READERS = frozenset({"print", "len", "str", "repr", "int", "float", "bool", "sum", "max", "min"})
METHODS = frozenset(
    [
        *("mean", "sum", "tolist", "decode", "astype", "max", "min", "argmax", "item", "copy"),
        *("format", "run", "eval", "std", "any", "all", "argsort"),
    ]
)
VIEWS = (ast.Subscript, ast.Attribute, ast.Tuple, ast.List, ast.Starred, ast.keyword, ast.Dict)


def only_read(tree: ast.Module, stmt: ast.stmt, node: ast.expr) -> bool:
    """Whether nothing writes to what a fetch gives, nor keeps it under another name."""
    parents = parents_of(tree)
    if not (isinstance(stmt, ast.Assign) and stmt.value is node):
        return isinstance(stmt, ast.For) or _read(node, parents)
    names = set()
    for target in stmt.targets:
        for n in [target, *getattr(target, "elts", ())]:
            if isinstance(n, ast.Name):
                names.add(n.id)
            elif not isinstance(n, (ast.Tuple, ast.List)):
                return False
    for n in walk(tree):
        if isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Load):
            if not _read(n, parents):
                return False
        if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name) and n.target.id in names:
            return False
    return True


def _read(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    """Whether the place where a value is used only reads it."""
    while True:
        parent = parents[id(node)]
        if isinstance(parent, (ast.Subscript, ast.Attribute)) and not isinstance(
            parent.ctx, ast.Load
        ):
            return False
        if isinstance(parent, ast.Call):
            return (parent.func is node and _method(node)) or _reads(parent)
        if not isinstance(parent, VIEWS):
            computed = (ast.BinOp, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.FormattedValue)
            return isinstance(parent, (*computed, ast.Expr))
        node = parent


def _method(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in METHODS


def _reads(call: ast.Call) -> bool:
    func = call.func
    if isinstance(func, ast.Name):
        return func.id in READERS
    if not isinstance(func, ast.Attribute):
        return False
    root = ast.unparse(func).partition(".")[0]
    changes = func.attr in ("shuffle", "put", "copyto", "fill_diagonal", "place", "putmask")
    return func.attr in METHODS or (root in ("np", "numpy", "math") and not changes)
