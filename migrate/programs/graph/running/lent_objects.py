"""Functions that nobody calls and that want an object and a session: ``def test(sess, model)``.

What all is asked of a parameter, ``model.score(sess, batch)``, tells its class where only one class
of the program has it. A parameter is a session, if the object's methods use it as one.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.model import Instance, Kind, Value
from migrate.programs.graph.modules import Module
from migrate.programs.graph.objects import bases
from migrate.programs.graph.running import lent_sessions


def given(walker: Any, node: ast.FunctionDef) -> dict[str, Value]:
    """The parameters of a function that can only be an object and its session."""
    args = node.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults:
        return {}
    names = [a.arg for a in args.args]
    stores = [n for n in all_of(node, ast.Name) if not isinstance(n.ctx, ast.Load)]
    inner = [
        n for n in walk(node) if isinstance(n, (ast.FunctionDef, ast.Lambda)) and n is not node
    ]
    if inner or any(n.id in names for n in stores):
        return {}
    above = parents_of(node)
    uses = {name: _uses(node, name) for name in names}
    near = walker.files.together(node)
    objects = {n: i for n in names if (i := _object(walker, above, uses[n], near)) is not None}
    if len(objects) != 1:
        return {}
    ((owner, instance),) = objects.items()
    sessions = [n for n in names if uses[n] and _session(walker, instance, owner, above, uses[n])]
    if len(sessions) != 1:
        return {}
    return {owner: Value(Kind.OBJECT, instance), sessions[0]: Value(Kind.SESSION)}


def _uses(node: ast.FunctionDef, name: str) -> list[ast.Name]:
    return [n for n in all_of(node, ast.Name) if n.id == name]


def _object(
    walker: Any, above: dict[int, ast.AST], uses: list[ast.Name], near: list[Module]
) -> Instance | None:
    """The one object whose methods are called, where no other class has any of them."""
    called: set[str] = set()
    for use in uses:
        outer = above[id(use)]
        call = above.get(id(outer))
        if not isinstance(outer, ast.Attribute) or not isinstance(outer.ctx, ast.Load):
            return None
        if not isinstance(call, ast.Call) or call.func is not outer:
            return None
        called.add(outer.attr)
    found: list[Instance] = [
        i
        for i in walker.instances.values()
        if called
        and walker.files.at(i.node) in near
        and all(bases.find(walker, i.node, name) is not None for name in called)
    ]
    if len(found) != 1:
        return None
    own = set(map(id, bases.lineage(walker, found[0].node)))
    for module in near:
        for cls in walk(module.tree) if module.tree is not None else ():
            if isinstance(cls, ast.ClassDef) and id(cls) not in own:
                if called & {m.name for m in bases.methods(cls)}:
                    return None
    return found[0]


def _session(
    walker: Any, instance: Instance, owner: str, above: dict[int, ast.AST], uses: list[ast.Name]
) -> bool:
    """Whether a name is only given to methods of an object, which take it as a session."""
    for use in uses:
        call = above[id(use)]
        word = None
        if isinstance(call, ast.keyword):
            word, call = call.arg, above[id(call)]
        func = call.func if isinstance(call, ast.Call) else None
        if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
            return False
        member = bases.find(walker, instance.node, func.attr) if func.value.id == owner else None
        if member is None or member.decorator_list or not isinstance(call, ast.Call):
            return False
        if any(isinstance(a, ast.Starred) for a in call.args):
            return False
        takes = [a.arg for a in member.args.args[1:]]
        if word is None:
            place = next(i for i, a in enumerate(call.args) if a is use)
            word = takes[place] if place < len(takes) else None
        if word is None or word not in lent_sessions.sessions(walker, instance, member):
            return False
    return True
