"""``tf.contrib.learn.datasets.mnist``: MNIST from its four idx files."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.examples.tutorials.mnist import input_data
from migrate.tf1_shim.examples.tutorials.mnist.input_data import (
    DEFAULT_SOURCE_URL,
    read_data_sets,
)
from migrate.tf1_shim.examples.tutorials.mnist.input_data import _DataSet as DataSet

__all__ = [
    "DEFAULT_SOURCE_URL",
    "DataSet",
    "dense_to_one_hot",
    "extract_images",
    "extract_labels",
    "load_mnist",
    "read_data_sets",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.learn.datasets.mnist")


def load_mnist(train_dir: str = "MNIST-data") -> Any:
    """`read_data_sets` with its defaults: labels are numbers, images (n, 784) in [0, 1]."""
    return read_data_sets(train_dir)


def dense_to_one_hot(labels_dense: Any, num_classes: int) -> Any:
    """Classes as vectors with a one.

    Args:
      labels_dense: (n,), the numbers of the classes.
      num_classes: How many there are.

    Returns:
      (n, num_classes), float64.
    """
    return np.eye(num_classes)[np.ravel(labels_dense)]


def extract_images(f: Any) -> Any:
    """The images of a compressed idx file.

    Args:
      f: The file, opened to read bytes.

    Returns:
      (n, rows, columns, 1), uint8.

    Raises:
      ValueError: If it holds no images.
    """
    print("Extracting", f.name)
    return input_data.parse(gzip.decompress(f.read()), input_data.IMAGES, f.name)


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = 10) -> Any:
    """The labels of a compressed idx file.

    Args:
      f: The file, opened to read bytes.
      one_hot: Whether to give vectors with a one.
      num_classes: The length of these.

    Returns:
      (n,), uint8, or (n, num_classes), float64.

    Raises:
      ValueError: If it holds no labels.
    """
    print("Extracting", f.name)
    labels = input_data.parse(gzip.decompress(f.read()), input_data.LABELS, f.name)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels
