"""``if loss == 'mse': loss = tf.reduce_mean(…)``: a parameter says what the tensor of its name is.

A function of TF 2 can't read the one and compute the other under one name: the tensor gets another.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Region
from migrate.programs.graph.spelled import Spelled, Written, free, word

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
