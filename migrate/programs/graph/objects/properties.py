"""What an object always has: properties that compute with Python's values, constants.

``model_dir``, a checkpoint's directory, is put together of ``self.batch_size``, of ``model_name =
"GAN"`` in the class, and of other such properties. ``self.name = "G"`` names a scope.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.model import Instance, Kind
from migrate.programs.graph.objects import bases, own_attributes


def of_host(
    walker: Any, instance: Instance, member: ast.FunctionDef, seen: tuple[str, ...] = ()
) -> bool:
    """Whether a member is a property that computes with Python's values alone."""
    if [ast.unparse(d) for d in member.decorator_list] != ["property"]:
        return False
    if len(member.args.args) != 1 or walker._mentions(member) or walker.runs(member):
        return False
    own = member.args.args[0].arg
    read: set[str] = set()
    names = 0
    for node in walk(member):
        match node:
            case ast.Attribute(ast.Attribute(ast.Name(name), "__class__"), "__name__"):
                names -= name == own  # what the object's class is called
        names += isinstance(node, ast.Name) and node.id == own
        if isinstance(node, ast.Attribute):
            if not isinstance(node.ctx, ast.Load):
                return False
            if node.attr == "__class__":
                continue
            if isinstance(node.value, ast.Name) and node.value.id == own:
                names -= 1
                read.add(node.attr)
    return not names and all(_plain(walker, instance, n, (*seen, member.name)) for n in read)


def _plain(walker: Any, instance: Instance, name: str, seen: tuple[str, ...]) -> bool:
    """Whether an object has a value of Python under a name."""
    symbol = instance.attrs.get(name)
    if symbol is not None:
        return symbol.value.kind is Kind.HOST
    member = bases.find(walker, instance.node, name)
    if member is not None:
        return name not in seen and of_host(walker, instance, member, seen)
    return fixed(walker, instance, name)


def fixed(walker: Any, instance: Instance, name: str) -> bool:
    """Whether a class has a constant under a name, which its objects never set."""
    nodes = list(bases.nodes(walker, instance.node))
    if any(isinstance(n, ast.Attribute) and _stores(n, name) for n in nodes):
        return False
    values = [
        stmt.value
        for cls in bases.lineage(walker, instance.node)
        for stmt in cls.body
        if isinstance(stmt, ast.Assign)
        if any(isinstance(t, ast.Name) and t.id == name for t in stmt.targets)
    ]
    return bool(values) and all(isinstance(value, ast.Constant) for value in values)


def _stores(node: ast.Attribute, name: str) -> bool:
    return node.attr == name and not isinstance(node.ctx, ast.Load)


def constant(walker: Any, node: ast.expr | None) -> ast.Constant | None:
    """The text that an attribute of an object always is: ``self.name = "G"`` in its class alone."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return None
    method = walker.frame.node
    if not isinstance(method, ast.FunctionDef) or not method.args.args:
        return None
    symbol = walker.frame.env.get(node.value.id)
    instance = symbol.value.data if symbol is not None else None
    if node.value.id != method.args.args[0].arg or not isinstance(instance, Instance):
        return None
    return text(walker, instance, node.attr)


def text(walker: Any, instance: Instance, name: str) -> ast.Constant | None:
    """The text that an object always has under a name."""
    stores = own_attributes.stores(walker, instance.node, name)
    values = [
        stmt.value
        for cls in bases.lineage(walker, instance.node)
        for member in cls.body
        for stmt in (member, *(member.body if isinstance(member, ast.FunctionDef) else ()))
        if isinstance(stmt, ast.Assign)
        if stmt.targets == stores or (not stores and _named(stmt, name))
    ]
    (value,) = values if len(values) == 1 else (None,)
    return value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _named(stmt: ast.Assign, name: str) -> bool:
    """Whether a statement of a class gives all its objects something."""
    return any(isinstance(t, ast.Name) and t.id == name for t in stmt.targets)
