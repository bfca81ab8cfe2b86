"""A Scaffold's `init_fn` that gives a variable an array: what the variable begins with.

    table = tf.get_variable('table', [V, D])            table = tf.get_variable(
    given = tf.placeholder(tf.float32, [V, D])              'table', [V, D],
    begin = table.assign(given)                             initializer=tf.constant_initializer(
    scaffold = tf.train.Scaffold(init_fn=lambda                 vectors))
        scaffold, session: session.run(
            begin, {given: vectors}))

Both are so where there is no checkpoint of the model's own.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/Scaffold
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of
from migrate.programs.graph.wording.spelled import Spelled, Written, word
from migrate.rewriters.estimators.syntax import reads

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.specs import Specs

ASSIGN = "tensorflow.assign"
PLACEHOLDER = "tensorflow.placeholder"
VARIABLE = "tensorflow.get_variable"
MADE = "tensorflow.Variable"
# What says the shape of what a variable begins with.
SHAPED = frozenset(
    {"constant", "zeros", "ones", "random_uniform", "random_normal", "truncated_normal"}
)


def said(
    model: Specs,
    made: ast.Call,
    run: ast.expr | None,
    session: str,
    function: ast.FunctionDef | None,
) -> None:
    """Say an array that an `init_fn` gives a variable where that is made.

    ``run``: all that the `init_fn` does; ``session``: what it calls its session.

    Raises:
        Spelled: it only gives a variable of the model_fn an array.
    """
    program = model.program
    if not isinstance(run, ast.Call) or ast.unparse(run.func) != f"{session}.run":
        return
    fed = [*run.args[1:2], *(k.value for k in run.keywords if k.arg == "feed_dict")]
    if not run.args or not fed or not isinstance(fed[0], ast.Dict) or len(fed[0].keys) != 1:
        return
    key, value = fed[0].keys[0], fed[0].values[0]
    assign, (variable, taken) = _assigned(model, run.args[0])
    if assign is None or not isinstance(key, ast.Name) or taken != key.id:
        return
    holder, table = (_bound(model, name) for name in (key.id, variable))
    if holder is None or table is None or program.called(holder.value) != PLACEHOLDER:
        return
    call = table.value
    if program.called(call) not in (VARIABLE, MADE) or not isinstance(call, ast.Call):
        return
    own = program.scopes.bound(model.function)
    local = {n for n in reads(value) & own.keys() if any(b.kind != "param" for b in own[n])}
    calls = list(all_of(value, ast.Call))
    alone = {key.id: 2, assign.targets[0].id if assign is not None else "": 1}  # type: ignore[attr-defined]
    if local or calls or any(_count(model, name) > most for name, most in alone.items()):
        return
    tf = program.page(made).root
    initial = f"initializer={tf}.constant_initializer({program.source(value)})"
    parts = [program.source(a) for a in call.args]
    parts += [f"{k.arg}={program.source(k.value)}" for k in call.keywords if k.arg != "initializer"]
    if not tf or any(k.arg is None for k in call.keywords) or len(call.args) > 3:
        return
    func = program.source(call.func)
    if program.called(call) == MADE:
        shape = _shape(model, call)
        named = [k.value for k in call.keywords if k.arg == "name"]
        rest = [k for k in call.keywords if k.arg not in ("name", "initial_value", "dtype")]
        if shape is None or not named or len(call.args) > 1:
            return
        func = f"{tf}.get_variable"
        parts = [program.source(named[0]), program.source(shape)]
        parts += [f"{k.arg}={program.source(k.value)}" for k in rest]
    given = ", ".join([*parts, initial])
    others = [f"{k.arg}={program.source(k.value)}" for k in made.keywords if k.arg != "init_fn"]
    changes: list[Written] = [
        (call, word(f"{func}({given})")),
        (holder, word("")),
        (assign, word("")),
        (made, word(f"{program.source(made.func)}({', '.join(others)})")),
    ]
    if function is not None:
        if len(program.readers(function)) > 1:
            return
        changes.append((function, word("")))
    raise Spelled(made, "an array that a variable begins with", changes)


def _shape(model: Specs, call: ast.Call) -> ast.expr | None:
    """The shape of what a `tf.Variable` begins with, where that is written."""
    given = model.program.given(call)
    initial = given.get("initial_value")
    name = model.program.called(initial).rpartition(".")[2] if initial is not None else ""
    if name not in SHAPED or not isinstance(initial, ast.Call):
        return None
    return model.program.given(initial).get("shape")


def _assigned(model: Specs, node: ast.expr) -> tuple[ast.Assign | None, tuple[str, str]]:
    """The statement that makes an assign op, and the names of its variable and of what it takes."""
    stmt = _bound(model, node.id) if isinstance(node, ast.Name) else None
    call = stmt.value if stmt is not None else None
    if stmt is None or not isinstance(call, ast.Call):
        return None, ("", "")
    parts: Sequence[ast.expr] = call.args
    if model.program.called(call) != ASSIGN:
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr != "assign":
            return None, ("", "")
        parts = [func.value, *parts]
    if len(parts) != 2 or call.keywords or not all(isinstance(p, ast.Name) for p in parts):
        return None, ("", "")
    one, two = parts
    assert isinstance(one, ast.Name)
    assert isinstance(two, ast.Name)
    return stmt, (one.id, two.id)


def _bound(model: Specs, name: str) -> ast.Assign | None:
    """The one statement of a model_fn that gives a name something."""
    found = model.program.scopes.bound(model.function).get(name, [])
    stmt = found[0].node if len(found) == 1 else None
    plain = isinstance(stmt, ast.Assign) and len(stmt.targets) == 1
    return stmt if plain and isinstance(stmt.targets[0], ast.Name) else None  # type: ignore[union-attr, return-value]


def _count(model: Specs, name: str) -> int:
    """How often a model_fn, with all inside of it, reads a name."""
    names = all_of(model.function, ast.Name)
    return sum(n.id == name and isinstance(n.ctx, ast.Load) for n in names)
