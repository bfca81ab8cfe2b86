"""An attribute that `__init__` gives to one variable after the other: the first has its own name.

``self.step = tf.Variable(0); self.add = tf.assign(self.step, …)`` and, further down, another
``self.step``: what stands between them reads the first one, and all the rest the second. So is a
table that is made of itself, ``self.table = tf.clip_by_norm(self.table, 1)``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.making.rebound_names import row
from migrate.programs.graph.model import Kind, Symbol
from migrate.programs.graph.wording.spelled import Spelled, Written, word

WISHES = ("first_{}", "{}_before")
MADE_OF_IT = ("{}_variable", *WISHES)


def check(walker: Any, symbol: Symbol, later: ast.AST, reason: str) -> None:
    """See whether an attribute's first variable may be told apart from its second.

    Raises:
        Spelled: both are made in one function, which uses nothing of its object between.
    """
    home, first = symbol.step.function, symbol.step.node
    if not isinstance(home, ast.FunctionDef) or not home.args.args:
        return
    every = row(home.body)
    if first not in every or later not in every or later is first:
        return
    itself = home.args.args[0].arg
    said = f"{itself}.{symbol.name}"
    both = [s for s in (first, later) if isinstance(s, ast.Assign) and len(s.targets) == 1]
    if [ast.unparse(s.targets[0]) for s in both] != [said, said]:
        return
    stores = [
        n
        for n in all_of(walker.tree, ast.Attribute)
        if n.attr == symbol.name and not isinstance(n.ctx, ast.Load)
    ]
    if len(stores) != 2:
        return
    between = every[every.index(first) + 1 : every.index(later)]
    whole = {id(n.value) for n in all_of(home, ast.Attribute)}
    for n in (n for s in (*between, both[1].value) for n in walk(s)):
        if isinstance(n, (ast.Lambda, ast.FunctionDef, ast.JoinedStr)):
            return
        if isinstance(n, ast.Name) and n.id == itself and id(n) not in whole:
            return  # it is handed on
        if isinstance(n, ast.Call) and ast.unparse(n.func).startswith(f"{itself}."):
            return  # a method may read it
    taken = {n.attr for n in all_of(walker.tree, ast.Attribute)}
    taken |= {n.name for n in all_of(walker.tree, ast.FunctionDef)}
    wishes = WISHES if _variable(symbol, later) else MADE_OF_IT
    name = next((w for wish in wishes if (w := wish.format(symbol.name)) not in taken), None)
    if name is None:
        return
    read = [n for s in (first, *between, both[1].value) for n in walk(s)]
    places = [n for n in read if isinstance(n, ast.Attribute) and ast.unparse(n) == said]
    replaced: list[Written] = [(n, word(f"{itself}.{name}")) for n in places]
    raise Spelled(later, reason, replaced)


def _variable(symbol: Symbol, later: ast.AST) -> bool:
    """Whether an attribute is a variable again."""
    steps = symbol.step.region.steps if symbol.step.region is not None else []
    kinds = {s.value.kind for step in steps if step.node is later for s in step.defs}
    return kinds == {Kind.VARIABLE}
