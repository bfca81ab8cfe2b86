"""Properties that ask the graph for variables, ``self.generator.vars``: asked where they stand.

``return tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=self.name)`` with a constant name.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph import properties
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Instance
from migrate.programs.graph.respelled import Respelled

KIND = "variable property"
LISTS = frozenset(
    T + name
    for name in ("get_collection", "trainable_variables", "global_variables", "all_variables")
)


def read(walker: Any, instance: Instance, member: ast.FunctionDef, node: ast.Attribute) -> None:
    """See whether a property that is read only asks for variables.

    Raises:
        Respelled: it does, and what it reads of its object is constant.
    """
    asked = _asked(walker, member)
    if asked is None:
        return
    own = member.args.args[0].arg
    told: dict[str, ast.Constant] = {}
    for n in walk(asked):
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == own:
            text = properties.text(walker, instance, n.attr)
            if text is None:
                return
            told[n.attr] = text
    written = _Told(own, told).visit(copy.deepcopy(asked))
    names = {n.id for n in walk(written) if isinstance(n, ast.Name)}
    bound = {n.id for n in walk(written) if isinstance(n, ast.Name) and _stored(n)}
    here, there = walker.files.at(node).aliases(), walker.files.at(member).aliases()
    if not names - bound <= here & there:
        return
    reads = [n for n in walk(walker.tree) if getattr(n, "attr", "") == member.name]
    gone: list[ast.FunctionDef] = []
    if len(reads) == 1:
        gone = [
            n
            for n in walk(walker.tree)
            if isinstance(n, ast.FunctionDef) and n.name == member.name
            if _asked(walker, n) is not None
        ]
    raise Respelled(
        node,
        f"`{member.name}`, a property, asks the graph for variables",
        KIND,
        written=ast.unparse(written),
        gone=gone,
    )


def _asked(walker: Any, member: ast.FunctionDef) -> ast.expr | None:
    """What a property returns, where that is all that it does and asks for variables."""
    if [ast.unparse(d) for d in member.decorator_list] != ["property"]:
        return None
    body = member.body[ast.get_docstring(member) is not None :]
    only = body[0] if len(body) == 1 else None
    if not isinstance(only, ast.Return) or only.value is None or len(member.args.args) != 1:
        return None
    lists = any(walker.endpoints.get(id(n)) in LISTS for n in walk(only.value))
    return only.value if lists else None


class _Told(ast.NodeTransformer):
    """An expression with constants for what it reads of its object."""

    def __init__(self, own: str, told: dict[str, ast.Constant]) -> None:
        self.own, self.told = own, told

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """An attribute, or the constant that it is."""
        if isinstance(node.value, ast.Name) and node.value.id == self.own:
            return self.told[node.attr]
        return self.generic_visit(node)


def _stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)
