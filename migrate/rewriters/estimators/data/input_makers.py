"""input_fns that come from somewhere else: each is a function of no arguments that gives a dataset.

    def make(x):                                     def make(x):
        return lambda: get(x).make_one_shot_…            return lambda: get(x)

    if small: train_fn = lambda: few()               (as it was, where `few` gives a dataset)
    else: train_fn = lambda: all()

A function that makes input_fns, a name that has one in each branch, a parameter that all calls give
one, a method: wherever the input_fn is written, that is where it changes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import takewhile

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.data import inputs
from migrate.rewriters.estimators.program import Binding, Program
from migrate.rewriters.estimators.syntax import stores

UNSEEN = "an input_fn that isn't seen"


def plain(program: Program, node: ast.expr) -> bool:
    """Make sure that an expression is a function of no arguments that gives a dataset.

    Whether it is a function of the program that takes `params` instead.

    Raises:
        Blocked: it isn't an input_fn that is followed.
    """
    key = ("plain input", id(node))
    known = program.kept.get(key)
    if known is None:
        program.kept[key] = False  # should it come back to itself
        known = program.kept[key] = _plain(program, node)
    return bool(known)


def _plain(program: Program, node: ast.expr) -> bool:
    if isinstance(node, ast.Lambda):
        inputs.lambda_of(program, node)
        return False
    if isinstance(node, ast.IfExp):
        return _alike(node, [plain(program, part) for part in (node.body, node.orelse)])
    if isinstance(node, ast.Call):
        return _call(program, node)
    if isinstance(node, ast.Name) and (found := program.scopes.bindings(node.id, node)):
        if len(found) == 1 and found[0].kind == "param":
            return _alike(node, [plain(program, v) for v in _given(program, found[0].scope, node)])
        if all(b.kind == "assign" and b.value is not None for b in found):
            return _alike(node, [plain(program, b.value) for b in found if b.value is not None])
    function = program.scopes.function(node) or method(program, node)
    if function is None:
        raise Blocked(node, UNSEEN)
    names = [a.arg for a in function.args.args]
    names = names[1:] if names[:1] == ["self"] else names
    needed = names[: max(0, len(names) - len(function.args.defaults))]
    if needed not in ([], ["params"]) or any(n in inputs.GIVEN for n in names if n not in needed):
        raise Blocked(function, f"an input_fn with an argument `{(needed or names)[0]}`")
    inputs.checked(program, function)
    return needed == ["params"]


def _alike(node: ast.expr, wants: list[bool]) -> bool:
    if len(set(wants)) > 1:
        raise Blocked(node, "input_fns with and without `params`")
    return wants[0]


def _call(program: Program, node: ast.Call) -> bool:
    """A call that gives an input_fn."""
    if program.called(node) in inputs.NUMPY | inputs.PANDAS:
        own = stores(node)  # of comprehensions
        for name in all_of(node, ast.Name):
            if name.id in own:
                continue
            found = program.scopes.bindings(name.id, name)
            if len(found) > 1 and not _last(program, node, name.id, found):
                raise Blocked(
                    name, f"`{name.id}`, of which an input_fn is made, has several values"
                )
        program.edit(
            node, f"lambda: {inputs.fed(program, node)}", "a function that gives a dataset"
        )
        return False
    if inputs.partial(program, node):
        function = program.scopes.function(node.args[0])
        if function is None:
            raise Blocked(node, UNSEEN)
        inputs.checked(program, function)
        if given := inputs.asked(function, node):
            raise Blocked(node, f"an input_fn that is given `{given[0]}` when it is asked")
        return False
    maker = program.scopes.function(node.func) or method(program, node.func)
    if maker is None:
        raise Blocked(node, UNSEEN)
    returns = all_of(maker, ast.Return)
    values = [n.value for n in returns if program.scopes.scope(n) is maker]
    if not values or None in values:
        raise Blocked(maker, "what makes an input_fn returns nothing")
    return _alike(node, [plain(program, v) for v in values if v is not None])


def _last(program: Program, call: ast.Call, name: str, found: Sequence[Binding]) -> bool:
    """Whether a name of a function has its last value where an input_fn is made of it."""
    function, stmt = program.scopes.scope(call), program.scopes.statement(call)
    if not isinstance(function, ast.FunctionDef):
        return False
    inside = list(takewhile(lambda n: n is not function, program.scopes.around(call)))
    if any(isinstance(n, (ast.For, ast.AsyncFor, ast.While)) for n in inside):
        return False
    for each in found:
        plain = each.kind in ("assign", "part", "param") or isinstance(each.node, ast.AugAssign)
        if not plain or each.scope is not function:
            return False
        if isinstance(each.node, ast.stmt) and (each.node.end_lineno or 0) >= stmt.lineno:
            return False
    gone = (n.id for n in all_of(function, ast.Name) if isinstance(n.ctx, ast.Del))
    inner = (n for each in all_of(function, ast.Nonlocal) for n in each.names)
    return name not in {*gone, *inner}


def _given(program: Program, function: ast.AST, node: ast.Name) -> Iterator[ast.expr]:
    """What the calls of a function give one of its parameters."""
    if not isinstance(function, ast.FunctionDef) or isinstance(
        program.scopes.parents[id(function)], ast.ClassDef
    ):
        raise Blocked(node, UNSEEN)
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    uses = program.readers(function)
    if not uses:
        raise Blocked(node, UNSEEN)
    for use in uses:
        call = program.scopes.parents[id(use)]
        if not isinstance(call, ast.Call) or call.func is not use:
            raise Blocked(use, f"`{function.name}`, which is given an input_fn, is handed on")
        if any(isinstance(a, ast.Starred) for a in call.args) or node.id not in names:
            raise Blocked(call, "arguments are hidden here")
        place = names.index(node.id)
        value = next((k.value for k in call.keywords if k.arg == node.id), None)
        if value is None and place < len(call.args):
            value = call.args[place]
        if value is None:
            raise Blocked(call, "a call without the input_fn that others have")
        yield value


def method(program: Program, node: ast.expr) -> ast.FunctionDef | None:
    """The method that an expression names: of an object of a class of the program, or of `self`.

    The object may be what `self` keeps in an attribute.
    """
    if not isinstance(node, ast.Attribute):
        return None
    kept = program.attribute(node.value)
    if kept is None and not isinstance(node.value, ast.Name):
        return None
    made = program.scopes.value(node.value) if kept is None else kept.value
    owner: ast.AST | None = None
    if isinstance(made, ast.Call):
        found = program.scopes.lookup(made.func)
        owner = found.node if found is not None and found.kind == "class" else None
    elif isinstance(node.value, ast.Name) and node.value.id == "self":
        owner = next((n for n in program.scopes.around(node) if isinstance(n, ast.ClassDef)), None)
    if not isinstance(owner, ast.ClassDef) or any(ast.unparse(b) != "object" for b in owner.bases):
        return None
    own = [s for s in owner.body if isinstance(s, ast.FunctionDef) and s.name == node.attr]
    static = [ast.unparse(d) for d in own[0].decorator_list] == ["staticmethod"] if own else False
    if len(own) != 1 or (own[0].decorator_list and not static):
        return None
    return own[0]
