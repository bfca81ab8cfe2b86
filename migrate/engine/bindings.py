"""What a scope binds, and to which values: by assignment only, never by guessing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.trees import children, walk


def _targets(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    """What an assignment gives its names; a Starred value stands for its items."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        items: list[ast.expr | None]
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
            items = list(value.elts)
        elif value is not None and not any(isinstance(t, ast.Starred) for t in target.elts):
            items = [ast.Starred(value, ast.Load())] * len(target.elts)
        else:
            items = [None] * len(target.elts)
        for inner, item in zip(target.elts, items, strict=True):
            yield from _targets(inner, item)
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value, None)


def bindings(scope: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Every binding of a scope, not of the scopes in it."""
    if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        for arg in walk(scope.args):
            if isinstance(arg, ast.arg):
                yield arg.arg, None
    elif isinstance(scope, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        for generator in scope.generators:
            yield from _targets(generator.target, ast.Starred(generator.iter, ast.Load()))
        return
    for node in nodes(scope):
        yield from _binding(node)


def nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope's body, functions and classes in it without theirs."""
    body = getattr(scope, "body", [])
    stack: list[ast.AST] = list(body) if isinstance(body, list) else [body]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            stack.extend(children(node))


def _binding(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    match node:
        case ast.Assign():
            for target in node.targets:
                yield from _targets(target, node.value)
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
            yield name, value
        case ast.AugAssign(target=ast.Name(id=name)):
            yield name, None
        case ast.For() | ast.AsyncFor():
            yield from _targets(node.target, ast.Starred(node.iter, ast.Load()))
        case ast.withitem(optional_vars=target) if target is not None:
            yield from _targets(target, None)
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            yield name, value
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, None
        case ast.ClassDef(name=name):
            yield name, None
        case ast.alias(name=name, asname=asname):
            yield asname or name.partition(".")[0], None
        case (
            ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.MatchMapping(rest=str(name))
        ):
            yield name, None
        case ast.Delete():
            for target in node.targets:
                yield from _targets(target, None)
