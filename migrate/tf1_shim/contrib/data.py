"""``tf.contrib.data``: transformations of data sets, most from ``tf.data.experimental``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "AUTOTUNE",
    "Counter",
    "CsvDataset",
    "Optional",
    "RandomDataset",
    "Reducer",
    "SqlDataset",
    "TFRecordWriter",
    "assert_element_shape",
    "batch_and_drop_remainder",
    "bucket_by_sequence_length",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_sparse_batch",
    "enumerate_dataset",
    "get_next_as_optional",
    "get_single_element",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "make_saveable_from_iterator",
    "map_and_batch",
    "padded_batch_and_drop_remainder",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "reduce_dataset",
    "rejection_resample",
    "sample_from_datasets",
    "scan",
    "shuffle_and_repeat",
    "sliding_window_batch",
    "sloppy_interleave",
    "unbatch",
    "unique",
]

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.data",
    {
        "CheckpointInputPipelineHook": "it needs an Estimator; use make_saveable_from_iterator",
        "LMDBDataset": "its kernel is gone from TF 2.21; read the records with Python and "
        "tf.data.Dataset.from_generator",
        "read_batch_features": "use make_batched_features_dataset and its one-shot iterator",
    },
)

AUTOTUNE = tf.data.experimental.AUTOTUNE
Counter = tf.data.experimental.Counter
CsvDataset = tf.data.experimental.CsvDataset
Optional = tf.data.experimental.Optional
RandomDataset = tf.data.experimental.RandomDataset
Reducer = tf.data.experimental.Reducer
SqlDataset = tf.data.experimental.SqlDataset
TFRecordWriter = tf.data.experimental.TFRecordWriter
bucket_by_sequence_length = tf.data.experimental.bucket_by_sequence_length
choose_from_datasets = tf.data.experimental.choose_from_datasets
copy_to_device = tf.data.experimental.copy_to_device
dense_to_sparse_batch = tf.data.experimental.dense_to_sparse_batch
enumerate_dataset = tf.data.experimental.enumerate_dataset
get_next_as_optional = tf.data.experimental.get_next_as_optional
get_single_element = tf.data.experimental.get_single_element
group_by_reducer = tf.data.experimental.group_by_reducer
group_by_window = tf.data.experimental.group_by_window
ignore_errors = tf.data.experimental.ignore_errors
make_batched_features_dataset = tf.data.experimental.make_batched_features_dataset
make_csv_dataset = tf.data.experimental.make_csv_dataset
make_saveable_from_iterator = tf.data.experimental.make_saveable_from_iterator
map_and_batch = tf.data.experimental.map_and_batch
parallel_interleave = tf.data.experimental.parallel_interleave
parse_example_dataset = tf.data.experimental.parse_example_dataset
prefetch_to_device = tf.data.experimental.prefetch_to_device
rejection_resample = tf.data.experimental.rejection_resample
sample_from_datasets = tf.data.experimental.sample_from_datasets
scan = tf.data.experimental.scan
shuffle_and_repeat = tf.data.experimental.shuffle_and_repeat
unbatch = tf.data.experimental.unbatch
unique = tf.data.experimental.unique

Transformation = Callable[[Any], Any]


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """Batches of equal size: a last one that is smaller is dropped.

    Args:
      batch_size: The size, a number or a scalar tensor.

    Returns:
      A transformation for ``Dataset.apply``.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Transformation:
    """Padded batches of equal size: see ``Dataset.padded_batch``.

    Args:
      batch_size: The size.
      padded_shapes: The shapes to pad to.
      padding_values: What to pad with.

    Returns:
      A transformation for ``Dataset.apply``.
    """
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


def assert_element_shape(expected_shapes: Any) -> Transformation:
    """Check the elements' shapes, and tell them to the graph.

    Args:
      expected_shapes: The shapes, in the structure of an element.

    Returns:
      A transformation for ``Dataset.apply``.
    """

    def check(element: Any, shape: Any) -> Any:
        shape = tf.TensorShape(shape)
        if not element.shape.is_compatible_with(shape):
            raise ValueError(f"Expected shape {shape}, but the element has {element.shape}")
        dynamic = tf.shape(element)
        checks = [
            tf.assert_equal(dynamic[axis], size)
            for axis, size in enumerate(shape.as_list())
            if size is not None
        ]
        with tf.control_dependencies(checks):
            checked = tf.identity(element)
        checked.set_shape(shape)
        return checked

    def apply(dataset: Any) -> Any:
        def one(*parts: Any) -> Any:
            element = parts[0] if len(parts) == 1 else parts
            flat = tf.nest.flatten(element)
            shapes = (
                [expected_shapes]
                if len(flat) == 1 and not isinstance(expected_shapes, dict)
                else list(expected_shapes.values())
                if isinstance(expected_shapes, dict)
                else list(expected_shapes)
            )
            checked = [check(value, shape) for value, shape in zip(flat, shapes, strict=True)]
            return tf.nest.pack_sequence_as(element, checked)

        return dataset.map(one)

    return apply


def sloppy_interleave(
    map_func: Callable[..., Any], cycle_length: int, block_length: int = 1
) -> Transformation:
    """`parallel_interleave` that does not wait for the order.

    Args:
      map_func: From an element to a data set.
      cycle_length: How many data sets to read at once.
      block_length: How many elements to take of each in a row.

    Returns:
      A transformation for ``Dataset.apply``.
    """
    return parallel_interleave(map_func, cycle_length, block_length=block_length, sloppy=True)


def sliding_window_batch(
    window_size: int,
    stride: int | None = None,
    window_shift: int | None = None,
    window_stride: int = 1,
) -> Transformation:
    """Batches of consecutive elements that overlap.

    Args:
      window_size: How many elements a batch has.
      stride: The older name of ``window_shift``.
      window_shift: How far the window moves.
      window_stride: The distance of the elements inside of a window.

    Returns:
      A transformation for ``Dataset.apply``.

    Raises:
      ValueError: If both names are given.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `stride` and `window_shift`")
    shift = window_shift if window_shift is not None else 1 if stride is None else stride

    def join(*parts: Any) -> Any:
        windows = parts[0] if len(parts) == 1 else parts
        batched = tf.nest.map_structure(lambda one: one.batch(window_size), windows)
        if not tf.nest.is_nested(batched):
            return batched
        return tf.data.Dataset.zip(batched)

    def apply(dataset: Any) -> Any:
        windows = dataset.window(
            size=window_size, shift=shift, stride=window_stride, drop_remainder=True
        )
        return windows.flat_map(join)

    return apply


def reduce_dataset(dataset: Any, reducer: Any) -> Any:
    """Reduce a data set by a `Reducer`.

    Args:
      dataset: The data set.
      reducer: The reducer.

    Returns:
      The result, a nest of tensors.
    """
    zero = tf.constant(0, tf.int64)
    grouped = dataset.apply(group_by_reducer(lambda *_: zero, reducer))
    return get_single_element(grouped.take(1))
