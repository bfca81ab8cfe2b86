"""`from model import *` of a program's own file: the names that are read, one by one.

from model import *                     from model import model_fn
…Estimator(model_fn, …)                 …Estimator(model_fn, …)
"""

from __future__ import annotations

import ast
from collections.abc import Container

from migrate.engine.bound import unbound
from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.rewriters.estimators.lifting import Lifted
from migrate.rewriters.estimators.program import Page, Program
from migrate.rewriters.estimators.scopes import Binding

# What reads or binds names that aren't written.
HIDDEN = frozenset({"globals", "locals", "vars", "exec", "eval", "dir", "__import__"})


def spelled(program: Program) -> None:
    """Look at the star imports of all files.

    Raises:
        Lifted: one may say its names.
    """
    for page in program.pages:
        tree = page.part.document.tree
        stars = [s for s in tree.body if isinstance(s, ast.ImportFrom) and _star(s)]
        given = {s: _given(program, s) for s in stars}
        if not any(given.values()) or _imported(program, page) or _hidden(page):
            continue
        wanted = unbound(page.part.document.text)
        own = program.scopes.bound(tree)
        edits, said = [], set[str]()
        for stmt, bound in given.items():
            if not bound:
                continue
            others = [names for star, names in given.items() if star is not stmt]
            if None in others or any(_differ(bound, o or {}, wanted) for o in others):
                continue  # which of them gives a name isn't seen, or is a matter of order
            if any(n in own and not _same(n, own[n], found) for n, found in bound.items()):
                continue
            names = [n for n in bound if n in wanted and n not in said]
            said.update(names)
            if names:
                start, end = program.text.index.span(stmt.names[0])
                edits.append(Edit(start, end, ", ".join(sorted(names))))
        if edits:
            raise Lifted(stars[0], "which names `*` stands for isn't seen", edits)


def _star(stmt: ast.ImportFrom) -> bool:
    return any(alias.name == "*" for alias in stmt.names)


def _given(program: Program, stmt: ast.ImportFrom) -> dict[str, list[Binding]] | None:
    """What a star import of a file of the program gives; None where that isn't seen."""
    tree = program.scopes.looked_into(stmt)
    if tree is None:
        return None
    bound = program.scopes.bound(tree)
    if {"__all__", "__getattr__", "*"} & bound.keys():
        return None
    made = {name for n in all_of(tree, ast.Global) for name in n.names}
    if made - bound.keys() or any(isinstance(n, ast.Delete) for n in tree.body):
        return None
    return {n: found for n, found in bound.items() if not n.startswith("_")}


def _imported(program: Program, page: Page) -> bool:
    """Whether another file of the program may take more of one than that has itself."""
    tree, scopes = page.part.document.tree, program.scopes
    own = scopes.bound(tree).keys() - {"*"}
    for node in scopes.walk():
        if isinstance(node, ast.ImportFrom) and scopes.looked_into(node) is tree:
            if not {alias.name for alias in node.names} <= own:
                return True
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not _of(node, "*"):
            binding = Binding("import", node, scopes.scope(node))
            if any(scopes.module(binding, a.asname or a.name) is tree for a in node.names):
                return True
    return False


def _of(stmt: ast.Import | ast.ImportFrom, name: str) -> bool:
    return any(alias.name == name for alias in stmt.names)


def _hidden(page: Page) -> bool:
    nodes = walk(page.part.document.tree)
    return any(isinstance(n, ast.Name) and n.id in HIDDEN for n in nodes)


def _differ(
    one: dict[str, list[Binding]], other: dict[str, list[Binding]], wanted: Container[str]
) -> bool:
    """Whether a name that is read is one thing in one file, another one in another file."""
    both = [name for name in one.keys() & other.keys() if name in wanted]
    return any(not _same(name, one[name], other[name]) for name in both)


def _same(name: str, mine: list[Binding], theirs: list[Binding]) -> bool:
    """Whether two files import one thing under a name."""
    both = [*mine, *theirs]
    return all(b.kind == "import" for b in both) and len({_taken(b.node, name) for b in both}) == 1


def _taken(stmt: ast.AST, name: str) -> str:
    """What an import takes under a name."""
    assert isinstance(stmt, (ast.Import, ast.ImportFrom))
    module = f"{'.' * stmt.level}{stmt.module}:" if isinstance(stmt, ast.ImportFrom) else ""
    named = [a for a in stmt.names if (a.asname or a.name.partition(".")[0]) == name]
    return module + ", ".join(f"{a.name} as {a.asname}" for a in named)
