"""input_fns that end in an iterator's next element: functions that return the dataset under it."""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.data import elements
from migrate.rewriters.estimators.program import Program

METHOD = "make_one_shot_iterator"
FUNCTIONS = ("data.make_one_shot_iterator",)


def under(program: Program, node: ast.expr) -> tuple[ast.expr, ast.stmt | None] | None:
    """The dataset whose next element an expression is, and the statement that only iterates it."""
    if not (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "get_next"
        and not node.args
    ):
        return None
    made = node.func.value
    stmt: ast.stmt | None = None
    if isinstance(made, ast.Name):
        found = program.scopes.lookup(made)
        if found is None or found.value is None or not isinstance(found.node, ast.Assign):
            return None
        if len(program.scopes.uses(found, made.id)) != 1:
            raise Blocked(made, "an iterator that is read in several places")
        made, stmt = found.value, found.node
    if isinstance(made, ast.Call):
        if isinstance(made.func, ast.Attribute) and made.func.attr == METHOD and not made.args:
            return made.func.value, stmt
        if program.called(made).endswith(FUNCTIONS) and len(made.args) == 1:
            return made.args[0], stmt
    return None


def returned(program: Program, function: ast.FunctionDef, stmt: ast.Return) -> bool:
    """Make a function return a dataset where it returned what becomes of its next element.

    Raises:
        Blocked: what is done with the element can't be moved into `Dataset.map`.
    """
    assert stmt.value is not None
    found = under(program, stmt.value)
    if found is not None:
        program.edit(stmt.value, program.source(found[0]), "the dataset itself")
        if found[1] is not None:
            program.remove(found[1])
        return True
    for place, first in enumerate(function.body):
        value = first.value if isinstance(first, ast.Assign) else None
        found = under(program, value) if value is not None else None
        if found is not None and stmt is function.body[-1]:
            assert isinstance(first, ast.Assign)
            _mapped(program, function, place, found)
            return True
    return False


def _mapped(
    program: Program,
    function: ast.FunctionDef,
    place: int,
    found: tuple[ast.expr, ast.stmt | None],
) -> None:
    """What follows the element becomes a function that is mapped over the dataset."""
    first, rest = function.body[place], function.body[place + 1 :]
    assert isinstance(first, ast.Assign)
    target = first.targets[0]
    if isinstance(target, (ast.Tuple, ast.List)) and all(
        isinstance(e, ast.Name) for e in target.elts
    ):
        names = [e.id for e in target.elts if isinstance(e, ast.Name)]
    elif isinstance(target, ast.Name) and (
        _is_dict(rest, target.id) or elements.single(program, found[0])
    ):
        names = [target.id]
    elif isinstance(target, ast.Name) and elements.parts(program, found[0]):
        names = [f"*{target.id}"]
    else:
        raise Blocked(target, "whether the elements of a dataset are tuples isn't seen")
    for inner in rest:
        if any(isinstance(n, (ast.Yield, ast.Global, ast.Nonlocal)) for n in walk(inner)):
            raise Blocked(inner, "what is done with a batch can't be moved")
    text = program.text
    piece = text.piece(first)
    indent, deeper = piece.indent, piece.indent + text.unit
    name = program.free(function, "batch_of", "batch")
    body = text.render(rest[0].lineno, rest[-1].end_lineno or 0, indent, deeper)
    dataset, gone = found
    mapped = f"{program.source(dataset)}.map({name})"
    lines = f"def {name}({', '.join(names)}):\n{body}\n{indent}return {mapped}"
    start = text.index.span(first)[0]
    program.edits.append(Edit(start, text.index.span(rest[-1])[1], lines))
    program.say(first, "a function that is mapped over the dataset")
    if gone is not None:
        program.remove(gone)


def _is_dict(body: list[ast.stmt], name: str) -> bool:
    """Whether a name is read as a dict by string keys."""
    for stmt in body:
        for node in walk(stmt):
            owner = getattr(node, "value", None)
            if not (isinstance(owner, ast.Name) and owner.id == name):
                continue
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                if isinstance(node.slice.value, str):
                    return True
            if isinstance(node, ast.Attribute) and node.attr in ("pop", "items", "keys"):
                return True
    return False
