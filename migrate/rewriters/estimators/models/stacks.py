"""`stack` of contrib.layers as the loop that it is: the same layer once for each number of units.

    hidden = tf.contrib.layers.stack(           hidden = net
        net, tf.contrib.layers.fully_connected,    for units in sizes:
        sizes, activation_fn=tf.nn.relu)               hidden = tf.contrib.layers.fully_connected(
                                                           hidden, units, activation_fn=tf.nn.relu)

Its variables have other names then, so that a program that looks at names keeps it. Other stacks,
and `repeat`, are the calls that they make (`sessions.spelling.repeats`).
https://www.tensorflow.org/guide/migrate
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.estimators.syntax import alone
from migrate.rewriters.sessions.text import Text

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

STACK = "tensorflow.contrib.layers.stack"
CALLS = {STACK: "stack", "tensorflow.contrib.layers.repeat": "repeat"}
# Those of one argument, so that what is stacked is a number each.
LAYERS = frozenset(
    f"tensorflow.contrib.layers.{name}" for name in ("fully_connected", "linear", "relu")
)
ARGUMENTS = ("inputs", "layer", "stack_args")
NAMED = (
    "init_from_checkpoint",
    "get_collection",
    "var_list",
    ".name",
    "warm_start",
    "list_variables",
)


def edits(
    tree: ast.Module, text: Text, endpoints: dict[int, str], called: Callable[[ast.AST | None], str]
) -> Iterator[Edit]:
    """The edits of one file, whose stacks are what a name is given, or what is returned."""
    if any(word in text.text for word in NAMED):
        return
    names = {n.id for n in all_of(tree, ast.Name)}
    names |= {n.arg for n in all_of(tree, ast.arg)}
    for stmt in walk(tree):
        if not isinstance(stmt, (ast.Assign, ast.Return)) or called(stmt.value) != STACK:
            continue
        call = stmt.value
        assert isinstance(call, ast.Call)
        given: dict[str | None, ast.expr] = {k.arg: k.value for k in call.keywords}
        given |= dict(zip(ARGUMENTS, call.args, strict=False))
        if set(ARGUMENTS) - given.keys() or given.keys() & {None, "scope", "reuse", "num_outputs"}:
            continue
        if len(call.args) > len(ARGUMENTS) or not alone(stmt, text):
            continue
        if any(isinstance(a, ast.Starred) for a in call.args):
            continue
        inputs, layer, sizes = (given.pop(name) for name in ARGUMENTS)
        if endpoints.get(id(layer)) not in LAYERS or not all(map(_plain, given.values())):
            continue
        target = "stacked"
        if isinstance(stmt, ast.Assign):
            if len(stmt.targets) != 1 or not isinstance(stmt.targets[0], ast.Name):
                continue
            target = stmt.targets[0].id
        elif target in names:
            continue
        if any(isinstance(n, ast.Name) and n.id == target for v in given.values() for n in walk(v)):
            continue
        units = next(
            n for n in ("units", "size", f"{target}_units", f"{target}_size") if n not in names
        )
        piece = text.piece(stmt)
        more = "".join(f", {name}={text.source(value)}" for name, value in given.items())
        unit = text.unit
        begun = text.source(inputs)
        lines = [
            *([f"{target} = {begun}"] if begun != target else []),
            f"for {units} in {text.source(sizes)}:",
            f"{unit}{target} = {text.source(layer)}({target}, {units}{more})",
        ]
        lines += [f"return {target}"] if isinstance(stmt, ast.Return) else []
        yield Edit(*text.index.span(stmt), f"\n{piece.indent}".join(lines))


def repeated(program: Program, stmt: ast.stmt) -> None:
    """See whether a statement repeats a layer, which is spelled as the calls that it makes.

    Raises:
        Respelled: it does.
    """
    for node in walk(stmt):
        if program.called(node) in CALLS:
            name = CALLS[program.called(node)]
            raise Respelled(
                node, f"tf.contrib.layers.{name} in a model_fn isn't followed yet", "repeat"
            )


def _plain(node: ast.expr) -> bool:
    """Whether an expression may be computed several times."""
    kinds = (ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.Call, ast.expr_context)
    return all(isinstance(n, (*kinds, ast.keyword, ast.UnaryOp, ast.unaryop)) for n in walk(node))
