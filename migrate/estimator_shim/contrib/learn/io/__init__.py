"""``tf.contrib.learn.io``: arrays and data frames as input."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = [
    "extract_pandas_data",
    "extract_pandas_labels",
    "extract_pandas_matrix",
    "generator_input_fn",
    "numpy_input_fn",
    "pandas_input_fn",
]

__getattr__ = _lazy.names(
    __name__,
    {
        "extract_pandas_data": f"{__name__}.pandas_io",
        "extract_pandas_labels": f"{__name__}.pandas_io",
        "extract_pandas_matrix": f"{__name__}.pandas_io",
        "generator_input_fn": f"{__name__}.generator_io",
        "numpy_input_fn": f"{__name__}.numpy_io",
        "pandas_input_fn": f"{__name__}.pandas_io",
        "generator_io": "",
        "numpy_io": "",
        "pandas_io": "",
    },
    "tf.contrib.learn.io",
)


def __dir__() -> list[str]:
    return sorted(__all__)
