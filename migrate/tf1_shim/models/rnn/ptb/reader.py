"""``tensorflow.models.rnn.ptb.reader``: the Penn Treebank of the language-model tutorial."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["ptb_iterator", "ptb_producer", "ptb_raw_data"]

PARTS = ("ptb.train.txt", "ptb.valid.txt", "ptb.test.txt")


def _words(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").replace("\n", "<eos>").split()


def _build_vocab(path: Path) -> dict[str, int]:
    counts = collections.Counter(_words(path))
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return {word: number for number, (word, _) in enumerate(ordered)}


def ptb_raw_data(data_path: str | None = None) -> tuple[list[int], list[int], list[int], int]:
    """Read the three files as word numbers, the most frequent word first.

    Args:
      data_path: The folder with ``ptb.train.txt``, ``ptb.valid.txt`` and ``ptb.test.txt``.

    Returns:
      The training, validation and test words, and the size of the vocabulary.

    Raises:
      FileNotFoundError: If a file is missing; the message says where to put it.
    """
    folder = Path(data_path or ".")
    missing = [name for name in PARTS if not (folder / name).exists()]
    if missing:
        raise FileNotFoundError(
            f"The Penn Treebank is not in {str(folder)!r}: {', '.join(missing)} missing. They are "
            "in the folder data/ of simple-examples.tgz by Tomas Mikolov."
        )
    vocabulary = _build_vocab(folder / PARTS[0])
    train, valid, test = (
        [vocabulary[word] for word in _words(folder / name) if word in vocabulary] for name in PARTS
    )
    return train, valid, test, len(vocabulary)


def _rows(raw_data: Any, batch_size: int, num_steps: int) -> tuple[int, int]:
    length = len(raw_data) // batch_size
    size = (length - 1) // num_steps
    if size <= 0:
        raise ValueError("epoch_size == 0, decrease batch_size or num_steps")
    return length, size


def ptb_producer(raw_data: Any, batch_size: int, num_steps: int, name: str | None = None) -> Any:
    """A queue of batches for next-word prediction.

    Args:
      raw_data: Word numbers.
      batch_size: How many rows the text is cut into.
      num_steps: How many words each batch takes of every row.
      name: The name scope, "PTBProducer" by default.

    Returns:
      Two int32 tensors (batch_size, num_steps): the words, and the words one step later. A queue
      runner feeds them, so start the queue runners.

    Raises:
      tf.errors.InvalidArgumentError: If the text is too short.
    """
    with tf.name_scope(name, "PTBProducer", [raw_data, batch_size, num_steps]):
        words = tf.convert_to_tensor(raw_data, name="raw_data", dtype=tf.int32)
        length = tf.size(words) // batch_size
        rows = tf.reshape(words[0 : batch_size * length], [batch_size, length])
        size = (length - 1) // num_steps
        check = tf.assert_positive(
            size, message="epoch_size == 0, decrease batch_size or num_steps"
        )
        with tf.control_dependencies([check]):
            size = tf.identity(size, name="epoch_size")
        i = tf.train.range_input_producer(size, shuffle=False).dequeue()
        start = i * num_steps
        x = tf.strided_slice(rows, [0, start], [batch_size, start + num_steps])
        y = tf.strided_slice(rows, [0, start + 1], [batch_size, start + num_steps + 1])
        x.set_shape([batch_size, num_steps])
        y.set_shape([batch_size, num_steps])
        return x, y


def ptb_iterator(raw_data: Any, batch_size: int, num_steps: int) -> Any:
    """The same batches as NumPy arrays, as the tutorial had it before it used queues.

    Args:
      raw_data: Word numbers.
      batch_size: How many rows the text is cut into.
      num_steps: How many words each batch takes of every row.

    Yields:
      Pairs of int32 arrays (batch_size, num_steps).

    Raises:
      ValueError: If the text is too short.
    """
    import numpy as np

    length, size = _rows(raw_data, batch_size, num_steps)
    words = np.array(raw_data, dtype=np.int32)[: batch_size * length]
    rows = words.reshape(batch_size, length)
    for i in range(size):
        start = i * num_steps
        yield (
            rows[:, start : start + num_steps],
            rows[:, start + 1 : start + num_steps + 1],
        )
