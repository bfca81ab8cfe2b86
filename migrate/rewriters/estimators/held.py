"""Estimators in a list or a dict: what is taken out of it, in loops or by a key, is one of them.

models = {'wide': wide, 'deep': deep}
for name, model in models.items():
    model.train(input_fn)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked

if TYPE_CHECKING:
    from migrate.rewriters.estimators.estimator import Estimator
    from migrate.rewriters.estimators.following import Following, Used

DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp)
Loop = ast.For | ast.comprehension


def follow(program: Following, node: ast.expr, made: Estimator, used: Used) -> bool:
    """Go on from where an Estimator is put into a list or a dict; whether it is.

    Raises:
        Blocked: what is taken out of it can't be followed.
    """
    name = _container(program, node)
    if name is None:
        return False
    container = program.scopes.lookup(name)
    if container is None or container.kind != "assign" or container.value is None:
        return False
    kept = program.kept.setdefault(("held", id(container.node)), set())
    assert isinstance(kept, set)
    if not kept:
        program.finish.append(lambda: _all_held(program, name, container.value, kept))
    kept.add(id(node))
    for use in program.scopes.uses(container, name.id):
        _use(program, use, made, used, keyed=isinstance(container.value, (ast.Dict, ast.DictComp)))
    return True


def _container(program: Following, node: ast.expr) -> ast.Name | None:
    """The name of the list or the dict that an expression is put into."""
    above = program.scopes.parents[id(node)]
    if isinstance(above, ast.Assign) and len(above.targets) == 1:  # models[name] = node
        target = above.targets[0]
        owner = target.value if isinstance(target, ast.Subscript) else None
        return owner if isinstance(owner, ast.Name) else None
    if isinstance(above, ast.Call) and node in above.args:  # models.append(node)
        func = above.func
        appends = isinstance(func, ast.Attribute) and func.attr == "append"
        owner = func.value if appends and isinstance(func, ast.Attribute) else None
        return owner if isinstance(owner, ast.Name) else None
    if not isinstance(above, DISPLAYS) or (isinstance(above, ast.Dict) and node in above.keys):
        return None
    if isinstance(above, ast.DictComp) and node is above.key:
        return None
    stmt = program.scopes.parents[id(above)]
    if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
        target = stmt.targets[0]
        return target if isinstance(target, ast.Name) else None
    return None


def _put(program: Following, name: ast.Name, value: ast.expr) -> Iterator[ast.expr]:
    """All that is put into a list or a dict."""
    if isinstance(value, ast.Dict):
        yield from value.values
    elif isinstance(value, ast.DictComp):
        yield value.value
    elif isinstance(value, ast.ListComp):
        yield value.elt
    elif isinstance(value, (ast.List, ast.Tuple)):
        yield from value.elts
    else:
        yield value
    container = program.scopes.lookup(name)
    assert container is not None
    for use in program.scopes.uses(container, name.id):
        above = program.scopes.parents[id(use)]
        outer = program.scopes.parents[id(above)]
        if isinstance(above, ast.Subscript) and isinstance(outer, ast.Assign):
            if above in outer.targets:
                yield outer.value
        if isinstance(above, ast.Attribute) and isinstance(outer, ast.Call):
            if above.attr == "append":
                yield from outer.args


def _all_held(program: Following, name: ast.Name, value: Any, kept: set[int]) -> None:
    """See to it that a list or a dict has nothing but Estimators.

    Raises:
        Blocked: it has something else.
    """
    for each in _put(program, name, value):
        if id(each) not in kept:
            raise Blocked(each, f"what is in `{name.id}` isn't always an Estimator")


def _use(program: Following, use: ast.expr, made: Estimator, used: Used, *, keyed: bool) -> None:
    """See to a use of a list or a dict that has an Estimator."""
    parents = program.scopes.parents
    above = parents[id(use)]
    if isinstance(above, ast.Subscript) and above.value is use:
        if isinstance(above.ctx, ast.Load) and not isinstance(above.slice, ast.Slice):
            return program.follow(above, made, used)
        if isinstance(above.ctx, ast.Store) and isinstance(parents[id(above)], ast.Assign):
            return None
    if isinstance(above, ast.Call) and use in above.args and isinstance(above.func, ast.Name):
        if above.func.id == "len" or (keyed and above.func.id in ("list", "sorted", "print")):
            return None
        if above.func.id in ("enumerate", "zip") and not keyed:
            place = above.args.index(use) + (above.func.id == "enumerate")
            return _looped(program, above, place, made, used)
    if isinstance(above, ast.Compare) and keyed:
        return None
    if isinstance(above, ast.Attribute):
        call = parents[id(above)]
        if isinstance(call, ast.Call) and call.func is above:
            if above.attr == "append" or (keyed and above.attr == "keys"):
                return None
            if above.attr in ("items", "values") and keyed:
                return _looped(program, call, 1 if above.attr == "items" else None, made, used)
    if isinstance(above, Loop) and above.iter is use:
        return None if keyed else _looped(program, use, None, made, used)
    raise Blocked(use, f"{made.what} goes where it can't be followed")


def _looped(
    program: Following, node: ast.expr, place: int | None, made: Estimator, used: Used
) -> None:
    """Go where a loop takes an Estimator: to its name, or to one of several."""
    parents = program.scopes.parents
    loop = parents[id(node)]
    if isinstance(loop, ast.Call) and isinstance(loop.func, ast.Name) and place is not None:
        if loop.func.id in ("sorted", "list") and loop.args == [node]:
            node, loop = loop, parents[id(loop)]
    if not isinstance(loop, Loop) or loop.iter is not node:
        raise Blocked(node, f"{made.what} goes where it can't be followed")
    target: ast.expr = loop.target
    if place is not None:
        parts = target.elts if isinstance(target, ast.Tuple) else []
        if len(parts) <= place:
            raise Blocked(target, f"{made.what} goes where it can't be followed")
        target = parts[place]
    if not isinstance(target, ast.Name):
        raise Blocked(target, f"{made.what} goes where it can't be followed")
    name, scope = target.id, program.scopes.scope(target)
    loops = [b.node for b in program.scopes.bound(scope)[name] if isinstance(b.node, Loop)]
    if len(loops) < len(program.scopes.bound(scope)[name]):
        raise Blocked(target, f"`{name}` may be something else than {made.what}")
    for read in program.reads(name, scope):
        inside = [each for each in loops if any(read is n for n in walk(_body(program, each)))]
        if not inside:
            raise Blocked(read, f"whether `{name}` is {made.what} here isn't seen")
        if loop in inside:
            if len(inside) > 1:
                raise Blocked(read, f"`{name}` may be something else than {made.what}")
            program.follow(read, made, used)


def _body(program: Following, loop: Loop) -> ast.AST:
    """What a loop runs for each: itself, or the comprehension that it is part of."""
    return loop if isinstance(loop, ast.For) else program.scopes.parents[id(loop)]
