"""Blocks that an object of the program opens: ``with model:``, where `__enter__` gives the object.

The block stays as it is, and so do the two methods, which are followed as others are: what they do
with a session goes, what they run is run.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.wording.spelled import Source, Spelled, word


def opened(walker: Any, node: ast.expr, value: Value) -> bool:
    """Whether a block's context is an object that gives itself when it is entered."""
    if value.kind is not Kind.OBJECT or value.each is not None or value.data is None:
        return False
    if not _own(value.data.node):
        return False
    leave = ast.Call(ast.Attribute(node, "__exit__", ast.Load()), [ast.Constant(None)] * 3, [])
    for part in walk(leave):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    walker.kept.setdefault("own contexts", []).append(leave)  # its id stays its own
    walker.expression(leave)
    return True


def named(walker: Any, stmt: ast.With) -> None:
    """``with Model() as model:``: the object is made above the block, which it opens.

    Raises:
        Spelled: a block makes such an object.
    """
    if len(stmt.items) != 1 or not isinstance(stmt.items[0].optional_vars, ast.Name):
        return
    made, name = stmt.items[0].context_expr, stmt.items[0].optional_vars
    if not isinstance(made, ast.Call) or not isinstance(made.func, (ast.Name, ast.Attribute)):
        return
    cls = walker.expression(made.func)
    if cls.kind is not Kind.CLASS or not _own(getattr(cls.data, "node", cls.data)):
        return
    whole = ast.copy_location(ast.Name(name.id, ast.Load()), made)
    whole.end_lineno, whole.end_col_offset = name.end_lineno, name.end_col_offset

    def above(source: Source) -> list[str]:
        return [f"{name.id} = {source(made)}"]

    raise Spelled(
        made, "a block makes the object that opens it", [(whole, word(name.id))], [(stmt, above)]
    )


def _own(node: Any) -> bool:
    """Whether the objects of a class give themselves when they are entered."""
    if not isinstance(node, ast.ClassDef):
        return False
    own = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
    return "__exit__" in own and "__enter__" in own and _itself(own["__enter__"])


def _itself(method: ast.FunctionDef) -> bool:
    """Whether a method does nothing but give its object."""
    body = [s for s in method.body if not _says(s)]
    match body:
        case [ast.Return(ast.Name(name))]:
            return bool(method.args.args) and name == method.args.args[0].arg
    return False


def _says(stmt: ast.stmt) -> bool:
    """Whether a statement is only a text."""
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
