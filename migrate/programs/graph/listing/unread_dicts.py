"""``self.vars = {v.name: v for v in variables}``, which nobody reads, and the list that it is of.

Kipf's models keep the variables of their scope so. A layer's `vars` is another attribute than its
model's: whose an attribute is, is told by the class of `self` and by what a list of objects has.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.names import COMPREHENSIONS
from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.model import Blocked, Instance
from migrate.programs.graph.objects import bases, parts
from migrate.programs.graph.wording.spelled import Spelled, word

ASKING = frozenset({"__dict__", "getattr", "pickle", "dill", "copy", "deepcopy", "locals", "eval"})


def check(walker: Any, node: ast.expr, error: Blocked) -> None:
    """See whether a list of variables is only kept so, in an attribute that isn't read.

    Raises:
        Spelled: both statements go.
    """
    stmt, scope = walker.stmt, walker.frame.node
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) != 1:
        return
    (target,) = stmt.targets
    itself = bases.itself(walker).data
    if not isinstance(target, ast.Name) or not isinstance(itself, Instance) or walker.nested:
        return
    uses = [n for n in all_of(scope, ast.Name) if n.id == target.id and n is not target]
    gone = [s for s in walk(scope) if any(n in uses for n in _keeping(s, scope))]
    read = {id(n) for s in gone for n in walk(s)}
    if not gone or any(id(n) not in read for n in uses):
        return
    kept = [s.targets[0] for s in gone if isinstance(s, ast.Assign)]
    if all(isinstance(a, ast.Attribute) and _unread(walker, itself, a) for a in kept):
        raise Spelled(node, error.reason, [(s, word("")) for s in [stmt, *gone]])


def _keeping(stmt: ast.AST, scope: ast.AST) -> list[ast.expr]:
    """What ``self.vars = {v.name: v for v in variables}`` goes through."""
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return []
    made, target = stmt.value, stmt.targets[0]
    mine = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
    if not mine or not isinstance(made, COMPREHENSIONS):
        return []
    if any(isinstance(n, ast.Call) for n in walk(made)):
        return []
    return [g.iter for g in made.generators]


def _unread(walker: Any, instance: Instance, kept: ast.Attribute) -> bool:
    """Whether no object of a class is asked for an attribute."""
    family = bases.family(walker, instance.node)
    for tree in walker.program():
        parents = parents_of(tree)
        for node in walk(tree):
            if getattr(node, "id", getattr(node, "attr", None)) in ASKING:
                return False
            if isinstance(node, ast.Constant) and node.value == kept.attr:
                return False
            if isinstance(node, ast.Name) and node.id == "vars":
                return False
            if not isinstance(node, ast.Attribute) or node.attr != kept.attr:
                continue
            if not _another(walker, instance, node, _class_of(node, parents), family):
                return False
    return True


def _another(
    walker: Any,
    instance: Instance,
    node: ast.Attribute,
    home: ast.AST | None,
    family: list[ast.ClassDef],
) -> bool:
    """Whether an attribute is set, or is another object's."""
    owner = node.value
    if home is None:
        return False
    own = any(home is c for c in family)
    if isinstance(owner, ast.Name):
        return owner.id == "self" and (not own or isinstance(node.ctx, ast.Store))
    while own and isinstance(owner, ast.Subscript):
        owner = owner.value
    if isinstance(owner, ast.Attribute) and ast.unparse(owner.value) == "self":
        symbol = instance.attrs.get(owner.attr)
        return symbol is not None and parts.item(symbol.value) is not None
    return False


def _class_of(node: ast.AST, parents: dict[int, ast.AST]) -> ast.AST | None:
    """The class in whose method something stands."""
    found: ast.AST | None = node
    while found is not None and not isinstance(found, ast.ClassDef):
        found = parents.get(id(found))
    return found
