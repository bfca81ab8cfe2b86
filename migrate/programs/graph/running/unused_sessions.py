"""Helpers that are given a session and do nothing with it: ``input_setup(self.sess, config)``."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Instance, Kind, Value
from migrate.programs.graph.objects import bases
from migrate.programs.graph.wording.known_branches import every, place
from migrate.programs.graph.wording.respelled import Respelled

KIND = "unused session"


def check(walker: Any, target: ast.AST, given: dict[str, Value], call: ast.Call) -> None:
    """See whether a function has a parameter for a session that it never reads.

    Raises:
        Respelled: it has, and every call gives it something that can go.
    """
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return
    args = target.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return
    if all(value.kind is not Kind.SESSION for value in given.values()):
        return
    tree = walker.files.at(target).tree
    named = [n.name for n in all_of(walker.tree, ast.FunctionDef)]
    named += [n.name for n in all_of(walker.tree, ast.ClassDef)]
    if tree is None or target not in tree.body or named.count(target.name) > 1:
        return
    for name, value in given.items():
        if value.kind is not Kind.SESSION or name not in [a.arg for a in args.args]:
            continue
        if any(isinstance(n, ast.Name) and n.id == name for n in walk(target)):
            continue
        calls = every(walker, target)
        gone = [place(target, c, name) for c in calls]
        plain = all(isinstance(g, (ast.Name, ast.Attribute)) for g in gone)
        if calls and plain and any(c is call for c in calls):
            reason = f"`{target.name}` is given a session"
            raise Respelled(call, reason, KIND, target=target, name=name, calls=calls)


def closed(walker: Any) -> None:
    """Follow the methods that close their object's session, ``self.sess.close()``, uncalled."""
    for instance in walker.instances.values():
        for member in bases.own(walker, instance.node):
            done = id(member) in walker.entered or id(member) in walker.walked
            if not done and member.name != "__init__" and _closes(instance, member):
                walker.method_of(instance, member, {}, None)


def _closes(instance: Instance, member: ast.FunctionDef) -> bool:
    for n in walk(member):
        owner = n.value if isinstance(n, ast.Attribute) and n.attr == "close" else None
        if isinstance(owner, ast.Attribute):
            symbol = instance.attrs.get(owner.attr)
            if symbol is not None and symbol.value.kind is Kind.SESSION:
                return True
    return False
