"""Whether the source of a dimension means the same in one function as in another."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, children, fact, named, walk
from migrate.programs.graph.model import Symbol

OPEN = "None"
SCOPES = (ast.FunctionDef, ast.Lambda)


def handed(walker: Any, node: ast.expr, origin: Symbol, shape: list[str] | None) -> bool:
    """Whether a placeholder's shape means the same where a method of its class is given it.

    The method is called at one place, `self.build(s)`, and what it reads of its object is set once.
    """
    made = origin.value.node
    if shape is None or not isinstance(node, ast.Name) or not isinstance(made, ast.Call):
        return False
    tree = walker.files.at(node).tree
    owners = all_of(tree, ast.ClassDef)
    home = next((c for c in owners if {node, made} <= set(walk(c))), None)
    methods = home.body if home is not None else []
    target = next((f for f in methods if isinstance(f, ast.FunctionDef) and node in walk(f)), None)
    if target is None:
        return False
    calls = [
        n for page in walker.program() for n in all_of(page, ast.Attribute) if n.attr == target.name
    ]
    if len(calls) != 1 or ast.unparse(calls[0].value) != "self":
        return False
    parsed = [ast.parse(d, mode="eval").body for d in shape]
    read = [n for d in parsed for n in all_of(d, ast.Attribute)]
    if any(ast.unparse(n.value) != "self" or not once(walker, node, n.attr) for n in read):
        return False
    return all(
        isinstance(said, ast.Attribute) or plain(walker, target, dim, False)
        for dim, said in zip(shape, parsed, strict=True)
    )


def once(walker: Any, node: ast.AST, name: str) -> bool:
    """Whether an attribute of that name is set at one place only."""
    tree = walker.files.at(node).tree
    return (
        sum(
            isinstance(n, ast.Attribute) and n.attr == name and not isinstance(n.ctx, ast.Load)
            for n in walk(tree)
        )
        == 1
    )


def plain(walker: Any, target: ast.FunctionDef, dim: str, method: bool) -> bool:
    """Whether a dimension means the same in a function as where it is called.

    It is a number, open, a constant of the module, or an attribute of the method's object.
    """
    if dim == OPEN or dim.isdigit() or (method and dim.startswith("self.")):
        return True
    tree = walker.files.at(target).tree
    around = [f for f in walk(tree) if isinstance(f, SCOPES) and target in walk(f)]
    if any(_binds(f, dim) for f in (*around, *read_in(walker, dim))):
        return False
    names = [n for n in _own(tree) if isinstance(n, ast.Name) and n.id == dim]
    stores = [n for n in names if not isinstance(n.ctx, ast.Load)]
    told = {n for f in all_of(tree, ast.Global) for n in f.names}
    home = walker.module_frame(target).env.get(dim)
    return dim.isidentifier() and len(stores) == 1 and dim not in told and home is not None


def read_in(walker: Any, name: str) -> list[ast.AST]:
    """The functions in which a name may be a dimension: in a display, or given to TensorFlow."""
    return [
        scope
        for tree in walker.program()
        for scope in walk(tree)
        if isinstance(scope, SCOPES)
        and named(scope, name)
        and any(_said(walker, n, name) for n in _own(scope))
    ]


def _said(walker: Any, node: ast.AST, name: str) -> bool:
    parts: list[ast.expr] = []
    if isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
        parts = node.elts
    elif isinstance(node, ast.Call) and id(node.func) in walker.endpoints:
        parts = [*node.args, *(k.value for k in node.keywords)]
    return any(isinstance(n, ast.Name) and n.id == name for part in parts for n in walk(part))


def _binds(scope: ast.AST, name: str) -> bool:
    """Whether a name is one of a function's own."""
    return any(
        (isinstance(n, ast.arg) and n.arg == name)
        or (isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load))
        for n in _own(scope)
    )


def _own(scope: ast.AST) -> list[ast.AST]:
    """What stands in a function or a module, without what stands in functions in it."""
    return fact(scope, _inside)


def _inside(scope: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    stack = list(children(scope))
    while stack:
        node = stack.pop()
        found.append(node)
        if not isinstance(node, SCOPES):
            stack.extend(children(node))
    return found
