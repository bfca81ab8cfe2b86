"""Where an attribute of a class's objects is set: not where other classes set their own."""

from __future__ import annotations

import ast
from typing import Any


def stores(walker: Any, cls: ast.AST | None, name: str) -> list[ast.Attribute]:
    """The places that set or delete an attribute, without those that set other classes'.

    ``self.config = …`` in the methods of a class that has nothing to do with this one is that
    class's; ``cls`` is None, or no class, where all places count.
    """
    others: set[int] = set()
    if isinstance(cls, ast.ClassDef) and _alone(cls):
        classes = [n for n in ast.walk(walker.tree) if isinstance(n, ast.ClassDef)]
        joint = {b.id for c in classes if len(c.bases) > 1 for b in c.bases if hasattr(b, "id")}
        for other in classes:
            if other is not cls and _alone(other) and not {other.name, cls.name} & joint:
                others |= _own(other)
    return [
        n
        for n in ast.walk(walker.tree)
        if isinstance(n, ast.Attribute)
        and n.attr == name
        and isinstance(n.ctx, (ast.Store, ast.Del))
        and id(n) not in others
    ]


def _alone(cls: ast.ClassDef) -> bool:
    """Whether a class has no bases."""
    plain = all(isinstance(b, ast.Name) and b.id == "object" for b in cls.bases)
    return plain and not cls.keywords and not cls.decorator_list


def _own(cls: ast.ClassDef) -> set[int]:
    """The attributes of its objects that the methods of a class set, under the methods' name."""
    found: set[int] = set()
    for member in cls.body:
        if not isinstance(member, ast.FunctionDef) or not member.args.args:
            continue
        if member.decorator_list:
            continue
        itself = member.args.args[0].arg
        again = any(
            (isinstance(n, ast.Name) and n.id == itself and not isinstance(n.ctx, ast.Load))
            or (isinstance(n, ast.arg) and n.arg == itself and n is not member.args.args[0])
            for n in ast.walk(member)
        )
        if not again:
            found |= {
                id(n)
                for n in ast.walk(member)
                if isinstance(n, ast.Attribute)
                and isinstance(n.value, ast.Name)
                and n.value.id == itself
            }
    return found
