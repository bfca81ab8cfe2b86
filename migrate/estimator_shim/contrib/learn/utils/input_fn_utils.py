"""What a serving_input_fn of contrib.learn returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.export import export

__all__ = ["InputFnOps", "build_default_serving_input_fn", "build_parsing_serving_input_fn"]


class InputFnOps(NamedTuple):
    """``features`` for the model_fn, ``labels`` (None), ``default_inputs``: what requests feed."""

    features: Any
    labels: Any
    default_inputs: Any


def build_parsing_serving_input_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """A serving_input_fn that takes serialized ``tf.train.Example``.

    Args:
      feature_spec: Name -> ``tf.io.FixedLenFeature`` or ``tf.io.VarLenFeature``.
      default_batch_size: The number of examples in a request; None for any.

    Returns:
      A function without arguments; the request feeds "examples".
    """

    def input_fn() -> InputFnOps:
        examples = tf.placeholder(tf.string, [default_batch_size], name="input_example_tensor")
        features = tf.io.parse_example(examples, feature_spec)
        return InputFnOps(features, None, {"examples": examples})

    return input_fn


def build_default_serving_input_fn(
    features: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """A serving_input_fn that takes the features as they are.

    Args:
      features: Name -> a tensor of the dtype and shape to be fed.
      default_batch_size: The size of the batch; None for any.

    Returns:
      A function without arguments.
    """
    receiver_fn = export.build_raw_serving_input_receiver_fn(features, default_batch_size)

    def input_fn() -> InputFnOps:
        made = receiver_fn().receiver_tensors
        return InputFnOps(dict(made), None, made)

    return input_fn
