"""What a checkpoint command reports instead of a traceback."""

from __future__ import annotations


class CheckpointError(Exception):
    """A file that cannot be read or written, a map that does not fit, or a refused input.

    The message says what was found, where, and what to do instead.
    """


class Usage(CheckpointError):
    """The question was wrong, not a file: options that exclude each other, an unknown name."""


def need(module: str, what: str) -> CheckpointError:
    """The error for an optional library that is missing."""
    return CheckpointError(
        f"{what} needs {module}, which is not installed: pip install 'tf1-migrate[checkpoints]'"
    )
