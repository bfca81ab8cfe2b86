"""Methods that are given to ops: ``tf.scan(self.step, inputs)`` calls it with each element.

It is a call of the object's method then, as any other: ``lambda state, x: self.step(state, x)``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Instance, Kind
from migrate.programs.graph.objects import bases
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

OPS = frozenset(T + name for name in ("scan", "map_fn", "foldl", "foldr", "while_loop", "cond"))


def check(walker: Any, node: ast.AST) -> None:
    """See whether an op is given methods of objects.

    Raises:
        Spelled: it is.
    """
    if not isinstance(node, ast.Call) or walker.endpoints.get(id(node.func)) not in OPS:
        return
    found: list[Written] = []
    for given in (*node.args, *(k.value for k in node.keywords)):
        params = _parameters(walker, given)
        if params is not None:
            found.append((given, _called(given, params)))
    if found:
        raise Spelled(node, "an op is given a method of an object", found)


def _parameters(walker: Any, given: ast.expr) -> str | None:
    """The parameters of a method that an expression means, as they are written in a lambda."""
    if not isinstance(given, ast.Attribute) or not isinstance(given.value, ast.Name):
        return None
    value = walker.expression(given)
    if value.kind is not Kind.METHOD or value.data[0].kind is not Kind.OBJECT:
        return None
    instance = value.data[0].data
    if not isinstance(instance, Instance):
        return None
    member = bases.find(walker, instance.node, given.attr)
    if member is None or member.decorator_list:
        return None
    args = member.args
    names = [a.arg for a in args.args[1:]]
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults:
        return None
    return ", ".join(names) if given.value.id not in names else None


def _called(given: ast.expr, params: str) -> Any:
    def written(source: Source) -> str:
        head = f"lambda {params}" if params else "lambda"
        return f"{head}: {source(given)}({params})"

    return written
