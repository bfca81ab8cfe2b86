"""Variables that a function copies at every call: they are assigned there, one after the other.

``sess.run([tf.assign(t, e) for t, e in zip(target, source)])`` adds ops to the graph each time. A
loop of runs does the same, where none reads what another one assigns.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.fetching.ops_in_loops import _next
from migrate.programs.graph.listing import object_variables, sorted_alike
from migrate.programs.graph.listing.collections import Owned
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Region, Step
from migrate.programs.graph.wording.spelled import Source, Spelled

REASON = "ops that are built at every call"


def met(walker: Any, region: Region, node: ast.AST) -> None:
    """A function that builds ops is called again.

    Raises:
        Spelled: it only copies variables.
    """
    target = region.node
    if not isinstance(target, ast.FunctionDef):
        return
    for step in region.steps:
        for stmt in walk(step.node):
            if isinstance(stmt, (ast.Expr, ast.Assign)):
                _copies(walker, target, stmt, node)


def in_branches(walker: Any, region: Region, node: ast.AST) -> None:
    """A function has run what it builds in a branch: no function can stand there.

    Raises:
        Spelled: it only copies variables.
    """
    target = region.node
    for step in region.steps:
        if isinstance(step.node, ast.If) and isinstance(target, ast.FunctionDef) and step.sites:
            for stmt in walk(step.node):
                if isinstance(stmt, (ast.Expr, ast.Assign)):
                    _copies(walker, target, stmt, node)


def only_names(walker: Any, step: Step) -> bool:
    """Whether a statement only has names for variables that there are."""
    return step.kind is Kind.VARIABLE and not walker.makes(step.node)


def again(walker: Any, region: Region, node: ast.AST) -> None:
    """See that the lists of a function are the same when it is called again.

    Raises:
        Blocked: variables have been made since.
    """
    known: dict[int, int] = walker.kept.get("all", {})
    now = object_variables.count(walker)
    for step in region.steps:
        for n in walk(step.node):
            if id(n) in walker.listed and known.get(id(n)) not in (None, now):
                raise Blocked(node, "variables are made between two calls that list them")


def _copies(walker: Any, target: ast.FunctionDef, stmt: ast.stmt, node: ast.AST) -> None:
    if isinstance(stmt, ast.Expr):
        run, listed = stmt, _fetched(stmt)
    else:
        assert isinstance(stmt, ast.Assign)
        follows, listed = _next(target, stmt), stmt.value
        read = _fetched(follows) if isinstance(follows, ast.Expr) else None
        name = stmt.targets[0]
        if not isinstance(read, ast.Name) or not isinstance(name, ast.Name):
            return
        said = [n for n in all_of(target, ast.Name) if n.id == name.id]
        if len(stmt.targets) > 1 or len(said) != 2 or read.id != name.id:
            return
        assert isinstance(follows, ast.Expr)
        run = follows
    if not isinstance(listed, ast.ListComp) or not _apart(walker, target, listed):
        return
    (generator,) = listed.generators
    bound = {n.id for n in all_of(generator.target, ast.Name)}
    # Another comprehension's names are its own.
    every = (listed, *(n for n in all_of(target, ast.ListComp)))
    inside = {id(n) for part in every for n in walk(part)}
    if any(isinstance(n, ast.Name) and n.id in bound and id(n) not in inside for n in walk(target)):
        return  # a loop binds them for the whole function
    call = run.value
    assert isinstance(call, ast.Call)

    def written(source: Source) -> str:
        pad = " " * run.col_offset
        head = f"for {source(generator.target)} in {source(generator.iter)}:"
        return f"{head}\n{pad}    {source(call.func)}({source(listed.elt)})"

    gone: list[Any] = [] if run is stmt else [(stmt, lambda _: "")]
    raise Spelled(node, REASON, [*gone, (run, written)])


def _fetched(stmt: ast.Expr) -> ast.expr | None:
    """What ``sess.run(fetched)`` runs, without feeds."""
    call = stmt.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr != "run" or len(call.args) != 1 or call.keywords:
        return None
    return call.args[0]


def _apart(walker: Any, target: ast.FunctionDef, listed: ast.ListComp) -> bool:
    """Whether a list assigns variables that no other item of it reads."""
    generator, made = listed.generators[0], listed.elt
    zipped = generator.iter
    if len(listed.generators) > 1 or generator.ifs or not isinstance(made, ast.Call):
        return False
    if not isinstance(zipped, ast.Call) or ast.unparse(zipped.func) != "zip" or zipped.keywords:
        return False
    parts = [made.func.value] if isinstance(made.func, ast.Attribute) else []
    if walker.endpoints.get(id(made.func)) == T + "assign":
        parts = made.args[:1]
    elif not isinstance(made.func, ast.Attribute) or made.func.attr != "assign":
        return False
    if not isinstance(generator.target, ast.Tuple) or made.keywords:
        return False
    names = [ast.unparse(n) for n in generator.target.elts]
    variable = ast.unparse(parts[0]) if parts else ""
    if len(names) != len(zipped.args) or len(set(names)) != len(names) or variable not in names:
        return False
    sorted_alike.check(walker, target, zipped.args, listed)
    assigned: set[int] = set()
    read: set[int] = set()
    listed_entries = [_entries(walker, target, through) for through in zipped.args]
    length = min(map(len, listed_entries))  # as `zip` has it
    if len({tuple(map(_sort, entries[:length])) for entries in listed_entries}) != 1:
        return False
    for name, entries in zip(names, listed_entries, strict=True):
        (assigned if name == variable else read).update(map(id, entries[:length]))
    values = made.args[-1]
    calls = all_of(values, ast.Call)
    plain = all(isinstance(c.func, ast.Attribute) and c.func.attr == "value" for c in calls)
    others = {n.id for n in all_of(values, ast.Name)} - set(names)
    return plain and not others and bool(assigned) and not assigned & read


def _entries(walker: Any, target: ast.FunctionDef, node: ast.expr) -> list[Owned]:
    """The variables of a list that a function has under a name of its own."""
    if not isinstance(node, ast.Name):
        return []
    stores = [
        s for s in all_of(target, ast.Assign) if any(ast.unparse(t) == node.id for t in s.targets)
    ]
    said = [n for n in all_of(target, ast.Name) if n.id == node.id]
    if len(stores) != 1 or sum(not isinstance(n.ctx, ast.Load) for n in said) != 1:
        return []
    return list(walker.listed.get(id(stores[0].value), ()))


def _sort(entry: Owned) -> str:
    """How many variables an entry has, as far as its call says so."""
    if entry.layer is None:
        return "variable" if entry.cell is None and not entry.inner else str(id(entry))
    bias = next((k.value for k in entry.layer.keywords if k.arg == "use_bias"), None)
    plain = not (entry.inner or entry.made) and entry.cell is None
    return f"{ast.unparse(entry.layer.func)} {bias and ast.unparse(bias)}" if plain else "calls"
