"""Functions that tell each op its device: variables on one, all else on the tower's.

def assign_to_device(device, ps_device='/cpu:0'):
    def _assign(op):
        node_def = op if isinstance(op, tf.NodeDef) else op.node_def
        if node_def.op in PS_OPS:
            return '/' + ps_device
        return device
    return _assign

`tf.device` of TF 2 takes no function (https://www.tensorflow.org/api_docs/python/tf/device).
Variables are made elsewhere by then: what ops are told in a tower is the tower's device.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.wording.spelled import Gone, Spelled, Written, same

REASON = "a function tells each op its device"


def check(walker: Any, where: ast.expr) -> None:
    """See whether a device is made by such a function.

    Raises:
        Spelled: it is, and the tower's own stands for it.
    """
    if not isinstance(where, ast.Call):
        return
    target = walker._module_function(where.func)
    if not isinstance(target, ast.FunctionDef) or not _tells(walker.files.at(target).tree, target):
        return
    device = target.args.args[0].arg
    given = where.args[0] if where.args else None
    given = next((k.value for k in where.keywords if k.arg == device), given)
    if given is None or isinstance(given, ast.Starred):
        return
    raise Spelled(where, REASON, [(where, same(given)), *_gone(walker, target)])


def _tells(tree: ast.Module, target: ast.FunctionDef) -> bool:
    """Whether a function returns one that gives its first argument for all but variables."""
    body = [s for s in target.body if not _docstring(s)]
    if len(body) != 2 or not target.args.args or target.decorator_list:
        return False
    inner, result = body
    if not isinstance(inner, ast.FunctionDef) or len(inner.args.args) != 1:
        return False
    if not isinstance(result, ast.Return) or ast.unparse(result) != f"return {inner.name}":
        return False
    said = f"return {target.args.args[0].arg}"
    asked = [n for n in walk(inner) if isinstance(n, ast.If) and _kinds(tree, n.test)]
    returns = all_of(inner, ast.Return)
    others = [r for r in returns if ast.unparse(r) != said]
    if len(asked) != 1 or len(others) + 1 != len(returns) or len(others) != 1:
        return False
    last = inner.body[-1]
    if not all(
        isinstance(s, (ast.Assign, ast.If, ast.Return)) or _docstring(s) for s in inner.body
    ):
        return False
    ends = last is asked[0] or isinstance(last, ast.Return)
    return ends and any(holds(s, others[0]) for s in asked[0].body)


def _docstring(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)


def _kinds(tree: ast.Module, test: ast.expr) -> bool:
    """Whether a test asks for variables: ``op.op in KINDS``, ``op.type == 'VarHandleOp'``."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    kind = test.left.attr if isinstance(test.left, ast.Attribute) else ""
    if kind not in ("op", "type") or not isinstance(test.ops[0], (ast.In, ast.Eq)):
        return False
    listed: ast.expr = test.comparators[0]
    if isinstance(listed, ast.Name):
        name = listed.id
        made = [s for s in tree.body if isinstance(s, ast.Assign) and _binds(s, name)]
        listed = made[0].value if len(made) == 1 else listed
    kinds = listed.elts if isinstance(listed, (ast.List, ast.Tuple, ast.Set)) else [listed]
    return all(isinstance(k, ast.Constant) and "Var" in str(k.value) for k in kinds)


def _binds(stmt: ast.Assign, name: str) -> bool:
    return any(isinstance(t, ast.Name) and t.id == name for t in stmt.targets)


def _gone(walker: Any, target: ast.FunctionDef) -> list[Written]:
    """The function, and the kinds that it asks for, where nothing else reads them."""
    if len(walker.files.order) > 1:
        return []  # another file may take them
    tree = walker.tree
    names = [n for n in walk(tree) if isinstance(n, ast.Name)]
    uses = [n for n in names if n.id == target.name]
    blocks = [i.context_expr for w in all_of(tree, ast.With) for i in w.items]
    calls = [c for b in blocks for c in all_of(b, ast.Call) if c.func in uses]
    if len(calls) != len(uses) or target not in tree.body:
        return []
    found: list[ast.stmt] = [target]
    for stmt in tree.body:
        if isinstance(stmt, ast.Assign) and all(isinstance(t, ast.Name) for t in stmt.targets):
            kept = {t.id for t in stmt.targets if isinstance(t, ast.Name)}
            reads = [n for n in names if n.id in kept and isinstance(n.ctx, ast.Load)]
            if reads and all(holds(target, n) for n in reads):
                found.append(stmt)
    return [(stmt, lambda _: Gone()) for stmt in found] if len(uses) == 1 else []
