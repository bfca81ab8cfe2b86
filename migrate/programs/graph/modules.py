"""The files of a program: each is executed where it is first imported.

Their trees have lines of one text, all files one after the other, so that a node tells its file.
"""

from __future__ import annotations

import ast
import os
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import fact
from migrate.programs.files import Imported, located
from migrate.programs.graph.made import Frame, Function
from migrate.programs.graph.model import (
    HOST,
    Blocked,
    Kind,
    Symbol,
    Value,
    described,
)
from migrate.programs.search_path import Known, Paths

# What another file may take from one that it imports: no part of a graph.
LENT = frozenset({Kind.HOST, Kind.CONST, Kind.FUNCTION, Kind.CLASS, Kind.NONE})


@dataclass(slots=True, eq=False, repr=False)
class Module:
    """A file of the program, or a folder that is imported as a package."""

    path: str
    tree: ast.Module | None
    line: int = 0  # its lines begin after this one
    frame: Frame | None = None  # once it is executed
    loading: bool = False
    parts: dict[str, Module] = field(default_factory=dict)  # a package's imported modules
    imports: list[Module] = field(default_factory=list)  # those of the program
    starred: list[Module] = field(default_factory=list)  # those that `*` is imported from
    defined: dict[str, list[ast.stmt]] | None = None  # once it is asked (`definitions`)

    def definitions(self) -> dict[str, list[ast.stmt]]:
        """The file's functions and classes by their names."""
        if self.defined is None:
            self.defined = {} if self.tree is None else fact(self.tree, _definitions)
        return self.defined

    def reach(self, seen: dict[int, Module]) -> None:
        """Add the file and all that it imports."""
        if id(self) not in seen:
            seen[id(self)] = self
            for module in self.imports:
                module.reach(seen)

    def attribute(self, walker: Any, node: ast.Attribute) -> Value:
        """A name of the module.

        Raises:
            Blocked: it is a part of a graph.
        """
        value = self.value(node.attr, node)
        if value is None or value.kind is Kind.HOST:
            root = node.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name):
                walker.sink.hosts.add(root.id)
            return HOST
        return value

    def value(self, name: str, node: ast.AST) -> Value | None:
        """What another file finds under a name; None where nothing is known of it."""
        symbol = self.frame.env.get(name) if self.frame is not None else None
        if symbol is None:
            part = self.parts.get(name)
            if part is None and self.loading:
                raise Blocked(node, "files that import each other")
            return Value(Kind.OTHER, part) if part is not None else None
        value = symbol.value
        if name in self.aliases():
            raise Blocked(node, "TensorFlow is taken from another file")
        if value.kind is Kind.ENDPOINT and str(value.data).endswith(".flags.FLAGS"):
            return HOST  # what a command line says
        if value.kind not in LENT and not isinstance(value.data, Module):
            raise Blocked(node, f"{described(value)} of another file")
        return value

    def aliases(self) -> set[str]:
        """The names under which the file has TensorFlow or a part of it."""
        found: set[str] = set()
        for stmt in self.tree.body if self.tree is not None else ():
            if isinstance(stmt, ast.Import):
                ours = [a for a in stmt.names if a.name.partition(".")[0] == "tensorflow"]
            elif isinstance(stmt, ast.ImportFrom) and not stmt.level:
                ours = stmt.names if (stmt.module or "").startswith("tensorflow") else []
            else:
                continue
            found.update(a.asname or a.name.partition(".")[0] for a in ours)
        return found

    def definition(self, func: ast.expr) -> ast.AST | None:
        """The function or class of the program that an expression names, as far as is known."""
        symbol = self._symbol(func)
        if symbol is None:
            return None
        data = symbol.value.data
        if isinstance(data, Function):
            return data.node
        return data if isinstance(data, ast.ClassDef) else None

    def _symbol(self, func: ast.expr) -> Symbol | None:
        if isinstance(func, ast.Name):
            return self.frame.env.get(func.id) if self.frame is not None else None
        if not isinstance(func, ast.Attribute):
            return None
        owner = self._owner(func.value)
        return owner._symbol(ast.Name(func.attr)) if owner is not None else None

    def _owner(self, node: ast.expr) -> Module | None:
        if isinstance(node, ast.Name):
            symbol = self.frame.env.get(node.id) if self.frame is not None else None
            found = symbol.value.data if symbol is not None else None
        elif isinstance(node, ast.Attribute):
            outer = self._owner(node.value)
            found = outer.parts.get(node.attr) if outer is not None else None
        else:
            return None
        return found if isinstance(found, Module) else None


def _definitions(tree: ast.Module) -> dict[str, list[ast.stmt]]:
    found: dict[str, list[ast.stmt]] = {}
    for stmt in tree.body:
        if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(stmt.name, []).append(stmt)
    return found


class Files:
    """The files that are executed, and what the others are called."""

    def __init__(
        self, modules: Sequence[Module], entries: Iterable[str], known: Iterable[str] = ()
    ) -> None:
        self.modules = {os.path.normpath(m.path): m for m in modules}
        self.order = sorted(modules, key=lambda m: m.line)
        self.lines = [m.line for m in self.order]
        self.entries = [self.modules[os.path.normpath(path)] for path in entries]
        self.known: Mapping[str, str] = Known(known)
        # What those say that aren't among them, where that is known.
        self.contents: Mapping[str, bytes | None] = known if isinstance(known, Mapping) else {}
        self.beside: Mapping[str, str] = Paths(self.known)  # not by `sys.path`
        self.packages: dict[str, Module] = {}

    def at(self, node: ast.AST) -> Module:
        """The file in which a node stands."""
        if len(self.order) == 1:
            return self.order[0]
        line: int = getattr(node, "lineno", 1)
        return self.order[max(0, bisect_right(self.lines, line - 1) - 1)]

    def together(self, node: ast.AST) -> list[Module]:
        """The files of the programs that a node is in; others share but some of them."""
        home, found = self.at(node), dict[int, Module]()
        for entry in self.entries:
            reached: dict[int, Module] = {}
            entry.reach(reached)
            if id(home) in reached:
                found.update(reached)
        return [m for m in self.order if id(m) in found] or self.order

    def find(self, node: ast.stmt, entry: Module, level: int, dotted: str) -> list[Module] | None:
        """The modules that an import of ``a.b.c`` executes, outermost first; None: none of ours.

        Raises:
            Blocked: two files could be meant.
        """
        found = self._located(node, entry, level, dotted)
        if not found or not any(path in self.modules for path in found):
            return None
        return [self._module(path) for path in found]

    def plain(self, node: ast.stmt, entry: Module, level: int, dotted: str) -> str | None:
        """The file that an import executes, where it isn't one of these: it has no TensorFlow.

        Raises:
            Blocked: two files could be meant.
        """
        found = self._located(node, entry, level, dotted)
        path = found[-1] if found else ""
        return path if path in self.known and path not in self.modules else None

    def content(self, path: str) -> bytes | None:
        """What a file that isn't one of these says; None where that isn't known."""
        return self.contents.get(self.known.get(path, ""))

    def _located(self, node: ast.stmt, entry: Module, level: int, dotted: str) -> list[str]:
        item = Imported(level, dotted)
        here = os.path.normpath(self.at(node).path)
        found = located(here, item, self.beside)
        if not level:
            other = located(os.path.normpath(entry.path), item, self.beside)
            if found and other and found != other:
                raise Blocked(node, f"which file `{dotted}` is depends on where it is run")
            found = found or other or located(here, item, self.known)
        return found

    def _module(self, path: str) -> Module:
        known = self.modules.get(path)
        if known is None:
            known = self.packages.setdefault(path, Module(path, None))
        return known
