"""An attribute that a class forgets, ``self.weights = None``, when its graph has been built.

A function of TF 2 reads it when it is traced: the statement goes, where nothing asks for None.
"""

from __future__ import annotations

import ast

from migrate.engine.trees import parents_of, walk
from migrate.programs.graph.wording.spelled import Spelled, word


def check(tree: ast.AST, name: str, target: ast.AST) -> None:
    """See whether an attribute is only forgotten.

    Raises:
        Spelled: it is, and everything else takes items of it, which None has none of.
    """
    parents = parents_of(tree)
    stmt = parents.get(id(target))
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) > 1:
        return
    if not isinstance(stmt.value, ast.Constant) or stmt.value.value is not None:
        return
    block = parents.get(id(stmt))
    if not isinstance(block, ast.FunctionDef) or len(block.body) < 2:
        return
    for n in walk(tree):
        if isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Load):
            outer = parents.get(id(n))
            if not isinstance(outer, ast.Subscript) or outer.value is not n:
                return
    reason = f"`{name}`, which a function would read, changes later"
    raise Spelled(target, reason, [(stmt, word(""))])
