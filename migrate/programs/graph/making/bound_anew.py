"""A variable that TF 1 finds by its name, after Python's name for it was bound to another one.

Two graphs each have a ``v``: the first one's gets a name of its own, by which it is found.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.wording.spelled import Spelled, free, word

REASON = "a variable that is found again, whose name means another one by now"
INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
HIDING = (*INNER, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.JoinedStr)


def check(walker: Any, made: ast.Call, name: str, node: ast.AST) -> None:
    """See whether what a call makes can have a name of its own.

    Raises:
        Spelled: it can.
    """
    module = walker.frame.node
    if not isinstance(module, ast.Module) or len(walker.files.order) > 1 or walker.loops:
        return
    assigns = all_of(module, ast.Assign)
    own = [n for n in assigns if n.value is made and len(n.targets) == 1]
    hidden = [n for n in walk(module) if isinstance(n, HIDING)]
    own_names = {id(n) for h in hidden if _binds(h, name) for n in walk(h)}
    uses = [n for n in all_of(module, ast.Name) if n.id == name]
    uses = [n for n in uses if id(n) not in own_names]
    inside = {id(n) for h in hidden for n in walk(h)}
    if len(own) != 1 or any(id(n) in inside for n in uses):
        return
    (target,) = own[0].targets
    flat = {id(s) for s in _flat(module.body)}
    stores = [n for n in uses if not isinstance(n.ctx, ast.Load)]
    homes = {id(n): s for s in assigns for n in s.targets}
    if id(own[0]) not in flat or any(id(homes.get(id(n))) not in flat for n in stores):
        return
    later = [n.lineno for n in stores if n.lineno > target.lineno]
    if not isinstance(target, ast.Name) or not later:
        return
    end = min(later)
    last = next(n for n in stores if n.lineno == end)
    value = {id(n) for n in walk(homes[id(last)].value)}
    mine = [n for n in uses if target.lineno < n.lineno < end or id(n) in value]
    new = free(walker, f"{_graph(module, own[0])}_{name}")
    raise Spelled(node, REASON, [(n, word(new)) for n in (target, *mine)])


def _graph(module: ast.Module, stmt: ast.stmt) -> str:
    """What the graph is called that a statement builds: ``with g1.as_default():``."""
    blocks = [n for n in all_of(module, ast.With) if stmt in walk(n)]
    opened = [i.context_expr for b in blocks for i in b.items]
    calls = [c.func for c in opened if isinstance(c, ast.Call)]
    named = [f.value for f in calls if isinstance(f, ast.Attribute) and f.attr == "as_default"]
    return next((n.id for n in named if isinstance(n, ast.Name)), "first")


def _binds(node: ast.AST, name: str) -> bool:
    """Whether a comprehension has a name for itself."""
    if not isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return False
    targets = {n.id for g in node.generators for n in all_of(g.target, ast.Name)}
    read = {n.id for n in all_of(node.generators[0].iter, ast.Name)}
    return name in targets - read


def _flat(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that are done once, one after the other, those of blocks included."""
    found: list[ast.stmt] = []
    for stmt in body:
        found += _flat(stmt.body) if isinstance(stmt, ast.With) else [stmt]
    return found
