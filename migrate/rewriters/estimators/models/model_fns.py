"""Where an Estimator's model_fn comes from, if it isn't a function's name."""

from __future__ import annotations

import ast

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.optimizing.training_helpers import Inlinable
from migrate.rewriters.estimators.callbacks import hooks
from migrate.rewriters.estimators.program import Program, parameter


def bound(
    program: Program, node: ast.expr, call: ast.Call
) -> tuple[ast.FunctionDef | None, dict[str, ast.expr]]:
    """The model_fn in a `functools.partial`, and what is bound to it by name.

    Raises:
        Blocked: something is bound by its place.
    """
    if len(call.args) > 1 or any(k.arg is None for k in call.keywords) or not call.keywords:
        raise Blocked(call, "a model_fn with arguments that are bound by their place")
    if node is not call:
        hooks.gone(program, node)
    return program.scopes.function(call.args[0]), {str(k.arg): k.value for k in call.keywords}


def seen(program: Program, node: ast.expr) -> ast.FunctionDef | None:
    """The model_fn that an expression names, or that a function of the program returns."""
    found = returned(program, node)
    return program.scopes.function(node if found is None else found)


def returned(program: Program, node: ast.expr) -> ast.Name | None:
    """The model_fn that a call of a function of the program returns: one made inside of it."""
    value = program.scopes.value(node)
    builder = program.scopes.function(value.func) if isinstance(value, ast.Call) else None
    if builder is None:
        return None
    found = all_of(builder, ast.Return)
    found = [n for n in found if program.scopes.scope(n) is builder]
    if len(found) != 1 or not isinstance(found[0].value, ast.Name):
        return None
    inner = program.scopes.function(found[0].value)
    return found[0].value if inner is not None and program.scopes.scope(inner) is builder else None


def several(program: Program, node: ast.expr) -> None:
    """See whether a function makes Estimators of several model_fns, which its calls give it.

    Raises:
        Inlinable: it may be written where it is called.
    """
    found = program.scopes.lookup(node) if isinstance(node, ast.Name) else None
    owner = found.scope if found is not None and found.kind == "param" else None
    if not isinstance(owner, ast.FunctionDef) or owner.decorator_list:
        return
    if not isinstance(program.scopes.scope(owner), ast.Module):
        return
    made = list[Inlinable]()
    for use in program.readers(owner):
        call = program.scopes.parents[id(use)]
        stmt = program.scopes.parents[id(call)]
        plain = isinstance(stmt, (ast.Assign, ast.Return)) and stmt.value is call
        if not isinstance(call, ast.Call) or call.func is not use or not plain:
            return
        assert isinstance(stmt, ast.stmt)
        made.append(Inlinable(call, stmt, owner, "makes Estimators of what it is given"))
    if made:
        made[0].others = made[1:]
        raise made[0]


def handed(program: Program, node: ast.expr) -> list[ast.expr]:
    """What all calls of a function give a parameter that is a model_fn: one of the program."""
    found = program.scopes.lookup(node) if isinstance(node, ast.Name) else None
    owner = found.scope if found is not None and found.kind == "param" else None
    if not isinstance(owner, ast.FunctionDef) or owner.decorator_list:
        return []
    assert isinstance(node, ast.Name)
    if not isinstance(program.scopes.scope(owner), ast.Module):
        return []
    if not all(program.at_estimator(use) for use in program.reads(node.id, owner)):
        return []
    given: list[ast.expr] = []
    for use in program.readers(owner):
        call = program.scopes.parents[id(use)]
        if not isinstance(call, ast.Call) or call.func is not use:
            return []
        given += [a for a in call.args if parameter(owner, call, a) == node.id]
        given += [k.value for k in call.keywords if k.arg == node.id]
    functions = {id(program.scopes.function(value)) for value in given}
    calls = len(program.readers(owner))
    plain = all(isinstance(value, (ast.Name, ast.Attribute)) for value in given)
    return given if plain and len(functions) == 1 and len(given) == calls else []
