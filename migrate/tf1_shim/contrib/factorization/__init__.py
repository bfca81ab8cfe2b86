"""``tf.contrib.factorization``: k-means, as operations and as an Estimator."""

from __future__ import annotations

from typing import Any

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.factorization._clustering import (
    COSINE_DISTANCE,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
    KMeans,
)

__all__ = [
    "COSINE_DISTANCE",
    "KMEANS_PLUS_PLUS_INIT",
    "RANDOM_INIT",
    "SQUARED_EUCLIDEAN_DISTANCE",
    "KMeans",
    "KMeansClustering",
]

_MIXTURES = "Gaussian mixtures are not in the shim: use sklearn.mixture.GaussianMixture"
_LEAST_SQUARES = (
    "the kernels of weighted alternating least squares are not in TF 2: use the package implicit, "
    "or two embeddings and gradient descent"
)

_missing = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.factorization",
    {
        "GMM": _MIXTURES,
        "GmmAlgorithm": _MIXTURES,
        "gmm": _MIXTURES,
        "WALSMatrixFactorization": _LEAST_SQUARES,
        "WALSModel": _LEAST_SQUARES,
    },
)


def __getattr__(name: str) -> Any:
    if name == "KMeansClustering":
        # Estimators are another shim, which the operations alone do not need.
        from migrate.tf1_shim.contrib.factorization._kmeans import KMeansClustering

        return KMeansClustering
    return _missing(name)
