"""``slim.data_decoder``: what a decoder of records has to have."""

from __future__ import annotations

import abc
from typing import Any

from migrate.tf1_shim import _lazy

__all__ = ["DataDecoder"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.data_decoder")


class DataDecoder(abc.ABC):
    """Makes tensors of a record: the base of `tfexample_decoder.TFExampleDecoder`."""

    @abc.abstractmethod
    def decode(self, data: Any, items: Any) -> Any:
        """The tensors of some items of a record.

        Args:
          data: The record, a string tensor for most decoders.
          items: The items' names.

        Returns:
          A tensor for each, in the order of `items`.
        """

    @abc.abstractmethod
    def list_items(self) -> Any:
        """The names of all items that `decode` knows."""
