"""Elements of an input_fn that a module only prints: TF 1 shows tensors that nothing computes.

    features, target = input_fn('')          features, target = input_fn('').element_spec
    print(list(features.keys()), target)     print(list(features.keys()), target)

An element of a dataset would be read from files that may not be there.
"""

from __future__ import annotations

import ast

from migrate.engine.trees import all_of, walk

SPEC = ".element_spec"
# What may be asked of a description as of a tensor.
ASKED = frozenset({"print", "format", "list", "sorted", "len", "str", "repr", "type"})
PARTS = frozenset({"keys", "values", "items"})
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def only_shown(tree: ast.Module, call: ast.Call) -> bool:
    """Whether the module gives what a call gives names, and only prints these."""
    stmt = next((s for s in tree.body if isinstance(s, ast.Assign) and s.value is call), None)
    if stmt is None or len(stmt.targets) != 1:
        return False
    target = stmt.targets[0]
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    names = {p.id for p in parts if isinstance(p, ast.Name)}
    if len(names) != len(parts):
        return False
    for other in tree.body:
        inner = [n for n in walk(other) if isinstance(n, SCOPES)]
        if any(_outer(function) & names for function in inner):
            return False
        own = {id(n) for function in inner for n in walk(function)}
        reads = [n for n in all_of(other, ast.Name) if n.id in names]
        reads = [n for n in reads if id(n) not in own and isinstance(n.ctx, ast.Load)]
        if reads and not _prints(other):
            return False
    return True


def _outer(function: ast.AST) -> set[str]:
    """The names that a function reads and doesn't bind."""
    nodes = all_of(function, ast.Name)
    bound = {n.id for n in nodes if not isinstance(n.ctx, ast.Load)}
    bound |= {a.arg for a in all_of(function, ast.arg)}
    return {n.id for n in nodes if isinstance(n.ctx, ast.Load)} - bound


def _prints(stmt: ast.stmt) -> bool:
    """Whether a statement prints, and does nothing else."""
    value = stmt.value if isinstance(stmt, ast.Expr) else None
    calls = all_of(stmt, ast.Call)
    if not isinstance(value, ast.Call) or getattr(value.func, "id", "") != "print":
        return False
    for call in calls:
        func = call.func
        if isinstance(func, ast.Attribute):
            text = isinstance(func.value, ast.Constant) and func.attr == "format"
            if not text and (func.attr not in PARTS or call.args or call.keywords):
                return False
        elif not isinstance(func, ast.Name) or func.id not in ASKED:
            return False
    odd = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.NamedExpr, ast.Await, ast.comprehension)
    plain = [n for n in walk(stmt) if isinstance(n, odd)]
    return all(isinstance(n, ast.BinOp) and _text(n) for n in plain)


def _text(node: ast.BinOp) -> bool:
    """Whether a text is put together."""
    return isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
