"""Sessions that an object is given when it is there already: `model.sess = sess`, or by a setter.

In TF 2 there is none: the assignment goes, as it does in `__init__`, and with it the `None` that
the attribute began with. A method that only keeps a session goes with its calls.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.model import NOTHING, Instance, Kind, Value
from migrate.programs.graph.objects import bases
from migrate.programs.graph.wording.spelled import Spelled


def kept(walker: Any, instance: Instance, target: ast.Attribute, value: Value) -> bool:
    """Whether an object of another region's graph is given its session."""
    if value.kind is not Kind.SESSION or walker.frame.region is None or walker.nested:
        return False
    first = instance.attrs.get(target.attr)
    if first is not None and first.value.kind is Kind.HOST and first.value.data == NOTHING:
        if isinstance(first.step.node, ast.Assign) and first.step.defs == [first]:
            first.step.kind = Kind.SETTING
            first.step.defs.clear()
    return True


def unset(walker: Any, text: str) -> list[str]:
    """Attributes that had sessions, which what a file becomes reads all the same."""
    names = {
        name
        for instance in walker.instances.values()
        for name, symbol in instance.attrs.items()
        if symbol.value.kind is Kind.SESSION and f".{name}" in text
    }
    if not names:
        return []
    found = all_of(ast.parse(text), ast.Attribute)
    stored = {n.attr for n in found if isinstance(n.ctx, ast.Store)}
    return sorted(names & {n.attr for n in found} - stored)


def setter(walker: Any, instance: Instance, member: ast.FunctionDef, call: ast.Call) -> None:
    """``model.set_session(sess)``, where the method does nothing else.

    Raises:
        Spelled: its calls are written as the assignments that they make.
    """
    attribute = _only_keeps(member)
    stmt = walker.stmt
    if attribute is None or walker.frame.region in (None, instance.region):
        return
    if not isinstance(stmt, ast.Expr) or stmt.value is not call or len(call.args) != 1:
        return
    if walker.expression(call.args[0]).kind is not Kind.SESSION:
        return
    trees = list(walker.program())
    named = [n for tree in trees for n in all_of(tree, ast.FunctionDef) if n.name == member.name]
    said = [n for tree in trees for n in all_of(tree, ast.Attribute) if n.attr == member.name]
    calls = {
        id(n.value.func): (n, n.value)
        for tree in trees
        for n in all_of(tree, ast.Expr)
        if isinstance(n.value, ast.Call)
    }
    whole = [calls[id(n)] for n in said if id(n) in calls]
    plain = all(len(call.args) == 1 and not call.keywords for _, call in whole)
    classes = [cls for cls in bases.kin(walker, member) if member in cls.body]
    if len(whole) != len(said) or not plain or {_only_keeps(n) for n in named} != {attribute}:
        return
    if any(len(cls.body) == 1 for cls in classes) or len({*map(walker.files.at, named)}) != 1:
        return
    if {walker.files.at(n) for n, _ in whole} != {walker.files.at(member)}:
        return

    def written(made: ast.Call) -> Any:
        assert isinstance(made.func, ast.Attribute)
        owner, given = made.func.value, made.args[0]
        return lambda source: f"{source(owner)}.{attribute} = {source(given)}"

    raise Spelled(
        call,
        "a method keeps a session",
        [*((n, lambda _: "") for n in named), *((n, written(call)) for n, call in whole)],
    )


def _only_keeps(member: ast.FunctionDef) -> str | None:
    """The attribute in which a method keeps its one argument; None where it does more."""
    args = member.args
    if member.decorator_list or len(args.args) != 2 or args.defaults or args.kwonlyargs:
        return None
    itself, given = (a.arg for a in args.args)
    body = member.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    stmt = body[0] if len(body) == 1 and not (args.vararg or args.kwarg) else None
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
    if not isinstance(stmt, ast.Assign) or not isinstance(target, ast.Attribute):
        return None
    if len(stmt.targets) != 1 or ast.unparse(target.value) != itself:
        return None
    return target.attr if ast.unparse(stmt.value) == given else None
