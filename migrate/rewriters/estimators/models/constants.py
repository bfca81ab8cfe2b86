"""What a parameter of a function of the program always is: one number, or one word."""

from __future__ import annotations

import ast

from migrate.rewriters.estimators.program import Program, parameter

# What of Python's own reads a list that it is given.
READS = (
    "len",
    "enumerate",
    "list",
    "tuple",
    "set",
    "sorted",
    "range",
    "zip",
    "map",
    "print",
    "str",
)


def always(program: Program, node: ast.expr) -> ast.Constant | None:
    """The constant that an expression is, whoever calls the function whose parameter it is."""
    value = program.scopes.value(node)
    if isinstance(value, ast.Constant):
        return value
    if (size := _length(program, value)) is not None:
        return ast.copy_location(ast.Constant(size), value)
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


def _length(program: Program, node: ast.expr) -> int | None:
    """What `len` gives of a list that the program writes, and only reads."""
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != "len" or len(node.args) != 1:
        return None
    held = node.args[0]
    value = program.scopes.value(held)
    if program.scopes.bindings("len", node) or not isinstance(value, (ast.List, ast.Tuple)):
        return None
    if any(isinstance(n, ast.Starred) for n in value.elts):
        return None
    while isinstance(value, ast.List) and held is not value:
        found = program.scopes.lookup(held)
        if found is None or found.value is None or not isinstance(held, (ast.Name, ast.Attribute)):
            return None
        name = held.id if isinstance(held, ast.Name) else held.attr
        if not all(_read(program, use) for use in program.scopes.uses(found, name)):
            return None
        held = found.value
    return len(value.elts)


def _read(program: Program, use: ast.expr) -> bool:
    """Whether a use of a list only reads it."""
    above = program.scopes.parents[id(use)]
    if isinstance(above, ast.keyword):
        above = program.scopes.parents[id(above)]
    if isinstance(above, ast.Call):
        plain = isinstance(above.func, ast.Name) and above.func.id in READS
        plain = plain or ast.unparse(above.func).startswith(("np.", "numpy."))
        return above.func is not use and (plain or bool(program.called(above)))
    if isinstance(above, ast.Subscript):
        return isinstance(above.ctx, ast.Load) and above.value is use
    if isinstance(above, ast.Attribute):
        return above.attr in ("index", "count")
    if isinstance(above, (ast.For, ast.comprehension)):
        return above.iter is use
    return isinstance(above, (ast.Compare, ast.BinOp, ast.FormattedValue))


def _default(function: ast.FunctionDef, name: str) -> ast.Constant | None:
    args = function.args
    places = [a.arg for a in (*args.posonlyargs, *args.args)]
    found: dict[str, ast.expr | None] = dict(
        zip(reversed(places), reversed(args.defaults), strict=False)
    )
    found |= dict(zip((a.arg for a in args.kwonlyargs), args.kw_defaults, strict=True))
    default = found.get(name)
    return default if isinstance(default, ast.Constant) else None
