"""A model_fn that is a lambda around a function: what it gives it besides is bound to that.

    Estimator(lambda features, labels, mode:        Estimator(functools.partial(
        my_model(features, labels, mode, .1))           my_model, rate=.1))

https://docs.python.org/3/library/functools.html#functools.partial
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.rewriters.estimators.lifting import Lifted, imported
from migrate.rewriters.estimators.program import Program

OWN = frozenset({"features", "labels", "mode", "params", "config"})
# What is the same whenever it is asked for, as far as its names are.
PLAIN: tuple[type[ast.AST], ...] = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.UnaryOp),
    *(ast.expr_context, ast.unaryop),
)


def bound(program: Program, node: ast.expr) -> None:
    """Look at what an Estimator is given as its model_fn.

    Raises:
        Lifted: it is a lambda that may be a `functools.partial`.
    """
    made = node if isinstance(node, ast.Lambda) else program.scopes.value(node)
    if not isinstance(made, ast.Lambda) or not isinstance(made.body, ast.Call):
        return
    args, call = made.args, made.body
    function = program.scopes.function(call.func)
    odd = args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults
    if odd or function is None or function.decorator_list or not _seen(function, call):
        return
    places = [a.arg for a in function.args.args]
    given = dict(zip(reversed(places), reversed(function.args.defaults), strict=False))
    given = {k: v for k, v in given.items() if k not in OWN and isinstance(v, ast.Constant)}
    given.update(zip(places, call.args, strict=False))
    given.update({str(k.arg): k.value for k in call.keywords})
    mine = [a.arg for a in args.args]
    if not OWN.issuperset(mine):
        return
    for name in mine:
        same = given.pop(name, None)
        if not isinstance(same, ast.Name) or same.id != name:
            return
    rest = {a.arg for a in function.args.args} - set(mine) - set(given)
    if rest & OWN or (given.keys() & OWN) - {"params"}:
        return
    if not all(_plain(program, value, mine) for value in given.values()):
        return
    source = program.text.source
    new = source(call.func)
    if given:
        words = ", ".join(f"{name}={source(value)}" for name, value in given.items())
        new = f"functools.partial({new}, {words})"
    edits = [Edit(*program.text.index.span(made), new)]
    if given:
        edits += imported(program, made)
    raise Lifted(node, "the model_fn isn't seen", edits)


def _seen(function: ast.FunctionDef, call: ast.Call) -> bool:
    args = function.args
    hidden = args.vararg or args.kwarg or args.posonlyargs or args.kwonlyargs
    return not (
        hidden
        or any(isinstance(a, ast.Starred) for a in call.args)
        or any(k.arg is None for k in call.keywords)
        or len(call.args) > len(args.args)
    )


def _plain(program: Program, node: ast.expr, mine: list[str]) -> bool:
    """Whether an argument is the same where an Estimator is made and where it is asked for."""
    for part in walk(node):
        if not isinstance(part, PLAIN):
            return False
        if isinstance(part, ast.Name):
            found = program.scopes.bindings(part.id, part)
            if part.id in mine or len(found) > 1:
                return False
    return True
