"""The functions of a program's files: where they are mentioned, and what reaches them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.engine.document import Document
from migrate.engine.trees import all_of, named, walk

Home = ast.Module | ast.FunctionDef


class Unclear(Exception):
    """It can't be told what a program does."""


class Homes:
    """Functions and modules, as the homes of what stands in them."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.given: dict[int, set[str]] = {}  # new names, by home
        self.place: dict[int, int] = {}  # a home's file
        self.inside: dict[int, Home] = {}  # a node's home
        self.functions: dict[tuple[int, str], ast.FunctionDef] = {}
        for i, document in enumerate(documents):
            self.place[id(document.tree)] = i
            for stmt in document.tree.body:
                if isinstance(stmt, ast.FunctionDef):
                    self.place[id(stmt)] = i
                    self.functions[i, stmt.name] = stmt
                home = stmt if isinstance(stmt, ast.FunctionDef) else document.tree
                self.inside.update((id(n), home) for n in walk(stmt))

    def alone(self, node: ast.AST) -> None:
        """See that a node stands in a function of the module or in the module itself."""
        home = self.inside[id(node)]
        odd = (ast.ClassDef, ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef)
        for outer in walk(home):
            if outer is not home and isinstance(outer, odd) and node in walk(outer):
                if outer not in self.functions.values():
                    raise Unclear

    def uses(self, function: ast.FunctionDef) -> list[ast.AST]:
        """Where a function is mentioned, but for imports.

        Raises:
            Unclear: it is imported under another name.
        """
        own = stem(self.documents[self.place[id(function)]])
        found: list[ast.AST] = []
        for document in self.documents:
            modules = set()
            taken = document is self.documents[self.place[id(function)]]
            for alias in all_of(document.tree, ast.alias):
                if alias.name == function.name and alias.asname:
                    raise Unclear
                if alias.name.rpartition(".")[2] == own:
                    modules.add(alias.asname or alias.name)
            for stmt in all_of(document.tree, ast.ImportFrom):
                if (stmt.module or "").rpartition(".")[2] == own:
                    taken = taken or bool({function.name, "*"} & {a.name for a in stmt.names})
            for n in named(document.tree, function.name):
                if isinstance(n, ast.Attribute):
                    found += [n] if ast.unparse(n.value) in modules else []
                elif taken and not self._is_parameter(n):
                    found.append(n)
        return found

    def _is_parameter(self, node: ast.Name) -> bool:
        """Whether a name is a parameter of the function in which it stands."""
        home = self.inside[id(node)]
        if not isinstance(home, ast.FunctionDef):
            return False
        own = {a.arg for a in all_of(home.args, ast.arg)}
        return node.id in own and any(node in walk(stmt) for stmt in home.body)

    def statement(self, use: ast.AST) -> tuple[ast.stmt, ast.Call]:
        """The statement that is a call of a function and what becomes of its value."""
        home = self.inside[id(use)]
        for stmt in walk(home):
            call = getattr(stmt, "value", None)
            if isinstance(stmt, (ast.Assign, ast.Expr)) and isinstance(call, ast.Call):
                if call.func is use:
                    self.alone(use)
                    return stmt, call
        raise Unclear

    def free(self, home: Home, wish: str) -> str:
        """A name that a function, and what it sees of its file, doesn't have."""
        tree = self.documents[self.place[id(home)]].tree
        parts = [home, *(s for s in tree.body if not isinstance(s, ast.FunctionDef))]
        taken = {n.id for p in parts for n in all_of(p, ast.Name)}
        taken |= {n.arg for n in all_of(home, ast.arg)}
        taken |= {n.asname or n.name for p in parts for n in all_of(p, ast.alias)}
        taken |= {s.name for s in tree.body if isinstance(s, (ast.FunctionDef, ast.ClassDef))}
        taken |= self.given.setdefault(id(home), set())
        name, count = wish, 2
        while name in taken:
            name, count = f"{wish}_{count}", count + 1
        self.given[id(home)].add(name)
        return name

    def entries(self) -> Iterator[list[ast.stmt]]:
        """What is executed when a file is run; its main block is only there for itself."""
        for document in self.documents:
            yield document.tree.body

    def reached(self, entry: list[ast.stmt]) -> set[int]:
        """The homes that a file's execution may reach."""
        found: set[int] = set()
        todo: list[tuple[list[ast.stmt], bool]] = [(entry, True)]
        every = list(self.functions.values())
        used = {id(use): f for f in every for use in self.uses(f)}
        by_stem = {stem(d): d for d in self.documents}
        while todo:
            body, main = todo.pop()
            for stmt in body:
                if isinstance(stmt, ast.FunctionDef) and stmt in every:
                    continue
                if isinstance(stmt, ast.If) and "__name__" in ast.unparse(stmt.test) and not main:
                    continue
                found.add(id(self.inside[id(stmt)]))
                for n in walk(stmt):
                    run = isinstance(n, ast.Attribute) and n.attr == "run"  # tf.app.run()
                    place = self.place[id(self.inside[id(stmt)])]
                    for function in (
                        used.get(id(n)),
                        self.functions.get((place, "main")) if run else None,
                    ):
                        if function is not None and id(function) not in found:
                            found.add(id(function))
                            todo.append((function.body, main))
                    if isinstance(n, (ast.Import, ast.ImportFrom)):
                        said = [a.name for a in n.names] + [getattr(n, "module", None) or ""]
                        for name in {s.rpartition(".")[2] for s in said} & set(by_stem):
                            tree = by_stem[name].tree
                            if id(tree) not in found and tree.body is not entry:
                                found.add(id(tree))
                                todo.append((tree.body, False))
        return found


def stem(document: Document) -> str:
    """A file's name as a module."""
    return document.path.rpartition("/")[2].rpartition(".")[0]
