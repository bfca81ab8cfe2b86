"""Methods that use nothing of their object: functions that stand in a class.

``def fc_layer(self, x, units, name)``, whose variables are shaped by ``x``: as a function of the
module it becomes a Keras layer.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.wording.respelled import Respelled

KIND = "plain method"


def shaped(walker: Any, cls: ast.ClassDef, method: ast.FunctionDef, call: ast.Call) -> None:
    """See whether a method may stand before its class.

    Raises:
        Respelled: it may, with the methods that it calls.
    """
    tree = walker.files.at(cls).tree
    methods = {m.name: m for m in cls.body if isinstance(m, ast.FunctionDef)}
    found: dict[str, ast.FunctionDef] = {}
    if tree is None or cls not in tree.body or not _gather(methods, method, found):
        return
    calls: list[ast.Call] = []
    for node in walk(walker.tree):
        named = getattr(node, "attr", "") in found and id(node) not in walker.endpoints
        if named and not _called(tree, cls, node, calls):
            return
        if isinstance(node, ast.ClassDef) and node is not cls and _binds(node, set(found)):
            return  # perhaps of a class that is based on this one
    taken = {n.id for n in all_of(tree, ast.Name)}
    taken |= {a.arg for a in all_of(tree, ast.arg)}
    taken |= {
        n.name
        for n in walk(tree)
        if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n not in found.values()
    }
    aliases = (a for n in all_of(tree, ast.alias) for a in (n.asname, n.name))
    if found.keys() & (taken | {str(a).partition(".")[0] for a in aliases}):
        return
    reason = f"`{method.name}` is a method whose variables are shaped by what it is given"
    raise Respelled(call, reason, KIND, cls=cls, methods=list(found.values()), calls=calls)


def _gather(
    methods: dict[str, ast.FunctionDef], method: ast.FunctionDef, found: dict[str, ast.FunctionDef]
) -> bool:
    """Whether a method, and those that it calls, use nothing of their object."""
    args = method.args
    if method.decorator_list or not args.args or args.posonlyargs or args.vararg or args.kwarg:
        return False
    found[method.name] = method
    own, allowed = args.args[0].arg, set()
    for node in walk(method):
        if isinstance(node, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom)):
            return False
        func = node.func if isinstance(node, ast.Call) else None
        if isinstance(func, ast.Attribute) and _is(func.value, own):
            other = methods.get(func.attr)
            if other is None or (other.name not in found and not _gather(methods, other, found)):
                return False
            allowed.add(id(func.value))
    names = (n for n in all_of(method, ast.Name))
    return all(n.id not in (own, "super", "__class__") or id(n) in allowed for n in names)


def _called(tree: ast.Module, cls: ast.ClassDef, node: ast.AST, calls: list[ast.Call]) -> bool:
    """Whether an attribute is the function of a call by `self`, in its class."""
    for method in cls.body:
        for call in walk(method):
            if isinstance(call, ast.Call) and call.func is node:
                assert isinstance(call.func, ast.Attribute)
                own = method.args.args[:1] if isinstance(method, ast.FunctionDef) else []
                if own and _is(call.func.value, own[0].arg):
                    calls.append(call)
                    return True
    return False


def _binds(cls: ast.ClassDef, names: set[str]) -> bool:
    """Whether a class has something of its own under a name."""
    nodes = (n for stmt in cls.body for n in walk(stmt))
    return any(getattr(n, "name", getattr(n, "id", "")) in names for n in nodes)


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
