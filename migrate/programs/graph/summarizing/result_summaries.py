"""A summary of what a function that makes variables returns: it stands behind each call as well.

``tf.summary.histogram(name + '/outputs', out)`` right before ``return out`` becomes
``tf.summary.histogram('l1/outputs', h)`` behind ``h = layer(x, 'l1')``, in the same scope.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.constants import text_of
from migrate.programs.graph.feeding import module_inputs
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

DEPTH = 4
REASON = "a summary in a function that makes variables"


def check(walker: Any, node: ast.Call, own: ast.expr, data: ast.expr) -> None:
    """See whether a summary may stand behind the calls of its function.

    Raises:
        Spelled: it may.
    """
    region, stmt = walker.frame.region, walker.stmt
    target = region.node
    if region.inputs is None or walker.nested or not isinstance(target, ast.FunctionDef):
        return
    home = walker.files.at(target)
    if home.tree is None or target not in home.tree.body or stmt not in target.body:
        return
    if not isinstance(stmt, ast.Expr) or stmt.value is not node or not isinstance(data, ast.Name):
        return
    last = target.body[-1]
    behind = target.body[target.body.index(stmt) + 1 :]
    if not isinstance(last, ast.Return) or getattr(last.value, "id", "") != data.id:
        return
    if data.id in {getattr(n, "id", "") for s in behind for n in walk(s) if _stores(n)}:
        return
    calls = module_inputs.calls_of(walker, target, set())
    kept = {id(call): (assigned, behind) for call, assigned, behind in _kept(home.tree)}
    if not calls or any(id(c) not in kept or walker.files.at(c) is not home for c in calls):
        return
    replaced: list[Written] = [(stmt, word(""))]
    before: list[tuple[ast.stmt, Callable[[Source], list[str]]]] = []
    for call in calls:
        tag = text_of(_with(target, own, _given(target, call), DEPTH))
        if tag is None:
            return
        assigned, following = kept[id(call)]
        if following is None:
            replaced.append((assigned, _behind(assigned, node, own, data, tag)))
        else:  # a comment stays in the call's line
            before.append((following, _before(assigned, node, own, data, tag)))
    raise Spelled(node, REASON, replaced, before)


def _given(target: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr]:
    """A call's arguments, with the defaults that it leaves."""
    names = [a.arg for a in target.args.args]
    given = dict(zip(reversed(names), reversed(target.args.defaults), strict=False))
    given |= dict(zip(names, call.args, strict=False))
    return given | {k.arg: k.value for k in call.keywords if k.arg is not None}


def _stores(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)


def _kept(tree: ast.AST) -> Iterator[tuple[ast.Call, ast.Assign, ast.stmt | None]]:
    """The calls whose value a statement gives a name, in no loop or branch, and what follows."""
    scopes = (ast.Module, ast.FunctionDef)
    blocks = [s.body for s in walk(tree) if isinstance(s, scopes)]
    while blocks:
        block = blocks.pop()
        for stmt, following in zip_longest(block, block[1:]):
            if isinstance(stmt, ast.With):
                blocks.append(stmt.body)
            elif (
                isinstance(stmt, ast.Assign)
                and isinstance(stmt.value, ast.Call)
                and len(stmt.targets) == 1
                and isinstance(stmt.targets[0], ast.Name)
            ):
                apart = following is not None and following.lineno > (stmt.end_lineno or 0)
                apart = apart and not isinstance(following, (ast.FunctionDef, ast.ClassDef))
                yield stmt.value, stmt, following if apart else None


def _with(
    target: ast.FunctionDef, own: ast.expr, given: dict[str, ast.expr], depth: int
) -> ast.expr:
    """An expression of a function, with what a call gives it and what it binds once."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            made = [
                s.value
                for s in target.body
                if isinstance(s, ast.Assign) and getattr(s.targets[0], "id", "") == name.id
            ]
            stores = sum(_stores(n) and getattr(n, "id", "") == name.id for n in walk(target))
            if name.id in given and not stores:
                return copy.deepcopy(given[name.id])
            if len(made) == stores == 1 and name.id not in given and depth:
                return _with(target, made[0], given, depth - 1)
            return name

    changed: ast.expr = Put().visit(copy.deepcopy(own))
    return changed


def _summary(
    source: Source, stmt: ast.Assign, node: ast.Call, own: ast.expr, data: ast.Name, tag: str
) -> str:
    """The summary of what a statement names."""
    name = stmt.targets[0]
    assert isinstance(name, ast.Name)
    quote = next((c for c in source(own) if c in "'\""), '"')
    text = f"{quote}{tag}{quote}" if repr(tag)[1:-1] == tag else repr(tag)
    new = {id(own): text, id(data): name.id}
    given = [new[id(n)] for n in node.args]
    given += [f"{k.arg}={new[id(k.value)]}" for k in node.keywords]
    return f"{source(node.func)}({', '.join(given)})"


def _behind(stmt: ast.Assign, *what: Any) -> Callable[[Source], str]:
    return lambda source: f"{source(stmt)}\n{' ' * stmt.col_offset}{_summary(source, stmt, *what)}"


def _before(stmt: ast.Assign, *what: Any) -> Callable[[Source], list[str]]:
    return lambda source: [_summary(source, stmt, *what)]
