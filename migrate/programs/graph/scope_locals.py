"""What an arg_scope gives a function that it holds for, where that has a local name.

``with slim.arg_scope([slim.batch_norm], is_training=is_training): net = base(x)``: the layers in
``base`` are given the ``is_training`` of its caller. It becomes a parameter, which the call gives
under the same name.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import known_branches
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.spelled import Spelled, Written, same


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
    args = target.args
    stored = {n.id for n in all_of(target, ast.Name)} | {a.arg for a in args.args}
    if stored & set(missing) or args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        raise error
    plain = args.args[: len(args.args) - len(args.defaults)]
    home = walker.files.at(target)
    calls = [n for n in all_of(walker.tree, ast.Call) if walker._module_function(n.func) is target]
    if not plain or known_branches.mentions(walker, target) != len(calls):
        raise error
    found: list[Written] = []
    last = plain[-1]
    found.append((last, same(last, after="".join(f", {n}" for n in missing))))
    for call in calls:
        function = function_around(home.tree, call)
        known = {a.arg for a in function.args.args} if function is not None else set()
        again = {
            n.id for n in all_of(function or call, ast.Name) if not isinstance(n.ctx, ast.Load)
        }
        if not set(missing) <= known - again or len(call.args) > len(plain):
            raise error
        if any(isinstance(a, ast.Starred) for a in call.args) or not call.args:
            raise error
        end = ([*call.args, *(k.value for k in call.keywords)] or [call])[-1]
        found.append((end, same(end, after="".join(f", {n}={n}" for n in missing))))
    raise Spelled(node, error.reason, found)


def _given(target: ast.FunctionDef, call: ast.Call, name: str) -> bool:
    """Whether a function has a parameter of a name and is given what has that name."""
    value = known_branches.place(target, call, name)
    stored = any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for n in walk(target)
    )
    return isinstance(value, ast.Name) and value.id == name and not stored
