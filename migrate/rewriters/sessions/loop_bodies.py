"""A module's loop that makes a graph in each round: its statements become a function.

``for rate in rates: tf.reset_default_graph() …`` builds and runs a graph of its own in each round;
so does a function that the loop calls, and that can be followed.
"""

from __future__ import annotations

import ast

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.spelled import COMPREHENSIONS
from migrate.rewriters.sessions.apart import rewritten

WISHES = ("train", "run", "run_graph", "train_and_report")
INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
ODD = (ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.Delete, ast.JoinedStr, ast.Try)
LEAVES = (ast.Break, ast.Continue)
BLOCKS = (ast.If, ast.For, ast.While)


def with_functions(document: Document) -> Document | None:
    """The document with functions for such loops; None where it has none."""
    if document.notebook is not None:
        return None
    tree = document.tree
    text, edits = document.text, []
    words = {n.id for n in all_of(tree, ast.Name)}
    words |= {n.name for n in walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    words |= {n.asname or n.name for n in all_of(tree, ast.alias)}
    for loop in tree.body:
        if not isinstance(loop, ast.For) or loop.orelse or not _begins_a_graph(loop):
            continue
        given = _own(tree, loop)
        name = next((w for w in WISHES if w not in words), None)
        if given is None or name is None:
            return None
        words.add(name)
        index = document.index
        start, body = index.offset(loop.lineno, 0), index.offset(loop.body[0].lineno, 0)
        end = index.offset((loop.end_lineno or loop.lineno) + 1, 0)
        header = text[start:body]
        first = text[body:end]
        indent = first[: len(first) - len(first.lstrip())]
        if header.count("\n") != (loop.iter.end_lineno or 0) - loop.lineno + 1:
            return None  # comments stand between
        call = f"{name}({', '.join(given)})"
        tail = "" if first.endswith("\n") else "\n"
        above = text[:start].rstrip()
        said = above.rpartition("\n")[2].lstrip().startswith("#")
        blank = "" if said else "\n" * max(0, 3 - text[len(above) : start].count("\n"))
        edits.append(Edit(start, body, f"{blank}def {name}({', '.join(given)}):\n"))
        edits.append(Edit(end, end, f"{tail}\n\n{header}{indent}{call}\n"))
    return rewritten(document, edits) if edits else None


def _begins_a_graph(loop: ast.For) -> bool:
    """Whether a round begins with a graph of its own."""
    for stmt in loop.body:
        if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
            if ast.unparse(stmt.value.func).endswith("reset_default_graph"):
                return True
    (last, *_) = reversed(loop.body)
    items = last.items if len(loop.body) == 1 and isinstance(last, ast.With) else []
    return any(ast.unparse(i.context_expr).endswith("Graph().as_default()") for i in items)


def _own(tree: ast.Module, loop: ast.For) -> list[str] | None:
    """The names that a round is given; None where it shares others with the rest."""
    inside = {id(n) for n in walk(loop)}
    parts = [n for stmt in loop.body for n in walk(stmt)]
    if any(isinstance(n, (*ODD, *INNER)) for n in parts) or _leaves(loop.body):
        return None
    targets = all_of(loop.target, ast.Name)
    if not isinstance(loop.target, (ast.Name, ast.Tuple)):
        return None
    given = [n.id for n in targets if n.id != "_"]
    names = [n for n in parts if isinstance(n, ast.Name)]
    hidden = {id(m) for n in parts if isinstance(n, COMPREHENSIONS) for m in walk(n)}
    stored = {n.id for n in names if not isinstance(n.ctx, ast.Load) and id(n) not in hidden}
    local = stored | set(given)
    for n in walk(tree):
        if id(n) in inside:
            continue
        if isinstance(n, ast.Name) and n.id in local and not _hides(tree, n):
            return None
        if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name in local:
            return None
        if isinstance(n, ast.alias) and (n.asname or n.name).partition(".")[0] in local:
            return None
    if any(isinstance(n, ast.AugAssign) and ast.unparse(n.target) in given for n in parts):
        return None
    return given if all(_begun(loop, n, local) for n in stored - set(given)) else None


def _hides(tree: ast.Module, name: ast.Name) -> bool:
    """Whether a name is a function's own."""
    for scope in tree.body:
        if isinstance(scope, ast.FunctionDef) and holds(scope, name):
            own = {a.arg for a in all_of(scope.args, ast.arg)}
            own |= {n.id for n in all_of(scope, ast.Name) if not isinstance(n.ctx, ast.Load)}
            return name.id in own
    return False


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether a round may end before its last statement."""
    for stmt in body:
        if isinstance(stmt, LEAVES):
            return True
        for part in ("body", "orelse"):
            inner = getattr(stmt, part, None)
            if isinstance(inner, list) and not isinstance(stmt, (ast.For, ast.While)):
                if _leaves(inner):
                    return True
    return False


def _begun(loop: ast.For, name: str, local: set[str]) -> bool:
    """Whether a round gives a name its meaning before it reads it, whatever way it goes."""
    body = loop.body
    while True:
        uses = [s for s in body if any(getattr(n, "id", "") == name for n in walk(s))]
        first = uses[0]
        if isinstance(first, (ast.With, *BLOCKS)) and not _header(first, name):
            if len(uses) > 1 and not isinstance(first, ast.With) and not _steady(first, local):
                return False
            orelse = getattr(first, "orelse", [])
            if any(getattr(n, "id", "") == name for s in orelse for n in walk(s)):
                return False
            body = first.body
            continue
        if isinstance(first, ast.For):
            return name in _names(first.target) and name not in _names(first.iter)
        if isinstance(first, ast.With):
            return all(name not in _names(i.context_expr) for i in first.items)
        return isinstance(first, ast.Assign) and name not in _names(first.value)


def _steady(stmt: ast.stmt, local: set[str]) -> bool:
    """Whether a loop has as many rounds in each round of the outer one, if any."""
    if not isinstance(stmt, ast.For) or not isinstance(stmt.iter, ast.Call):
        return False
    numbers = stmt.iter.args
    plain = all(isinstance(n, (ast.Constant, ast.Name)) for n in numbers)
    return ast.unparse(stmt.iter.func) == "range" and plain and not _names(stmt.iter) & local


def _header(stmt: ast.stmt, name: str) -> bool:
    """Whether a block's own line mentions a name."""
    if isinstance(stmt, ast.With):
        return any(name in _names(item) for item in stmt.items)
    if isinstance(stmt, ast.For):
        return name in _names(stmt.target) | _names(stmt.iter)
    return isinstance(stmt, (ast.If, ast.While)) and name in _names(stmt.test)


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in all_of(node, ast.Name)}
