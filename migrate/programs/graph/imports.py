"""Imports of TensorFlow's modules by a name of their own, which may go with what they are for."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.files import called_import
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.modules import Module
from migrate.programs.graph.wording.spelled import Spelled

PREFIXES = ("tensorflow.contrib", "tensorflow.python")


@dataclass(slots=True, eq=False, repr=False)
class Imported:
    """The names that a statement imports from TensorFlow."""

    walker: Any
    names: frozenset[str]

    @property
    def idle(self) -> bool:
        """Whether every use of them is written otherwise, so that the import goes."""
        walker = self.walker
        known = walker.rewrites.keys() | walker.layers.keys() | walker.descriptions.keys()
        known |= walker.made.keys()
        said = {
            id(n)
            for call in all_of(walker.tree, ast.Call)
            if id(call) in known
            for n in walk(call.func)
        }
        return all(
            id(n) in said
            for n in all_of(walker.tree, ast.Name)
            if isinstance(n.ctx, ast.Load) and n.id in self.names
        )


def imported(walker: Any, stmt: ast.Import | ast.ImportFrom) -> Imported | None:
    """What a statement imports from modules that TF 2 doesn't have; None: it is another import."""
    modules = (
        [stmt.module or ""] if isinstance(stmt, ast.ImportFrom) else [a.name for a in stmt.names]
    )
    named = all(a.name != "*" for a in stmt.names)
    if not named or not all(m.startswith(PREFIXES) for m in modules):
        return None
    if isinstance(stmt, ast.Import) and any(a.asname is None for a in stmt.names):
        return None
    return Imported(walker, frozenset(a.asname or a.name for a in stmt.names))


def listed(module: Module) -> frozenset[str] | None:
    """The names that `*` stands for where a file lists them; None where it lists none.

    A list that isn't told has a name that no file has.
    """
    if module.tree is None:
        return None
    said = [n for n in all_of(module.tree, ast.Name) if n.id == "__all__"]
    if not said:
        return None
    for stmt in module.tree.body:
        if isinstance(stmt, ast.Assign) and stmt.targets == said:
            value = stmt.value
            items = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
            names = [n.value for n in items if isinstance(n, ast.Constant)]
            if len(names) == len(items) and all(isinstance(n, str) for n in names):
                return frozenset(map(str, names))
    return frozenset({""})


def called(walker: Any, node: ast.Call) -> Value | None:
    """A module of the program that a call imports by its name: ``__import__("model")``."""
    name = called_import(node)
    if name is None or walker.frame.region is None or walker.nested:
        return None
    chain = walker.imported(walker.stmt, 0, name)
    outermost = isinstance(node.func, ast.Name) and node.func.id == "__import__"
    return Value(Kind.OTHER, chain[0 if outermost else -1]) if chain else None


def own(stmt: ast.ImportFrom, module: Module, name: str) -> None:
    """``from ops import *`` brings TensorFlow along: the file imports it itself.

    Raises:
        Spelled: the other file has it under that name.
    """
    body = module.tree.body if module.tree is not None else []
    aliases = [a for s in body if isinstance(s, ast.Import) for a in s.names]
    lines = [ast.unparse(ast.Import([a])) for a in aliases if (a.asname or a.name) == name]
    if lines:
        reason = "TensorFlow is taken from another file"
        raise Spelled(stmt, reason, [], [(stmt, lambda _: lines[:1])])


def bound_first(tree: ast.Module, name: str, stmt: ast.stmt) -> bool:
    """Whether a file gives a name that ``*`` brings along a value of its own before it reads it."""
    uses = [n for n in all_of(tree, ast.Name) if n.id == name and n.lineno > stmt.lineno]
    first = min(uses, key=lambda n: (n.lineno, n.col_offset), default=None)
    for one in tree.body:
        if isinstance(one, ast.Assign) and one.targets == [first]:
            return not any(n.id == name for n in all_of(one.value, ast.Name))
    return False


def plainly_starred(walker: Any, stmt: ast.ImportFrom) -> list[str]:
    """The names that ``from tools import *`` of a file without TensorFlow binds anew.

    ``from nets import *`` above it may have brought a function that is called so.
    """
    from migrate.programs.graph.sizing.static_run.plain_files import top_names

    files = walker.files
    path = files.plain(stmt, walker.entry, stmt.level, stmt.module or "")
    data = files.content(path) if path is not None else None
    if path is None or data is None:
        return []
    return [name for name in top_names(path, data) if name in walker.frame.env]
