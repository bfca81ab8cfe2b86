"""``if relu: relu = tf.nn.relu(h); return relu``: a switch whose name the result takes over."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Spelled, Written, same

REASON = "a switch and a tensor have one name"


def check(walker: Any, target: ast.FunctionDef) -> None:
    """See whether a branch gives its switch's name to a tensor, only to return it.

    Raises:
        Spelled: it does.
    """
    parameters = {a.arg for a in target.args.args}
    for branch in all_of(target, ast.If):
        if len(branch.body) < 2:
            continue
        made, given = branch.body[-2:]
        name = branch.test.id if isinstance(branch.test, ast.Name) else None
        if name not in parameters or not isinstance(made, ast.Assign):
            continue
        if [getattr(t, "id", None) for t in made.targets] != [name]:
            continue
        if isinstance(given, ast.Return) and getattr(given.value, "id", None) == name:
            found = [(made, lambda _: ""), (given, same(made.value, before="return "))]
            raise Spelled(made, REASON, found)


def ops_named(walker: Any, target: ast.FunctionDef) -> None:
    """Ops of a layer to be that are called as the scope is: `tf.nn.relu(h, name=scope.name)`.

    Raises:
        Spelled: there are some; a layer's name is kept by the layer.
        Blocked: they keep theirs, as the program tells the sizes that ask for a layer.
    """
    from migrate.programs.graph.sizing import sizes_told

    opened = {
        item.optional_vars.id
        for n in all_of(target, ast.With)
        for item in n.items
        if isinstance(item.optional_vars, ast.Name) and _scope(walker, item.context_expr)
    }
    found: list[Written] = []
    for call in all_of(target, ast.Call):
        if not meaning.is_op(_endpoint(walker, call)):
            continue
        given: list[Any] = [*call.args, *call.keywords]
        for at, item in enumerate(given):
            if isinstance(item, ast.keyword) and item.arg == "name" and len(given) > 1:
                if ast.unparse(item.value) in {f"{name}.name" for name in opened}:
                    found.append(known_branches.cut([(n, n) for n in given], at))
    if found:
        told = Blocked(target, "an op is called as its scope is")
        places = [n for one in sizes_told.found(walker, told) for n, _ in one.replaced]
        spec = [f for tree in walker.program() for f in all_of(tree, ast.arguments)]
        arguments = {id(n) for one in spec for n in walk(one)}
        if places and not any(id(n) in arguments for n in places):  # numbers, and no arguments
            raise told
        raise Spelled(target, told.reason, found)


def _scope(walker: Any, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _endpoint(walker, node).endswith("variable_scope")


def _endpoint(walker: Any, call: ast.Call) -> str:
    return str(walker.endpoints.get(id(call.func), ""))
