"""What a model_fn trains with: its optimizer, and what is done with gradients.

https://www.tensorflow.org/guide/migrate/migrating_optimizer
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.names import Names
from migrate.engine.trees import walk
from migrate.programs.graph.made import Optimizer, Schedule
from migrate.programs.graph.model import Blocked, Kind, Step, Symbol, Value
from migrate.programs.graph.modules import Files
from migrate.programs.graph.walk import Walker
from migrate.rewriters.estimators.estimator import public
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.runs import tpu
from migrate.rewriters.sessions import optimizers, schedules

Resolve = Callable[[ast.expr, Sequence[ast.stmt]], ast.expr]
STEPS = frozenset(
    f"tensorflow.{name}"
    for name in (
        *("train.get_global_step", "train.get_or_create_global_step", "train.create_global_step"),
        *("contrib.framework.get_global_step", "contrib.framework.get_or_create_global_step"),
    )
)
GRADIENTS = "tensorflow.gradients"
TAKEN = frozenset({"ys", "xs", "name"})  # of its arguments
DECAYS = frozenset(f"tensorflow.train.{name}" for name in schedules.TABLE)
ZERO = Symbol("global_step", Step(-1, ast.Pass(), Kind.HOST), Value(Kind.VARIABLE))


class Facts(Walker):
    """What is known of a program whose model_fns aren't executed."""

    def __init__(self, tree: ast.Module, names: Names, files: Files | None = None) -> None:
        super().__init__(tree, names, files)
        spelled = self.endpoints
        self.endpoints = {node: public(name) for node, name in spelled.items()}
        self.hidden = {n: name for n, name in spelled.items() if self.endpoints[n] != name}

    def counts(self, schedule: Schedule, optimizer: Optimizer) -> bool:
        """Whether a schedule's step is what its optimizer counts: the only one of a model is."""
        return True


@dataclass(slots=True, eq=False, repr=False)
class Update:
    """A train op: what is minimised, by which optimizer, under which gradients."""

    call: ast.Call  # `minimize` or `apply_gradients`
    optimizer: ast.expr
    loss: ast.expr
    gradients: ast.Call | None = None  # `compute_gradients` or `tf.gradients`
    rate: ast.expr | None = None  # a learning rate that each step computes
    clip: ast.expr | None = None  # the norm that gradients are clipped by
    each: bool = False  # whether each of them is by itself, not all together
    variables: ast.expr | None = None  # what it trains, where that isn't all
    counted: bool = True  # whether it counts the global step
    others: list[Update] = field(default_factory=list)  # train ops that run beside it
    name: str = "optimizer"  # the attribute that holds its optimizer

    @property
    def separate(self) -> bool:
        """Whether not one optimizer trains all."""
        return bool(self.others) or self.variables is not None

    @property
    def every(self) -> list[Update]:
        """It and the train ops that run beside it."""
        return [self, *self.others]


def update(
    program: Program,
    body: Sequence[ast.stmt],
    node: ast.expr,
    resolved: Resolve,
    *,
    waits: bool = True,
) -> Update:
    """What a train op does; ``waits``: nothing else counts the global step.

    Raises:
        Blocked: it isn't followed.
    """
    if method(node, "minimize"):
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Attribute)
        loss = argument(node, 0, "loss")
        step = argument(node, 1, "global_step")
        if waits:
            counted(node, step)
        if (given := argument(node, 7, "grad_loss")) is not None:
            raise Blocked(given, "`grad_loss` of a train op")
        if loss is None:
            raise Blocked(node, "a train op without a loss")
        some = argument(node, 2, "var_list")
        if some is not None and all_variables(resolved(some, body)):
            some = None
        return Update(node, node.func.value, loss, variables=some, counted=step is not None)
    if method(node, "apply_gradients"):
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Attribute)
        counted(node, argument(node, 1, "global_step"))
        made = [
            n
            for s in body
            for n in walk(s)
            if method(n, "compute_gradients") or program.called(n) == GRADIENTS
        ]
        if len(made) != 1:
            raise Blocked(node, "gradients that aren't seen")
        call = made[0]
        assert isinstance(call, ast.Call)
        if program.called(call) == GRADIENTS:
            taken = program.given(call)
            if taken.keys() - TAKEN or not all_variables(resolved(taken["xs"], body)):
                raise Blocked(call, "gradients by some variables")
            return Update(node, node.func.value, taken["ys"], call)
        assert isinstance(call.func, ast.Attribute)
        loss = argument(call, 0, "loss")
        extra = argument(call, 1, "var_list")
        if extra is not None and all_variables(resolved(extra, body)):
            extra = None
        if loss is None:
            raise Blocked(call, "gradients of no loss")
        if ast.dump(call.func.value) != ast.dump(node.func.value):
            raise Blocked(node, "gradients of another optimizer")
        return Update(node, node.func.value, loss, call, variables=extra)
    raise Blocked(node, "a train op that isn't followed yet")


def all_variables(node: ast.expr) -> bool:
    """Whether this is `tf.trainable_variables()`, which is what is trained anyway."""
    called = isinstance(node, ast.Call) and not node.args and not node.keywords
    return called and ast.unparse(node).endswith(".trainable_variables()")


def counted(node: ast.Call, step: ast.expr | None) -> None:
    """See to it that a train op counts the global step.

    Raises:
        Blocked: it doesn't.
    """
    if step is None:
        raise Blocked(node, "a train op that doesn't count the global step")


def is_optimizer(endpoint: str) -> bool:
    """Whether an endpoint makes an optimizer."""
    return endpoint.endswith("Optimizer")


def method(node: ast.AST, *names: str) -> bool:
    """Whether a node calls a method of one of these names."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in names
    )


def argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    """An argument of a method; None where it isn't given, or is None."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    ):
        raise Blocked(call, "arguments are hidden here")
    found = call.args[place] if place < len(call.args) else None
    found = next((k.value for k in call.keywords if k.arg == name), found)
    return None if isinstance(found, ast.Constant) and found.value is None else found


def _whole(program: Program, node: ast.expr) -> ast.expr:
    """A step, where it is only cast to another kind of whole number."""
    if program.called(node) == "tensorflow.cast" and isinstance(node, ast.Call):
        given = program.given(node)
        if program.endpoint(given["dtype"]) in ("tensorflow.int32", "tensorflow.int64"):
            return given["x"]
    if program.called(node) in ("tensorflow.to_int32", "tensorflow.to_int64"):
        assert isinstance(node, ast.Call)
        return program.given(node)["x"]
    return node


def is_step(program: Program, node: ast.Call) -> bool:
    """Whether a call casts the step that a decay is given."""
    above = program.scopes.parents.get(id(node))
    above = program.scopes.parents[id(above)] if isinstance(above, ast.keyword) else above
    inner = _whole(program, node)
    return (
        inner is not node
        and program.called(above or node) in DECAYS
        and program.called(program.scopes.value(inner)) in STEPS
    )


def schedule(program: Program, endpoint: str, call: ast.Call) -> Schedule:
    """A decayed learning rate.

    Raises:
        Blocked: it decays with something else than the global step.
    """
    given = program.given(call, endpoint)
    step = given.pop("global_step", given.pop("x", None))
    step = None if step is None else _whole(program, program.scopes.value(step))
    if step is None or program.called(program.scopes.value(step)) not in STEPS:
        raise Blocked(call, "a decay with something else than the global step")
    return Schedule(endpoint, call, given, ZERO)


def decays(
    program: Program,
    endpoint: str,
    call: ast.Call,
    written: Callable[[ast.expr], str] | None = None,
) -> str:
    """The Keras schedule for a decayed learning rate; ``written``: its arguments in a step."""
    made = schedule(program, endpoint, call)
    return schedules.source(made, written or program.text.source, program.tf)


def without(call: ast.Call, node: ast.expr | None) -> ast.Call:
    """A call without one of its arguments, whose other parts are the same nodes."""
    args = [a for a in call.args if a is not node]
    keywords = [k for k in call.keywords if k.value is not node]
    return ast.copy_location(ast.Call(call.func, args, keywords), call)


def keras(
    program: Program,
    call: ast.Call,
    at: ast.AST,
    *,
    sparse: bool = False,
    computed: Callable[[ast.expr], bool] = lambda rate: False,
) -> tuple[str, ast.expr | None]:
    """The Keras optimizer for a `tf.train` one, at its place; and the rate that steps give it.

    ``computed``: whether a learning rate is part of a run.

    Raises:
        Blocked: none gives the same numbers.
    """
    inner = tpu.wrapped(program, call)
    if not isinstance(inner, ast.Call):
        raise Blocked(call, "the optimizer isn't seen")
    call, endpoint = inner, program.called(inner)
    if not endpoint.startswith("tensorflow.train."):
        raise Blocked(call, f"no Keras optimizer for {endpoint.replace('tensorflow', 'tf')} yet")
    made = Optimizer(endpoint, call)
    walker: Any = program.walker
    given = program.given(call)
    rate = given.get("learning_rate")
    if rate is not None:
        value = program.scopes.value(rate)
        decay = program.called(value)
        if decay in DECAYS:
            assert isinstance(value, ast.Call)
            made.schedule = schedule(program, decay, value)
            if value is rate:
                walker.schedules[id(rate)] = made.schedule
        elif computed(rate):
            made.rate = rate
    source = optimizers.keras(made, program.text, sparse, program.tf, walker)
    own = optimizers.defined(source, made, sparse)
    if own is not None:
        program.need(at, own[0], own[1])
    return source, made.rate
