"""Savers that a branch or a handler makes: ``except KeyboardInterrupt: saver = tf.train.Saver()``.

One that is made above the statement has the same variables, where nothing in it makes any.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.wording.spelled import Spelled, line, word

LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.Lambda, ast.FunctionDef)
TRAINS = frozenset({"minimize", "apply_gradients", "compute_gradients"})
# Not `eval`, which finds a name as well that is there on both ways.
LOOKS = frozenset({"globals", "locals", "vars", "dir"})
BLOCKS = ("body", "orelse", "finalbody")


def check(walker: Any, node: ast.Call, reason: str) -> None:
    """See whether a Saver of a branch may be made above it.

    Raises:
        Spelled: it may.
    """
    stmt, outer, scope = walker.stmt, walker.sink.node, walker.frame.node
    if walker.loops or not walker.nested or not isinstance(stmt, ast.Assign):
        return
    if not isinstance(scope, ast.Module):
        return  # each call may make another one, which keeps other checkpoints
    if any(isinstance(n, ast.Name) and n.id in LOOKS for n in walk(walker.tree)):
        return
    target = stmt.targets[0]
    if stmt.value is not node or len(stmt.targets) != 1 or not isinstance(target, ast.Name):
        return
    name = target.id
    given = [*node.args, *(k.value for k in node.keywords)]
    if not all(isinstance(value, ast.Constant) for value in given):
        return
    stores = [
        n for n in all_of(scope, ast.Name) if n.id == name and not isinstance(n.ctx, ast.Load)
    ]
    branches = [s for s in scope.body if any(n in stores for n in walk(s))]
    if outer not in branches or branches[0] is not outer:
        branches = [outer]
    same = [
        s
        for b in branches
        for s in all_of(b, ast.Assign)
        if s.targets[0] in stores and len(s.targets) == 1
    ]
    if len(same) != len(stores) or any(ast.dump(s.value) != ast.dump(node) for s in same):
        return
    if len(branches) > 1 and not _one(walker, scope, branches, name):
        return
    if any(
        isinstance(n, LOOPS) and any(s in walk(n) for s in same) for b in branches for n in walk(b)
    ):
        return  # another one each time, which keeps other checkpoints
    if _makes(walker, outer) or not all(any(_left(b, s, same) for b in branches) for s in same):
        return
    hidden = (ast.FunctionDef, ast.Lambda, ast.ClassDef)
    inner = [n for n in walk(scope) if isinstance(n, hidden)]
    if any(getattr(m, "id", getattr(m, "arg", "")) == name for n in inner for m in walk(n)):
        return
    raise Spelled(node, reason, [(s, word("")) for s in same], [(outer, line(name, node))])


def _one(walker: Any, scope: ast.Module, branches: list[ast.stmt], name: str) -> bool:
    """Whether one Saver does for all branches that make one of the same variables.

    It keeps one list of checkpoints: only one of them may save.
    """
    first, last = (scope.body.index(b) for b in (branches[0], branches[-1]))
    if any(_makes(walker, s) for s in scope.body[first : last + 1]):
        return False
    saves = [
        any(isinstance(n, ast.Attribute) and ast.unparse(n) == f"{name}.save" for n in walk(s))
        for s in scope.body
    ]
    inside = [saves[scope.body.index(b)] for b in branches]
    return sum(inside) == sum(saves) <= 1 and all(isinstance(b, ast.If) for b in branches)


def _makes(walker: Any, outer: ast.AST) -> bool:
    """Whether a statement makes variables, or what has some."""
    for node in walk(outer):
        name = walker.endpoints.get(id(node), "")
        if name in meaning.VARIABLES or name in meaning.OPTIMIZERS or name in meaning.MAKING:
            return True
        if isinstance(node, ast.Call):
            callee = walker._module_function(node.func)
            if callee is not None and walker._variables_made(callee):
                return True
            if isinstance(node.func, ast.Attribute) and node.func.attr in TRAINS:
                return True
            if walker._module_function(node.func, ast.ClassDef) is not None:
                return True
    return False


def _left(outer: ast.AST, stmt: ast.stmt, gone: list[ast.Assign]) -> bool:
    """Whether the block of a statement has others that stay."""
    for node in walk(outer):
        for part in BLOCKS:
            block = getattr(node, part, None)
            if isinstance(block, list) and stmt in block:
                return any(s not in gone for s in block)
    return False
