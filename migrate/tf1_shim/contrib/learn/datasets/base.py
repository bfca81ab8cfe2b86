"""``tf.contrib.learn.datasets.base``: tables from CSV files, files from the network."""

from __future__ import annotations

import csv
import errno
import importlib
import random
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.examples.tutorials.mnist.input_data import _Datasets as Datasets

__all__ = [
    "Dataset",
    "Datasets",
    "load_boston",
    "load_csv_with_header",
    "load_csv_without_header",
    "load_iris",
    "maybe_download",
    "retry",
    "shrink_csv",
    "urlretrieve_with_retry",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.learn.datasets.base")


class Dataset(NamedTuple):
    """Rows of features, and what they are to predict."""

    data: Any
    target: Any


def load_csv_with_header(
    filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """A table whose first line tells its size: rows, features, then names of classes.

    Args:
      filename: A path that `tf.gfile` can open.
      target_dtype: The dtype of the target.
      features_dtype: The dtype of the features.
      target_column: Which column is the target, the last by default.

    Returns:
      ``data`` (rows, features) and ``target`` (rows,).
    """
    with tf.gfile.Open(filename) as file:
        rows = csv.reader(file)
        count, features = (int(entry) for entry in next(rows)[:2])
        data = np.zeros((count, features), dtype=features_dtype)
        target = np.zeros((count,), dtype=target_dtype)
        for i, row in enumerate(rows):
            target[i] = np.asarray(row.pop(target_column), dtype=target_dtype)
            data[i] = np.asarray(row, dtype=features_dtype)
    return Dataset(data=data, target=target)


def load_csv_without_header(
    filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """A table that begins with its first row.

    Args:
      filename: A path that `tf.gfile` can open.
      target_dtype: The dtype of the target.
      features_dtype: The dtype of the features.
      target_column: Which column is the target, the last by default.

    Returns:
      ``data`` (rows, features) and ``target`` (rows,).
    """
    data, target = [], []
    with tf.gfile.Open(filename) as file:
        for row in csv.reader(file):
            target.append(row.pop(target_column))
            data.append(np.asarray(row, dtype=features_dtype))
    return Dataset(data=np.array(data), target=np.array(target, dtype=target_dtype))


def shrink_csv(filename: str, ratio: int) -> None:
    """Write every ``ratio``-th line of ``name.csv``, from the first, to ``name_small.csv``.

    Args:
      filename: A path that `tf.gfile` can open.
      ratio: How many lines become one.
    """
    with tf.gfile.Open(filename.replace(".", "_small."), "w") as small:
        writer = csv.writer(small)
        with tf.gfile.Open(filename) as file:
            writer.writerows(row for i, row in enumerate(csv.reader(file)) if i % ratio == 0)


def load_iris(data_path: str | None = None) -> Dataset:
    """Fisher's irises: 150 flowers of three kinds.

    Args:
      data_path: A CSV file with the header of `load_csv_with_header`. TF1 came with one; without
        it the table is scikit-learn's, with the two flowers (34 and 37) that it corrects as they
        stood in TF1's.

    Returns:
      ``data`` (150, 4), float64, and ``target`` (150,), int64.

    Raises:
      FileNotFoundError: If there is neither a path nor scikit-learn.
    """
    if data_path is not None:
        return load_csv_with_header(data_path, target_dtype=int, features_dtype=float)
    try:
        found = importlib.import_module("sklearn.datasets").load_iris()
    except ImportError:
        raise FileNotFoundError(
            "The irises came with TF1 and do not come with TF 2: install scikit-learn, which has "
            "them, or give data_path"
        ) from None
    data = np.array(found.data)
    data[[34, 37]] = 4.9, 3.1, 1.5, 0.1
    return Dataset(data=data, target=np.asarray(found.target, dtype=int))


def load_boston(data_path: str | None = None) -> Dataset:
    """Prices of houses in Boston.

    Args:
      data_path: A CSV file with the header of `load_csv_with_header`. TF1 came with one.

    Returns:
      ``data`` (506, 13) and ``target`` (506,), float64.

    Raises:
      FileNotFoundError: If no path is given.
    """
    if data_path is None:
        raise FileNotFoundError(
            "The table came with TF1 and does not come with TF 2: give data_path, or use "
            "tf.keras.datasets.boston_housing, which has the rows in another order"
        )
    return load_csv_with_header(data_path, target_dtype=float, features_dtype=float)


def retry(
    initial_delay: float,
    max_delay: float,
    factor: float = 2.0,
    jitter: float = 0.25,
    is_retriable: Callable[[Exception], bool] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that calls a function again when it raises.

    Args:
      initial_delay: Seconds before the second call.
      max_delay: The longest wait; once it is passed the function is called a last time.
      factor: By what each wait is longer than the one before, at least 1.
      jitter: The share by which a wait may be longer or shorter, below 1.
      is_retriable: Which errors to wait for; the others are raised. Without it every error leads
        to another call at once.

    Returns:
      The decorator.

    Raises:
      ValueError: If `factor` or `jitter` is out of its range.
    """
    if factor < 1:
        raise ValueError(f"factor must be at least 1. Received: {factor}")
    if jitter >= 1:
        raise ValueError(f"jitter must be below 1. Received: {jitter}")

    def delays() -> Iterator[float]:
        delay = initial_delay
        while delay <= max_delay:
            yield delay * random.uniform(1 - jitter, 1 + jitter)
            delay *= factor

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            for delay in delays():
                try:
                    return function(*args, **kwargs)
                except Exception as error:  # noqa: PERF203
                    if is_retriable is not None:
                        if not is_retriable(error):
                            raise
                        time.sleep(delay)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def _timed_out(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno == errno.ETIMEDOUT


@retry(initial_delay=1.0, max_delay=16.0, is_retriable=_timed_out)
def urlretrieve_with_retry(url: str, filename: str | None = None) -> Any:
    """`urllib.request.urlretrieve`, repeated when the connection times out."""
    return urllib.request.urlretrieve(url, filename)


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """Fetch a file unless it is there.

    Args:
      filename: Its name in the folder.
      work_directory: The folder; it is made if need be.
      source_url: Where the file is fetched from.

    Returns:
      The file's path.
    """
    tf.gfile.MakeDirs(work_directory)
    path = f"{work_directory.rstrip('/')}/{filename}" if work_directory else filename
    if not tf.gfile.Exists(path):
        fetched, _ = urlretrieve_with_retry(source_url)
        tf.gfile.Copy(fetched, path)
        print("Successfully downloaded", filename, tf.gfile.Stat(path).length, "bytes.")
    return path
