"""Calls of a base class's method by classes of which no object is made.

What the method is no longer given, a session, they don't hand on any more either.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.objects import bases


def check(walker: Any) -> None:
    """Find the calls by ``super()`` or the class's name that nothing has followed.

    Raises:
        Blocked: what is handed on isn't a name, or which method it is can't be told.
    """
    known = {id(call) for call, _ in walker.calls}
    changed = {
        member.name: member
        for cls in all_of(walker.tree, ast.ClassDef)
        for member in bases.methods(cls)
        if walker.session_params.get(id(member))
    }
    for cls in (n for n in all_of(walker.tree, ast.ClassDef)):
        for method in bases.methods(cls):
            for call in all_of(method, ast.Call):
                if id(call) in known:
                    continue
                func = call.func
                if isinstance(func, ast.Attribute) and func.attr in changed:
                    _handed_on(walker, cls, call, func)


def _handed_on(walker: Any, cls: ast.ClassDef, call: ast.Call, func: ast.Attribute) -> None:
    up = isinstance(func.value, ast.Call) and ast.unparse(func.value.func) == "super"
    order = bases.lineage(walker, cls)[1:]
    named = isinstance(func.value, ast.Name) and func.value.id in {c.name for c in order}
    if not up and not named:
        return
    target = next(
        (m for c in order for m in bases.methods(c) if m.name == func.attr),
        None,
    )
    params = walker.session_params.get(id(target), set()) if target is not None else set()
    if target is None or not params:
        return
    names = [a.arg for a in target.args.args][up:]
    given = [(n, a) for n, a in zip(names, call.args, strict=False) if n in params]
    given += [(k.arg, k.value) for k in call.keywords if k.arg is not None and k.arg in params]
    hidden = any(isinstance(a, ast.Starred) for a in call.args)
    hidden = hidden or any(k.arg is None for k in call.keywords)
    if hidden or not all(isinstance(a, ast.Name) for _, a in given):
        raise Blocked(call, f"`{func.attr}` of a class that isn't followed is given a session")
    if named:
        walker.kept.setdefault(bases.WITH_SELF, set()).add(id(call))
    walker.calls.append((call, target))
