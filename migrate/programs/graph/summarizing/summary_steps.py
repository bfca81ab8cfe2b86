"""Steps of summaries that aren't whole numbers: TF 1's ``add_summary`` takes ``int()`` of them.

``global_step = path.split('-')[-1]`` is a text, ``epoch * n / batch_size`` a float; tf.summary
refuses both.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.own_nodes import function_around

TEXTS = frozenset({"split", "rsplit", "partition", "rpartition", "strip", "replace", "group"})
TEXTS |= {"format", "join", "basename", "dirname", "str"}
NUMBERS = frozenset(
    {"time", "ceil", "floor", "float", "mean", "round", "rint", "float32", "float64"}
)
DEPTH = 4  # of names for names


def odd(walker: Any, node: ast.expr, depth: int = 0) -> bool:
    """Whether a step may be a text or a fraction, by what it is made of."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, float))
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Div) or any(
            odd(walker, n, depth) for n in (node.left, node.right)
        )
    if isinstance(node, ast.UnaryOp):
        return odd(walker, node.operand, depth)
    if isinstance(node, ast.IfExp):
        return any(odd(walker, n, depth) for n in (node.body, node.orelse))
    if isinstance(node, ast.Subscript):
        return odd(walker, node.value, depth)
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return name in TEXTS | NUMBERS
    if isinstance(node, (ast.Name, ast.Attribute)) and depth < DEPTH:
        return any(odd(walker, value, depth + 1) for value in _given(walker, node))
    return False


def _given(walker: Any, node: ast.Name | ast.Attribute) -> list[ast.expr]:
    """What a name is given, in its function or its file."""
    said = ast.unparse(node)
    scope = function_around(walker.tree, node) or walker.files.at(node).tree or walker.tree
    if isinstance(node, ast.Attribute):
        scope = walker.files.at(node).tree or walker.tree
    found: list[ast.expr] = []
    for stmt in walk(scope):
        if isinstance(stmt, ast.Assign) and said in map(ast.unparse, stmt.targets):
            found.append(stmt.value)
        elif isinstance(stmt, ast.AugAssign) and ast.unparse(stmt.target) == said:
            found.append(ast.BinOp(stmt.target, stmt.op, stmt.value))
    targets = [n.id for loop in all_of(scope, ast.For) for n in all_of(loop.target, ast.Name)]
    return [] if said in targets else found  # a loop's number
