"""A function that a file defines again later on has a name of its own from there.

def input_fn(features, labels): …           def input_fn(features, labels): …
net.train(lambda: input_fn(x, y))           net.train(lambda: input_fn(x, y))
def input_fn(features): …                   def input_fn_2(features): …
net.predict(lambda: input_fn(new))          net.predict(lambda: input_fn_2(new))
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, holds
from migrate.rewriters.estimators.program import ESTIMATORS
from migrate.rewriters.estimators.syntax import stores
from migrate.rewriters.sessions.text import Text

AT_ONCE = ("train", "evaluate")  # `predict` asks its input_fn when it is gone through


def edits(
    tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str], others: str = ""
) -> Iterator[Edit]:
    """The edits of one file; ``others``: the program's other files."""
    nets = {
        s.targets[0].id
        for s in tree.body
        if isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Name)
        and ESTIMATORS.match(called(s.value))
    }
    made: dict[str, list[int]] = {}
    for at, stmt in enumerate(tree.body):
        if isinstance(stmt, ast.FunctionDef):
            made.setdefault(stmt.name, []).append(at)
    for name, places in made.items():
        if len(places) > 1 and not re.search(rf"\b{name}\b", others):
            yield from _named(tree, text, name, places, nets)


def _named(
    tree: ast.Module, text: Text, name: str, places: list[int], nets: set[str]
) -> Iterator[Edit]:
    """The edits for one name."""
    body = tree.body
    words = {n.id for n in all_of(tree, ast.Name)} | {n.arg for n in all_of(tree, ast.arg)}
    bound = [s for at, s in enumerate(body) if at not in places and name in stores(s)]
    said = any(n.value == name for n in all_of(tree, ast.Constant))
    lost = any(name in n.names for n in all_of(tree, ast.Global))
    inner = any(n.name == name for n in all_of(tree, ast.FunctionDef) if n not in body)
    if bound or said or lost or inner or any(a.arg == name for a in all_of(tree, ast.arg)):
        return
    if any((a.asname or a.name) == name for a in all_of(tree, ast.alias)):
        return
    new = {at: f"{name}_{n}" for n, at in enumerate(places[1:], 2)}
    if words & set(new.values()) or set(new.values()) & {
        n.name for n in all_of(tree, ast.FunctionDef)
    }:
        return
    found: list[tuple[ast.Name, int]] = []
    for use in (n for n in all_of(tree, ast.Name) if n.id == name):
        at = next(i for i, s in enumerate(body) if holds(s, use))
        before = [p for p in places if p < at]
        settled = at > places[-1] or _at_once(body[at], use, nets)
        inside = isinstance(body[at], (ast.FunctionDef, ast.ClassDef))
        if not before or inside or not settled:
            return
        found.append((use, before[-1]))
    for use, place in found:
        if place in new:
            yield Edit(*text.index.span(use), new[place])
    for place, other in new.items():
        function = body[place]
        line = text.start(function.lineno)
        at = text.text.index(name, text.text.index("def", line) + 3)
        yield Edit(at, at + len(name), other)


def _at_once(stmt: ast.stmt, use: ast.Name, nets: set[str]) -> bool:
    """Whether a statement reads a name when it runs, not later on."""
    lazy = [n for n in all_of(stmt, ast.Lambda) if holds(n, use)]
    lazy_too = [n for n in all_of(stmt, ast.GeneratorExp) if holds(n, use)]
    if isinstance(stmt, (ast.For, ast.While)) or lazy_too:
        return False
    if not lazy:
        # A name may be kept until its function is called; a call is one.
        return any(c.func is use for c in all_of(stmt, ast.Call))
    calls = [c for c in all_of(stmt, ast.Call) if isinstance(c.func, ast.Attribute)]
    return len(lazy) == 1 and any(
        isinstance(c.func, ast.Attribute)
        and c.func.attr in AT_ONCE
        and isinstance(c.func.value, ast.Name)
        and c.func.value.id in nets
        and lazy[0] in (*c.args, *(k.value for k in c.keywords))
        for c in calls
    )
