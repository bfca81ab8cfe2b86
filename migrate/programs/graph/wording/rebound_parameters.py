"""``if loss == 'mse': loss = tf.reduce_mean(…)``: a parameter says what the tensor of its name is.

A function of TF 2 can't read the one and compute the other under one name: the tensor gets another.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.model import Region
from migrate.programs.graph.wording.spelled import Spelled, Written, free, word

INNER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.JoinedStr)


def check(walker: Any, region: Region, node: ast.AST, reason: str) -> None:
    """See whether a region's function binds a parameter anew, in branches that it decides.

    Raises:
        Spelled: it does.
    """
    target = region.node
    if not isinstance(target, ast.FunctionDef):
        return
    for name in (a.arg for a in target.args.args):
        names = [n for n in all_of(target, ast.Name) if n.id == name]
        stores = [n for n in names if not isinstance(n.ctx, ast.Load)]
        branches = [s for s in target.body if isinstance(s, ast.If)]
        branches = [s for s in branches if any(n in stores for n in walk(s))]
        if len(branches) != 1 or not _decides(branches[0], name, stores):
            continue
        (branch,) = branches
        late = branch.end_lineno or branch.lineno
        later = [n for n in names if n not in stores and n.lineno > late]
        inner = [n for n in walk(target) if isinstance(n, (*INNER, ast.FunctionDef))]
        hidden = {id(m) for n in inner if n is not target for m in all_of(n, ast.Name)}
        if any(id(n) in hidden for n in names):
            continue
        new = free(walker, f"{name}_value")
        found: list[Written] = [(n, word(new)) for n in (*stores, *later)]
        raise Spelled(node, reason, found)


def ending(walker: Any, node: ast.AST, name: str, reason: str) -> None:
    """See whether a function binds a parameter anew only in ways behind which nothing reads it.

    Raises:
        Spelled: it does.
    """
    tree = walker.files.at(node).tree
    for target in all_of(tree, ast.FunctionDef):
        if holds(target, node) and any(a.arg == name for a in target.args.args):
            stores = [
                n
                for n in all_of(target, ast.Name)
                if n.id == name and not isinstance(n.ctx, ast.Load)
            ]
            found = _in_ending_ways(target, name, stores)
            if found:
                new = free(walker, f"{name}_value")
                raise Spelled(node, reason, [(n, word(new)) for n in found])


def _in_ending_ways(target: ast.FunctionDef, name: str, stores: list[ast.Name]) -> list[ast.Name]:
    """``if relu: relu = tf.nn.relu(x); return relu``: the places of a name that a way binds first.

    Nothing reads them behind the branch; nothing is found where something does.
    """
    found: list[ast.Name] = []
    whole = [n for n in all_of(target, ast.Name) if n.id == name]
    if any(isinstance(n, (ast.For, ast.While)) for n in walk(target)):
        return []
    ways = [(s, w) for s in all_of(target, ast.If) for w in (s.body, s.orelse) if w]
    for branch, way in ways:
        late = branch.end_lineno or branch.lineno
        names = [n for s in way for n in all_of(s, ast.Name) if n.id == name]
        first = next((s for s in way if any(n in stores for n in walk(s))), None)
        ends = isinstance(way[-1], ast.Return) or all(n.lineno <= late for n in whole)
        if not ends or not isinstance(first, ast.Assign):
            continue
        begun = way.index(first)
        early = [n for s in way[:begun] for n in all_of(s, ast.Name) if n.id == name]
        own = [n for n in all_of(first.value, ast.Name) if n.id == name]
        if not early and not own and first.targets[0] in stores and len(first.targets) == 1:
            found += names
    inner = [n for n in walk(target) if isinstance(n, (*INNER, ast.FunctionDef))]
    hidden = {id(m) for n in inner if n is not target for m in all_of(n, ast.Name)}
    told = all(n in found for n in stores)
    return found if stores and told and not any(id(n) in hidden for n in found) else []


def _decides(branch: ast.If, name: str, stores: list[ast.Name]) -> bool:
    """Whether a branch asks what a name says, and each of its ways gives it a value.

    Where no way is taken the name would be used as it is: what is asked is a text, no tensor.
    """
    told: list[ast.Name] = []
    ways: list[ast.stmt] = [branch]
    while ways:
        stmt = ways.pop()
        if not isinstance(stmt, ast.If) or not _of_text(stmt.test, name):
            return False
        for way in (stmt.body, stmt.orelse):
            if len(way) == 1 and isinstance(way[0], ast.If):
                ways.append(way[0])
                continue
            for each in way:
                mine = [n for n in all_of(each, ast.Name) if n.id == name]
                if not mine:
                    continue
                if not isinstance(each, ast.Assign) or each.targets != mine:
                    return False
                told += mine
    return len(told) == len(stores)


def _of_text(test: ast.expr, name: str) -> bool:
    """Whether a condition is ``loss == "mse"``."""
    if not isinstance(test, ast.Compare) or [type(o) for o in test.ops] != [ast.Eq]:
        return False
    (text,) = test.comparators
    said = isinstance(text, ast.Constant) and isinstance(text.value, str)
    return said and isinstance(test.left, ast.Name) and test.left.id == name
