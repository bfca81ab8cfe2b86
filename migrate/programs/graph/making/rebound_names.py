"""``w = tf.Variable(…)``, ``w = tf.sigmoid(w)``: one name for what stays and for what runs compute.

A function of TF 2 can't read the one and bind the other: the first one gets a name of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, TypeGuard

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Kind, Step, Symbol
from migrate.programs.graph.wording.spelled import Spelled, free, word

#: How what a name means first is called.
WORDS = {Kind.VARIABLE: "variable", Kind.CONST: "constant", Kind.PLACEHOLDER: "input"}
Reason = tuple[ast.AST, str]
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def check(
    walker: Any, steps: Iterable[Step], outside: Iterable[Symbol], own: set[str], at: Reason
) -> None:
    """See whether a function reads what a name meant before the function's own part got the name.

    Raises:
        Spelled: it does, and statements in a row say which of the two is meant where.
    """
    for symbol in outside:
        plain = not symbol.attribute and symbol.value.data != "container"
        if symbol.name in own and plain and symbol.value.kind in WORDS:
            _renamed(walker, symbol.name, symbol.step, WORDS[symbol.value.kind], at)
    for step in steps:
        for name in sorted(called(step) & own):
            names = meant(name, step.node, _body(walker, step), to_the_end=True)
            if names:
                new = free(walker, f"{name}_tensor")
                raise Spelled(*at, [(n, word(new)) for n in names])
        for name in sorted(step.hosts & own):
            made = _before(walker, name, step)
            if made is not None:
                _renamed(walker, name, made, "data", at)


def called(step: Step) -> set[str]:
    """``cost = cost(y)``: names that a statement calls and gives to what the call returns."""
    names = {n.func.id for n in all_of(step.node, ast.Call) if isinstance(n.func, ast.Name)}
    return {name for name in names if _gives(step.node, name)}


def _renamed(walker: Any, name: str, step: Step, kind: str, at: Reason) -> None:
    names = meant(name, step.node, _body(walker, step))
    if names:
        new = free(walker, f"{name}_{kind}")
        raise Spelled(*at, [(n, word(new)) for n in names])


def _body(walker: Any, step: Step) -> list[ast.stmt]:
    scope = step.function or walker.files.at(step.node).tree
    body: list[ast.stmt] = getattr(scope, "body", [])
    return body


def _before(walker: Any, name: str, step: Step) -> Step | None:
    """The step that binds a value of Python to a name which a later one reads."""
    made = _last(name, step.node, _body(walker, step))
    steps = step.region.steps if step.region is not None else []
    return next((s for s in steps if made is not None and s.node is made), None)


def meant_at(name: str, stmt: ast.stmt, body: list[ast.stmt]) -> list[ast.Name]:
    """The places of a name where it means what it does at a statement; none if that isn't told."""
    made = _last(name, stmt, body)
    return meant(name, made, body) if made is not None else []


def _last(name: str, stmt: ast.stmt, body: list[ast.stmt]) -> ast.stmt | None:
    """The statement above that gives a name what a statement reads."""
    every = row(body)
    above = every[: every.index(stmt)] if stmt in every else []
    stores = [s for s in above if any(n.id == name and _stored(n) for n in all_of(s, ast.Name))]
    last = stores[-1] if stores else None
    return last if isinstance(last, ast.stmt) else None


def row(body: list[ast.stmt]) -> list[ast.AST]:
    """A body's statements, one after the other, those of its ``with`` blocks among them.

    So are those of ``if __name__ == "__main__"``: a program runs them in their turn.
    """
    found: list[ast.AST] = []
    for stmt in body:
        if isinstance(stmt, ast.With):
            found += [*stmt.items, *row(stmt.body)]
        else:
            found += row(stmt.body) if _entry(stmt) else [stmt]
    return found


def _entry(stmt: ast.stmt) -> TypeGuard[ast.If]:
    """Whether a statement is ``if __name__ == "__main__"``."""
    match stmt:
        case ast.If(ast.Compare(ast.Name("__name__"), [ast.Eq()], [ast.Constant("__main__")])):
            return not stmt.orelse
    return False


def meant(
    name: str, stmt: ast.stmt, body: list[ast.stmt], *, to_the_end: bool = False
) -> list[ast.Name]:
    """The places of a name where it means what a statement gives it; none if that isn't told.

    Without `to_the_end`, none as well where the name gets no other meaning below.
    """
    every = row(body)
    if not _gives(stmt, name) or stmt not in every:
        return []
    inner = [n for s in body for n in walk(s) if isinstance(n, SCOPES)]
    declared = [n for s in body for n in walk(s) if isinstance(n, (ast.Global, ast.Nonlocal))]
    owned = {id(n) for scope in inner if _own(scope, name) for n in walk(scope)}
    if any(n.id == name and id(n) not in owned for scope in inner for n in all_of(scope, ast.Name)):
        return []
    if any(name in n.names for n in declared):
        return []
    local = {id(n) for scope in inner for n in walk(scope)}  # another thing under the name
    assert isinstance(stmt, ast.Assign)
    (target,) = stmt.targets
    found = [n for n in all_of(target, ast.Name) if n.id == name]
    for later in every[every.index(stmt) + 1 :]:
        named = [n for n in all_of(later, ast.Name) if n.id == name and id(n) not in local]
        if not any(map(_stored, named)):
            found += named
        elif _gives(later, name):
            return [*found, *(n for n in named if not _stored(n))]
        else:
            return []
    return found if to_the_end else []


def _own(scope: ast.AST, name: str) -> bool:
    """Whether a function binds the name itself, and no scope inside of it names it."""
    if not isinstance(scope, ast.FunctionDef):
        return False
    within = [n for n in walk(scope) if isinstance(n, SCOPES) and n is not scope]
    if any(n.id == name for inner in within for n in all_of(inner, ast.Name)):
        return False
    outer = [*scope.decorator_list, *scope.args.defaults, *filter(None, scope.args.kw_defaults)]
    if any(n.id == name for part in outer for n in all_of(part, ast.Name)):
        return False
    bound = any(n.id == name and _stored(n) for n in all_of(scope, ast.Name))
    return bound or any(a.arg == name for a in all_of(scope.args, ast.arg))


def _gives(stmt: ast.AST, name: str) -> bool:
    """Whether a statement is ``name = …`` or ``name, b = …``, and binds the name nowhere else."""
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return False
    (target,) = stmt.targets
    stores = [n for n in all_of(stmt, ast.Name) if n.id == name and _stored(n)]
    bound = target.elts if isinstance(target, ast.Tuple) else [target]
    return len(stores) == 1 and stores[0] in bound


def _stored(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)
