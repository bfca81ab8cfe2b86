"""Static methods that build a part of their class's graph: they come to be ordinary methods.

``self.x, self.out = Net.create()``: what `create` builds belongs to the object then, as what its
other methods build does.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.objects import bases
from migrate.programs.graph.wording.known_branches import span
from migrate.programs.graph.wording.spelled import Source, Spelled, Written


def check(walker: Any, target: ast.FunctionDef, node: ast.Call) -> None:
    """See whether a static method is called once, by a method of its own class.

    Raises:
        Spelled: it is, and may be given the object.
    """
    region, method, func = walker.frame.region, walker.frame.node, node.func
    if not bases.is_static(target) or region is None or not isinstance(func, ast.Attribute):
        return
    body = getattr(region.node, "body", [])
    if not isinstance(region.node, ast.ClassDef) or target not in body or method not in body:
        return
    if method.decorator_list or not method.args.args or not isinstance(func.value, ast.Name):
        return
    own = method.args.args[0].arg
    names = [n for f in (method, target) for n in all_of(f, ast.Name) if n.id == own]
    given = {a.arg for a in all_of(target.args, ast.arg)}
    if own in given or any(not isinstance(n.ctx, ast.Load) for n in names):
        return
    if any(n in names for n in all_of(target, ast.Name)):
        return
    if _read(walker, target.name) != [func] or target.args.posonlyargs:
        return
    start = target.decorator_list[0]
    head = (target.lineno, target.col_offset + len(f"def {target.name}("))
    place = span((start.lineno, start.col_offset - 1), head)
    more = target.args.args or target.args.vararg or target.args.kwonlyargs or target.args.kwarg

    def written(source: Source) -> str | None:
        plain = re.fullmatch(rf"@staticmethod\s*def {target.name}\(", source(place))
        return f"def {target.name}({own}{', ' if more else ''}" if plain else None

    called: Written = (func.value, lambda source: own)
    reason = f"`{target.name}` builds a part of its class's graph and isn't given the object"
    raise Spelled(node, reason, [(place, written), called])


def _read(walker: Any, name: str) -> list[ast.AST]:
    """Where a program's files mention a method's name, or define it once more."""
    trees = [module.tree for module in walker.files.order if module.tree is not None]
    found: list[ast.AST] = [
        n for tree in trees for n in all_of(tree, ast.Attribute) if n.attr == name
    ]
    found += [n for tree in trees for n in all_of(tree, ast.Name) if n.id == name]
    found += [n for tree in trees for n in all_of(tree, ast.Constant) if n.value == name]
    made = [n for tree in trees for n in all_of(tree, ast.FunctionDef) if n.name == name]
    return found + made[1:]
