"""The words in which a person decides; scripts/build_symbols.py turns them into outcomes.

Keys of the tables in this package are names without "tensorflow."; a decision holds for every
other name of the same object in TF 1.15.5 too, unless that has a decision of its own. Targets are
written the same way; "" stands for the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from migrate.symbols.outcomes import ALWAYS

__all__ = ["ALWAYS", "V1", "Args", "Change", "Decision", "Equal", "Lost", "Ported"]


@dataclass(frozen=True, slots=True)
class Equal:
    """tf.* of 2.21 has another object, but a 1.15 call gives the same values: Same or Renamed.

    (Arguments, if the two signatures differ in order or defaults.) ``constructor`` is False for a
    class that callers don't construct themselves.
    """

    target: str = ""
    constructor: bool = True


@dataclass(frozen=True, slots=True)
class Args:
    """Only arguments changed. Order and defaults are derived from the two signatures.

    ``renamed`` holds old -> new, ``removed`` argument -> (reason, safe value), ``defaults`` what a
    call must spell out besides what the signatures tell (also for parameters that are new);
    ``same_defaults`` names arguments whose default reads differently but means the same;
    ``ignored`` a **kwargs or the like that took nothing of importance. If nothing is left to do
    the outcome is Same or Renamed.
    """

    target: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)
    removed: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    same_defaults: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """A counterpart exists, values or meaning differ."""

    note: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class V1:
    """compat.v1 only, though tf.* may have something else under the name."""

    reason: str
    target: str = ""  # below compat.v1


@dataclass(frozen=True, slots=True)
class Ported:
    """A shim of this project gives it back."""

    module: str
    reason: str = ""
    native: str = ""


@dataclass(frozen=True, slots=True)
class Lost:
    """Nowhere any more."""

    reason: str
    alternative: str = ""


Decision: TypeAlias = Equal | Args | Change | V1 | Ported | Lost
