"""``slim.dataset_data_provider``: the items of a data set, one example after the other."""

from __future__ import annotations

from typing import Any

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.slim import parallel_reader

__all__ = ["DatasetDataProvider"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.dataset_data_provider")


class DatasetDataProvider:
    """Reads, shuffles and decodes the records of a `slim.dataset.Dataset`.

    Example::

        provider = DatasetDataProvider(dataset, num_epochs=1)
        image, label = provider.get(["image", "label"])
    """

    def __init__(
        self,
        dataset: Any,
        num_readers: int = 1,
        reader_kwargs: dict[str, Any] | None = None,
        shuffle: bool = True,
        num_epochs: int | None = None,
        common_queue_capacity: int = 256,
        common_queue_min: int = 128,
        record_key: str = "record_key",
        seed: int | None = None,
        scope: str | None = None,
    ) -> None:
        """Make a provider; start the queue runners to read.

        Args:
          dataset: The data set.
          num_readers: How many readers.
          reader_kwargs: Arguments of the readers' class.
          shuffle: Whether to shuffle files and records.
          num_epochs: How often to read the files; None for ever.
          common_queue_capacity: How much the queue holds.
          common_queue_min: How much it keeps for shuffling.
          record_key: The item of the record's key.
          seed: The seed of the shuffling.
          scope: The name scope.

        Raises:
          ValueError: If the decoder has an item of the key's name.
        """
        key, data = parallel_reader.parallel_read(
            dataset.data_sources,
            reader_class=dataset.reader,
            num_epochs=num_epochs,
            num_readers=num_readers,
            reader_kwargs=reader_kwargs,
            shuffle=shuffle,
            capacity=common_queue_capacity,
            min_after_dequeue=common_queue_min,
            seed=seed,
            scope=scope,
        )
        items = dataset.decoder.list_items()
        tensors = dataset.decoder.decode(data, items)
        if record_key in items:
            raise ValueError(
                f"The item name used for `record_key` cannot also be used: {record_key}"
            )
        self._tensors = {**dict(zip(items, tensors, strict=True)), record_key: key}
        self._num_samples = dataset.num_samples

    def list_items(self) -> list[str]:
        """The items that there are."""
        return list(self._tensors)

    def get(self, items: Any) -> list[Any]:
        """The tensors of items.

        Raises:
          ValueError: If there is no such item.
        """
        missing = [item for item in items if item not in self._tensors]
        if missing:
            raise ValueError(f"Items not available: {missing}; known: {self.list_items()}")
        return [self._tensors[item] for item in items]

    def num_samples(self) -> int | None:
        """How many records the data set has."""
        return self._num_samples
