"""Variables that are made inside of an expression: ``tf.matmul(x, tf.Variable(…)) + bias([3])``.

A function of the result would make them anew at each trace. They get names in statements of their
own, above; the program is read again with that.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from migrate.engine.trees import all_of, children
from migrate.programs.graph.making.repeated import SCOPES, chain
from migrate.programs.graph.meaning import VARIABLES
from migrate.programs.graph.model import Blocked, Step
from migrate.programs.graph.objects import part_classes
from migrate.programs.graph.wording import aligned
from migrate.programs.graph.wording.spelled import Source, Spelled, free, word

REASON = "a variable is made inside of an expression"
LAZY = (*SCOPES, ast.IfExp, ast.BoolOp)
SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)


def named(walker: Any, step: Step) -> None:
    """See that a statement that goes into a function makes no variables.

    Raises:
        Spelled: it does, and they can get names before it.
        Blocked: it does, but not always, or several times.
    """
    named_before: list[tuple[ast.Call, str]] = []
    above: list[tuple[ast.stmt, list[tuple[ast.Call, str]]]] = []
    for stmt in _statements(step.node):
        made = []
        for call in _outermost(walker, stmt):
            around = chain(stmt, call) or []
            if any(isinstance(n, LAZY) for n in around):
                raise Blocked(call, REASON)
            name = free(walker, _wish(walker, call, around[-1]), [n for _, n in named_before])
            made.append((call, name))
            named_before.append((call, name))
        if made:
            above.append((stmt, made))
    if named_before:
        raise Spelled(
            named_before[0][0],
            REASON,
            [(call, word(name)) for call, name in named_before],
            [(stmt, _lines(stmt, made)) for stmt, made in above],
        )


def _statements(stmt: ast.AST) -> Iterator[ast.stmt]:
    """The statement itself, or those in its blocks; what functions in it say is theirs."""
    if isinstance(stmt, SIMPLE):
        yield stmt
    elif not isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
        for inner in children(stmt):
            yield from _statements(inner)


def _lines(stmt: ast.stmt, made: list[tuple[ast.Call, str]]) -> Callable[[Source], list[str]]:
    def written(source: Source, name: str, call: ast.Call) -> str:
        column = stmt.col_offset + len(f"{name} = ")
        return f"{name} = {aligned.call(source, call, source(call.func), column)}"

    return lambda source: [written(source, name, call) for call, name in made]


def _outermost(walker: Any, stmt: ast.stmt) -> list[ast.Call]:
    """The calls in a statement that make variables, in the order of the text."""
    found: list[ast.Call] = []
    whole = None if isinstance(stmt, ast.AugAssign) else getattr(stmt, "value", None)
    # What is the whole value has its name already, or none that counts.
    stack: list[ast.AST] = [*children(whole if isinstance(whole, ast.Call) else stmt)]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Call) and id(node) not in walker.layers and _makes(walker, node):
            found.append(node)
            continue
        stack.extend(children(node))
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def _makes(walker: Any, call: ast.Call) -> bool:
    """Whether a call is one of ``tf.Variable``, or of a function that is little else."""
    if walker.endpoints.get(id(call.func)) in VARIABLES:
        return True
    if part_classes.made_by(walker, call):
        return True
    callee = walker._module_function(call.func)
    methods = walker._methods(call.func) if isinstance(call.func, ast.Attribute) else []
    return any(
        walker.endpoints.get(id(n.func)) in VARIABLES
        for body in [*methods, *([callee] if callee is not None else [])]
        for n in all_of(body, ast.Call)
    )


def _wish(walker: Any, call: ast.Call, outer: ast.AST) -> str:
    """What the variable may be called: as its author did, or for what is done with it."""
    said = next((k.value for k in call.keywords if k.arg == "name"), None)
    if said is None and walker.endpoints.get(id(call.func), "").endswith("get_variable"):
        said = call.args[0] if call.args else None
    if isinstance(said, ast.Constant) and isinstance(said.value, str) and said.value.isidentifier():
        return said.value
    cls = walker._module_function(call.func, ast.ClassDef)
    if cls is not None:
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.name).lower()
    added = isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Add)
    applied = isinstance(outer, ast.Call) and ast.unparse(outer.func).rpartition(".")[2]
    if added or applied == "bias_add":
        return "biases"
    return "weights" if applied else "variable"
