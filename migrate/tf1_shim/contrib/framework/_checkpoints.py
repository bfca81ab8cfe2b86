"""``tf.contrib.framework``: checkpoints, assignments and the global step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.framework._variables import (
    get_unique_variable,
    get_variable_full_name,
)

__all__ = [
    "assert_global_step",
    "assert_or_get_global_step",
    "assign_from_checkpoint",
    "assign_from_checkpoint_fn",
    "assign_from_values",
    "assign_from_values_fn",
    "create_global_step",
    "get_global_step",
    "get_or_create_global_step",
    "init_from_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]


def load_checkpoint(filepattern: str) -> Any:
    """A reader of a checkpoint: ``get_tensor(name)``, ``get_variable_to_shape_map()``.

    Args:
      filepattern: A checkpoint's path, or a folder whose latest one is taken.

    Returns:
      The reader.
    """
    return tf.train.load_checkpoint(filepattern)


def load_variable(checkpoint_dir: str, name: str) -> Any:
    """The value of a variable in a checkpoint.

    Args:
      checkpoint_dir: A checkpoint's path, or a folder whose latest one is taken.
      name: The variable's name, with or without ":0".

    Returns:
      An array.
    """
    return tf.train.load_variable(checkpoint_dir, name)


def list_variables(checkpoint_dir: str) -> list[tuple[str, list[int]]]:
    """The names and shapes in a checkpoint, sorted by name.

    Args:
      checkpoint_dir: A checkpoint's path, or a folder whose latest one is taken.

    Returns:
      Pairs of a name and a shape.
    """
    found: list[tuple[str, list[int]]] = tf.train.list_variables(checkpoint_dir)
    return found


def init_from_checkpoint(checkpoint_dir: str, assignment_map: dict[str, Any]) -> None:
    """Take initial values from a checkpoint: see ``tf.train.init_from_checkpoint``."""
    tf.train.init_from_checkpoint(checkpoint_dir, assignment_map)


def assign_from_values(var_names_to_values: dict[str, Any]) -> tuple[Any, dict[Any, Any]]:
    """An operation that assigns values to variables, and what to feed it.

    Args:
      var_names_to_values: Name of a variable -> array.

    Returns:
      The operation and the feed.
    """
    ops, feed = [], {}
    for name, value in var_names_to_values.items():
        var = get_unique_variable(name)
        placeholder = tf.placeholder(value.dtype, name=f"placeholder/{var.op.name}")
        ops.append(var.assign(tf.reshape(placeholder, var.shape)))
        feed[placeholder] = value.reshape(var.shape.as_list())
    return tf.group(*ops), feed


def assign_from_values_fn(var_names_to_values: dict[str, Any]) -> Callable[[Any], Any]:
    """A function of a session that assigns values: see `assign_from_values`."""
    op, feed = assign_from_values(var_names_to_values)
    return lambda session: session.run(op, feed)


def _grouped(var_list: Any) -> dict[str, list[Any]]:
    """Name in the checkpoint -> variables, several if they are parts of one."""
    if isinstance(var_list, dict):
        return {
            name: list(var) if isinstance(var, (list, tuple)) else [var]
            for name, var in var_list.items()
        }
    found: dict[str, list[Any]] = {}
    for var in var_list:
        found.setdefault(get_variable_full_name(var), []).append(var)
    return found


def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> tuple[Any, dict[Any, Any]]:
    """An operation that assigns a checkpoint's values to variables, and what to feed it.

    Args:
      model_path: The checkpoint's path.
      var_list: Variables, or a dictionary from names in the checkpoint to variables (or to the
        parts of one).
      ignore_missing_vars: Whether to leave out what the checkpoint does not have.

    Returns:
      The operation and the feed.

    Raises:
      ValueError: If the checkpoint lacks a variable or its size differs.
    """
    reader = tf.train.load_checkpoint(model_path)
    ops, feed = [], {}
    for name, variables in _grouped(var_list).items():
        if not reader.has_tensor(name):
            text = f"Checkpoint is missing variable [{name}]"
            if not ignore_missing_vars:
                raise ValueError(text)
            tf.logging.warning(text)
            continue
        whole = reader.get_tensor(name)
        for var in variables:
            value, info = whole, getattr(var, "_save_slice_info", None)
            if info is not None:
                ends = zip(info.var_offset, info.var_shape, strict=True)
                value = value[tuple(slice(at, at + size) for at, size in ends)]
            shape = var.shape.as_list()
            if int(np.prod(shape)) != value.size:
                raise ValueError(
                    f"{name} has the shape {list(value.shape)} in the checkpoint, whose elements "
                    f"are not those of the variable's {shape}"
                )
            placeholder = tf.placeholder(
                var.dtype.base_dtype, shape=shape, name=f"placeholder/{var.op.name}"
            )
            ops.append(var.assign(placeholder))
            feed[placeholder] = value.reshape(shape)
    return tf.group(*ops), feed


def assign_from_checkpoint_fn(
    model_path: str,
    var_list: Any,
    ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Callable[[Any], Any] | None:
    """A function of a session that restores variables from a checkpoint.

    Args:
      model_path: The checkpoint's path.
      var_list: Variables, or a dictionary from names in the checkpoint to variables.
      ignore_missing_vars: Whether to leave out what the checkpoint does not have.
      reshape_variables: Whether a variable may have another shape of the same size.

    Returns:
      The function, or None if there is nothing to restore.

    Raises:
      ValueError: If ``var_list`` is empty.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        reader = tf.train.load_checkpoint(model_path)
        named = var_list if isinstance(var_list, dict) else {v.op.name: v for v in var_list}
        kept = {}
        for name, var in named.items():
            if reader.has_tensor(name):
                kept[name] = var
            else:
                tf.logging.warning("Variable %s missing in checkpoint %s", name, model_path)
        var_list = kept
    if not var_list:
        tf.logging.warning("No Variables to restore")
        return None
    saver = tf.train.Saver(var_list, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)


def get_global_step(graph: Any = None) -> Any:
    """The global step, or None: see ``tf.train.get_global_step``."""
    return tf.train.get_global_step(graph)


def create_global_step(graph: Any = None) -> Any:
    """Make the global step: see ``tf.train.create_global_step``."""
    return tf.train.create_global_step(graph)


def get_or_create_global_step(graph: Any = None) -> Any:
    """The global step, made if need be: see ``tf.train.get_or_create_global_step``."""
    return tf.train.get_or_create_global_step(graph)


def assert_global_step(global_step_tensor: Any) -> None:
    """Check that a tensor can be the global step: see ``tf.train.assert_global_step``."""
    tf.train.assert_global_step(global_step_tensor)


def assert_or_get_global_step(graph: Any = None, global_step_tensor: Any = None) -> Any:
    """The global step of a graph, or the given one once it is checked.

    Args:
      graph: The graph; by default the current one.
      global_step_tensor: A global step.

    Returns:
      The global step.
    """
    if global_step_tensor is None:
        return tf.train.get_global_step(graph)
    tf.train.assert_global_step(global_step_tensor)
    return global_step_tensor
