"""``tf.contrib.layers``: layer, instance, group and unit normalization."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim._values import ONES, ZEROS
from migrate.tf1_shim.contrib.framework import add_arg_scope, model_variable
from migrate.tf1_shim.contrib.layers import utils
from migrate.tf1_shim.contrib.layers._common import finish

__all__ = ["group_norm", "instance_norm", "layer_norm", "unit_norm"]


def _parameter(
    name: str, wanted: bool, shape: Any, like: Any, start: Any, collections: Any, trainable: bool
) -> Any:
    if not wanted:
        return None
    return model_variable(
        name,
        shape=shape,
        dtype=like.dtype.base_dtype,
        initializer=start,
        collections=utils.get_variable_collections(collections, name),
        trainable=trainable,
    )


@add_arg_scope
def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Any:
    """Normalize every example over its own axes (arXiv:1607.06450), with an epsilon of 1e-12.

    Args:
      inputs: A tensor whose rank is known.
      center: Whether to add beta.
      scale: Whether to multiply by gamma.
      activation_fn: The activation; None for none.
      reuse: Whether to reuse the variables of the scope.
      variables_collections: Collections for the variables, by name or for all.
      outputs_collections: Collections for the output.
      trainable: Whether beta and gamma are trainable.
      begin_norm_axis: The first axis to normalize over; by default all but the batch.
      begin_params_axis: The first axis of beta and gamma; by default the last one only.
      scope: The variable scope; by default "LayerNorm", with a number.

    Returns:
      A tensor of the shape of ``inputs``.

    Raises:
      ValueError: If the rank or an axis of beta and gamma is unknown, or an axis is too large.
    """
    with tf.variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as sc:
        inputs = tf.convert_to_tensor(inputs)
        shape, rank = inputs.shape, inputs.shape.rank
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        begin = begin_norm_axis + rank if begin_norm_axis < 0 else begin_norm_axis
        if begin_params_axis >= rank or begin >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin}) must be "
                f"< rank(inputs) ({rank})"
            )
        param_shape = shape[begin_params_axis:]
        if not param_shape.is_fully_defined():
            raise ValueError(
                f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully "
                f"defined: {shape}"
            )
        options = (variables_collections, trainable)
        beta = _parameter("beta", center, param_shape, inputs, ZEROS, *options)
        gamma = _parameter("gamma", scale, param_shape, inputs, ONES, *options)
        mean, variance = tf.nn.moments(inputs, list(range(begin, rank)), keep_dims=True)
        epsilon = 1e-3 if inputs.dtype.base_dtype == tf.float16 else 1e-12
        outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(shape)
        return finish(outputs, sc.name, activation_fn, outputs_collections)


@add_arg_scope
def instance_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Normalize every channel of every example over its space (arXiv:1607.08022).

    Args:
      inputs: A tensor whose rank and channels are known.
      center: Whether to add beta.
      scale: Whether to multiply by gamma.
      epsilon: Added to the variance.
      activation_fn: The activation; None for none.
      param_initializers: For "beta" and "gamma".
      reuse: Whether to reuse the variables of the scope.
      variables_collections: Collections for the variables, by name or for all.
      outputs_collections: Collections for the output.
      trainable: Whether beta and gamma are trainable.
      data_format: "NHWC" or "NCHW".
      scope: The variable scope; by default "InstanceNorm", with a number.

    Returns:
      A tensor of the shape of ``inputs``.

    Raises:
      ValueError: If the data format, the rank or the channels are unknown.
    """
    inputs = tf.convert_to_tensor(inputs)
    shape, rank = inputs.shape, inputs.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(f"data_format must be NHWC or NCHW. Received: {data_format!r}")
    with tf.variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as sc:
        axis = 1 if data_format == "NCHW" else rank - 1
        axes = [i for i in range(rank) if i not in (0, axis)]
        channels = shape.as_list()[axis]
        if channels is None:
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension.")
        wide = [1] * rank
        wide[axis] = channels
        starts, options = param_initializers or {}, (variables_collections, trainable)
        beta = _parameter("beta", center, [channels], inputs, starts.get("beta", ZEROS), *options)
        gamma = _parameter("gamma", scale, [channels], inputs, starts.get("gamma", ONES), *options)
        if data_format == "NCHW":
            beta = None if beta is None else tf.reshape(beta, wide)
            gamma = None if gamma is None else tf.reshape(gamma, wide)
        mean, variance = tf.nn.moments(inputs, axes, keep_dims=True)
        outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(shape)
        return finish(outputs, sc.name, activation_fn, outputs_collections)


@add_arg_scope
def group_norm(
    inputs: Any,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Any = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    mean_close_to_zero: bool = False,
) -> Any:
    """Normalize every example over its space and groups of channels (arXiv:1803.08494).

    Args:
      inputs: A tensor whose channels are known.
      groups: How many groups; it must divide the channels.
      channels_axis: The channels' axis.
      reduction_axes: The axes to normalize over besides the group.
      center: Whether to add beta.
      scale: Whether to multiply by gamma.
      epsilon: Added to the variance.
      activation_fn: The activation; None for none.
      param_initializers: For "beta" and "gamma".
      reuse: Whether to reuse the variables of the scope.
      variables_collections: Collections for the variables, by name or for all.
      outputs_collections: Collections for the output.
      trainable: Whether beta and gamma are trainable.
      scope: The variable scope; by default "GroupNorm", with a number.
      mean_close_to_zero: Whether to take the variance as the mean of squares less the squared
        mean, which is faster and exact enough for a mean near zero.

    Returns:
      A tensor of the shape of ``inputs``.

    Raises:
      ValueError: If the rank or the channels are unknown, the groups do not divide the channels,
        or the axes overlap.
    """
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    axis = channels_axis + rank if channels_axis < 0 else channels_axis
    if axis >= rank:
        raise ValueError("Axis is out of bounds.")
    reduced = sorted(i + rank if i < 0 else i for i in reduction_axes)
    if any(i >= rank for i in reduced) or axis in reduced:
        raise ValueError("reduction_axes must be within the rank and exclude the channels' axis.")
    channels = inputs.shape.as_list()[axis]
    if channels is None:
        raise ValueError(f"Inputs {inputs.name} has undefined channel dimension.")
    if groups > channels or channels % groups:
        raise ValueError(f"Invalid groups {groups} for {channels} channels.")
    with tf.variable_scope(scope, "GroupNorm", [inputs], reuse=reuse) as sc:
        dynamic = tf.unstack(tf.shape(inputs))
        static = inputs.shape.as_list()
        sizes = [n if n is not None else dynamic[i] for i, n in enumerate(static)]
        split = [*sizes[:axis], groups, channels // groups, *sizes[axis + 1 :]]
        grouped = tf.reshape(inputs, split)
        axes = [i if i < axis else i + 1 for i in reduced] + [axis + 1]
        wide = [1] * (rank + 1)
        wide[axis : axis + 2] = [groups, channels // groups]
        starts, options = param_initializers or {}, (variables_collections, trainable)
        beta = _parameter("beta", center, [channels], inputs, starts.get("beta", ZEROS), *options)
        gamma = _parameter("gamma", scale, [channels], inputs, starts.get("gamma", ONES), *options)
        beta = None if beta is None else tf.reshape(beta, wide)
        gamma = None if gamma is None else tf.reshape(gamma, wide)
        if mean_close_to_zero:
            count, sums, squares, shift = tf.nn.sufficient_statistics(grouped, axes, keep_dims=True)
            mean, variance = tf.nn.normalize_moments(count, sums, squares, shift)
        else:
            mean, variance = tf.nn.moments(grouped, axes, keep_dims=True)
        gain = tf.rsqrt(variance + epsilon)
        offset = -mean * gain
        if gamma is not None:
            gain, offset = gain * gamma, offset * gamma
        if beta is not None:
            offset += beta
        outputs = tf.reshape(grouped * gain + offset, tf.shape(inputs))
        outputs.set_shape(inputs.shape)
        return finish(outputs, sc.name, activation_fn, outputs_collections)


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Any:
    """Divide by the Euclidean length along an axis.

    Args:
      inputs: A tensor whose rank is known.
      dim: The axis, not negative.
      epsilon: Added to the squared length.
      scope: The variable scope; by default "UnitNorm", with a number.

    Returns:
      A tensor of the shape of ``inputs``.

    Raises:
      ValueError: If the rank is unknown or the axis out of it.
    """
    with tf.variable_scope(scope, "UnitNorm", [inputs]):
        if inputs.shape.rank is None:
            raise ValueError("The input rank must be known.")
        rank = inputs.shape.rank
        if dim < 0 or dim >= rank:
            raise ValueError(
                f"dim must be one of 0 to {rank - 1}, for inputs of rank {rank}. Received: {dim}"
            )
        lengths = tf.sqrt(epsilon + tf.reduce_sum(tf.square(inputs), dim, True))
        return tf.div(inputs, lengths)
