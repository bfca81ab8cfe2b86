"""Train ops that are several: each optimizer with what it trains, all in one step.

    train_op = tf.group(                       optimizers, variables = zip(*self.trained())
        wide.minimize(loss, var_list=…),       gradients = tape.gradient(loss, variables)
        deep.minimize(loss, step, var_list=…)) for optimizer, some, trained in zip(…):
                                                   optimizer.apply_gradients(zip(some, trained))

TF 1 runs them in any order; here all gradients are those of what the step began with.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from migrate.engine.trees import holds
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.optimizing import counted_twice, var_lists
from migrate.rewriters.estimators.optimizing.training import (
    STEPS,
    Update,
    argument,
    method,
    without,
)
from migrate.rewriters.estimators.syntax import stores

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.methods import Methods
    from migrate.rewriters.estimators.models.specs import Specs
    from migrate.rewriters.estimators.program import Program

GROUP = "tensorflow.group"
COLLECTED = "tensorflow.get_collection"


def ops(model: Specs, node: ast.expr, body: Sequence[ast.stmt]) -> tuple[list[ast.expr], bool]:
    """The train ops that an op runs, and whether one that is left out counts the step.

    Raises:
        Blocked: they aren't seen.
    """
    program = model.program
    value = model.resolved(node, body)
    if isinstance(value, ast.Attribute) and value.attr == "op":
        value = model.resolved(value.value, body)
    if counts(program, value):
        waited = waits_for(program, value)
        if waited is None:
            return [], True
        found, _ = ops(model, waited, before(body, value))
        return found, True
    if isinstance(value, ast.Name):
        return _appended(model, value, body)
    if program.called(value) == GROUP or isinstance(value, (ast.List, ast.Tuple)):
        body = before(body, value)  # a group may take the name of what is in it
    if isinstance(value, (ast.List, ast.Tuple)):
        items: list[ast.expr] = list(value.elts)
    elif program.called(value) == GROUP and isinstance(value, ast.Call):
        items = [a.value if isinstance(a, ast.Starred) else a for a in value.args]
    else:
        return ([], False) if program.called(value) == COLLECTED else ([value], False)
    every, counted = [], False
    for item in items:
        name = item.id if isinstance(item, ast.Name) else ""
        several, known = _appended(model, item, body) if name else ops(model, item, body)
        every += several
        counted = counted or known
    return every, counted


def _appended(
    model: Specs, node: ast.expr, body: Sequence[ast.stmt]
) -> tuple[list[ast.expr], bool]:
    """What a name is, with what is appended to the list that it is."""
    assert isinstance(node, ast.Name)
    last = next((s for s in reversed(body) if node.id in stores(s)), None)
    value = model.resolved(node, body)
    if last is None or not _appends(last, node.id):
        return ops(model, value, body) if value is not node else ([node], False)
    every: list[ast.expr] = []
    counted = False
    begun = False
    for stmt in body:
        if node.id not in stores(stmt):
            continue
        made = stmt.value if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
        if isinstance(made, ast.List) and not begun:
            items, begun = list(made.elts), True
        elif (call := _appends(stmt, node.id)) is not None and begun:
            items = list(call.args)
        else:
            raise Blocked(stmt, "train ops in a list that isn't seen")
        for item in items:
            found, known = ops(model, item, body[: body.index(stmt)])
            every += found
            counted = counted or known
    return every, counted


def _appends(stmt: ast.stmt, name: str) -> ast.Call | None:
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != f"{name}.append":
        return None
    return call if len(call.args) == 1 and not call.keywords else None


def counts(program: Program, node: ast.AST) -> bool:
    """Whether an op only counts the global step."""
    return counted(program, node) > 0


def counted(program: Program, node: ast.AST) -> int:
    """By how much an op counts the global step: one, or one for each of two optimizers."""
    if not isinstance(node, ast.Call):
        return 0
    if program.called(node) == "tensorflow.assign_add":
        given = program.given(node)
        step, more = given.get("ref"), given.get("value")
    elif method(node, "assign_add") and len(node.args) == 1:
        assert isinstance(node.func, ast.Attribute)
        step, more = node.func.value, node.args[0]
    elif method(node, "assign") and len(node.args) == 1:
        assert isinstance(node.func, ast.Attribute)
        step, new = node.func.value, program.scopes.value(node.args[0])
        if not isinstance(new, ast.BinOp) or not isinstance(new.op, ast.Add):
            return 0
        more = new.right
        if program.called(program.scopes.value(new.left)) not in STEPS:
            return 0
    else:
        return 0
    if step is None or program.called(program.scopes.value(step)) not in STEPS:
        return 0
    few = isinstance(more, ast.Constant) and more.value in (1, 2)
    return int(few and more.value)  # type: ignore[union-attr]


def waits_for(program: Program, node: ast.AST) -> ast.expr | None:
    """What the block around a node waits for."""
    for above in program.scopes.around(node):
        if isinstance(above, (ast.FunctionDef, ast.ClassDef)):
            return None
        for item in above.items if isinstance(above, ast.With) else ():
            opened = item.context_expr
            if program.called(opened) == "tensorflow.control_dependencies":
                assert isinstance(opened, ast.Call)
                return argument(opened, 0, "control_inputs")
    return None


def before(body: Sequence[ast.stmt], node: ast.AST) -> Sequence[ast.stmt]:
    """The statements above the one that a node stands in."""
    for place, stmt in enumerate(body):
        if holds(stmt, node):
            return body[:place]
    return body


def only_counts(program: Program, block: ast.With) -> bool:
    """Whether a block does nothing but count the step, when all else is done."""
    for stmt in block.body:
        if isinstance(stmt, ast.With):
            if not only_counts(program, stmt):
                return False
            continue
        value = getattr(stmt, "value", None)
        value = value.value if isinstance(value, ast.Attribute) else value
        if not isinstance(stmt, (ast.Assign, ast.Return)) or value is None:
            return False
        if not counts(program, value):
            return False
    return True


def joined(updates: list[Update], node: ast.expr) -> Update:
    """Several train ops as the one that counts the step, with the others.

    Raises:
        Blocked: several count it, or none.
    """
    counting = [u for u in updates if u.counted]
    if len(counting) > 1:
        raise Blocked(counting[1].call, "several train ops that count the global step")
    for update in updates:
        if update.gradients is not None or update.clip is not None:
            raise Blocked(update.call, "one of several train ops that changes its gradients")
        if update.variables is None:
            raise Blocked(update.call, "one of several train ops that trains all variables")
    main = counting[0] if counting else updates[0]
    main.others = [u for u in updates if u is not main]
    if len(losses(main)) > 1:
        for update in updates:  # under the tape stands what has a name
            if not isinstance(update.loss, ast.Name):
                raise Blocked(update.call, "one of several train ops whose loss has no name")
    return main


def named(model: Specs, update: Update) -> None:
    """Give the other optimizers attributes, by what the author calls them."""
    for other in update.others:
        said = other.optimizer.id if isinstance(other.optimizer, ast.Name) else ""
        other.name = model.attribute(*([said] if said else []), "other_optimizer")


def losses(update: Update) -> list[ast.expr]:
    """The losses of train ops, each once."""
    return list({ast.dump(u.loss): u.loss for u in update.every}.values())


def trained(model: Specs, update: Update, one: str, two: str) -> str:
    """The method that says which optimizer trains what."""
    body = model.bodies["train"]
    pairs = []
    for each in update.every:
        assert each.variables is not None
        pairs.append(f"(self.{each.name}, {var_lists.source(model, each.variables, body)})")
    head = one + counted_twice.ATTRIBUTE if model.twice else ""
    head += f'{one}def trained(self):\n{two}"""Optimizers, and what they train."""\n'
    line = f"{two}return [{', '.join(pairs)}]\n"
    if len(line) > 100:
        three = two + model.text.unit
        line = f"{two}return [\n{''.join(f'{three}{p},{chr(10)}' for p in pairs)}{two}]\n"
    return head + line


def written(model: Methods, update: Update, loss: str, two: str) -> str:
    """What computes the gradients of several train ops and applies them."""
    deeper = two + model.text.unit
    out = f"{two}optimizers, variables = zip(*self.trained())\n"
    if len(losses(update)) == 1:
        out += f"{two}gradients = tape.gradient({loss}, variables)\n"
    else:
        each = ", ".join(model.source(u.loss) for u in update.every)
        out += f"{two}gradients = [\n"
        out += f"{deeper}tape.gradient(each, some) for each, some in zip(({each}), variables)\n"
        out += f"{two}]\n"
    for other in update.every:
        if other.rate is not None:
            rate = model.source(other.rate)
            out += f"{two}self.{other.name}.learning_rate.assign({rate})\n"
    out += f"{two}for optimizer, some, trained in zip(optimizers, gradients, variables):\n"
    dense = model.dense()
    some = f"[{dense}(g) for g in some]" if dense else "some"
    out += f"{deeper}optimizer.apply_gradients(zip({some}, trained))\n"
    return out + two + counted_twice.COUNTED if model.twice else out


def lean(stmt: ast.stmt, rates: set[int]) -> ast.stmt:
    """A statement that makes optimizers, without the rates that a step gives them."""
    if isinstance(stmt, ast.If):
        body, orelse = ([lean(s, rates) for s in b] for b in (stmt.body, stmt.orelse))
        return ast.copy_location(ast.If(stmt.test, body, orelse), stmt)
    if not isinstance(stmt, ast.Assign) or not isinstance(stmt.value, ast.Call):
        return stmt
    given = [*stmt.value.args, *(k.value for k in stmt.value.keywords)]
    rate = next((n for n in given if id(n) in rates), None)
    return ast.copy_location(ast.Assign(stmt.targets, without(stmt.value, rate)), stmt)
