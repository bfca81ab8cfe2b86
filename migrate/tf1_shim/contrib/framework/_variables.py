"""``tf.contrib.framework``: making variables and finding them again."""

from __future__ import annotations

import functools
import re
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.framework._arg_scope import add_arg_scope

__all__ = [
    "VariableDeviceChooser",
    "add_model_variable",
    "filter_variables",
    "get_local_variables",
    "get_model_variables",
    "get_trainable_variables",
    "get_unique_variable",
    "get_variable_full_name",
    "get_variables",
    "get_variables_by_name",
    "get_variables_by_suffix",
    "get_variables_to_restore",
    "global_variable",
    "local_variable",
    "model_variable",
    "variable",
]


@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
    synchronization: Any = tf.VariableSynchronization.AUTO,
    aggregation: Any = tf.VariableAggregation.NONE,
) -> Any:
    """Get a variable, or make it.

    Args:
      name: Its name below the current variable scope.
      shape: Its shape.
      dtype: Its dtype.
      initializer: By default the scope's.
      regularizer: From the variable to a scalar, added to REGULARIZATION_LOSSES.
      trainable: Whether it belongs to TRAINABLE_VARIABLES.
      collections: Where it belongs; by default GLOBAL_VARIABLES.
      caching_device: As for ``tf.get_variable``.
      device: The device, a name or a function.
      partitioner: As for ``tf.get_variable``.
      custom_getter: What to call instead of ``tf.get_variable``.
      use_resource: Whether to make a resource variable.
      synchronization: As for ``tf.get_variable``.
      aggregation: As for ``tf.get_variable``.

    Returns:
      The variable.
    """
    wanted = list(collections) if collections is not None else [tf.GraphKeys.GLOBAL_VARIABLES]
    get = tf.get_variable
    if custom_getter is not None:  # without being told it would share what is there
        get = functools.partial(custom_getter, reuse=tf.get_variable_scope().reuse)
    with tf.device(device or ""):
        return get(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=list(dict.fromkeys(wanted)),
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )


@add_arg_scope
def model_variable(
    name: str,
    shape: Any = None,
    dtype: Any = tf.float32,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
    synchronization: Any = tf.VariableSynchronization.AUTO,
    aggregation: Any = tf.VariableAggregation.NONE,
) -> Any:
    """The same as `variable`, and the variable belongs to MODEL_VARIABLES too."""
    wanted = list(collections or [])
    wanted += [tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.MODEL_VARIABLES]
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=wanted,
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def _plain(
    initial_value: Any,
    collection: str,
    validate_shape: bool,
    name: str | None,
    use_resource: bool | None,
) -> Any:
    return tf.Variable(
        initial_value,
        trainable=False,
        collections=[collection],
        validate_shape=validate_shape,
        name=name,
        use_resource=use_resource,
    )


def local_variable(
    initial_value: Any,
    validate_shape: bool = True,
    name: str | None = None,
    use_resource: bool | None = None,
) -> Any:
    """Make a variable in LOCAL_VARIABLES: not saved, and initialized by another operation.

    Args:
      initial_value: Its initial value.
      validate_shape: Whether its shape is fixed.
      name: Its name.
      use_resource: Whether to make a resource variable.

    Returns:
      The variable.
    """
    collection = tf.GraphKeys.LOCAL_VARIABLES
    return _plain(initial_value, collection, validate_shape, name, use_resource)


def global_variable(
    initial_value: Any,
    validate_shape: bool = True,
    name: str | None = None,
    use_resource: bool | None = None,
) -> Any:
    """Make a variable in GLOBAL_VARIABLES that is not trainable: see `local_variable`."""
    collection = tf.GraphKeys.GLOBAL_VARIABLES
    return _plain(initial_value, collection, validate_shape, name, use_resource)


def add_model_variable(var: Any) -> None:
    """Add a variable to MODEL_VARIABLES unless it is there."""
    there = tf.get_collection_ref(tf.GraphKeys.MODEL_VARIABLES)
    if all(var is not other for other in there):
        tf.add_to_collection(tf.GraphKeys.MODEL_VARIABLES, var)


def get_variables(
    scope: Any = None,
    suffix: str | None = None,
    collection: str = tf.GraphKeys.GLOBAL_VARIABLES,
) -> list[Any]:
    """The variables of a collection, by scope and suffix.

    Args:
      scope: A prefix of their names (a regular expression), or a variable scope.
      suffix: The end of their names, without ":0".
      collection: The collection.

    Returns:
      The variables.
    """
    if isinstance(scope, tf.VariableScope):
        scope = scope.name
    if suffix is not None:
        # TF1 joined both with a pattern, so "." in a suffix stands for any character.
        scope = (scope or "") + ".*" + (suffix if ":" in suffix else suffix + ":")
    found: list[Any] = tf.get_collection(collection, scope)
    return found


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Those of MODEL_VARIABLES: see `get_variables`."""
    return get_variables(scope, suffix, tf.GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Those of LOCAL_VARIABLES: see `get_variables`."""
    return get_variables(scope, suffix, tf.GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Those of TRAINABLE_VARIABLES: see `get_variables`."""
    return get_variables(scope, suffix, tf.GraphKeys.TRAINABLE_VARIABLES)


def get_variables_to_restore(include: Any = None, exclude: Any = None) -> list[Any]:
    """The variables whose scopes are included and not excluded.

    Args:
      include: Scopes; None for all variables.
      exclude: Scopes to leave out.

    Returns:
      The variables.

    Raises:
      TypeError: If one of them is no list.
    """
    for name, value in (("include", include), ("exclude", exclude)):
        if value is not None and not isinstance(value, (list, tuple)):
            raise TypeError(f"{name} must be a list or a tuple of scopes. Received: {value!r}")
    if include is None:
        kept = get_variables()
    else:
        kept = [v for scope in include for v in get_variables(scope)]
    out = {id(v) for scope in exclude or () for v in get_variables(scope)}
    return [v for v in kept if id(v) not in out]


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """The global variables whose names end so: see `get_variables`."""
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """The global variables whose last name is the given one."""
    suffix = f"/{given_name}:|^{given_name}:"
    return get_variables(scope=scope, suffix=suffix)


def get_variable_full_name(var: Any) -> str:
    """The name of a variable in a checkpoint: that of the whole for a part of one."""
    info = getattr(var, "_save_slice_info", None)
    return str(info.full_name if info else var.op.name)


def get_unique_variable(var_op_name: str) -> Any:
    """The one global variable of that operation's name.

    Raises:
      ValueError: If there is none, or more than one.
    """
    candidates = get_variables(scope=var_op_name)
    exact = [v for v in candidates if v.op.name == var_op_name]
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    if not exact:
        raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")
    return exact[0]


def filter_variables(
    var_list: Any,
    include_patterns: Any = None,
    exclude_patterns: Any = None,
    reg_search: bool = True,
) -> list[Any]:
    """The variables whose names, with the ":0" at the end, match.

    Args:
      var_list: Variables.
      include_patterns: Regular expressions of which one must match; None for all variables.
      exclude_patterns: Regular expressions of which none may match.
      reg_search: Whether they may match anywhere, or only from the start.

    Returns:
      The variables.
    """
    match = re.search if reg_search else re.match
    kept = [
        v
        for v in var_list
        if include_patterns is None or any(match(p, v.name) for p in include_patterns)
    ]
    return [v for v in kept if not any(match(p, v.name) for p in exclude_patterns or ())]


class VariableDeviceChooser:
    """A device function that deals variables to the tasks of a parameter-server job in turn."""

    def __init__(
        self,
        num_tasks: int = 0,
        job_name: str = "ps",
        device_type: str = "CPU",
        device_index: int = 0,
        replica: int | None = None,
    ) -> None:
        """Make a chooser.

        Args:
          num_tasks: How many tasks there are; 0 for one process.
          job_name: The job.
          device_type: "CPU" or "GPU".
          device_index: The number of the device.
          replica: The replica, if any.
        """
        self._num_tasks = num_tasks
        self._job_name = job_name
        self._device_type = device_type
        self._device_index = device_index
        self._replica = replica
        self._next = 0

    def __call__(self, op: Any) -> str:
        """The device for an operation."""
        parts = "" if self._replica is None else f"/replica:{self._replica}"
        if self._num_tasks > 0:
            parts = f"/job:{self._job_name}{parts}/task:{self._next}"
            self._next = (self._next + 1) % self._num_tasks
        return f"{parts}/device:{self._device_type}:{self._device_index}"
