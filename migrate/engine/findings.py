"""What every room speaks in: findings, edits, levels and the outcome of one file."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal


class Applicability(str, Enum):
    """How sure the tool is of a fix (ruff's terms)."""

    SAFE = "safe"  # same numbers, proved by a fixture
    UNSAFE = "unsafe"  # only with --unsafe
    MANUAL = "manual"  # report only: a person must act
    INFO = "info"  # nothing to do; says what was done or why


class Level(str, Enum):
    """Where a program ends up (docs/architecture.md)."""

    NATIVE = "native"
    COMPAT = "compat"


@dataclass(frozen=True, slots=True)
class Finding:
    """One place in a file and what is to be said about it.

    ``line`` and ``column`` count from 1, columns in characters. In a notebook they count inside
    the code cell ``cell`` (which counts all the notebook's cells from 1).
    """

    path: str
    line: int
    column: int
    rule: str  # "TFM204"
    message: str
    endpoint: str | None = None  # "tf.nn.dropout", "tf.contrib.layers.l2_regularizer"
    applicability: Applicability = Applicability.MANUAL
    fix: str | None = None  # what upgrade writes, in a few words; None: nothing
    end_line: int = 0
    end_column: int = 0
    cell: int | None = None

    @property
    def fixable(self) -> bool:
        """Whether ``migrate upgrade`` changes this place."""
        return self.fix is not None and self.applicability in (
            Applicability.SAFE,
            Applicability.UNSAFE,
        )


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``text[start:end]`` (character offsets) by ``new``; an insertion has start == end."""

    start: int
    end: int
    new: str


@dataclass(slots=True)
class FileResult:
    """What a run did with one file; ``before``/``after`` are bytes only where they differ."""

    path: str
    status: Literal["unchanged", "changed", "failed", "skipped"] = "unchanged"
    level: Level | None = None
    fixed: list[Finding] = field(default_factory=list)  # what the new text has dealt with
    left: list[Finding] = field(default_factory=list)  # what a person must look at
    before: bytes | None = None
    after: bytes | None = None
    reason: str = ""  # why it failed or was skipped
    names: list[dict[str, Any]] = field(default_factory=list)  # for migrate-names.json
