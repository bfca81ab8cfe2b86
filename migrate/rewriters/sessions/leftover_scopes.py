"""Variable scopes without variables in functions that stay: they name ops, `tf.name_scope`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of
from migrate.programs.graph.meaning import T

OLD = "variable_scope"


def edits(module: Any, tree: ast.AST, others: list[Edit]) -> list[Edit]:
    """What changes them, but for those that other edits reach; by the file's own offsets."""
    above = module.page.part.start
    ends = {module.text.index.span(node)[1] - above for node in _scopes(module, tree)}
    found = [Edit(end - len(OLD), end, "name_scope") for end in sorted(ends)]
    return [e for e in found if not any(o.start < e.end and e.start < o.end for o in others)]


def _scopes(module: Any, tree: ast.AST) -> Iterator[ast.AST]:
    walker = module.walker
    for function in all_of(tree, ast.FunctionDef):
        if walker._variables_made(function):
            continue
        for block in all_of(function, ast.With):
            if id(block) in walker.dropped:
                continue
            for item in block.items:
                call = item.context_expr
                if (
                    item.optional_vars is None
                    and isinstance(call, ast.Call)
                    and _plain(walker, call)
                ):
                    yield call.func


def _plain(walker: Any, call: ast.Call) -> bool:
    """Whether a scope has a name and nothing else: ``tf.variable_scope('a')``."""
    return (
        walker.endpoints.get(id(call.func)) == T + OLD
        and isinstance(call.func, ast.Attribute)
        and len(call.args) == 1
        and isinstance(call.args[0], ast.Constant)
        and not call.keywords
    )
