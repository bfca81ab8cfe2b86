"""`CategoricalProcessor`: columns of categories as columns of ids."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from migrate.estimator_shim.contrib.learn.preprocessing.categorical_vocabulary import (
    CategoricalVocabulary,
)

__all__ = ["CategoricalProcessor"]


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


class CategoricalProcessor:
    """Maps each column of a matrix to ids by a vocabulary. NaN is unknown, that is 0.

    ``vocabularies_`` are the vocabularies, one for a column.
    """

    def __init__(
        self,
        min_frequency: int = 0,
        share: bool = False,
        vocabularies: list[CategoricalVocabulary] | None = None,
    ) -> None:
        """Keeps the settings.

        Args:
          min_frequency: Categories must occur more often than this.
          share: Whether all columns have one vocabulary.
          vocabularies: The vocabularies, if they are known.
        """
        self.min_frequency = min_frequency
        self.share = share
        self.vocabularies_ = vocabularies

    def freeze(self, freeze: bool = True) -> None:
        """Freezes all vocabularies.

        Args:
          freeze: False to undo it.
        """
        for vocabulary in self.vocabularies_ or ():
            vocabulary.freeze(freeze)

    def fit(self, x: Iterable[Any], unused_y: Any = None) -> CategoricalProcessor:
        """Learns the vocabularies.

        Args:
          x: Rows of categories.
          unused_y: Not used; there because scikit-learn's transformers have it.

        Returns:
          self.
        """
        for row in x:
            if self.vocabularies_ is None:
                shared = CategoricalVocabulary()
                self.vocabularies_ = [
                    shared if self.share else CategoricalVocabulary() for _ in row
                ]
            for vocabulary, value in zip(self.vocabularies_, row, strict=False):
                if not _is_nan(value):
                    vocabulary.add(value)
        if self.min_frequency > 0:
            for vocabulary in self.vocabularies_ or ():
                vocabulary.trim(self.min_frequency)
        self.freeze()
        return self

    def fit_transform(self, x: Iterable[Any], unused_y: Any = None) -> Iterator[Any]:
        """`fit` and `transform`.

        Args:
          x: Rows of categories.
          unused_y: Not used.

        Returns:
          An iterator over rows of ids.
        """
        return self.fit(x).transform(x)

    def transform(self, x: Iterable[Any]) -> Iterator[Any]:
        """The ids of categories.

        Args:
          x: Rows of categories.

        Yields:
          Arrays of int64.
        """
        self.freeze()
        known = self.vocabularies_ or []
        for row in x:
            pairs = zip(known, row, strict=False)
            ids = [0 if _is_nan(value) else v.get(value) for v, value in pairs]
            yield np.array(ids, np.int64)
