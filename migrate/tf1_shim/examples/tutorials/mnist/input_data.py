"""``tensorflow.examples.tutorials.mnist.input_data``: MNIST from its four idx files.

Nothing is downloaded unless asked for: the address that TF1 fetched from is not reliable. Put the
files into the folder that the program names, or pass ``source_url="keras"``.
"""

from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["DEFAULT_SOURCE_URL", "read_data_sets"]

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"

__getattr__ = _lazy.attributes(__name__, (), "tensorflow.examples.tutorials.mnist.input_data")

FILES = {
    "train_images": "train-images-idx3-ubyte.gz",
    "train_labels": "train-labels-idx1-ubyte.gz",
    "test_images": "t10k-images-idx3-ubyte.gz",
    "test_labels": "t10k-labels-idx1-ubyte.gz",
}

IMAGES, LABELS = 2051, 2049
CLASSES = 10


class _Datasets(NamedTuple):
    """The three parts."""

    train: _DataSet
    validation: _DataSet
    test: _DataSet


class _DataSet:
    """Images and labels in batches, reshuffled with every pass."""

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = tf.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        # TF1 seeded NumPy's global generator here, so the order of other draws depends on it.
        graph_seed, op_seed = tf.get_seed(seed)
        np.random.seed(graph_seed if seed is None else op_seed)
        dtype = tf.as_dtype(dtype).base_dtype
        if dtype not in (tf.uint8, tf.float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        self.one_hot = one_hot
        if fake_data:
            self._num_examples = 10000
        else:
            if images.shape[0] != labels.shape[0]:
                raise ValueError(f"images.shape: {images.shape} labels.shape: {labels.shape}")
            self._num_examples = images.shape[0]
            if reshape:
                if images.shape[3] != 1:
                    raise ValueError(f"Expected one channel. Received: shape {images.shape}")
                images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
            if dtype == tf.float32:
                images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
        self._images = images
        self._labels = labels
        self._epochs_completed = 0
        self._index_in_epoch = 0

    @property
    def images(self) -> Any:
        """The images in their current order."""
        return self._images

    @property
    def labels(self) -> Any:
        """The labels in their current order."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """How many there are."""
        return int(self._num_examples)

    @property
    def epochs_completed(self) -> int:
        """How many passes are over."""
        return self._epochs_completed

    def _shuffle(self) -> None:
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> tuple[Any, Any]:
        """The next examples, running on into the next pass.

        Args:
          batch_size: How many.
          fake_data: Whether to give all-one images instead.
          shuffle: Whether to shuffle at the start of each pass.

        Returns:
          Images and labels.
        """
        if fake_data:
            label: Any = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self._num_examples:
            self._index_in_epoch += batch_size
            end = self._index_in_epoch
            return self._images[start:end], self._labels[start:end]
        self._epochs_completed += 1
        rest = self._num_examples - start
        images, labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = batch_size - rest
        more = slice(0, self._index_in_epoch)
        return (
            np.concatenate((images, self._images[more]), axis=0),
            np.concatenate((labels, self._labels[more]), axis=0),
        )


def _read(path: Path, magic: int) -> Any:
    """The array of an idx file."""
    print("Extracting", path)
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return parse(data, magic, path)


def parse(data: bytes, magic: int, path: Any) -> Any:
    """The array of an idx file's bytes; ``path`` is for the error."""
    if struct.unpack(">I", data[:4])[0] != magic:
        raise ValueError(f"Invalid magic number in MNIST file {path}: not {magic}")
    rank = magic & 0xFF
    shape = struct.unpack(f">{rank}I", data[4 : 4 + 4 * rank])
    array = np.frombuffer(data, dtype=np.uint8, offset=4 + 4 * rank)
    return array.reshape(*shape, 1) if rank == 3 else array.reshape(shape)


def _fetch(folder: Path) -> None:
    """Write the four files from Keras's copy of MNIST."""
    from tensorflow.keras.datasets import mnist

    (train_images, train_labels), (test_images, test_labels) = mnist.load_data()
    folder.mkdir(parents=True, exist_ok=True)
    arrays = (train_images, train_labels, test_images, test_labels)
    for name, array in zip(FILES.values(), arrays, strict=True):
        magic = IMAGES if array.ndim == 3 else LABELS
        head = struct.pack(f">{array.ndim + 1}I", magic, *array.shape)
        (folder / name).write_bytes(gzip.compress(head + array.astype(np.uint8).tobytes()))


def _locate(folder: Path) -> dict[str, Path]:
    """The four files, compressed or not.

    Raises:
      FileNotFoundError: If some are missing; the message says which to put where.
    """
    found, missing = {}, []
    for key, name in FILES.items():
        plain = folder / name.removesuffix(".gz")
        path = folder / name if (folder / name).exists() else plain
        found[key] = path
        if not path.exists():
            missing.append(name)
    if missing:
        raise FileNotFoundError(
            f"MNIST is not in {str(folder)!r}: {', '.join(missing)} missing. Put the files there "
            f"(TF1 fetched them from {DEFAULT_SOURCE_URL}), or call "
            'read_data_sets(..., source_url="keras") to write them from keras.datasets.mnist.'
        )
    return found


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = tf.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = DEFAULT_SOURCE_URL,
) -> Any:
    """MNIST as TF1's tutorials had it.

    Example::

        mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)
        xs, ys = mnist.train.next_batch(100)        # float32 (100, 784) in [0, 1], (100, 10)

    Args:
      train_dir: The folder with the four idx files, compressed (.gz) or not.
      fake_data: Whether to make up data instead of reading any.
      one_hot: Whether the labels are float64 vectors of ten entries, or uint8 numbers.
      dtype: float32 for images in [0, 1], uint8 for [0, 255].
      reshape: Whether the images are (n, 784), or (n, 28, 28, 1).
      validation_size: How many of the training images, from the front, are for validation.
      seed: For the shuffling; by default the graph's, if it has one.
      source_url: "keras" writes missing files from ``keras.datasets.mnist``, which may download
        them; anything else is TF1's address, from which nothing is fetched.

    Returns:
      A tuple with ``train``, ``validation`` and ``test``, each with ``images``, ``labels``,
      ``num_examples``, ``epochs_completed`` and ``next_batch(batch_size)``.

    Raises:
      FileNotFoundError: If a file is missing.
      ValueError: If a file is not what its name says, or ``validation_size`` does not fit.
    """
    options = {"dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:

        def fake() -> _DataSet:
            return _DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed)

        return _Datasets(train=fake(), validation=fake(), test=fake())
    folder = Path(train_dir)
    if source_url == "keras" and not all((folder / name).exists() for name in FILES.values()):
        _fetch(folder)
    paths = _locate(folder)
    train_images = _read(paths["train_images"], IMAGES)
    train_labels = _labels(_read(paths["train_labels"], LABELS), one_hot)
    test_images = _read(paths["test_images"], IMAGES)
    test_labels = _labels(_read(paths["test_labels"], LABELS), one_hot)
    if not 0 <= validation_size <= len(train_images):
        raise ValueError(
            f"Validation size should be between 0 and {len(train_images)}. "
            f"Received: {validation_size}."
        )
    first, rest = slice(0, validation_size), slice(validation_size, None)
    validation = train_images[first], train_labels[first]
    train = _DataSet(train_images[rest], train_labels[rest], one_hot=one_hot, **options)
    return _Datasets(
        train=train,
        validation=_DataSet(*validation, one_hot=one_hot, **options),
        test=_DataSet(test_images, test_labels, one_hot=one_hot, **options),
    )


def _labels(labels: Any, one_hot: bool) -> Any:
    return np.eye(CLASSES)[labels] if one_hot else labels
