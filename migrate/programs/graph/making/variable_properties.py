"""Properties that ask the graph for variables, ``self.generator.vars``: asked where they stand.

``return tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=self.name)`` with a constant name,
which the class has or the object is made with, ``d = Critic("critic")``.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Instance
from migrate.programs.graph.objects import own_attributes, properties
from migrate.programs.graph.objects.shared_objects import member_of
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.respelled import Respelled

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
            text = properties.text(walker, instance, n.attr) or _given(
                walker, instance, n.attr, node
            )
            if text is None:
                return
            told[n.attr] = text
    written = _Told(own, told).visit(copy.deepcopy(asked))
    names = {n.id for n in all_of(written, ast.Name)}
    bound = {n.id for n in all_of(written, ast.Name) if _stored(n)}
    here, there = walker.files.at(node).aliases(), walker.files.at(member).aliases()
    if not names - bound <= here & there:
        return
    reads = [n for n in walk(walker.tree) if getattr(n, "attr", "") == member.name]
    gone: list[ast.FunctionDef] = []
    if len(reads) == 1:
        gone = [
            n
            for n in all_of(walker.tree, ast.FunctionDef)
            if n.name == member.name
            if _asked(walker, n) is not None
        ]
    raise Respelled(
        node,
        f"`{member.name}`, a property, asks the graph for variables",
        KIND,
        written=ast.unparse(written),
        gone=gone,
    )


def is_one(walker: Any, node: ast.AST) -> bool:
    """Whether a node stands in such a property: it is asked where that is read."""
    return any(
        isinstance(m, ast.FunctionDef) and _asked(walker, m) and holds(m, node)
        for m in walk(walker.tree)
    )


def _given(walker: Any, instance: Instance, name: str, node: ast.Attribute) -> ast.Constant | None:
    """The text that an object has been made with, which it keeps under a name."""
    made = _maker(walker, node.value)
    call = made.value if made is not None and len(made.targets) == 1 else None
    member = member_of(instance.node)
    if member is None or not isinstance(call, ast.Call):
        return None
    if walker._module_function(call.func, (ast.ClassDef,)) is not instance.node:
        return None
    stores = own_attributes.stores(walker, instance.node, name)
    kept = [
        s.value
        for s in member.body
        if isinstance(s, ast.Assign) and s.targets == stores and isinstance(s.value, ast.Name)
    ]
    parameters = {a.arg for a in member.args.args[1:]}
    if len(stores) != 1 or len(kept) != 1 or kept[0].id not in parameters:
        return None
    if any(isinstance(n, ast.Name) and n.id == kept[0].id and _stored(n) for n in walk(member)):
        return None
    bound = ast.Call(call.func, [call.func, *call.args], call.keywords)
    found = known_branches.given_to(member, bound, kept[0].id)
    return found if found is not None and isinstance(found.value, str) else None


def _maker(walker: Any, node: ast.expr) -> ast.Assign | None:
    """The statement that gives an object its name, or the attribute that it is."""
    if isinstance(node, ast.Name):
        symbol = walker.frame.env.get(node.id)
        made = symbol.step.node if symbol is not None else None
        return made if isinstance(made, ast.Assign) else None
    if not isinstance(node, ast.Attribute):
        return None
    stores = own_attributes.stores(walker, None, node.attr)
    said = ast.unparse(node)
    found = [
        n
        for n in all_of(walker.tree, ast.Assign)
        if n.targets == stores and ast.unparse(n.targets[0]) == said
    ]
    return found[0] if len(found) == len(stores) == 1 else None


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
