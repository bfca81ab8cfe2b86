"""``self.model = self.create_model()``, whose method makes an object that others run.

The method keeps it where it makes it, ``self.model = Model(…)``, so that the attribute's object is
known: its methods are given the session of the class.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.meaning import SESSIONS
from migrate.programs.graph.model import Kind, Region, Returning


def check(walker: Any, stmt: ast.stmt | None, node: ast.FunctionDef, region: Region) -> None:
    """See whether a method gave an object whose class opens no session of its own.

    Raises:
        Returning: it did, and its caller keeps the object in an attribute.
    """
    gives, last = region.gives, node.body[-1]
    if gives is None or gives.kind is not Kind.OBJECT or not isinstance(last, ast.Return):
        return
    if not isinstance(stmt, ast.Assign) or not isinstance(stmt.value, ast.Call):
        return
    if not all(isinstance(t, ast.Attribute) for t in stmt.targets):
        return
    cls = getattr(gives.data, "node", None)
    if cls is None or any(walker.endpoints.get(id(n)) in SESSIONS for n in walk(cls)):
        return
    raise Returning(last, f"`{node.name}` gives an object that it makes")
