"""``block = residual if depth < 50 else bottleneck``, then ``block(x, 8)``: a branch says the same.

Which function a name means is decided by what Python knows before it builds the graph. So each
statement that calls it is written once for each function, under the same condition.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, named, parents_of, walk
from migrate.programs.graph.fetching.choices import unit_of
from migrate.programs.graph.model import Blocked, Kind
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

REASON = "one value or another is called"
FEW = 4  # functions to choose from
CALLS = 12  # statements that call one
# What a condition may be made of: it gives the same wherever it stands.
TESTS = (
    *(ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Name, ast.Attribute, ast.Constant, ast.cmpop),
    *(ast.boolop, ast.unaryop, ast.expr_context),
)
STATEMENTS = (ast.Assign, ast.Expr, ast.Return)

Ways = list[tuple[ast.expr | None, ast.expr]]


def check(walker: Any, call: ast.Call) -> None:
    """See whether what is called is one function or another.

    Raises:
        Spelled: it is, and each call is all that a statement does.
    """
    scope = walker.frame.node
    if not isinstance(call.func, ast.Name) or not isinstance(scope, (ast.FunctionDef, ast.Module)):
        return
    name = call.func.id
    names = [n for n in all_of(scope, ast.Name) if n.id == name]
    stores = [n for n in names if not isinstance(n.ctx, ast.Load)]
    made = next((s for s in own_statements(scope) if _chooses(s, stores)), None)
    ways = _ways(made) if made is not None else []
    if made is None or not 2 <= len(ways) <= FEW or len(ways) != _told(made, stores):
        return
    inner = [n.args for n in walk(scope) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    if any(a.arg == name for args in inner for a in all_of(args, ast.arg)):
        return
    if not all(lasts(walker, scope, test) for test, _ in ways if test is not None):
        return
    if any(getattr(n, "body", None) == [made] for n in walk(scope)):
        return  # nothing else is in its block
    functions = [walker.expression(target) for _, target in ways]
    if any(f.kind not in (Kind.FUNCTION, Kind.ENDPOINT) for f in functions):
        return
    parents = parents_of(scope)
    loads = [n for n in names if n not in stores]
    calls = [parents.get(id(n)) for n in loads]
    stmts = [parents.get(id(c)) for c in calls]
    behind = made.end_lineno or made.lineno
    if len(loads) > CALLS or any(n.lineno <= behind for n in loads):
        return
    whole: list[Written] = []
    for load, of, stmt in zip(loads, calls, stmts, strict=True):
        if not isinstance(of, ast.Call) or of.func is not load:
            return
        if not isinstance(stmt, STATEMENTS) or stmt.value is not of:
            return
        whole.append((stmt, _Branch(stmt, load, ways, unit_of(walker.tree))))
    raise Spelled(call, REASON, [(made, lambda source: ""), *whole])


class _Branch:
    """A statement, once for each function."""

    def __init__(self, stmt: ast.stmt, load: ast.Name, ways: Ways, unit: str) -> None:
        self.stmt, self.load, self.ways, self.unit = stmt, load, ways, unit

    def __call__(self, source: Source) -> str | None:
        text, start = source(self.stmt), self._start(source)
        if not text[start:].startswith(self.load.id):
            return None
        end = "\n" + " " * self.stmt.col_offset
        lines = []
        for i, (test, target) in enumerate(self.ways):
            word = "if" if i == 0 else "elif"
            lines.append(f"{word} {source(test)}:" if test is not None else "else:")
            called = text[:start] + source(target) + text[start + len(self.load.id) :]
            lines.append(self.unit + called.replace("\n", f"\n{self.unit}"))
        return end.join(lines)

    def _start(self, source: Source) -> int:
        """Where the function's name stands in the statement's text."""
        from migrate.programs.graph.wording.known_branches import span

        place = (self.load.lineno, self.load.col_offset)
        return len(source(span((self.stmt.lineno, self.stmt.col_offset), place)))


def own_statements(scope: ast.AST) -> list[ast.stmt]:
    """The statements of a scope that run once, whatever comes: of its body, and of `with` in it."""
    found: list[ast.stmt] = []
    for stmt in getattr(scope, "body", []):
        found += [stmt, *(own_statements(stmt) if isinstance(stmt, ast.With) else [])]
    return found


def _chooses(stmt: ast.stmt, stores: list[ast.Name]) -> bool:
    inside = set(map(id, walk(stmt))) if isinstance(stmt, (ast.If, ast.Assign)) else set()
    return bool(stores) and all(id(n) in inside for n in stores)


def _told(stmt: ast.stmt, stores: list[ast.Name]) -> int:
    """How many functions a statement names; 0 where it does more."""
    if isinstance(stmt, ast.Assign):
        several = len(stmt.targets) > 1 or stmt.targets[0] is not stores[0]
        return 0 if several else len(_ways(stmt))
    return len(stores)


def _ways(stmt: ast.stmt) -> Ways:
    """The conditions of a choice and what each gives, the last without one."""
    if isinstance(stmt, ast.Assign):
        return _of_expression(stmt.value)
    if not isinstance(stmt, ast.If) or len(stmt.body) != 1 or len(stmt.orelse) != 1:
        return []
    (first,), (other,) = stmt.body, stmt.orelse
    if not isinstance(first, ast.Assign) or not _plain(first):
        return []
    if isinstance(other, ast.Assign):
        rest: Ways = [(None, other.value)] if _plain(other) else []
    else:
        rest = _ways(other)
    return [(stmt.test, first.value), *rest] if rest else []


def _plain(stmt: ast.Assign) -> bool:
    return len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Name)


def _of_expression(node: ast.expr) -> Ways:
    if not isinstance(node, ast.IfExp):
        return [(None, node)]
    return [(node.test, node.body), *_of_expression(node.orelse)]


def lasts(walker: Any, scope: ast.AST, test: ast.expr) -> bool:
    """Whether a condition holds wherever it is asked for: nothing changes it behind its place."""
    if not all(isinstance(n, TESTS) for n in walk(test)):
        return False
    names = {n.id for n in all_of(test, ast.Name)}
    attributes = {n.attr for n in all_of(test, ast.Attribute)}
    stores = [n for n in all_of(scope, ast.Name) if n.id in names]
    if any(n.lineno >= test.lineno and not isinstance(n.ctx, ast.Load) for n in stores):
        return False
    for tree in walker.program():
        begins = {
            id(n)
            for f in all_of(tree, ast.FunctionDef)
            if f.name == "__init__" and f is not scope
            for n in walk(f)
        }
        for n in walk(tree):
            if isinstance(n, ast.Global) and names & set(n.names):
                return False
            if isinstance(n, ast.Attribute) and n.attr in attributes and id(n) not in begins:
                if not isinstance(n.ctx, ast.Load):
                    return False
    return True


def of_attribute(walker: Any, call: ast.Call) -> None:
    """See that an object's attribute means one function, where it is one that makes variables.

    ``self.net = resnet if deep else unet``: what the other one makes, a run may need.

    Raises:
        Blocked: it is given another function, too.
    """
    func = call.func
    if not isinstance(func, ast.Attribute):
        return
    values = {
        ast.unparse(value): value
        for tree in walker.program()
        for n in (walk(tree) if named(tree, func.attr) else ())
        if isinstance(n, (ast.Assign, ast.AnnAssign)) and n.value is not None
        if any(getattr(t, "attr", "") == func.attr for t in _targets(n))
        for value in _each(n.value)
    }
    if len(values) < 2:
        return
    functions = [walker._module_function(v) for v in values.values()]
    if any(f is not None and walker._variables_made(f) for f in functions):
        raise Blocked(call, REASON)


def _targets(stmt: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]


def _each(node: ast.expr) -> list[ast.expr]:
    """What a value may be."""
    return [*_each(node.body), *_each(node.orelse)] if isinstance(node, ast.IfExp) else [node]
