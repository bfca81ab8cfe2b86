"""``if units is None: units = x.get_shape()[-1]`` of a function whose calls all say how many.

What stands for a default that no call needs would only hide where a size comes from.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled

REASON = "a default that no call needs"


def check(walker: Any, target: ast.FunctionDef) -> None:
    """See whether a function computes, of a tensor, what all of its calls give it.

    Raises:
        Spelled: it does.
    """
    calls = known_branches.every(walker, target)
    if not calls or known_branches.mentions(walker, target) != len(calls):
        return
    parameters = {a.arg for a in target.args.args}
    for stmt in walk(target):
        name = _asked(stmt) if isinstance(stmt, ast.If) else None
        if name is None or name not in parameters or not _alone(target, stmt):
            continue
        given = [known_branches.place(target, call, name) for call in calls]
        if all(node is not None and _something(walker, node) for node in given):
            raise Spelled(stmt, REASON, [(stmt, lambda _: "")])


def _asked(stmt: ast.If) -> str | None:
    """The name that a branch sets where it is None, by a tensor's shape."""
    test = stmt.test
    if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.Name) or stmt.orelse:
        return None
    none = test.comparators[0]
    if not isinstance(test.ops[0], (ast.Is, ast.Eq)) or not isinstance(none, ast.Constant):
        return None
    only = stmt.body[0] if len(stmt.body) == 1 else None
    if none.value is not None or not isinstance(only, ast.Assign):
        return None
    shaped = any(getattr(n, "attr", "") in ("get_shape", "shape") for n in walk(only.value))
    named = [getattr(t, "id", None) for t in only.targets] == [test.left.id]
    return test.left.id if shaped and named else None


def _alone(target: ast.FunctionDef, stmt: ast.AST) -> bool:
    """Whether something stands beside a statement, so that its block isn't left empty."""
    for node in walk(target):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(node, part, None)
            if isinstance(block, list) and stmt in block:
                return len(block) > 1
    return False


def _something(walker: Any, node: ast.expr) -> bool:
    """Whether an argument is plainly not None."""
    if isinstance(node, ast.Constant):
        return node.value is not None
    if isinstance(node, (ast.BinOp, ast.List, ast.Tuple, ast.JoinedStr)):
        return True
    tree = walker.files.at(node).tree
    if isinstance(node, ast.Name):
        return _constant([_given(s, node.id) for s in _stores(tree, node.id)])
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name) or tree is None:
        return False
    owner = node.value.id
    names = [a.name for n in walk(tree) for a in getattr(n, "names", ()) if _alias(a) == owner]
    owners = [
        n
        for n in all_of(walker.tree, ast.ClassDef)
        if names == [n.name] and not _stores(tree, owner)
    ]
    later = [
        n
        for n in all_of(walker.tree, ast.Attribute)
        if n.attr == node.attr and isinstance(n.ctx, ast.Store)
    ]
    if len(owners) != 1 or later:
        return False
    return _constant([_given(s, node.attr) for s in _stores(owners[0], node.attr)])


def _alias(node: Any) -> str | None:
    return (node.asname or node.name) if isinstance(node, ast.alias) else None


def _stores(scope: ast.AST | None, name: str) -> list[ast.AST]:
    """Where a name is bound below a scope, whatever binds it there."""
    if scope is None:
        return []
    found: list[ast.AST] = []
    for n in walk(scope):
        if (
            isinstance(n, ast.Assign)
            and any(isinstance(m, ast.Name) and m.id == name for t in n.targets for m in walk(t))
        ) or (isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)):
            found.append(n)
        elif isinstance(n, ast.arg) and n.arg == name:
            found += [n, n]
    return found


def _given(stmt: ast.AST, name: str) -> ast.expr | None:
    """What an assignment gives a name."""
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return None
    target, value = stmt.targets[0], stmt.value
    if isinstance(target, ast.Name):
        return value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=False)
        return next((v for t, v in pairs if isinstance(t, ast.Name) and t.id == name), None)
    return None


def _constant(values: list[ast.expr | None]) -> bool:
    """Whether a name is bound once, to a constant: by its statement and as its target."""
    first = values[0] if len(values) == 2 else None
    return isinstance(first, ast.Constant) and first.value is not None


def left_out(walker: Any, target: ast.FunctionDef, call: ast.Call, name: str) -> None:
    """A parameter that is a tensor for other calls: this one's default is written where it is.

    Raises:
        Spelled: it is a constant.
    """
    args = target.args
    names = [a.arg for a in args.args]
    default = dict(zip(reversed(names), reversed(args.defaults), strict=False)).get(name)
    if not isinstance(default, ast.Constant) or any(k.arg is None for k in call.keywords):
        return

    def written(source: Source) -> str | None:
        text = source(call)
        if not text.endswith(")"):
            return None
        inside = text[:-1].rstrip().removesuffix(",")
        given = ", " if call.args or call.keywords else ""
        return f"{inside}{given}{name}={default.value!r})"

    raise Spelled(call, "a tensor that is a default", [(call, written)])
