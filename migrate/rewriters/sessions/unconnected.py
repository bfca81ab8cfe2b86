"""Variables that a tape watches and a loss may not come from: TF 1's optimizers leave them out.

A tape gives None for them, which no op takes.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.made import Gradient
from migrate.programs.graph.slices import Plan, closure

if TYPE_CHECKING:
    from migrate.rewriters.sessions.gradients import Gradients

# What hands no gradient on, or computes things of which one may be left.
LOSING = frozenset(
    {
        *("stop_gradient", "bidirectional_dynamic_rnn", "stack_bidirectional_dynamic_rnn"),
        *("static_bidirectional_rnn", "stack_bidirectional_rnn", "argmax", "arg_max", "py_func"),
        *("while_loop", "cond", "case", "round", "sign", "floor"),
    }
)
# Each of their results comes of all that they have.
WHOLE = frozenset({"dynamic_rnn", "static_rnn", "dynamic_decode", "moments", "meshgrid"})


def possible(writer: Gradients, plan: Plan, gradient: Gradient) -> bool:
    """Whether a gradient may be None: something is computed that the loss may not need."""
    steps = closure(gradient.loss_uses, plan.steps)
    used = {symbol.name for step in steps for symbol in step.uses}
    used |= {symbol.name for symbol in gradient.loss_uses}
    for step in steps:
        left = {symbol.name for symbol in step.defs} - used - _loaded(step.node)
        if len(step.defs) > 1 and left and not _whole(writer, step.node):
            return True
    todo: list[ast.AST] = [step.node for step in steps]
    seen: set[int] = set()
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef) and _unread(writer, node):
            return True
        for n in walk(node):
            if isinstance(n, (ast.Subscript, ast.Attribute)) and isinstance(n.value, ast.Call):
                if writer.walker._module_function(n.value.func) is not None:
                    return True  # `build(x)[0]`
            if not isinstance(n, ast.Call):
                continue
            name = writer.walker.endpoints.get(id(n.func), "")
            if name.rpartition(".")[2] in LOSING:
                return True
            callee = writer.walker._module_function(n.func)
            callees = [callee] if callee is not None else writer._methods(n.func)
            todo += [f for f in callees if id(f) not in seen]
            seen |= {id(f) for f in callees}
    return False


def _loaded(node: ast.AST) -> set[str]:
    """The names that a statement reads itself, and those that its loops count with."""
    counted = {id(n) for loop in all_of(node, ast.For) for n in walk(loop.target)}
    return {
        n.id if isinstance(n, ast.Name) else n.attr
        for n in walk(node)
        if isinstance(n, (ast.Name, ast.Attribute))
        if isinstance(n.ctx, ast.Load) or id(n) in counted
    }


def _whole(writer: Gradients, stmt: ast.AST) -> bool:
    """Whether what a statement unpacks is of one piece."""
    call = stmt.value if isinstance(stmt, ast.Assign) else None
    name = writer.walker.endpoints.get(id(call.func), "") if isinstance(call, ast.Call) else ""
    return name.rpartition(".")[2] in WHOLE


def _unread(writer: Gradients, function: ast.FunctionDef) -> bool:
    """Whether a function computes something for names that it doesn't read."""
    read = {n.id for n in all_of(function, ast.Name) if isinstance(n.ctx, ast.Load)}
    return any(
        n.id not in read
        for stmt in all_of(function, ast.Assign)
        if all_of(stmt.value, ast.Call) and not _whole(writer, stmt)
        for target in stmt.targets
        for n in all_of(target, ast.Name)
        if not isinstance(n.ctx, ast.Load)
    )
