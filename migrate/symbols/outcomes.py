"""What became of an endpoint of TF 1.15.5 in TF 2.21 with Keras 3: a closed set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["function", "class", "module", "constant"]
Compat: TypeAlias = Literal["ok", "drift", "lost"]

ALWAYS = "*"
"""As the safe value of a removed argument: dropping it never changes what is computed."""


@dataclass(frozen=True, slots=True)
class Same:
    """The same name in ``tf.*`` takes TF 1.15's calls and gives TF 1.15's values."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """Another name, otherwise the same."""

    target: str  # "tensorflow.math.log"


@dataclass(frozen=True, slots=True)
class Arguments:
    """The values are the same once the call's arguments are.

    A caller's argument, by its 1.15 name, is to be looked up in ``renamed`` and ``removed``; it
    keeps its name if it is in neither. Positional arguments from index ``keyword_from`` on (it
    counts in 1.15's signature, without ``self``) must be written with their (new) keyword. A
    parameter in ``defaults`` that the caller left out must be spelled out with the text given
    (that may be a parameter which 1.15 had not). Where a caller gave both an old name and the new
    one it stands for, one of the two is None and goes.
    """

    target: str  # the endpoint's own name where only arguments changed
    renamed: Mapping[str, str] = field(default_factory=dict)
    # argument -> (why it is gone, source of the value with which it may be dropped: ALWAYS, or
    # None where no value is safe)
    removed: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    keyword_from: int | None = None
    defaults: Mapping[str, str] = field(default_factory=dict)  # argument, by 1.15's name -> source


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A counterpart exists, but values or meaning differ: only a rewriter of its own may use it."""

    target: str
    note: str


@dataclass(frozen=True, slots=True)
class CompatV1:
    """Lives on under ``tf.compat.v1`` only."""

    target: str
    reason: str


@dataclass(frozen=True, slots=True)
class Shim:
    """TF 2.21 has lost it; ``module`` of this project gives it back at the compat level."""

    module: str  # "migrate.tf1_shim.layers"
    reason: str
    native: str = ""  # the best native alternative, for people


@dataclass(frozen=True, slots=True)
class Gone:
    """Nothing in TF 2.21 or in the shims does this."""

    reason: str
    alternative: str = ""


Outcome: TypeAlias = Same | Renamed | Arguments | Behaviour | CompatV1 | Shim | Gone


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """One endpoint of TF 1.15.5.

    ``graph``: using it means that the program has a graph, a session or TF1 collections.
    ``compat``: ``ok`` if ``tf.compat.v1.X`` takes the same calls under Keras 3, ``drift`` if it is
    there but changed as ``drift`` says, ``lost`` if it is not there or raises.
    """

    name: str
    outcome: Outcome
    graph: bool
    compat: Compat
    kind: Kind
    drift: str = ""

    @property
    def target(self) -> str | None:
        """The name in TF 2.21 that the outcome leads to, if it leads to one."""
        match self.outcome:
            case Same():
                return self.name
            case Renamed(target) | Arguments(target) | Behaviour(target) | CompatV1(target):
                return target
            case Shim() | Gone():
                return None
