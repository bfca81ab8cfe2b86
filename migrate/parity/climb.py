"""What the rungs of the ladder look at, and what they count."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from migrate.parity.bundle import Bundle
from migrate.parity.naming import Matching
from migrate.parity.tolerances import Tolerances

if TYPE_CHECKING:
    from migrate.parity.bundle import Array


@dataclass
class Climb:
    """What the rungs look at."""

    before: Bundle
    after: Bundle
    matching: Matching
    tolerances: Tolerances = field(default_factory=Tolerances)
    lockstep: Bundle | None = None
    lockstep_reason: str = ""
    checkpoints: list[CheckpointCheck] = field(default_factory=list)
    checkpoint_reason: str = "neither program writes a checkpoint"
    ignored: Sequence[re.Pattern[str]] = ()
    seed_only: bool = False
    printed: bool = False

    @property
    def factor(self) -> float:
        """How many envelopes a difference may reach."""
        return self.tolerances.envelope_factor


@dataclass(frozen=True)
class CheckpointCheck:
    """Tensors of a checkpoint beside what a restore of it gave, by the original's names."""

    direction: str
    expected: Mapping[str, Array]
    restored: Mapping[str, Array]
    note: str = ""


class Worst:
    """Counts comparisons and remembers the one nearest to, or furthest beyond, its tolerance."""

    def __init__(self) -> None:
        self.count = 0
        self.value: float | None = None
        self.name = ""

    def see(self, name: str, value: float) -> None:
        self.count += 1
        if self.value is None or value > self.value:
            self.value, self.name = value, name
