"""Names of a file that a function sets, ``global k``, where a part of the graph was made of them.

TF 1 made it with what the name meant then; a function of TF 2 would read it at its first call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Step


def check(walker: Any, name: str, step: Step) -> None:
    """See that no function may set a name behind what was computed with it.

    Raises:
        Blocked: one may.
    """
    tree = walker.files.at(step.node).tree
    if tree is None:
        return
    functions = [n for n in walk(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    home = step.function if isinstance(step.function, ast.FunctionDef) else None
    kind: type[ast.Global] | type[ast.Nonlocal] = ast.Global
    if home is not None and name in _own(home):
        functions = [f for f in functions if f is not home and any(f is n for n in walk(home))]
        kind = ast.Nonlocal
    setters = [f for f in functions if _sets(f, name, kind)]
    if not setters:
        return
    last = step.node.end_lineno or step.node.lineno
    own = home.body if home is not None else tree.body
    late: list[ast.AST] = [f for f in functions if f is not home and walker.runs(f)]
    late += [
        s for s in own if s.lineno > last and not isinstance(s, (ast.FunctionDef, ast.ClassDef))
    ]
    if home is None:
        late += [n for s in own if s.lineno <= last for n in _behind(s, last)]
    reached = _reached(late, [f for f in functions if f is not home])
    for setter in setters:
        if setter in reached:
            raise Blocked(
                step.node, f"`{name}`, which a function would read, is set by another one"
            )


def flags(walker: Any, step: Step) -> None:
    """See that no flag is set behind what was computed with it, in the same function.

    Raises:
        Blocked: one is.
    """
    home = step.function if isinstance(step.function, ast.FunctionDef) else None
    tree = home or walker.files.at(step.node).tree
    read = {
        ast.unparse(n)
        for n in all_of(step.node, ast.Attribute)
        if "flags.FLAGS." in walker.endpoints.get(id(n), "")
    }
    last = step.node.end_lineno or step.node.lineno
    for node in walk(tree) if read and tree is not None else ():
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            inner = home is None and _inside(tree, node)
            if node.lineno > last and ast.unparse(node) in read and not inner:
                what = f"`{ast.unparse(node)}`, which a function would read, changes later"
                raise Blocked(node, what)


def _inside(tree: ast.AST, node: ast.AST) -> bool:
    """Whether a node of a module stands in one of its functions."""
    functions = (n for n in all_of(tree, ast.FunctionDef))
    return any(node is n for f in functions for n in walk(f))


def _behind(stmt: ast.stmt, last: int) -> Iterable[ast.stmt]:
    """The statements behind a line in a block that has begun before it."""
    return (n for n in walk(stmt) if isinstance(n, ast.stmt) and n.lineno > last)


def _sets(function: ast.AST, name: str, kind: type[ast.Global] | type[ast.Nonlocal]) -> bool:
    declared = any(isinstance(n, kind) and name in n.names for n in walk(function))
    return declared and any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for n in walk(function)
    )


def _own(function: ast.FunctionDef) -> set[str]:
    """Local names of a function."""
    said = {name for n in all_of(function, ast.Global) for name in n.names}
    found = {a.arg for a in all_of(function.args, ast.arg)}
    found |= {n.id for n in all_of(function, ast.Name) if not isinstance(n.ctx, ast.Load)}
    return found - said


def _reached(begun: Sequence[ast.AST], functions: Sequence[ast.AST]) -> list[ast.AST]:
    """The functions that statements mention, directly or through others, and those among them."""
    stack, found = list(begun), [n for n in begun if n in functions]
    while stack:
        said = {getattr(n, "id", getattr(n, "attr", None)) for n in walk(stack.pop())}
        for function in functions:
            if function not in found and getattr(function, "name", None) in said:
                found.append(function)
                stack.append(function)
    return found
