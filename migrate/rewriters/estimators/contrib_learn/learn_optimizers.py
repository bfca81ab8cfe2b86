"""The optimizers of contrib.learn's canned Estimators, as a model_fn makes them.

One may be made where it is given or under a name, by a function or a lambda, or be a name itself.
"""

from __future__ import annotations

import ast

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.optimizing import training
from migrate.rewriters.estimators.program import Program

NAMES = {
    "Adagrad": "AdagradOptimizer",
    "Adam": "AdamOptimizer",
    "Ftrl": "FtrlOptimizer",
    "RMSProp": "RMSPropOptimizer",
    "SGD": "GradientDescentOptimizer",
}


def source(
    program: Program,
    node: ast.expr | None,
    default: str,
    rate: float | str,
    root: str,
    named: bool,
) -> str:
    """The source of what makes an optimizer; ``named``: it may be given by its name.

    Raises:
        Blocked: it isn't made where it is given.
    """
    if node is None:
        return f"{root}.train.{default}({rate})"
    value = program.scopes.value(node)
    if isinstance(value, ast.Constant) and value.value in NAMES and named:
        return f"{root}.train.{NAMES[value.value]}({rate})"
    if training.is_optimizer(program.called(value)) and (value is node or _same(program, value)):
        return program.source(value)
    if isinstance(node, ast.Lambda) and not ast.unparse(node.args):
        return program.source(node.body)
    function = program.scopes.function(node)
    if function is not None and not ast.unparse(function.args):
        return f"{program.source(node)}()"
    raise Blocked(node, "an optimizer that isn't made where it is given")


def _same(program: Program, made: ast.expr) -> bool:
    """Whether an optimizer under a name is made the same way wherever it is."""
    given = [*made.args, *(k.value for k in made.keywords)] if isinstance(made, ast.Call) else []
    known = (ast.Name, ast.Attribute, ast.Constant, ast.UnaryOp, ast.unaryop, ast.expr_context)
    parts = [n for each in given for n in walk(each)]
    names = [n for n in parts if isinstance(n, ast.Name)]
    once = all(len(program.scopes.bindings(n.id, n)) == 1 for n in names)
    return once and all(isinstance(n, known) for n in parts)
