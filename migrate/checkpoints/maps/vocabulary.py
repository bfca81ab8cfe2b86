"""Rows of an embedding or of a linear model's weights, from one vocabulary's order to another's."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from migrate.checkpoints.errors import Usage
from migrate.checkpoints.maps.steps import Shape, Step

if TYPE_CHECKING:
    from migrate.checkpoints.dtypes import Array

MISSING = ("zeros", "keep", "error")


@dataclass(frozen=True)
class Vocabulary(Step):
    """Row i of the result is the old row of the new vocabulary's i-th word.

    Words that the old vocabulary lacks, and the ``oov`` rows behind the words, get zeros or keep
    what the target starts with.
    """

    rows: tuple[int, ...]  # old row of every new one; -1: a word that the old vocabulary lacks
    old_size: int
    missing: str
    axis: int = 0
    label: str = ""
    initial: Callable[[], Array] | None = field(default=None, compare=False)

    @classmethod
    def load(cls, given: dict[str, Any], folder: str, where: str) -> Vocabulary:
        """Read both files: a word a line.

        Raises:
            Usage: a file is missing, a word stands twice, or the map does not say what to do with
                new words.
        """
        if given.get("missing") not in MISSING:
            raise Usage(
                f"{where}: vocabulary: `missing` says what new words get: one of "
                f"{', '.join(MISSING)}; received {given.get('missing')!r}"
            )
        paths = []
        for key in ("old", "new"):
            if not isinstance(given.get(key), str):
                raise Usage(f"{where}: vocabulary: `{key}` is a file with a word a line")
            paths.append(os.path.join(folder, given[key]))
        old, new = (_words(path, where) for path in paths)
        places = {word: row for row, word in enumerate(old)}
        rows = [places.get(word, -1) for word in new]
        rows += [-1] * int(given.get("oov", 0))
        lacking = rows.count(-1)
        if lacking and given["missing"] == "error":
            first = next(word for word in new if word not in places) if -1 in rows else ""
            raise Usage(f"{where}: vocabulary: {lacking} rows are new, the first {first!r}")
        label = f"{len(rows) - lacking} of {len(rows)} rows"
        return cls(tuple(rows), len(old), given["missing"], int(given.get("axis", 0)), label)

    @property
    def words(self) -> str:
        return f"vocabulary, {self.label}"

    def keeping(self, initial: Callable[[], Array]) -> Vocabulary:
        """With what the target's new rows start with."""
        return replace(self, initial=initial)

    def shape(self, shape: Shape) -> Shape:
        if not shape or not -len(shape) <= self.axis < len(shape):
            raise Usage(f"{self.words}: a tensor of shape {list(shape)}")
        axis = self.axis % len(shape)
        if shape[axis] < self.old_size:
            raise Usage(
                f"{self.words}: the old vocabulary has {self.old_size} words, the tensor "
                f"{shape[axis]} rows"
            )
        return (*shape[:axis], len(self.rows), *shape[axis + 1 :])

    def apply(self, array: Array) -> Array:
        import numpy as np

        rows = np.array(self.rows)
        axis = self.axis % array.ndim
        found = np.take(array, np.maximum(rows, 0), axis=axis)
        where = (slice(None),) * axis + (rows < 0,)
        if self.missing == "keep" and (rows < 0).any():
            if self.initial is None:
                raise Usage(f"{self.words}: `keep` needs a target that has values to start with")
            found[where] = self.initial()[where]
        else:
            found[where] = 0
        result: Array = found
        return result

    def inverse(self, before: tuple[Shape, str]) -> Step:
        raise Usage(f"{self.words}: swap `old` and `new` to go back")


def _words(path: str, where: str) -> list[bytes]:
    try:
        with open(path, "rb") as stream:
            words = [line.rstrip(b"\r\n") for line in stream]
    except OSError as error:
        raise Usage(f"{where}: vocabulary: {path}: {error.strerror}") from None
    if len(set(words)) != len(words):
        raise Usage(f"{where}: vocabulary: {path}: a word stands twice")
    return words
