"""``tf.contrib.learn.datasets``: small data sets, and MNIST."""

from __future__ import annotations

from typing import Any

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.learn.datasets import base, mnist
from migrate.tf1_shim.contrib.learn.datasets.base import load_boston, load_iris

__all__ = ["DATASETS", "base", "load_boston", "load_dataset", "load_iris", "mnist"]

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.learn.datasets",
    {
        "SYNTHETIC": "use make_circles and make_moons of sklearn.datasets",
        "make_dataset": "use make_circles and make_moons of sklearn.datasets",
        "synthetic": "use make_circles and make_moons of sklearn.datasets",
        "text_datasets": "its address for DBpedia is gone; TensorFlow Datasets has dbpedia_14",
    },
)

#: What `load_dataset` knows.
DATASETS = {"iris": load_iris, "boston": load_boston, "mnist": mnist.load_mnist}


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Any:
    """A data set by its name.

    Args:
      name: "iris", "boston" or "mnist".
      size: Only for "dbpedia", which is not here: "small".
      test_with_fake_data: Only for "dbpedia": False.

    Returns:
      A `base.Dataset` (``data``, ``target``), for MNIST a `base.Datasets` (``train``,
      ``validation``, ``test``).

    Raises:
      ValueError: If there is no such data set.
    """
    if name not in DATASETS:
        gone = " TF1 fetched DBpedia from an address that is gone." if name == "dbpedia" else ""
        raise ValueError(f"No data set is called {name!r}; known: {sorted(DATASETS)}.{gone}")
    if size != "small" or test_with_fake_data:
        raise ValueError(
            f"size and test_with_fake_data are for dbpedia only. Received: size={size!r}, "
            f"test_with_fake_data={test_with_fake_data!r} for {name!r}"
        )
    return DATASETS[name]()
