"""The methods that `__init__` calls to build an object whose variables others find again.

``self._net()`` is given the object to take them from, as `__init__` is: ``self._net(shared)``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from migrate.engine.trees import all_of, holds
from migrate.programs.graph.wording.spelled import Source, Written

Part = tuple[ast.FunctionDef, ast.Call]


def of(walker: Any, cls: ast.ClassDef, member: ast.FunctionDef) -> list[Part]:
    """The methods that are called once, by `__init__` or by one of these, with their calls."""
    own = {n.name: n for n in cls.body if isinstance(n, ast.FunctionDef)}
    reads = [n.attr for tree in walker.program() for n in all_of(tree, ast.Attribute)]
    found: list[Part] = []
    todo = [member]
    while todo:
        caller = todo.pop(0)
        for call in _calls(caller):
            assert isinstance(call.func, ast.Attribute)
            method = own.get(call.func.attr)
            if method is None or reads.count(method.name) != 1 or not _plain(method):
                continue
            found.append((method, call))
            todo.append(method)
    return found


def _calls(method: ast.FunctionDef) -> Iterator[ast.Call]:
    """What a method calls of its own object, in statements that it executes once."""
    itself = method.args.args[0].arg
    todo: list[ast.stmt] = list(method.body)
    while todo:
        stmt = todo.pop(0)
        if isinstance(stmt, ast.With):
            todo[:0] = stmt.body
        value = stmt.value if isinstance(stmt, (ast.Assign, ast.Expr)) else None
        match value:
            case ast.Call(ast.Attribute(ast.Name(name))) if name == itself:
                yield value


def _plain(method: ast.FunctionDef) -> bool:
    args = method.args
    odd = args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs
    return bool(args.args) and not odd and not method.decorator_list


def around(parts: list[Part], member: ast.FunctionDef, node: ast.AST) -> ast.FunctionDef:
    """The one of the methods in which something stands."""
    return next((method for method, _ in parts if holds(method, node)), member)


def given(
    parts: list[Part], member: ast.FunctionDef, made: list[ast.Assign], name: str
) -> list[Written] | None:
    """The methods that make something are given a parameter, by those that call them.

    None: it can't be written.
    """
    needed = {around(parts, member, stmt).name for stmt in made} - {member.name}
    for _ in parts:
        needed |= {around(parts, member, c).name for m, c in parts if m.name in needed}
    found: list[Written] = []
    for method, call in parts:
        if method.name not in needed:
            continue
        if any(isinstance(a, ast.Starred) for a in call.args) or not all(
            k.arg for k in call.keywords
        ):
            return None
        last = method.args.args[-1]
        default = method.args.defaults[-1] if method.args.defaults else None
        found.append(_behind(default or last, f", {name}" + "=None" * (default is not None)))
        said = f"{name}={name}" if call.keywords or default is not None else name
        arguments = [*call.args, *(k.value for k in call.keywords)]
        if arguments:
            found.append(_behind(arguments[-1], f", {said}"))
        else:
            found.append((call, _with_one(call, said)))
    return found


def _behind(node: ast.AST, more: str) -> Written:
    return node, lambda source: f"{source(node)}{more}"


def _with_one(call: ast.Call, said: str) -> Callable[[Source], str]:
    return lambda source: f"{source(call.func)}({said})"


def handed_on(walker: Any, cls: ast.ClassDef, member: ast.FunctionDef, name: str) -> set[int]:
    """The reads of a parameter that only give it to such methods, which don't read it, either."""
    own = of(walker, cls, member)
    taken = {id(member)} | {id(m) for m, _ in own if any(a.arg == name for a in m.args.args)}
    found: set[int] = set()
    for method, call in own:
        if id(method) in taken:
            said = [*call.args, *(k.value for k in call.keywords if k.arg == name)]
            found |= {id(a) for a in said if isinstance(a, ast.Name) and a.id == name}
    for method, _ in own:
        reads = (n for n in all_of(method, ast.Name) if n.id == name)
        if id(method) in taken and any(id(n) not in found for n in reads):
            return set()
    return found
