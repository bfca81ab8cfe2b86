"""The file that has what stands for TF 1's names, and how the others of a program say it.

from modeling import BertModel         from modeling import BertModel, NamedWeights, Scopes
import modeling                        modeling.NamedWeights, modeling.Scopes
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import partial

from migrate.engine.findings import Edit
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Page, Program


def found(program: Program, function: ast.FunctionDef, nodes: Iterable[ast.AST]) -> Page:
    """The file that the definitions stand in: all that use them have one in common.

    Models that have no file in common have definitions of their own.

    Raises:
        Blocked: there is none.
    """
    pages = {id(p): p for p in (program.page(function), *map(program.page, nodes))}
    homes = program.kept.setdefault("named homes", [])
    assert isinstance(homes, list)
    known = [home for home, users in homes if users & pages.keys()]
    for home in reversed(pages.values()):
        others = [p for p in pages.values() if p is not home]
        reached = all(_alias(program, p, home) or _import(program, p, home) for p in others)
        if reached and all(home is other for other in known):
            homes.append((home, set(pages)))
            return home
    raise Blocked(function, "weights by name in files that don't import each other")


def reaches(program: Program, home: Page, node: ast.AST) -> bool:
    """Whether the file of a node has the definitions, or a name for them."""
    page = program.page(node)
    return page is home or bool(_alias(program, page, home) or _import(program, page, home))


def spelled(program: Program, home: Page, node: ast.AST, name: str) -> str:
    """What a definition is called where a node stands.

    Raises:
        Blocked: it is something else there.
    """
    page = program.page(node)
    if page is home:
        return name
    if alias := _alias(program, page, home):
        return f"{alias}.{name}"
    stmt = _import(program, page, home)
    assert stmt is not None
    if name in page.bound:
        raise Blocked(node, f"another `{name}` of the file")
    added = program.kept.setdefault("named imports", {})
    assert isinstance(added, dict)
    if not added:
        program.finish.append(partial(_imports, program, added))
    added.setdefault(id(stmt), (stmt, set()))[1].add(name)
    return name


def _alias(program: Program, page: Page, home: Page) -> str:
    """What a file calls another one that it imports."""
    scopes, tree = program.scopes, home.part.document.tree
    for name, bound in scopes.bound(page.part.document.tree).items():
        if len(bound) == 1 and bound[0].kind == "import":
            if scopes.module(bound[0], name) is tree:
                return name
    return ""


def _import(program: Program, page: Page, home: Page) -> ast.ImportFrom | None:
    """The statement by which a file takes names of another one."""
    tree = home.part.document.tree
    for stmt in page.part.document.tree.body:
        if isinstance(stmt, ast.ImportFrom) and program.scopes.looked_into(stmt) is tree:
            if stmt.names[0].name != "*":
                return stmt
    return None


def _imports(program: Program, added: dict[int, tuple[ast.ImportFrom, set[str]]]) -> None:
    """The definitions among the names that files take of the one that has them."""
    for stmt, names in added.values():
        end = program.text.index.span(stmt.names[-1])[1]
        program.edits.append(Edit(end, end, "".join(f", {name}" for name in sorted(names))))
