"""What an execution by shapes computes with."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


class Unknown:
    """What isn't told."""

    def __repr__(self) -> str:
        return "?"


UNKNOWN = Unknown()
MISSING = Unknown()  # a name that nothing binds


class Dim(int):
    """A dimension, and of which argument of which call it is one."""

    origin: tuple[int, str, int] | None = None

    @classmethod
    def of(cls, number: int, origin: tuple[int, str, int] | None) -> Dim:
        """A number with its origin."""
        made = cls(number)
        made.origin = origin
        return made


Sizes = tuple[int | None, ...]


@dataclass(slots=True, frozen=True)
class Setting:
    """A number that isn't told, the same one all the time: a flag, or what ``len(paths)`` gave."""

    name: str


@dataclass(slots=True, frozen=True)
class Tensor:
    """A tensor: its dimensions, of which some may be open; None where not even the rank is told."""

    shape: Sizes | None = None
    told: Sizes | None = None  # the sizes that are its values: `tf.shape(x)`
    rows: Setting | None = None  # what the first dimension is that is open here


class Shape(tuple["int | Setting | None", ...]):
    """A static shape, of which an open dimension is no None of Python's."""

    __slots__ = ()


OPEN = Tensor()


@dataclass(slots=True, frozen=True)
class Endpoint:
    """A name of TensorFlow."""

    name: str


@dataclass(slots=True, eq=False)
class Frame:
    """The names of a module, or of one call of a function."""

    node: ast.AST
    module: Any
    parent: Frame | None = None
    names: dict[str, Any] = field(default_factory=dict)
    outer: set[str] = field(default_factory=set)  # declared global or nonlocal
    returns: list[Any] = field(default_factory=list)
    rounds: dict[str, Any] = field(default_factory=dict)  # of the loops around: what each has
    number: int = 0

    def find(self, name: str) -> Any:
        """What a name means."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.names and (name not in frame.outer):
                return frame.names[name]
            frame = frame.parent
        return MISSING


@dataclass(slots=True, eq=False)
class Function:
    """A function of the program; ``given``: what a partial, or a method's object, gives it."""

    node: ast.FunctionDef | ast.Lambda
    frame: Frame
    given: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    scoped: bool = False  # arg_scopes give it arguments


@dataclass(slots=True, eq=False)
class Class:
    """A class of the program."""

    node: ast.ClassDef
    frame: Frame
    bases: list[Any]
    members: dict[str, Any]

    def find(self, name: str) -> Any:
        """What a class or its bases have under a name."""
        if name in self.members:
            return self.members[name]
        for base in self.bases:
            found = base.find(name) if isinstance(base, Class) else UNKNOWN
            if found is not UNKNOWN:
                return found
        return UNKNOWN


@dataclass(slots=True, eq=False)
class Object:
    """An object of a class."""

    cls: Class
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Fields:
    """A ``namedtuple``: its class."""

    names: list[str]


@dataclass(slots=True, eq=False)
class Record:
    """A ``namedtuple``: one."""

    fields: Fields
    values: list[Any]


@dataclass(slots=True, eq=False)
class Collected:
    """The dict of what slim's layers put into a collection."""

    made: ast.Call


@dataclass(slots=True, eq=False)
class Table:
    """An array of NumPy's that is made of whole numbers; None once something may change it."""

    rows: Sequence[Any] | None


@dataclass(slots=True, eq=False)
class Given:
    """An ``arg_scope``: arguments by what they are given to."""

    arguments: dict[Any, dict[str, Any]]


def same(first: Any, second: Any) -> bool:
    """Whether two values are told to be one."""
    if first is second:
        return True
    plain = (bool, int, float, str, type(None))
    if isinstance(first, plain) and isinstance(second, plain):
        return (isinstance(first, bool) == isinstance(second, bool)) and first == second
    if type(first) is type(second) and isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    return isinstance(first, Tensor) and first == second


def merged(first: Any, second: Any) -> Any:
    """What one of two values is, as far as they agree."""
    if same(first, second):
        return first
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        if first.shape is None or second.shape is None or len(first.shape) != len(second.shape):
            return OPEN
        pairs = zip(first.shape, second.shape, strict=True)
        shape = tuple(a if a == b else None for a, b in pairs)
        return Tensor(shape, rows=first.rows if first.rows == second.rows else None)
    return UNKNOWN


def static(tensor: Tensor) -> Any:
    """The static shape of a tensor."""
    if tensor.shape is None:
        return UNKNOWN
    if tensor.rows is not None and tensor.shape[:1] == (None,):
        return Shape((tensor.rows, *tensor.shape[1:]))
    return Shape(tensor.shape)


def product(sizes: Sequence[int | Setting | None]) -> int | None:
    """The product of dimensions; None where one is open."""
    number = 1
    for size in sizes:
        if not isinstance(size, int):
            return None
        number *= size
    return number
