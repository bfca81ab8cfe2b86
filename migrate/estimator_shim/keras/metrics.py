"""Metrics of Keras 3 as pairs (value, update_op), which sessions can run."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.keras._values import dimensions_as_numbers, empty, numpy_values, outside

#: Strings of ``compile(metrics=[...])`` whose metrics TF 1.15 called something else.
_NAMES = {
    "MAE": "mean_absolute_error",
    "MAPE": "mean_absolute_percentage_error",
    "MSE": "mean_squared_error",
    "MSLE": "mean_squared_logarithmic_error",
    "accuracy": "acc",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "mse": "mean_squared_error",
    "msle": "mean_squared_logarithmic_error",
}
_COLLECTIONS = [tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.METRIC_VARIABLES]


def is_keras_metric(value: Any) -> bool:
    """Whether it is a metric object of Keras, in place of a (value, update_op) pair."""
    return hasattr(value, "update_state") and hasattr(value, "result")


def adopt(metric: Any) -> list[Any]:
    """A metric object that a model_fn has updated in this graph: its variables become local.

    So they are no part of checkpoints, as in TF 1.15.

    Args:
      metric: A ``keras.metrics.Metric`` after ``update_state`` in the default graph.

    Returns:
      The operations that update it.

    Raises:
      ValueError: If it was not made and updated in this graph.
    """
    graph = tf.get_default_graph()
    held = [v.value for v in metric.variables]
    if not held or any(getattr(v, "graph", None) is not graph for v in held):
        raise ValueError(
            "A Keras metric must be made and updated inside of the model_fn, in its graph. "
            f"Received: {metric!r}"
        )
    updates = [
        op
        for variable in held
        for op in variable.handle.consumers()
        if op is not variable.initializer and op.type.startswith(("Assign", "ResourceScatter"))
    ]
    if not updates:
        raise ValueError(
            "A Keras metric must be updated (metric.update_state(labels, predictions)) in the "
            f"model_fn. Received: {metric!r}"
        )
    _make_local(held)
    return updates


def pair(metric: Any) -> tuple[Any, Any]:
    """What ``tf.compat.v1.metrics`` would return in place of a metric object.

    Args:
      metric: See `adopt`.

    Returns:
      ``(value, update_op)``.
    """
    updates = adopt(metric)
    with dimensions_as_numbers():
        return tf.convert_to_tensor(metric.result()), tf.group(*updates)


def pairs(found: dict[str, Any]) -> dict[str, Any]:
    """``eval_metric_ops`` with pairs in place of metric objects."""
    return {k: pair(v) if is_keras_metric(v) else v for k, v in found.items()}


def build(part: Any, y: Any, outputs: Any) -> None:
    """Builds the losses or metrics of a compiled model, outside of all graphs."""
    if part is not None and not part.built:
        makers = tf.nest.map_structure(lambda t: empty(t.dtype, t.shape.as_list()), (y, outputs))
        outside(lambda: part.build(*tf.nest.map_structure(lambda make: make(), makers)))


def zeros(part: Any) -> list[tuple[Any, Any]]:
    """Zero for the running means that Keras keeps of its losses: a graph has no use for them."""
    held = [v for metric in getattr(part, "metrics", None) or [] for v in metric.variables]
    return [(v, tf.zeros(v.shape, v.dtype)) for v in held]


def _make_local(variables: list[Any]) -> None:
    ours = {id(v) for v in variables}
    for name in (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES):
        collection = tf.get_collection_ref(name)
        collection[:] = [v for v in collection if id(v) not in ours]
    for name in _COLLECTIONS:
        have = {id(v) for v in tf.get_collection(name)}
        for variable in variables:
            if id(variable) not in have:
                tf.add_to_collection(name, variable)


def compiled(model: Any, y: Any, outputs: Any) -> dict[str, tuple[Any, Any]]:
    """The metrics that a model was compiled with.

    Args:
      model: The model.
      y: The labels.
      outputs: What the model computes for them.

    Returns:
      The metric's name in TF 1.15 -> ``(value, update_op)``.
    """
    import keras

    both = getattr(model, "_compile_metrics", None)
    if both is None:
        return {}
    build(both, y, outputs)
    weights = list(both.variables)
    local = []
    for i, (weight, value) in enumerate(zip(weights, numpy_values(weights), strict=True)):
        local.append(
            tf.get_variable(
                f"keras_metrics/{i}_{weight.name}",
                value.shape,
                tf.as_dtype(value.dtype),
                tf.constant_initializer(value),
                trainable=False,
                use_resource=True,
                collections=_COLLECTIONS,
            )
        )
    now = [(weight, variable.value()) for weight, variable in zip(weights, local, strict=True)]
    with keras.StatelessScope(now) as scope:
        both.update_state(y, outputs)
    updates = [
        variable.assign(scope.get_current_value(weight))
        for weight, variable in zip(weights, local, strict=True)
    ]
    read = [(weight, v.read_value()) for weight, v in zip(weights, local, strict=True)]
    with keras.StatelessScope(read):
        values = both.result()
    update = tf.group(*updates)
    return {_name(model, key): (tf.convert_to_tensor(v), update) for key, v in values.items()}


def _name(model: Any, key: str) -> str:
    """Without and with the name of an output before it."""
    for output in ["", *(f"{name}_" for name in getattr(model, "output_names", None) or [])]:
        if key.startswith(output) and key[len(output) :] in _NAMES:
            return output + _NAMES[key[len(output) :]]
    return key
