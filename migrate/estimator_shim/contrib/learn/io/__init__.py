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

_TF_DATA = "readers with queues are not implemented: use tf.data.TFRecordDataset and parse_example"

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
    dict.fromkeys(
        (
            "queue_parsed_features",
            "read_batch_examples",
            "read_batch_features",
            "read_batch_record_features",
            "read_keyed_batch_examples",
            "read_keyed_batch_features",
        ),
        _TF_DATA,
    ),
)


def __dir__() -> list[str]:
    return sorted(__all__)
