"""Variables and sizes that a function gives beside its tensor, and nobody reads.

``self.h1, self.h1_w, self.h1_b = deconv2d(h0, …, with_w=True)``: where no call's weights are read,
the calls are ``self.h1 = deconv2d(h0, …)``, and the function returns its tensor. Where a parameter
says whether they are given, no call asks for them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.objects.local_attributes import asked
from migrate.programs.graph.own_nodes import own_nodes
from migrate.programs.graph.wording.known_branches import given_to
from migrate.programs.graph.wording.respelled import Respelled

KIND = "unread results"
Unpacked = tuple[ast.Assign, ast.Call]


def check(walker: Any, target: ast.AST, stmt: ast.Return, reason: str) -> None:
    """See whether what a return gives beside its first value is read by no call of its function.

    Raises:
        Respelled: it is, and it can go.
    """
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return
    value = stmt.value
    if not isinstance(value, ast.Tuple) or len(value.elts) < 2:
        return
    if not all(_root(n) is not None for n in value.elts[1:]):
        return
    tree = walker.files.at(target).tree
    defined = (n for n in walk(walker.tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef)))
    if tree is None or target not in tree.body or sum(n.name == target.name for n in defined) > 1:
        return
    calls = _calls(walker, target)
    returns = all_of(target, ast.Return)
    flag = _flag(target, stmt, value)
    if not calls or (returns != [stmt] and flag is None):
        return
    unpacked: list[Unpacked] = []
    for call in calls:
        if flag is not None:
            given = given_to(target, call, flag)
            if given is None or not isinstance(given.value, bool):
                return
            if not given.value:
                continue
        found = _unpacks(walker, call, len(value.elts))
        if found is None:
            return
        unpacked.append((found, call))
    if unpacked:
        node = stmt if flag is None else unpacked[0][1]
        raise Respelled(
            node, reason, KIND, target=target, flag=flag, value=value, unpacked=unpacked
        )


def _root(node: ast.expr) -> str | None:
    """The name that an attribute is of: ``cell`` in ``cell.state_size``, or a name itself."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _calls(walker: Any, target: ast.FunctionDef) -> list[ast.Call]:
    """All calls of a function of a file, which no attribute of TensorFlow's counts among."""
    known = {id(n) for n in walk(walker.tree) if id(n) in walker.endpoints}
    reads = [
        n
        for n in walk(walker.tree)
        if target.name in (getattr(n, "id", ""), getattr(n, "attr", "")) and id(n) not in known
    ]
    nodes = set(map(id, reads))
    calls = [n for n in all_of(walker.tree, ast.Call) if id(n.func) in nodes]
    return calls if len(calls) == len(reads) else []


def _flag(target: ast.FunctionDef, stmt: ast.Return, value: ast.Tuple) -> str | None:
    """The parameter that says whether the others are given, which nothing else reads."""
    block = target.body
    while isinstance(block[-1], ast.With):
        block = block[-1].body
    last, branch = block[-1], block[-1]
    after = last if isinstance(last, ast.Return) and len(block) > 1 else None
    if after is not None:
        branch = block[-2]
    if not isinstance(branch, ast.If) or branch.body != [stmt]:
        return None
    if after is None and len(branch.orelse) == 1 and isinstance(branch.orelse[0], ast.Return):
        after = branch.orelse[0]
    elif branch.orelse:
        return None
    test = branch.test
    if not isinstance(test, ast.Name) or after is None or after.value is None:
        return None
    returns = all_of(target, ast.Return)
    reads = [n for n in all_of(target, ast.Name) if n.id == test.id]
    plain = {id(n) for n in returns} == {id(stmt), id(after)} and reads == [test]
    names = [a.arg for a in target.args.args]
    first = len(names) - len(target.args.defaults)
    if not plain or test.id not in names[first:]:
        return None
    default = target.args.defaults[names.index(test.id) - first]
    off = isinstance(default, ast.Constant) and default.value is False
    return test.id if off and ast.unparse(after.value) == ast.unparse(value.elts[0]) else None


def _unpacks(walker: Any, call: ast.Call, count: int) -> ast.Assign | None:
    """The statement that gives a call's results names, of which the first one alone is read."""
    for scope in (n for n in walk(walker.tree) if isinstance(n, (ast.Module, ast.FunctionDef))):
        for stmt in own_nodes(scope):
            if not isinstance(stmt, ast.Assign) or stmt.value is not call:
                continue
            (to, *more) = stmt.targets
            if more or not isinstance(to, ast.Tuple) or len(to.elts) != count:
                return None
            if any(_read(walker, scope, n) for n in to.elts[1:]):
                return None
            return None if isinstance(to.elts[0], ast.Starred) else stmt
    return None


def _read(walker: Any, scope: ast.AST, target: ast.expr) -> bool:
    """Whether a name that is bound is read anywhere, or may be."""
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return asked(walker, target) or any(
            isinstance(n, ast.Attribute)
            and n.attr == target.attr
            and not isinstance(n.ctx, ast.Store)
            for n in walk(walker.tree)
        )
    if not isinstance(target, ast.Name):
        return True
    if isinstance(scope, ast.Module):
        return _mentioned(walker, target)
    if not isinstance(scope, ast.FunctionDef):
        return True
    if any(isinstance(n, (ast.Global, ast.Nonlocal)) for n in walk(scope)):
        return True
    return any(n.id == target.id and not isinstance(n.ctx, ast.Store) for n in _names(scope))


def _mentioned(walker: Any, target: ast.Name) -> bool:
    """Whether a module's name may be read in any file: by itself, of its module or by its text."""
    imports = [n for n in walk(walker.tree) if isinstance(n, (ast.Import, ast.ImportFrom))]
    modules = {(a.asname or a.name).partition(".")[0] for n in imports for a in n.names}
    return any(
        (isinstance(n, ast.Name) and n.id == target.id and not isinstance(n.ctx, ast.Store))
        or (isinstance(n, ast.Attribute) and n.attr == target.id and _root(n) in modules)
        or (isinstance(n, ast.alias) and n.name in (target.id, "*"))
        or (isinstance(n, ast.Constant) and n.value == target.id)
        or (isinstance(n, (ast.Global, ast.Nonlocal)) and target.id in n.names)
        for n in walk(walker.tree)
    )


def _names(scope: ast.AST) -> Iterator[ast.Name]:
    """The names of a function, and of those in it."""
    for n in walk(scope):
        if isinstance(n, ast.Name):
            yield n
