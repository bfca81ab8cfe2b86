"""What can go wrong outside the programs under test."""

from __future__ import annotations


class ParityError(Exception):
    """The harness can't do what was asked: usage, a missing interpreter, a broken bundle."""
