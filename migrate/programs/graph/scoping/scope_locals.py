"""What an arg_scope gives a function that it holds for, where that has a local name.

``with slim.arg_scope([slim.batch_norm], is_training=is_training): net = base(x)``: the layers in
``base`` are given the ``is_training`` of its caller. It becomes a parameter, which the call gives
under the same name.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.layering import held_functions
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Spelled, Written, same


def check(walker: Any, target: ast.FunctionDef, names: set[str], node: ast.Call) -> None:
    """See to it that a function has the local names that arg_scopes give its layers.

    Raises:
        Spelled: it can be given them.
        Blocked: it can't.
    """
    missing = sorted(n for n in names if not _given(target, node, n))
    if not missing:
        return
    error = Blocked(node, f"an arg_scope gives a function the local `{missing[0]}`")
    found: list[Written] = []
    todo = [target]
    needed = {a.arg for a in target.args.args[: len(target.args.args) - len(target.args.defaults)]}
    if set(missing) <= needed:  # the call was another function's, which is called without
        plain = len(needed) - len(missing)
        raise Spelled(node, error.reason, [_passed(node, missing, plain, error)])
    for one in todo:  # grows: what calls it may have to be given them, too
        found.append(_parameters(one, missing, error))
        plain = len(one.args.args) - len(one.args.defaults)
        for call in _calls(walker, one, error):
            function = function_around(walker.files.at(call).tree, call)
            if function is None or any(isinstance(a, ast.Starred) for a in call.args):
                raise error
            lacking = [name for name in missing if not _told(function, name, call)]
            if lacking and function not in todo:
                if lacking != missing or function not in walker.files.at(function).tree.body:
                    raise error
                todo.append(function)
            found.append(_passed(call, missing, plain, error))
    raise Spelled(node, error.reason, found)


def _parameters(target: ast.FunctionDef, missing: list[str], error: Blocked) -> Written:
    """A function with the names as parameters, behind those that have no default."""
    args = target.args
    stored = {n.id for n in all_of(target, ast.Name)} | {a.arg for a in args.args}
    if stored & set(missing) or args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        raise error
    plain = args.args[: len(args.args) - len(args.defaults)]
    if not plain:
        raise error
    return plain[-1], same(plain[-1], after="".join(f", {n}" for n in missing))


def _calls(walker: Any, target: ast.FunctionDef, error: Blocked) -> list[ast.Call]:
    """All calls of a function, those of named tuples that hold it as well."""
    calls = [n for n in all_of(walker.tree, ast.Call) if walker._module_function(n.func) is target]
    held = [n.func for n in held_functions.calls(walker, target)]
    given = [n for n in all_of(walker.tree, ast.Name) if held_functions.gives(walker, n)]
    others = len([n for n in given if n.id == target.name])
    others -= len([n for n in held if getattr(n, "attr", "") != target.name])
    if not calls or known_branches.mentions(walker, target) - others != len(calls):
        raise error
    return calls


def _passed(call: ast.Call, missing: list[str], plain: int, error: Blocked) -> Written:
    """A call that gives the names on."""
    if len(call.args) > plain:  # what has a default is given by its place, too
        at = call.args[plain - 1]
        return at, same(at, after="".join(f", {n}" for n in missing))
    given = [*call.args, *call.keywords]
    if not given:
        raise error
    return given[-1], same(given[-1], after="".join(f", {n}={n}" for n in missing))


def _told(function: ast.FunctionDef, name: str, call: ast.Call) -> bool:
    """Whether a name has one meaning in a function, which it has where that calls another."""
    stored = [n for n in all_of(function, ast.Name) if n.id == name]
    stored = [n for n in stored if not isinstance(n.ctx, ast.Load)]
    if name in {a.arg for a in function.args.args}:
        return not stored
    stmts = list(function.body)
    for stmt in stmts:  # those that surely run before
        if isinstance(stmt, ast.With):
            stmts += stmt.body
    made = [s for s in stmts if isinstance(s, ast.Assign) and s.targets == stored]
    return len(made) == 1 and made[0].lineno < call.lineno


def _given(target: ast.FunctionDef, call: ast.Call, name: str) -> bool:
    """Whether a function has a parameter of a name and is given what has that name."""
    value = known_branches.place(target, call, name)
    stored = any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for n in walk(target)
    )
    return isinstance(value, ast.Name) and value.id == name and not stored
