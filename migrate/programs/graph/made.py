"""What the walk finds in a program besides steps: optimizers, gradients, layers, families."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from migrate.programs.graph.meaning import SETTINGS
from migrate.programs.graph.model import Blocked, Kind, Region, Symbol, Value

F = TypeVar("F")
MUTATORS = frozenset(["append", "extend", "insert", "update", "setdefault", "add"])
# What TF 2 has no use for.
GOES = frozenset({Kind.SESSION, Kind.GRAPH, Kind.SETTING, Kind.INIT})


def configures(value: Value) -> bool:
    """Whether a value only configures sessions: a `ConfigProto`, `GPUOptions` and their kin."""
    return value.kind is Kind.SETTING and value.data in SETTINGS


DISPLAYS = (ast.List, ast.Tuple, ast.Set)


@dataclass(slots=True, eq=False, repr=False)
class Frame:
    """Names of a module or of one call of a function."""

    node: ast.AST
    parent: Frame | None
    region: Region | None
    env: dict[str, Symbol] = field(default_factory=dict)
    outer: set[str] = field(default_factory=set)  # declared global or nonlocal
    returns: list[Value] = field(default_factory=list)
    ended: bool = False  # it has returned by now, whatever follows


@dataclass(slots=True, eq=False, repr=False)
class Function:
    """A function of the module, and where its free names are looked up."""

    node: ast.FunctionDef | ast.Lambda
    frame: Frame


@dataclass(frozen=True, slots=True)
class Scope:
    """A scope that is open: its name, in braces where it is computed, None where it is hidden."""

    name: str | None
    ops_only: bool  # a name scope, which `tf.get_variable` doesn't see
    reuse: bool | Literal["auto"] = False  # ``auto``: where there are some
    opened: ast.AST | None = None  # by which call


@dataclass(slots=True, eq=False, repr=False)
class Optimizer:
    """A ``tf.train`` optimizer, as made."""

    endpoint: str
    call: ast.Call
    symbol: Symbol | None = None
    uses: dict[Symbol, None] = field(default_factory=dict)
    rate: ast.expr | None = None  # a learning rate that runs compute or are fed
    schedule: Schedule | None = None  # a learning rate that decays
    others: list[Optimizer] = field(default_factory=list)  # made instead, in other branches
    of: Optimizer | None = None  # the one that this one is made instead of


@dataclass(frozen=True, slots=True)
class SlotScope:
    """Where an optimizer makes its variables: names in TF 1, None where they aren't known."""

    scope: str | None  # before the names of slots
    powers: tuple[str | None, str | None]  # of Adam's betas


@dataclass(slots=True, eq=False, repr=False)
class Gradient:
    """A call that differentiates: ``minimize``, ``compute_gradients`` or ``tf.gradients``."""

    kind: str
    call: ast.Call
    loss: ast.expr
    loss_uses: dict[Symbol, None]
    variables: ast.expr | None
    optimizer: Optimizer | None = None
    global_step: ast.expr | None = None
    counter: Symbol | None = None  # the global step's variable
    single: bool = False  # by one variable or placeholder, not a list of them
    watched: list[Symbol] = field(default_factory=list)  # the placeholders among them
    unwatched: list[ast.expr] = field(default_factory=list)  # what a tape must be told of
    weights: ast.expr | None = None  # `grad_ys`
    slots: SlotScope | None = None  # where the optimizer's variables are made


@dataclass(slots=True, eq=False, repr=False)
class Made:
    """A call of ``tf.get_variable``."""

    call: ast.Call
    given: dict[str, ast.expr]
    name: str | None  # with its scopes; None where it is computed
    described: tuple[str, ast.Call | None] | None = None  # its initializer


@dataclass(slots=True, eq=False, repr=False)
class Norm:
    """A batch normalization: a layer, or a normalization that follows in one."""

    call: ast.Call  # of the layer
    given: dict[str, ast.expr]
    switch: ast.expr | None
    contrib: bool  # of tf.contrib.layers, with its defaults
    at_once: bool  # its averages are updated whenever it is run
    alone: bool  # of tf.layers
    frozen: bool = False  # no run updates its averages
    mixed: bool = False  # some runs take the batch's numbers and leave its averages alone
    kind: str = ""  # the endpoint of one without averages, a layer norm


@dataclass(slots=True, eq=False, repr=False)
class Layer:
    """A call of a function of ``tf.layers``: it makes variables and applies them."""

    endpoint: str
    call: ast.Call
    given: dict[str, ast.expr]
    described: dict[str, tuple[str, ast.Call | None]]  # its initializers
    factory: ast.FunctionDef | None = None  # a function of the module that does both
    tensors: list[ast.expr] = field(default_factory=list)  # what that is given of a run
    keywords: list[str] = field(default_factory=list)  # the parameters that these are
    scopes: tuple[str | None, ...] = ()  # those that it is called in
    same: ast.Call | None = None  # the call whose variables it uses again
    path: str | None = None  # its name in TF 1, scopes included
    scope: str | None = None  # that of its variables, with TF 1's numbers
    order: int = 0  # how many names were given before it
    naming: Any = None  # the names of its graph, where it is a function's
    chain: tuple[int, ...] = ()  # its call, and those around it
    norm: Norm | None = None
    inline: bool = False  # without variables: it is made where it is called
    shared: bool = False  # every round of a loop applies the same: it is made before the loop
    told: dict[str, str] = field(default_factory=dict)  # texts that its object is made with
    double: bool = False  # of float64, as its inputs are


@dataclass(slots=True, eq=False, repr=False)
class Decay:
    """A learning rate that decays."""

    endpoint: str
    call: ast.Call
    given: dict[str, ast.expr]  # but for its step


@dataclass(slots=True, eq=False, repr=False)
class Schedule(Decay):
    """A learning rate that decays with a global step."""

    step: Symbol

    def read(self, walker: Any, node: ast.expr) -> None:
        """A name of it: the rate at the step that a run finds."""
        walker.sink.uses[self.step] = None
        walker.decayed[id(node)] = self
        walker.rewrites[id(node)] = lambda writer: self.source(writer, node)

    def source(self, writer: Any, node: ast.expr) -> str:
        """Its source, where a name of it stands; in the functions of its object, what it is there.

        Raises:
            Blocked: it counts the steps of another object.
        """
        home = getattr(writer, "home", None)
        owner = writer.walker.attributes.get(id(node))
        inside = owner is not None and owner.step.region is home
        if inside and self.step.attribute and self.step.step.region is not home:
            raise Blocked(node, "a decayed rate that counts another object's steps")
        name = writer.ref(owner) if inside else writer.text.source(node)
        return f"{name}({writer.ref(self.step)})"


@dataclass(slots=True, eq=False, repr=False)
class Apply:
    """``optimizer.apply_gradients``."""

    call: ast.Call
    optimizer: Optimizer
    global_step: ast.expr | None
    counter: Symbol | None = None
    slots: SlotScope | None = None


# Endpoints that a family of its own follows: the call's value, or Blocked. A family's values are
# `Value(Kind.OTHER, data)`; `data.method(walker, owner, attribute, node)` is asked for its methods.
# What is written instead of an expression goes into `Walker.rewrites`.
FAMILIES: dict[str, Callable[[Any, str, ast.Call], Value]] = {}


def family(*endpoints: str) -> Callable[[F], F]:
    """Register what follows the calls of some endpoints."""

    def register(function: F) -> F:
        for endpoint in endpoints:
            FAMILIES[endpoint] = function  # type: ignore[assignment]
        return function

    return register
