"""`CategoricalVocabulary`: from categories to numbers and back."""

from __future__ import annotations

import collections
from collections.abc import Hashable
from typing import Any

__all__ = ["CategoricalVocabulary"]


class CategoricalVocabulary:
    """Gives categories (words, numbers) ids 1, 2, ... in the order in which they come.

    0 is the id of the unknown token.

    >>> words = CategoricalVocabulary()
    >>> [words.get(w) for w in ("a", "b", "a")], words.reverse(2), len(words)
    ([1, 2, 1], 'b', 3)
    """

    def __init__(self, unknown_token: Hashable = "<UNK>", support_reverse: bool = True) -> None:
        """An empty vocabulary.

        Args:
          unknown_token: What 0 stands for.
          support_reverse: Whether `reverse` is to work.
        """
        self._unknown_token = unknown_token
        self._mapping: dict[Any, int] = {unknown_token: 0}
        self._support_reverse = support_reverse
        if support_reverse:
            self._reverse_mapping: list[Any] = [unknown_token]
        self._freq: Any = collections.defaultdict(int)
        self._freeze = False

    def __len__(self) -> int:
        """How many ids there are, with that of the unknown token."""
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """New categories get no ids from now on, but 0.

        Args:
          freeze: False to undo it.
        """
        self._freeze = freeze

    def get(self, category: Hashable) -> int:
        """The id of a category; a new one if the vocabulary is not frozen.

        Args:
          category: The category.

        Returns:
          The id; 0 for an unknown category of a frozen vocabulary.
        """
        if category in self._mapping:
            return self._mapping[category]
        if self._freeze:
            return 0
        self._mapping[category] = len(self._mapping)
        if self._support_reverse:
            self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category: Hashable, count: int = 1) -> None:
        """Counts a category.

        Args:
          category: The category.
          count: How often it is counted.
        """
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Drops rare and frequent categories; the others get new ids, the most frequent first.

        Args:
          min_frequency: Categories that were counted more often than this are kept.
          max_frequency: And less often than this, if it is positive.
        """
        # Equally frequent categories by value, numbers before strings.
        by_value = sorted(self._freq.items(), key=lambda x: (isinstance(x[0], str), x[0]))
        ordered = sorted(by_value, key=lambda x: x[1], reverse=True)
        kept = [c for c, n in ordered if n > min_frequency and not 0 < max_frequency <= n]
        self._mapping = {c: i for i, c in enumerate([self._unknown_token, *kept])}
        if self._support_reverse:
            self._reverse_mapping = list(self._mapping)
        self._freq = dict(ordered[: len(kept)])

    def reverse(self, class_id: int) -> Any:
        """The category of an id.

        Args:
          class_id: The id.

        Returns:
          The category.

        Raises:
          ValueError: If the vocabulary was made with support_reverse=False.
        """
        if not self._support_reverse:
            raise ValueError(
                "CategoricalVocabulary.reverse needs support_reverse=True. Received: False"
            )
        return self._reverse_mapping[class_id]
