"""Variables of layers in lists: Keras's have no `get_shape`, and `value` is no method of theirs."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.names import COMPREHENSIONS
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Value

VARIABLES = "variables"  # a list of variables that exist once their layers have been called
LATE = "a late variable"  # one of them
SHAPES = ("shape", "get_shape")


def read(walker: Any, owner: Value, node: ast.Call) -> None:
    """``v.value()`` of what may be a layer's variable is the variable."""
    assert isinstance(node.func, ast.Attribute)
    variable = node.func.value
    if may_be(walker, owner):
        walker.rewrites[id(node)] = lambda writer: str(writer.source(variable))


def shape(walker: Any, owner: Value, node: ast.Call | ast.Attribute) -> None:
    """The shape of what may be a layer's variable, a tuple in Keras, as TensorFlow has it."""
    read = node.func if isinstance(node, ast.Call) else node
    assert isinstance(read, ast.Attribute)
    variable = read.value
    if may_be(walker, owner):
        walker.rewrites[id(node)] = lambda writer: (
            f"{writer.tf}.TensorShape({writer.source(variable)}.shape)"
        )


def late(owner: Value, node: ast.AST) -> None:
    """See that Python isn't told the shape of a variable that isn't there yet.

    Raises:
        Blocked: it is.
    """
    if owner.data == LATE:
        raise Blocked(node, "the shape of a layer's variable, which is made at the first call")


def asked(walker: Any) -> bool:
    """Whether the statement at hand asks for the shapes of what it lists, prints or runs it.

    So may a function that is given the list, or a loop over the name that it gets.
    """
    stmt = walker.stmt
    if not isinstance(stmt, ast.stmt):
        return False
    parts: list[ast.AST] = [stmt]
    if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name):
        name = stmt.targets[0].id
        parts += [n for n in walk(walker.frame.node) if _goes_through(n, name)]
    if any(_shows(part) for part in parts if isinstance(part, ast.For)):
        return True
    if isinstance(stmt, ast.Assign) and (
        _counted(walker, stmt.targets[0]) or _read_outside(walker, stmt.targets[0])
    ):
        return True
    calls = [n for p in parts for n in all_of(p, ast.Call)]
    calls = [n for n in calls if n.args or n.keywords]
    parts += [f for n in calls if (f := walker._module_function(n.func)) is not None]
    methods = [n.func for n in calls if isinstance(n.func, ast.Attribute)]
    parts += [m for func in methods for m in walker._methods(func)]
    return any(isinstance(n, ast.Attribute) and n.attr in SHAPES for p in parts for n in walk(p))


def _counted(walker: Any, target: ast.expr) -> bool:
    """Whether something else than a loop, an index or a slice is told how long a list is."""
    said = ast.unparse(target)
    tree = walker.files.at(target).tree
    inner = (ast.Subscript, ast.For, *COMPREHENSIONS)
    rounds = {id(m) for n in walk(tree) if isinstance(n, inner) for m in walk(n)}
    return any(
        isinstance(n, ast.Call)
        and isinstance(n.func, ast.Name)
        and n.func.id == "len"
        and id(n) not in rounds
        and [ast.unparse(a) for a in n.args] == [said]
        for n in walk(tree)
    )


def _read_outside(walker: Any, target: ast.expr) -> bool:
    """Whether an object's list is read by others, or elsewhere, where its class has several."""
    if not walker.apart or not isinstance(target, ast.Attribute):
        return False
    inside = set(map(id, walk(walker.frame.node)))
    reads = [n for n in all_of(walker.tree, ast.Attribute) if n.attr == target.attr]
    return any(id(n) not in inside for n in reads)


def _goes_through(node: ast.AST, name: str) -> bool:
    """Whether a loop or a comprehension is over a list of that name."""
    rounds = [node] if isinstance(node, ast.For) else getattr(node, "generators", [])
    return any(getattr(n, "id", "") == name for r in rounds for n in walk(r.iter))


def _shows(loop: ast.For) -> bool:
    """Whether a loop prints something, or runs something in a session."""
    nodes = [n for s in loop.body for n in walk(s)]
    return any(
        (isinstance(n, ast.Name) and n.id == "print")
        or (isinstance(n, ast.Attribute) and n.attr in ("eval", "run"))
        for n in nodes
    )


def may_be(walker: Any, owner: Value) -> bool:
    """Whether a variable is one of a list, and layers have been made."""
    return bool(walker.layers) and not isinstance(owner.node, ast.Call)
