"""What went wrong where a whole tree was upgraded, counted."""

from __future__ import annotations

import collections
from dataclasses import dataclass, field


@dataclass
class Counts:
    """What went wrong in one tree; ``notes`` names the places."""

    files: int = 0
    lines: int = 0
    changed: int = 0
    declined: int = 0
    seconds: float = 0.0
    levels: collections.Counter[str] = field(default_factory=collections.Counter)
    crashes: int = 0
    damaged: int = 0
    unannounced: int = 0  # Python 2: a changed line that no finding names
    unparseable: int = 0
    second_pass: int = 0
    references: int = 0
    unresolved: int = 0
    newly_broken: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> int:
        """What must be 0."""
        return (
            self.crashes
            + self.damaged
            + self.unparseable
            + self.second_pass
            + self.unresolved
            + self.newly_broken
        )


COLUMNS = (
    "files",
    "lines",
    "changed",
    "declined",
    "crashes",
    "damaged",
    "unannounced",
    "unparseable",
    "second_pass",
    "references",
    "unresolved",
    "newly_broken",
)
