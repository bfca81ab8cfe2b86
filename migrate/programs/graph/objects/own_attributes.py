"""Where an attribute of a class's objects is set: not where other classes set their own."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of, fact, named, walk


def stores(walker: Any, cls: ast.AST | None, name: str) -> list[ast.Attribute]:
    """The places that set or delete an attribute, without those that set other classes'.

    ``self.config = …`` in the methods of a class that has nothing to do with this one is that
    class's; ``cls`` is None, or no class, where all places count. So is ``FLAGS.width = …`` the
    command line's.
    """
    others = set(fact(walker.tree, of_flags))
    if isinstance(cls, ast.ClassDef):
        classes = all_of(walker.tree, ast.ClassDef)
        lines = [_line(walker, c) for c in classes]
        mine = _line(walker, cls)
        for other in classes if mine else ():
            theirs = _line(walker, other)
            related = not theirs or any(mine & line and theirs & line for line in lines)
            if not related and not _both(classes, mine, theirs):
                others |= fact(other, _own)
    return [
        n
        for n in named(walker.tree, name)
        if isinstance(n, ast.Attribute)
        and isinstance(n.ctx, (ast.Store, ast.Del))
        and id(n) not in others
    ]


def of_flags(tree: ast.AST) -> set[int]:
    """The attributes of what a program has its flags in, ``FLAGS = tf.app.flags.FLAGS``."""
    made: dict[int, str] = {}  # by the places where their names are set
    for n in all_of(tree, ast.Assign):
        target = n.targets[0]
        if len(n.targets) == 1 and isinstance(target, ast.Name):
            if isinstance(n.value, ast.Attribute) and n.value.attr == "FLAGS":
                made[id(target)] = target.id
    others = {a.arg for a in all_of(tree, ast.arg)}
    for name in all_of(tree, ast.Name):
        if isinstance(name.ctx, ast.Store) and id(name) not in made:
            others.add(name.id)
    names = set(made.values()) - others
    found = [n for n in all_of(tree, ast.Attribute) if isinstance(n.value, ast.Name)]
    return {id(n) for n in found if ast.unparse(n.value) in names}


def _line(walker: Any, cls: ast.ClassDef) -> set[int]:
    """A class and its bases; nothing where one of them isn't the program's."""
    known = walker.bases.get(id(cls))
    if known is not None:
        return set() if known.odd is not None else {id(c) for c in known.order}
    plain = all(isinstance(b, ast.Name) and b.id == "object" for b in cls.bases)
    return {id(cls)} if plain and not cls.keywords and not cls.decorator_list else set()


def _both(classes: Sequence[ast.ClassDef], mine: set[int], theirs: set[int]) -> bool:
    """Whether a class may have bases of both kinds, as they are written."""
    one, two = ({c.name for c in classes if id(c) in line} for line in (mine, theirs))
    bases = [{ast.unparse(b).rpartition(".")[2] for b in c.bases} for c in classes]
    return any(one & names and two & names for names in bases if len(names) > 1)


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
            for n in walk(member)
        )
        if not again:
            found |= {
                id(n)
                for n in all_of(member, ast.Attribute)
                if isinstance(n.value, ast.Name) and n.value.id == itself
            }
    return found
