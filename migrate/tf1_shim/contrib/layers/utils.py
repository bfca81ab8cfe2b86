"""``slim.utils`` and ``contrib.layers.utils``: aliases of tensors, and sizes."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy, _values

__all__ = [
    "append_tensor_alias",
    "append_tensor_aliases",
    "channel_dimension",
    "collect_named_outputs",
    "constant_value",
    "convert_collection_to_dict",
    "first_dimension",
    "gather_tensors_aliases",
    "get_tensor_aliases",
    "get_variable_collections",
    "last_dimension",
    "n_positive_integers",
    "smart_cond",
    "static_cond",
    "two_element_tuple",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.layers.utils")

#: Per graph, the aliases of tensors by name.
_ALIASES: weakref.WeakKeyDictionary[Any, dict[str, list[str]]] = weakref.WeakKeyDictionary()


def _aliases(tensor: Any) -> dict[str, list[str]]:
    return _ALIASES.setdefault(tensor.graph, {})


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Give a tensor another name, and return it.

    Args:
      tensor: The tensor.
      alias: The name; a slash at its end is dropped.

    Returns:
      The tensor.
    """
    _aliases(tensor).setdefault(tensor.name, []).append(alias.removesuffix("/"))
    return tensor


def append_tensor_aliases(tensor: Any, aliases: Any) -> Any:
    """Give a tensor several names, and return it."""
    _aliases(tensor).setdefault(tensor.name, []).extend(aliases)
    return tensor


def get_tensor_aliases(tensor: Any) -> list[str]:
    """The aliases of a tensor; by default its own name."""
    found = _aliases(tensor).get(tensor.name)
    return list(found) if found else [tensor.name.removesuffix(":0")]


def gather_tensors_aliases(tensors: Any) -> list[str]:
    """The aliases of all tensors."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def collect_named_outputs(collections: Any, alias: str, outputs: Any) -> Any:
    """Add a tensor to collections under an alias.

    Args:
      collections: A name or a list of names; None for nothing to do.
      alias: The alias.
      outputs: The tensor.

    Returns:
      The tensor.
    """
    if collections:
        append_tensor_alias(outputs, alias)
        tf.add_to_collections(collections, outputs)
    return outputs


def convert_collection_to_dict(collection: str, clear_collection: bool = False) -> Any:
    """Alias -> tensor, for the tensors of a collection.

    Args:
      collection: The collection's name.
      clear_collection: Whether to empty it.

    Returns:
      An ordered dictionary.
    """
    found = OrderedDict(
        (alias, tensor)
        for tensor in tf.get_collection(collection)
        for alias in get_tensor_aliases(tensor)
    )
    if clear_collection:
        tf.get_default_graph().clear_collection(collection)
    return found


def constant_value(value_or_tensor_or_var: Any, dtype: Any = None) -> Any:
    """A value as far as the graph tells it; None for what only a session knows.

    Raises:
      ValueError: If the value is None.
    """
    if value_or_tensor_or_var is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    if isinstance(value_or_tensor_or_var, tf.Variable):
        return None
    if tf.is_tensor(value_or_tensor_or_var):
        return tf.get_static_value(value_or_tensor_or_var)
    return value_or_tensor_or_var


def static_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """The result of the first function if ``pred`` holds, else of the second."""
    return fn1() if pred else fn2()


def smart_cond(
    pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any], name: str | None = None
) -> Any:
    """The same for a switch that only a session may know: then ``tf.cond``."""
    known = _values.constant(pred)
    if known is None:
        return tf.cond(pred, fn1, fn2, name=name)
    return static_cond(known, fn1, fn2)


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """The collections for a variable: of a dictionary its entry, else all."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


def _dimension(shape: Any, axis: int, min_rank: int) -> int:
    sizes = tf.TensorShape(shape).as_list()
    if len(sizes) < min_rank:
        raise ValueError(f"A shape of rank {min_rank} or more is needed. Received: {sizes}")
    if sizes[axis] is None:
        raise ValueError(f"Axis {axis} must have a known size. Received: {sizes}")
    return int(sizes[axis])


def first_dimension(shape: Any, min_rank: int = 1) -> int:
    """The size of the first axis, which must be known."""
    return _dimension(shape, 0, min_rank)


def last_dimension(shape: Any, min_rank: int = 1) -> int:
    """The size of the last axis, which must be known."""
    return _dimension(shape, -1, min_rank)


def channel_dimension(shape: Any, data_format: str, min_rank: int = 1) -> int:
    """The size of the channels' axis, which must be known."""
    return _dimension(shape, 1 if data_format == "NCHW" else -1, min_rank)


def two_element_tuple(int_or_tuple: Any) -> tuple[int, int]:
    """A number twice, or two numbers.

    Raises:
      ValueError: If it is neither.
    """
    if isinstance(int_or_tuple, (list, tuple)):
        if len(int_or_tuple) != 2:
            raise ValueError(f"Two sizes are needed. Received: {int_or_tuple!r}")
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    if isinstance(int_or_tuple, int):
        return int(int_or_tuple), int(int_or_tuple)
    if isinstance(int_or_tuple, tf.TensorShape) and len(int_or_tuple) == 2:
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    raise ValueError(f"A size, or two of them, are needed. Received: {int_or_tuple!r}")


def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """A positive number n times, or n positive numbers.

    Raises:
      ValueError: If it is neither.
    """
    values = (value,) * n if isinstance(value, int) else tuple(int(entry) for entry in value)
    if len(values) != n or any(entry <= 0 for entry in values):
        raise ValueError(f"Expected {n} positive integers, got {value}")
    return values
