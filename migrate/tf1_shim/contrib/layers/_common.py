"""What the layers of ``tf.contrib.layers`` share: their variables' names and collections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.framework import add_model_variable, model_variable
from migrate.tf1_shim.contrib.layers import utils

__all__ = ["add_to_collections", "channels_first", "finish", "getter", "model_getter"]

FORMATS = (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")


def model_getter(
    getter: Callable[..., Any],
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    rename: Mapping[str, str] | None = None,
    use_resource: bool | None = None,
    synchronization: Any = tf.VariableSynchronization.AUTO,
    aggregation: Any = tf.VariableAggregation.NONE,
    **_: Any,
) -> Any:
    """A custom getter for ``tf.variable_scope`` that makes model variables.

    Args:
      getter: The getter below.
      name: The full name; the last part may be changed by ``rename``.
      shape: As for ``tf.get_variable``.
      dtype: As for ``tf.get_variable``.
      initializer: As for ``tf.get_variable``.
      regularizer: As for ``tf.get_variable``.
      trainable: As for ``tf.get_variable``.
      collections: As for ``tf.get_variable``.
      caching_device: As for ``tf.get_variable``.
      partitioner: As for ``tf.get_variable``.
      rename: The last part of a name -> another.
      use_resource: As for ``tf.get_variable``.
      synchronization: As for ``tf.get_variable``.
      aggregation: As for ``tf.get_variable``.

    Returns:
      The variable.
    """
    head, slash, short = name.rpartition("/")
    return model_variable(
        head + slash + (rename or {}).get(short, short),
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        collections=collections,
        trainable=trainable,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def getter(rename: Mapping[str, str] | None = None) -> Callable[..., Any]:
    """`model_getter` with names to change."""

    def get(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return model_getter(getter, *args, **{**kwargs, "rename": rename})

    return get


def add_to_collections(variable: Any, collections: Any, name: str) -> None:
    """Add a variable to the collections that were given for it."""
    wanted = utils.get_variable_collections(collections, name) or ()
    wanted = [wanted] if isinstance(wanted, str) else wanted
    parts = list(variable) if hasattr(variable, "_get_variable_list") else [variable]
    for collection in wanted:
        for part in parts:
            if all(part is not other for other in tf.get_collection_ref(collection)):
                tf.add_to_collection(collection, part)
    for part in parts:
        add_model_variable(part)


def channels_first(data_format: str | None, allowed: tuple[str | None, ...] = FORMATS) -> str:
    """The data format as ``tf.layers`` calls it.

    Raises:
      ValueError: If it is none of those allowed.
    """
    if data_format not in allowed:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    first = bool(data_format and data_format.startswith("NC"))
    return "channels_first" if first else "channels_last"


def finish(
    outputs: Any,
    alias: str,
    activation_fn: Any,
    outputs_collections: Any,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
) -> Any:
    """Normalize, activate and collect the outputs of a layer."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return utils.collect_named_outputs(outputs_collections, alias, outputs)
