"""Variables that a branch makes, or doesn't, in lists of variables: the condition is asked again.

``[*([self.embedding] if self.use_embedding else []), self.weights]``
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import Any

from migrate.engine.trees import children, walk
from migrate.programs.graph.fetching.choices import is_plain
from migrate.programs.graph.making.repeated import chain
from migrate.programs.graph.model import Kind, Region, Value

OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


def asked(walker: Any, ref: str | None, value: Value) -> str | None:
    """The condition on which a statement makes a variable; None where it can't be asked again."""
    root, stmt = walker.sink.node, walker.stmt
    scope = walker.frame.node
    if ref is None or walker.loops or value.items is not None or value.data == "container":
        return None
    if value.kind is not Kind.VARIABLE or not isinstance(root, ast.If):
        return None
    if not isinstance(scope, (ast.Module, ast.FunctionDef)):
        return None
    if _stores(walker, scope, ref) != 1 and not _of_ways(walker, scope, root, ref):
        return None
    tests: list[ast.expr] = []
    outer = [*(chain(root, stmt) or ()), stmt]
    for branch, inner in pairwise(outer):
        if isinstance(branch, ast.If):
            tests.append(branch.test if inner in branch.body else negated(branch.test))
        elif not isinstance(branch, ast.With):
            return None
    if not tests or not all(is_plain(t) and _stable(walker, scope, t, ref) for t in tests):
        return None
    test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    return ast.unparse(ast.fix_missing_locations(test))


def _of_ways(walker: Any, scope: ast.AST, root: ast.If, ref: str) -> bool:
    """Whether each way of a branch in a function that makes variables binds a name, once."""
    region: Region | None = walker.frame.region
    if region is None or region.inputs is None or region.node is not scope or "." in ref:
        return False
    ways = [sum(_stores(walker, stmt, ref) for stmt in way) for way in (root.body, root.orelse)]
    inner = [n for n in walk(root) if isinstance(n, (ast.If, ast.For, ast.While)) and n is not root]
    return ways == [1, 1] and _stores(walker, scope, ref) == 2 and not inner


def of_layer(walker: Any, scope: ast.AST, root: ast.AST, call: ast.Call) -> str | None:
    """The condition on which a function's branch makes a layer; None where it can't be asked."""
    tests: list[ast.expr] = []
    looped = False  # a loop in a branch fills a list
    for branch, inner in pairwise([*(chain(root, call) or ()), call]):
        if isinstance(branch, ast.If) and not looped:
            tests.append(branch.test if inner in branch.body else negated(branch.test))
        elif isinstance(branch, ast.For):
            looped = True
        elif isinstance(branch, (ast.If, ast.While, ast.IfExp, ast.FunctionDef, ast.Lambda)):
            return None
    if not tests or not all(is_plain(t) and _stable(walker, scope, t, "") for t in tests):
        return None
    tests = [t for t in tests if not _said_by(t, tests[-1])]
    test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    return ast.unparse(ast.fix_missing_locations(test))


def _said_by(test: ast.expr, last: ast.expr) -> bool:
    """Whether ``scale != 2`` goes without saying beside ``scale == 3``."""
    if not isinstance(test, ast.Compare) or not isinstance(last, ast.Compare):
        return False
    if not isinstance(test.ops[0], ast.NotEq) or not isinstance(last.ops[0], ast.Eq):
        return False
    mine, theirs = test.comparators[0], last.comparators[0]
    if not isinstance(mine, ast.Constant) or not isinstance(theirs, ast.Constant):
        return False
    alone = len(test.ops) == len(last.ops) == 1 and mine.value != theirs.value
    return alone and ast.unparse(test.left) == ast.unparse(last.left)


def negated(test: ast.expr) -> ast.expr:
    """The opposite of a condition."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in OPPOSITE:
        return ast.Compare(test.left, [OPPOSITE[type(test.ops[0])]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def opposite(first: str, second: str) -> bool:
    """Whether one condition is the other one's opposite, as they are written."""
    return ast.unparse(negated(ast.parse(first, mode="eval").body)) == second


def _stable(walker: Any, scope: ast.AST, test: ast.expr, ref: str) -> bool:
    """Whether a condition means the same wherever its branch's variable is asked for."""
    inside = ref.startswith("self.") and isinstance(scope, ast.FunctionDef)
    for node in walk(test):
        if isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id == "self"
            if own and _attributes(walker, node.attr) != 1:
                return False
        elif isinstance(node, ast.Name) and node.id != "self":
            local = scope is not walker.tree and _stores(walker, scope, node.id)
            if local and inside:
                return False  # another method doesn't see it
            if (local or _stores(walker, walker.tree, node.id)) != 1:
                return False
    return True


def _attributes(walker: Any, name: str) -> int:
    """How often an attribute is set, in the whole program."""
    return sum(
        isinstance(n, ast.Attribute) and n.attr == name and not isinstance(n.ctx, ast.Load)
        for n in walk(walker.tree)
    )


def _stores(walker: Any, scope: ast.AST, name: str) -> int:
    """How often a name is bound in a scope; an attribute, in the whole program."""
    if "." in name:
        return _attributes(walker, name.rpartition(".")[2])
    found = 0
    stack: list[ast.AST] = list(children(scope))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.alias):
            found += (node.asname or node.name).partition(".")[0] == name
        elif isinstance(node, ast.Name):
            found += node.id == name and not isinstance(node.ctx, ast.Load)
        elif isinstance(node, ast.arg):
            found += node.arg == name
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found += node.name == name
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            found += 2 * (name in node.names)
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            stack.extend(children(node))
    return found


def made_in_one(region: Region, call: ast.Call | None) -> bool:
    """Whether a branch of a function makes a layer."""
    return call is not None and any(
        isinstance(n, ast.If) for step in region.steps for n in chain(step.node, call) or ()
    )
