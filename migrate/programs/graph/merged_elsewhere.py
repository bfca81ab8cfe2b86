"""``summaries = tf.summary.merge_all()`` where an object made them all: the object merges them.

What is fetched beside the object's own ops is a part of its graph then, ``model.summaries``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph import bases
from migrate.programs.graph.model import Instance, Kind
from migrate.programs.graph.respelled import Respelled


def check(walker: Any, node: ast.Call, items: list[Any]) -> None:
    """See whether all summaries are those that one object made while it was made.

    Raises:
        Respelled: they are, and it may merge them at the end of its ``__init__``.
    """
    stmt, region = walker.stmt, walker.frame.region
    if region is None or isinstance(region.node, ast.ClassDef) or walker.nested or walker.loops:
        return
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1 or stmt.value is not node:
        return
    target, scope = stmt.targets[0], walker.frame.node
    if not isinstance(target, ast.Name) or node.args or node.keywords:
        return
    objects = {
        name: symbol.value.data
        for name, symbol in walker.frame.env.items()
        if symbol.value.kind is Kind.OBJECT and isinstance(symbol.value.data, Instance)
        if symbol.value.each is None and symbol.step.function is scope
    }
    if len(objects) != 1:
        return
    ((name, instance),) = objects.items()
    if instance.left is None or list(instance.left.summaries) != items:
        return
    member = bases.find(walker, instance.node, "__init__")
    own = {n.attr for n in ast.walk(walker.tree) if isinstance(n, ast.Attribute)}
    places = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == target.id]
    again = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name]
    stores = [n for n in (*places, *again) if not isinstance(n.ctx, ast.Load)]
    if member is None or member not in instance.node.body or target.id in own or len(stores) != 2:
        return
    inner = [n for n in ast.walk(member) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    theirs = {id(n) for f in inner if f is not member for n in ast.walk(f)}
    leaves = [n for n in ast.walk(member) if isinstance(n, ast.Return) and id(n) not in theirs]
    if leaves or not member.args.args:
        return
    if any(isinstance(n, ast.Global) and target.id in n.names for n in ast.walk(scope)):
        return
    what = "the summaries of an object are merged outside of it"
    raise Respelled(node, what, "merged", member=member, name=name, places=places)
