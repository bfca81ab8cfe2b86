"""``slim.dataset_data_provider``: the items of a data set, one example after the other."""

from __future__ import annotations

from typing import Any

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.slim import data_provider, parallel_reader

__all__ = ["DatasetDataProvider"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.dataset_data_provider")


class DatasetDataProvider(data_provider.DataProvider):
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
                f"The decoder has an item of the record key's name. Received: {record_key!r}"
            )
        super().__init__(
            {**dict(zip(items, tensors, strict=True)), record_key: key}, dataset.num_samples
        )
