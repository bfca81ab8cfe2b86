"""``tf.estimator.inputs``: input_fns of NumPy arrays and pandas data frames."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = ["numpy_input_fn", "pandas_input_fn"]

__getattr__ = _lazy.names(
    __name__,
    {
        "numpy_input_fn": f"{__name__}.numpy_io",
        "pandas_input_fn": f"{__name__}.pandas_io",
        "numpy_io": "",
        "pandas_io": "",
    },
    "tf.estimator.inputs",
)


def __dir__() -> list[str]:
    return sorted(__all__)
