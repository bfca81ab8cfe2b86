"""Values, symbols, steps and run sites: the words in which a program's two times are told."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any


class Kind(Enum):
    """When a value exists, and what it is for."""

    HOST = "host"  # Python and NumPy: exists while the graph is built, and stays where it is
    CONST = "constant"  # a tensor that every run finds the same: TF 2 computes it once, eagerly
    TENSOR = "tensor"  # a tensor of a run: moves into a function
    PLACEHOLDER = "placeholder"  # what a run is fed: a parameter
    VARIABLE = "variable"  # a variable, or a container of variables
    OP = "op"  # run for its effect
    OPTIMIZER = "optimizer"
    INIT = "initializer op"  # eager variables are born initialised
    SESSION = "session"
    GRAPH = "graph"
    FEED = "feed dict"
    FETCH = "fetches"  # a list, tuple or dict of tensors and ops
    ENDPOINT = "endpoint"  # a name of TensorFlow
    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    OBJECT = "object"
    SETTING = "setting"  # configuration that TF 2 has no use for: goes
    NONE = "nothing"  # an op's value
    OTHER = "other"  # what a family of its own handles; `data` says which

    __hash__ = object.__hash__  # Enum's own is Python code, and sets of these are made all the time


# What exists only while a session runs.
RUNTIME = frozenset({Kind.TENSOR, Kind.PLACEHOLDER, Kind.OP})


def described_all(kind: Kind) -> str:
    """What values of a kind are called in a reason."""
    words = {Kind.HOST: "values of Python", Kind.OTHER: "objects of TensorFlow"}
    word = kind.value
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return words.get(kind, word if word.endswith("s") else plural)


def described(value: Value) -> str:
    """What a value is called in a reason, with its article."""
    word = value.kind.value
    if value.kind is Kind.HOST:
        return "a value of Python"
    if value.kind is Kind.OTHER:
        known = value.data if isinstance(value.data, str) else type(value.data).__name__
        word = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", known).lower().replace("_", " ")
        word = word if known else "object of TensorFlow"
        if word == "mixed":
            return "one value or another"
    if value.kind in (Kind.FETCH, Kind.NONE):
        return word
    if word.startswith("a "):
        return word
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


class Blocked(Exception):
    """What can't be followed, and where."""

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason
        self.path: str | None = None  # the file, where a program has several


class Returning(Blocked):
    """A method that builds parts of its object's graph also returns some.

    ``origin``: why it can't be followed as one that only computes.
    """

    def __init__(self, node: ast.AST, reason: str, origin: Blocked | None = None) -> None:
        super().__init__(node, reason)
        self.origin = origin


class Reading(Blocked):
    """A method that only computes reads a part of the graph in an attribute.

    ``last``: it may be given that after all its other arguments.
    """

    def __init__(self, node: ast.Attribute, *, last: bool = False) -> None:
        super().__init__(node, f"a function uses `{node.attr}` of an object, a part of its graph")
        self.attribute = node.attr
        self.last = last


class Unfed(Blocked):
    """A run needs a placeholder that it isn't fed; ``step``: the statement that reads it.

    ``optional``: the placeholder may be None.
    """

    def __init__(
        self, node: ast.AST, symbol: Symbol, step: Step | None, *, optional: bool = False
    ) -> None:
        super().__init__(node, f"`{symbol.name}` is needed here and not fed")
        self.symbol, self.step, self.optional = symbol, step, optional


class Idle(Blocked):
    """A module that runs no session at all."""


@dataclass(slots=True, eq=False, repr=False)
class Symbol:
    """A name at one point of the program: each assignment makes a new one."""

    name: str
    step: Step
    value: Value
    attribute: bool = False  # of an object, not a name of a scope
    fed: bool = False  # a constant that some run is fed: all runs that need it are given it
    alias: bool = False  # another name for a part of the graph
    seen: Symbol | None = None  # what it is in the class of the object that it is of
    whose: Any = None  # that object, where others read it: `objects_apart.Whose`

    def __repr__(self) -> str:
        return f"{self.name}@{self.step.order}"


@dataclass(slots=True, eq=False)
class Value:
    """What an expression is, as far as it can be told without running it."""

    kind: Kind
    data: Any = None
    items: Sequence[tuple[Any, Value]] | None = None  # a display's: (key or index, value)
    symbol: Symbol | None = None
    node: ast.AST | None = None
    each: Value | None = None  # what iterating over it gives
    path: str | None = None  # a variable's name in TF 1
    order: int = 0  # how many names were given before it
    key: tuple[int, ...] = ()  # of its name: the calls that it was made in, and its own
    scoped: str | None = None  # a variable's name in the scopes of its function

    def unnamed(self) -> Value:
        """The same, where it may be another variable."""
        if self.kind is not Kind.VARIABLE:
            return self
        items = [(k, v.unnamed()) for k, v in self.items] if self.items is not None else None
        return replace(self, path=None, items=items)

    def __repr__(self) -> str:
        return f"<{self.kind.value}{' ' + repr(self.data) if self.data is not None else ''}>"


HOST = Value(Kind.HOST)
NOTHING = "nothing"  # the data of a None that is written
INPUT = "input"  # of what a function that makes variables applies them to
PARAMETER = "parameter"  # of an argument that differs from call to call


def either(first: Value, second: Value) -> Value:
    """One of two values that families handle: what they say of it, or nothing that is followed."""
    if first.data is second.data:
        return first
    if type(first.data) is type(second.data) and hasattr(first.data, "either"):
        return Value(Kind.OTHER, first.data.either(second.data))
    return Value(Kind.OTHER, "mixed")


@dataclass(slots=True, eq=False, repr=False)
class Arm:
    """One way of a branch: its statements, and what they use and bind."""

    body: list[ast.stmt]
    uses: dict[Symbol, None]
    names: set[str]  # that it binds; attributes with a dot before them
    known: set[str]  # that were bound before


@dataclass(slots=True, eq=False, repr=False)
class Step:
    """A statement of a region, as a whole."""

    order: int
    node: ast.stmt
    kind: Kind
    outer: list[ast.stmt] = field(default_factory=list)  # blocks around it, flattened or not
    defs: list[Symbol] = field(default_factory=list)
    uses: dict[Symbol, None] = field(default_factory=dict)  # in order of use
    hosts: set[str] = field(default_factory=set)  # host names that it reads
    sites: list[Site] = field(default_factory=list)
    value: Value | None = None  # of the right-hand side
    drop: bool = False  # nothing of it stays
    after: list[Step] = field(default_factory=list)  # it runs these first: control dependencies
    updates: set[int] = field(default_factory=set)  # normalizations that its group updates
    impure: tuple[ast.AST, str] | None = None  # why it can't move
    random: bool = False
    rides: bool = False  # it only looks at tensors: it goes where they go
    region: Region | None = None
    function: ast.AST | None = None  # in whose body it stands
    arms: tuple[Arm, Arm] | None = None  # of an `if` that Python decides

    def __repr__(self) -> str:
        return f"Step({self.order}, {self.kind.value}, {ast.unparse(self.node)[:40]!r})"

    @property
    def moves(self) -> bool:
        """Whether it belongs into functions."""
        return self.kind in (Kind.TENSOR, Kind.OP)


@dataclass(slots=True, eq=False, repr=False)
class Feed:
    """One entry of a feed_dict."""

    symbol: Symbol
    node: ast.expr  # the value
    key: ast.expr
    value: Value | None = None
    maybe: bool = False  # one way to the run has none: the run must need it
    twins: list[Symbol] = field(default_factory=list)  # what objects of other graphs call it


@dataclass(slots=True, eq=False, repr=False)
class Fetch:
    """A node of the fetches' structure."""

    node: ast.expr
    value: Value
    items: list[Fetch] | None = None  # of a list, tuple or dict
    shape: str = "leaf"  # leaf, list, tuple, dict
    keys: list[ast.expr] | None = None
    uses: dict[Symbol, None] = field(default_factory=dict)
    hosts: set[str] = field(default_factory=set)

    def leaves(self) -> Iterator[Fetch]:
        """The single fetches, in order."""
        if self.items is None:
            yield self
        else:
            for item in self.items:
                yield from item.leaves()


@dataclass(slots=True, eq=False, repr=False)
class Export:
    """A function that is saved instead of run."""

    folder: ast.expr
    inputs: dict[str, Symbol]
    outputs: list[str]
    key: str  # of the signature
    everything: Any = None  # a Saver of all variables; None where one can't be had
    beside: ast.Call | None = None  # saved with a checkpoint, by this call of its Saver
    values: dict[str, ast.expr] = field(default_factory=dict)  # variables that it gives as well


@dataclass(slots=True, eq=False, repr=False)
class Site:
    """A place where a session runs something."""

    node: ast.Call
    fetch: Fetch
    feeds: list[Feed]
    feed_name: ast.expr | None  # a feed_dict that was built before
    stmt: ast.stmt
    step: Step | None = None
    region: Region | None = None  # whose graph it runs; None: nobody's, it only reads
    owner: str = ""  # the object whose function it calls, as written
    export: Export | None = None  # nothing is run: a SavedModel gets it
    minimized: str = (
        ""  # SciPy runs it, `alone`, with `several` others or the `same` for a callback
    )

    def reached(self) -> Iterator[Symbol]:
        """All that a run reads, and all that this comes from."""
        stack = [s for leaf in self.fetch.leaves() for s in leaf.uses]
        seen: set[Symbol] = set()
        while stack:
            symbol = stack.pop()
            if symbol in seen:
                continue
            seen.add(symbol)
            yield symbol
            stack.extend(symbol.step.uses)
            for step in symbol.step.after:
                stack.extend((*step.uses, *step.defs))


class Inner(list[ast.stmt]):
    """The blocks around a statement of a function, which knows those around its call."""

    def __init__(self, call: list[ast.stmt]) -> None:
        super().__init__()
        self.call = call


@dataclass(slots=True, eq=False, repr=False)
class Region:
    """Statements that build a graph, once, and run it."""

    node: ast.AST  # a module, a function, or a class whose instance is made
    name: str
    steps: list[Step] = field(default_factory=list)
    flat: list[ast.With] = field(default_factory=list)  # with-statements that go
    sites: list[Site] = field(default_factory=list)
    # A function that makes variables and applies them: what it is given of a run, what it returns.
    inputs: list[Symbol] | None = None
    result: tuple[Step, Fetch] | None = None
    once: bool = False  # a second call would start the graph anew
    anew: bool = False  # every call makes a graph that is all its own
    called: set[str] = field(default_factory=set)  # arguments that it calls
    gives: Value | None = None  # the object that it returns
    built: ast.Call | None = None  # the call of a function that builds a graph and returns it
    returned: Step | None = None  # its return
    kinds: dict[str, Kind] = field(default_factory=dict)  # of its arguments
    owned: list[Any] = field(default_factory=list)  # what is trained of it: `collections.Owned`
    handed: frozenset[str] = frozenset()  # arguments that only its runs read
    shaped: str = ""  # the argument whose shape its variables have
    sized: tuple[str, ...] = ()  # all of these, in their order
    scoped: str = ""  # the arg_scopes that it is called in
    arg_scopes: Sequence[Any] = ()  # the same
    inner: bool = False  # called by such a function
    alone: ast.Call | None = None  # called by nobody; the call that stands for one
    flags: dict[str, Symbol] = field(default_factory=dict)  # its parameters that may be switches
    frame: Any = None  # of the call that was followed
    chain: tuple[int, ...] = ()  # that call, and those around it


@dataclass(slots=True, eq=False, repr=False)
class Instance:
    """An object of a class of the module."""

    node: ast.ClassDef
    region: Region
    attrs: dict[str, Symbol] = field(default_factory=dict)
    given: dict[str, Value] = field(default_factory=dict)  # to the first one's __init__
    left: Any = None  # what its construction added to its graph: `again.Left`
