"""What can go wrong outside the programs under test."""

from __future__ import annotations


class ParityError(Exception):
    """The harness can't do what was asked: a usage error, a missing interpreter, a broken bundle."""


class RunFailed(ParityError):
    """A run of one side ended without a usable record; ``kind`` says how (timeout, memory …)."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
