"""Branches whose ways build a graph each: ``if mode == 'train': … elif mode == 'test': …``.

A process goes one of the ways, and nothing that matters to a graph stands before the branch or
behind it: each way's graph is another program's, like those of two files that share their classes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.meaning import T, is_host
from migrate.programs.graph.model import Kind
from migrate.programs.graph.wording import branched, known_branches

# What a statement in front of the branch may be.
BEFORE = frozenset({Kind.HOST, Kind.NONE, Kind.SETTING, Kind.OTHER, Kind.CONST})
KEY = ("ways",)


def opened(walker: Any, stmt: ast.If) -> bool:
    """Whether each way of a branch, or of the `elif` of such a one, has a graph of its own."""
    known: set[int] = walker.kept.setdefault(KEY, set())
    if id(stmt) not in known and not _alone(walker, stmt):
        return False
    known.add(id(stmt))
    if len(stmt.orelse) == 1 and isinstance(stmt.orelse[0], ast.If):
        known.add(id(stmt.orelse[0]))
    return True


def next_way(walker: Any, before: int) -> None:
    """Behind one way: what it built is gone. ``before``: how many objects there were."""
    if walker.created or walker.owned or len(walker.instances) != before:
        walker.lasting.append(walker.latest)  # of the class's first object, in each way's stead
        walker.forget()


def way(walker: Any) -> bool:
    """Whether the statement at hand stands in such a branch, in nothing but blocks of sessions."""
    if id(walker.sink.node) not in walker.kept.get(KEY, ()) or walker.loops:
        return False
    todo: list[ast.stmt] = [walker.sink.node]
    while todo:
        block = todo.pop()
        if block is walker.stmt:
            return True
        if isinstance(block, ast.If) and id(block) in walker.kept[KEY]:
            todo += [*block.body, *block.orelse]
        elif isinstance(block, ast.With) and id(block) in walker.dropped:
            todo += block.body
    return False


def _alone(walker: Any, stmt: ast.If) -> bool:
    """Whether nothing of a graph stands before a branch, or behind it."""
    region, node = walker.frame.region, walker.frame.node
    if region is None or walker.nested or walker.loops or walker.scopes or walker.controls:
        return False
    if isinstance(region.node, ast.ClassDef) or region.node is not node or walker.importing:
        return False
    if walker.created or walker.owned or walker.sessions or walker.stateful or walker.fresh:
        return False
    steps = [s for r in walker.regions for s in r.steps if id(s) not in walker.forgotten]
    calm = (s.node is stmt or (s.kind in BEFORE and not s.sites and not s.moves) for s in steps)
    if not all(calm):
        return False
    alone = _last(walker, node, stmt) or leads_on(walker, stmt)
    return alone and (isinstance(node, ast.Module) or _once(walker, node))


def leads_on(walker: Any, stmt: ast.If) -> bool:
    """Whether what follows a branch is another way: nobody who takes the branch comes there.

    ``if play: test(); return``, or ``if mode == 'train': …`` and then ``if mode == 'test': …``.
    """
    rest = _rest(walker.frame.node, stmt)
    if stmt.orelse or not rest:
        return False
    if branched.leaves(stmt.body[-1]):
        return not isinstance(stmt.body[-1], (ast.Continue, ast.Break))
    bound = {n.id for n in all_of(stmt, ast.Name) if isinstance(n.ctx, ast.Store)}
    bound |= {
        d.name
        for tree in walker.program()
        for d in walk(tree)
        if isinstance(d, (ast.FunctionDef, ast.ClassDef))
    }
    others = [
        s
        for s in rest
        if walker._mentions(s)
        or any(getattr(n, "id", getattr(n, "attr", "")) in bound for n in walk(s))
    ]
    return bool(others) and all(_excludes(walker, stmt, other) for other in others)


def _rest(scope: ast.AST, stmt: ast.If) -> list[ast.stmt]:
    """What follows a statement in its block, where nothing follows the block."""
    body: list[ast.stmt] = getattr(scope, "body", [])
    while stmt not in body:
        last = body[-1] if body else None
        if not isinstance(last, (ast.With, ast.If)) or not holds(last, stmt):
            return []
        if isinstance(last, ast.If) and last.orelse:
            return []
        body = last.body
    return body[body.index(stmt) + 1 :]


def _excludes(walker: Any, stmt: ast.If, other: ast.stmt) -> bool:
    """Whether two conditions compare one thing with two values, and nothing changes it between."""
    if not isinstance(other, ast.If) or other.orelse:
        return False
    asked = []
    for test in (stmt.test, other.test):
        match test:
            case ast.Compare(left, [ast.Eq()], [ast.Constant(value)]):
                asked.append((ast.unparse(left), value))
            case _:
                return False
    (one, first), (two, second) = asked
    return one == two and first != second and _stays(walker, stmt)


def _stays(walker: Any, stmt: ast.If) -> bool:
    """Whether what a condition asks is the same behind its branch: nothing there sets it."""
    parts = list(walk(stmt.test))
    if any(isinstance(n, ast.Call) for n in parts):
        return False
    items = [n for n in parts if isinstance(n, ast.Subscript)]
    if any(ast.unparse(n.value) != "sys.argv" for n in items):
        return False  # what else is changed under another name isn't seen
    attributes = {n.attr for n in parts if isinstance(n, ast.Attribute)}
    names = {n.id for n in parts if isinstance(n, ast.Name)}
    after = [stmt, *_rest(walker.frame.node, stmt)]
    if any(
        n.id in names and not isinstance(n.ctx, ast.Load)
        for s in after
        for n in all_of(s, ast.Name)
    ):
        return False
    for n in (n for tree in walker.program() for n in walk(tree)):
        set_here = not isinstance(getattr(n, "ctx", ast.Load()), ast.Load)
        if set_here and getattr(n, "attr", "") in attributes:
            return False
        if isinstance(n, ast.Global) and names & set(n.names):
            return False
        if getattr(n, "id", "") == "setattr" and attributes:
            return False
        if items and isinstance(n, (ast.Subscript, ast.Attribute)):
            whose = getattr(n.value, "attr", "") == "argv"
            if whose and (set_here or isinstance(n, ast.Attribute)):
                return False
    return True


def _last(walker: Any, scope: ast.AST, stmt: ast.stmt) -> bool:
    """Whether what follows a statement neither names TensorFlow nor what the statement binds."""
    inside = {id(n) for n in walk(stmt) if isinstance(n, ast.stmt)}
    bound = {n.id for n in all_of(stmt, ast.Name) if isinstance(n.ctx, ast.Store)}
    todo = [*getattr(scope, "body", ())]
    while todo:
        block = todo.pop()
        if id(block) in inside or isinstance(block, (ast.FunctionDef, ast.ClassDef)):
            continue
        if any(id(n) in inside for n in walk(block)):
            if not isinstance(block, (ast.With, ast.If)):
                return False
            todo += [*block.body, *getattr(block, "orelse", ())]
        elif block.lineno > stmt.lineno:
            named = {n.id for n in all_of(block, ast.Name)}
            if named & bound or walker._mentions(block):
                return False
    return True


def _once(walker: Any, function: ast.AST) -> bool:
    """Whether a function is called at one place, with which its module ends."""
    name = getattr(function, "name", "")
    said: list[ast.AST] = [
        n
        for tree in walker.program()
        for n in walk(tree)
        if (isinstance(n, ast.Name) and n.id == name)
        or (isinstance(n, ast.Attribute) and n.attr == name)
        or (isinstance(n, ast.alias) and n.name == name)
    ]
    body = walker.files.at(function).tree.body
    if name == "main" and not said:  # `tf.app.run()`
        said = [n for n in walk(body[-1]) if walker.endpoints.get(id(n)) == T + "app.run"]
    return (
        len(said) == 1
        and holds(body[-1], said[0])
        and not any(
            isinstance(n, (ast.For, ast.While, ast.FunctionDef, ast.Lambda)) for n in walk(body[-1])
        )
    )


def only_way(walker: Any, method: ast.FunctionDef) -> bool:
    """Whether a method that builds more of an object's graph is called on one way at a program's
    end: ``if train: net.train() else: net.test()``, where the others neither build nor ask for it.
    """
    stmt, scope = walker.sink.node, walker.frame.node
    if not isinstance(stmt, ast.If) or walker.scopes or walker.controls:
        return False
    if len(known_branches.every(walker, method)) != 1 or not _last(walker, scope, stmt):
        return False
    if not isinstance(scope, ast.Module) and not _once(walker, scope):
        return False
    ways = _ways(stmt)
    mine = [way for way in ways if walker.stmt in way]
    others = [n for way in ways if way not in mine for n in way]
    inside = (n for m in _reached(walker, [method]) for n in walk(m))
    own = {getattr(n, "attr", "") for n in inside if isinstance(getattr(n, "ctx", None), ast.Store)}
    own.discard("")
    if not _read_elsewhere(walker, method):
        return False  # they may be local names (`local_attributes`)
    for node in (n for m in _reached(walker, others) for n in walk(m)):
        name = walker.endpoints.get(id(node), "")
        if name and not (is_host(name) or name.removeprefix(T) in CALM):
            return False
        if getattr(node, "attr", "") in own and not name:
            return False
    return len(mine) == 1


# What neither builds a graph nor lists what is in it.
CALM = frozenset(
    (
        "train",
        "train.get_checkpoint_state",
        "train.latest_checkpoint",
        "global_variables_initializer",
    )
)


def _ways(stmt: ast.If) -> list[list[ast.stmt]]:
    other = stmt.orelse
    if len(other) == 1 and isinstance(other[0], ast.If):
        return [stmt.body, *_ways(other[0])]
    return [stmt.body, other] if other else [stmt.body]


def _reached(walker: Any, nodes: Iterable[ast.AST]) -> list[ast.AST]:
    """Statements, and all functions of the program that they may call, by their names."""
    found: list[ast.AST] = list(nodes)
    functions: dict[str, list[ast.AST]] = {}
    for n in walk(walker.tree):
        if isinstance(n, (ast.FunctionDef, ast.ClassDef)):
            functions.setdefault(n.name, []).append(n)
    for node in found:
        for n in walk(node):
            said = functions.get(getattr(n, "attr", getattr(n, "id", "")), ())
            if said and id(n) not in walker.endpoints and not known_branches.in_name(walker, n):
                found += [one for one in said if one not in found]
    return found


def _read_elsewhere(walker: Any, method: ast.FunctionDef) -> bool:
    """Whether other methods read attributes of their object that a method sets."""
    own = all_of(method, ast.Attribute)
    stored = {n.attr for n in own if isinstance(n.ctx, ast.Store)}
    return any(
        isinstance(n, ast.Attribute) and n.attr in stored and n not in own
        for f in all_of(walker.tree, ast.FunctionDef)
        if f is not method
        for n in walk(f)
        if getattr(getattr(n, "value", None), "id", "") == method.args.args[0].arg
    )
