"""``slim.data_provider``: what gives the tensors of items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from migrate.tf1_shim import _lazy

__all__ = ["DataProvider"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.data_provider")


class DataProvider:
    """Tensors by the names of items: the base of `dataset_data_provider.DatasetDataProvider`."""

    def __init__(self, items_to_tensors: Mapping[str, Any], num_samples: int | None) -> None:
        """Keep the tensors.

        Args:
          items_to_tensors: Each item's tensor.
          num_samples: How many examples there are in the source.
        """
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items: Any) -> list[Any]:
        """The tensors of items.

        Args:
          items: A list or tuple of names.

        Returns:
          Their tensors, in that order.

        Raises:
          ValueError: If it is no list or tuple, or a name is not known.
        """
        if not isinstance(items, (list, tuple)):
            raise ValueError(f"get needs a list or tuple of items. Received: {items!r}")
        missing = [item for item in items if item not in self._items_to_tensors]
        if missing:
            raise ValueError(f"Items not available: {missing}; known: {list(self.list_items())}")
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> Any:
        """The items that there are."""
        return self._items_to_tensors.keys()

    def num_samples(self) -> int | None:
        """How many examples there are in the source."""
        return self._num_samples
