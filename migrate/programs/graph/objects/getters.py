"""Properties that only give an attribute: ``@property def cost(self): return self._cost``.

A tensor is no attribute in TF 2: the attribute has the property's name, before the program is
followed (`sessions/getters.py`). Others than private ones may be those of something else.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Instance, Kind
from migrate.programs.graph.objects import bases

# What tensors, variables, arrays and models have, whose owners aren't told apart here.
COMMON = frozenset(
    {
        *("name", "shape", "dtype", "graph", "op", "value", "values", "indices", "size", "data"),
        *("variables", "weights", "trainable_variables", "initializer", "eval", "run", "T"),
        *("c", "h", "inputs", "outputs", "input", "output", "device", "layers", "losses"),
    }
)


LOOKS = frozenset({"getattr", "hasattr", "setattr", "delattr"})


class Getters(Blocked):
    """A property that gives a part of the graph is read; ``names``: the attributes by property."""

    def __init__(self, node: ast.AST, reason: str, names: dict[str, str]) -> None:
        super().__init__(node, reason)
        self.names = names


def given(member: ast.stmt) -> str | None:
    """The attribute that a member gives, if it is such a property."""
    if not isinstance(member, ast.FunctionDef) or len(member.args.args) != 1:
        return None
    if [ast.unparse(d) for d in member.decorator_list] != ["property"]:
        return None
    said = ast.get_docstring(member) is not None
    value = member.body[-1].value if isinstance(member.body[-1], ast.Return) else None
    own = member.args.args[0].arg
    if len(member.body) != 1 + said or not isinstance(value, ast.Attribute):
        return None
    private = value.attr.startswith("_") and ast.unparse(value.value) == own
    return value.attr if private else None


def read(walker: Any, instance: Instance, node: ast.Attribute) -> None:
    """See whether what is read of an object is such a property.

    Raises:
        Getters: it is.
    """
    mine = bases.find(walker, instance.node, node.attr)
    if mine is None or given(mine) is None:
        return
    found: dict[str, str] = {}
    for cls in bases.lineage(walker, instance.node):
        for member in cls.body:
            attribute = given(member)
            symbol = instance.attrs.get(attribute or "")
            host = symbol is not None and symbol.value.kind is Kind.HOST
            if attribute is None or host or not isinstance(member, ast.FunctionDef):
                continue
            if member.name not in COMMON and _unlike(walker, member):
                found[member.name] = attribute
    if len(set(found.values())) < len(found):
        return  # two names of one thing
    if node.attr in found:
        raise Getters(node, "a property gives a part of the graph", found)


def _unlike(walker: Any, member: ast.FunctionDef) -> bool:
    """Whether nothing else of the program has a property's name, or asks for it by its text."""
    both = {member.name, given(member)}
    for tree in walker.program():
        for n in walk(tree):
            if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == member.name:
                if given(n) != given(member):
                    return False
            elif isinstance(n, ast.Attribute) and n.attr == member.name:
                if not isinstance(n.ctx, ast.Load):
                    return False
            elif isinstance(n, ast.Call) and getattr(n.func, "id", "") in LOOKS:
                if any(isinstance(a, ast.Constant) and a.value in both for a in n.args):
                    return False
            elif isinstance(n, ast.JoinedStr):
                if any(a.attr in both for a in all_of(n, ast.Attribute)):
                    return False
    return True
