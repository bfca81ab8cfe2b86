"""Variables' names that are only compared with each other: ``if v.name in self.fixed:``.

What TF 1 numbers then doesn't matter, nor where a scope's name comes from: two variables must have
two names in TF 2, as they have in TF 1.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import parents_of, walk

COLLECTIONS = ("set", "frozenset", "list", "tuple", "sorted")


def only(walker: Any, node: ast.Attribute, written: Sequence[str | None]) -> bool:
    """Whether a variable's name that is read is only compared, and all are told apart.

    ``written``: what `tf.Variable` and `tf.get_variable` are given as names.
    """
    tails = [name.rpartition("}")[2] for name in written if name]
    if len(tails) != len(written):
        return False
    for i, one in enumerate(tails):
        if any(one.endswith(other) or other.endswith(one) for other in tails[:i]):
            return False
    parents = parents_of(walker.stmt)
    outer: ast.AST | None = node
    while outer is not None and not isinstance(outer, ast.Compare):
        before, outer = outer, parents.get(id(outer))
        if isinstance(outer, ast.Assign) and before is outer.value:
            return len(outer.targets) == 1 and _kept(walker, outer.targets[0])
    return outer is not None and _membership(walker, outer)


def _membership(walker: Any, node: ast.AST) -> bool:
    """``v.name in self.fixed``, ``v.name == self.w.name``."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not _name(node.left):
        return False
    other = node.comparators[0]
    if isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        return _name(other)
    if not isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return False
    return _names(other) or _kept(walker, other)


def _kept(walker: Any, place: ast.expr) -> bool:
    """Whether an attribute or a name only ever holds names of variables, and is only searched."""
    if isinstance(place, ast.Attribute):
        if not isinstance(place.value, ast.Name) or place.value.id != "self":
            return False
        tree: ast.AST | None = walker.tree
    else:
        tree = walker.files.at(place).tree
    if not isinstance(place, (ast.Name, ast.Attribute)) or tree is None:
        return False
    called = getattr(place, "id", None) or getattr(place, "attr", None)
    uses: set[int] = set()
    for node in walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else ()
        if len(targets) == 1 and _called(targets[0]) == called and isinstance(node, ast.Assign):
            if not _names(node.value):
                return False
            uses.add(id(targets[0]))
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and _name(node.left):
            if isinstance(node.ops[0], (ast.In, ast.NotIn)):
                uses.add(id(node.comparators[0]))
    found = [n for n in walk(tree) if _called(n) == called]
    return bool(found) and all(id(n) in uses for n in found)


def _called(node: ast.AST) -> str | None:
    for kind, name in ((ast.Name, "id"), (ast.Attribute, "attr"), (ast.arg, "arg")):
        if isinstance(node, kind):
            return str(getattr(node, name))
    return None


def _name(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "name"


def _names(node: ast.expr) -> bool:
    """Whether an expression is a collection of names, and of nothing else."""
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(_name(n) for n in node.elts)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
        return _name(node.elt) and not any(g.ifs for g in node.generators)
    if isinstance(node, ast.BinOp):
        return (
            isinstance(node.op, (ast.Add, ast.BitOr)) and _names(node.left) and _names(node.right)
        )
    if not isinstance(node, ast.Call) or node.keywords or len(node.args) != 1:
        return False
    return isinstance(node.func, ast.Name) and node.func.id in COLLECTIONS and _names(node.args[0])
