"""``slim.dataset``: where records come from and what is in them."""

from __future__ import annotations

from typing import Any

from migrate.tf1_shim import _lazy

__all__ = ["Dataset"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.dataset")


class Dataset:
    """A description of a data set: files, a reader and a decoder."""

    def __init__(
        self,
        data_sources: Any,
        reader: Any,
        decoder: Any,
        num_samples: int | None,
        items_to_descriptions: Any,
        **kwargs: Any,
    ) -> None:
        """Describe a data set.

        Args:
          data_sources: Files, or a pattern.
          reader: A class of readers, such as ``tf.TFRecordReader``.
          decoder: A decoder, such as ``tfexample_decoder.TFExampleDecoder``.
          num_samples: How many records there are.
          items_to_descriptions: Item -> its description.
          **kwargs: Further attributes.
        """
        self.data_sources = data_sources
        self.reader = reader
        self.decoder = decoder
        self.num_samples = num_samples
        self.items_to_descriptions = items_to_descriptions
        for name, value in kwargs.items():
            setattr(self, name, value)
