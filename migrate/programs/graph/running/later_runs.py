"""Functions and methods that are called again, in a later session: what they run finds it as new.

They are walked at their first call only. The second one runs the same, in the session of then.
"""

from __future__ import annotations

import ast
from typing import Any, TypeGuard

from migrate.engine.trees import walk
from migrate.programs.graph.model import Region
from migrate.programs.graph.objects import two_classes

CALLED, AGAIN = "called in a graph", "called again in a graph"
# In which sessions a run is met, by its node, and a function that was walked before is called.
RUNS, LATER = ("sessions of runs",), ("sessions of later calls",)


def ran(walker: Any, node: ast.Call) -> None:
    """A run is met, in the session that was opened last."""
    walker.kept.setdefault(RUNS, {}).setdefault(id(node), set()).add(now(walker))


def now(walker: Any) -> tuple[int, object]:
    """The program at hand, and the session that was opened last in it."""
    return id(walker.entry), (walker.graph, walker.sessions)


def met(walker: Any, target: ast.FunctionDef) -> None:
    """A function that was walked before is called: its runs are runs of this session."""
    walker.kept.setdefault((AGAIN, walker.graph), []).append(target)
    walker.kept.setdefault(LATER, []).append((target, now(walker)))
    if walker.fresh is not None and _runs(walker, target, set()):
        walker.again()


def entered(walker: Any, target: ast.FunctionDef) -> None:
    """A function that runs a session is called for the first time; what it calls is, too."""
    walker.kept.setdefault((CALLED, walker.graph), []).append(target)


def here(walker: Any) -> list[Region]:
    """The regions whose runs may have been in the graph at hand; the module's always."""
    todo: list[ast.FunctionDef] = list(walker.kept.get((AGAIN, walker.graph), ()))
    first: list[ast.FunctionDef] = walker.kept.get((CALLED, walker.graph), [])
    every = [n for t in walker.program() for n in walk(t) if _defines(n)]
    seen = set(map(id, todo)) | set(map(id, first))
    while todo:
        for node in walk(todo.pop()):
            if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                more = [n for n in every if n.name == name and id(n) not in seen]
                seen.update(map(id, more))
                todo += more
    regions: list[Region] = walker.regions
    seen |= {key for key, target in two_classes.originals(walker).items() if id(target) in seen}
    plain, own = (ast.Module, ast.ClassDef), walker.frame.region  # it may open its graph itself
    return [r for r in regions if r is own or isinstance(r.node, plain) or id(r.node) in seen]


def _defines(node: ast.AST) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef)


def _runs(walker: Any, target: ast.FunctionDef, seen: set[int]) -> bool:
    """Whether a function runs a part of a graph, itself or through what has a callee's name."""
    seen.add(id(target))
    names: set[str] = set()
    for node in walk(target):
        if id(node) in walker.sites:
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            names.add(node.func.id if isinstance(node.func, ast.Name) else node.func.attr)
    return any(
        isinstance(n, ast.FunctionDef)
        and n.name in names
        and id(n) not in seen
        and _runs(walker, n, seen)
        for tree in walker.program()
        for n in walk(tree)
    )
