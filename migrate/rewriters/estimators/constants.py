"""What a parameter of a function of the program always is: one number, or one word."""

from __future__ import annotations

import ast

from migrate.rewriters.estimators.program import Program, parameter


def always(program: Program, node: ast.expr) -> ast.Constant | None:
    """The constant that an expression is, whoever calls the function whose parameter it is."""
    value = program.scopes.value(node)
    if isinstance(value, ast.Constant):
        return value
    found = program.scopes.lookup(value) if isinstance(value, ast.Name) else None
    owner = found.scope if found is not None and found.kind == "param" else None
    if not isinstance(owner, ast.FunctionDef) or owner.decorator_list:
        return None
    if not isinstance(program.scopes.scope(owner), ast.Module):
        return None
    assert isinstance(value, ast.Name)
    given: list[ast.Constant | None] = []
    for use in program.readers(owner):
        call = program.scopes.parents[id(use)]
        if not isinstance(call, ast.Call) or call.func is not use:
            return None
        if owner in program.scopes.around(call):
            return None
        if any(isinstance(a, ast.Starred) for a in call.args):
            return None
        if any(k.arg is None for k in call.keywords):
            return None
        said = [*call.args, *(k.value for k in call.keywords)]
        mine = [a for a in said if parameter(owner, call, a) == value.id]
        given.append(always(program, mine[0]) if mine else _default(owner, value.id))
    first = given[0] if given else None
    same = first is not None and all(g is not None and g.value == first.value for g in given)
    return first if same else None


def _default(function: ast.FunctionDef, name: str) -> ast.Constant | None:
    args = function.args
    places = [a.arg for a in (*args.posonlyargs, *args.args)]
    found: dict[str, ast.expr | None] = dict(
        zip(reversed(places), reversed(args.defaults), strict=False)
    )
    found |= dict(zip((a.arg for a in args.kwonlyargs), args.kw_defaults, strict=True))
    default = found.get(name)
    return default if isinstance(default, ast.Constant) else None
