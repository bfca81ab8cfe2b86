"""``tf.contrib.layers.batch_norm``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import layers as core
from migrate.tf1_shim._values import ONES, ZEROS, constant
from migrate.tf1_shim.contrib.framework import add_arg_scope, model_variable
from migrate.tf1_shim.contrib.layers import utils
from migrate.tf1_shim.contrib.layers._common import add_to_collections, finish, getter

__all__ = ["batch_norm", "moving_average"]


def _zero_debiased(variable: Any, value: Any, decay: Any) -> Any:
    """How far a moving average is from its unbiased value, with the shadow variables of TF1."""
    with tf.variable_scope(variable.op.name, values=[variable, value, decay]) as scope:
        shape, zeros = variable.shape, tf.zeros_initializer()
        biased = tf.get_variable("biased", shape=shape, initializer=zeros, trainable=False)
        step = tf.get_variable(
            "local_step", shape=[], dtype=variable.dtype, initializer=zeros, trainable=False
        )
        moved = tf.assign_sub(biased, (biased - value) * decay, name=scope.name)
        counted = tf.assign_add(step, 1.0)
        with tf.control_dependencies([moved, counted]):
            return variable - biased.read_value() / (1 - tf.pow(1.0 - decay, step.read_value()))


def moving_average(variable: Any, value: Any, decay: Any, zero_debias: bool = False) -> Any:
    """Move a variable towards a value: ``variable -= (variable - value) * (1 - decay)``.

    Args:
      variable: The moving average.
      value: The new value.
      decay: The weight of the old one.
      zero_debias: Whether to correct for a start at zero, with two more variables.

    Returns:
      The variable's new value.
    """
    named = tf.name_scope(None, "AssignMovingAvg", [variable, value, decay])
    with named as scope, tf.colocate_with(variable):
        rest = tf.convert_to_tensor(1.0 - decay, name="decay")
        rest = tf.cast(rest, variable.dtype.base_dtype)
        delta = _zero_debiased(variable, value, rest) if zero_debias else None
        delta = (variable - value) * rest if delta is None else delta
        return tf.assign_sub(variable, delta, name=scope)


def _variables(
    shape: Any,
    center: bool,
    scale: bool,
    initializers: dict[str, Any],
    regularizers: dict[str, Any],
    variables_collections: Any,
    trainable: bool,
) -> tuple[Any, Any, Any, Any]:
    """beta, gamma (None where there is none), moving mean and moving variance."""

    def make(name: str, start: Any, learned: bool) -> Any:
        return model_variable(
            name,
            shape=shape,
            dtype=tf.float32,
            initializer=initializers.get(name, start),
            regularizer=regularizers.get(name) if learned else None,
            collections=utils.get_variable_collections(variables_collections, name),
            trainable=trainable if learned else False,
        )

    beta = make("beta", ZEROS, True) if center else None
    gamma = make("gamma", ONES, True) if scale else None
    with tf.variable_scope(tf.get_variable_scope()) as scope:
        # The moving moments are never partitioned.
        scope.set_partitioner(None)
        mean = make("moving_mean", ZEROS, False)
        variance = make("moving_variance", ONES, False)
    return beta, gamma, mean, variance


def _updated(
    is_training: Any,
    collections: Any,
    update: Callable[[], tuple[Any, Any]],
    moments: tuple[Any, ...],
    otherwise: tuple[Any, ...],
) -> Any:
    """Add the updates to the collections, or put them before the moments if there are none."""
    if collections is not None:
        fallback = otherwise if len(otherwise) == 2 else None
        means = utils.smart_cond(is_training, update, (lambda: fallback) if fallback else update)
        for value in means:
            tf.add_to_collections(collections, value)
        return None

    def forced() -> Any:
        with tf.control_dependencies(list(update())):
            return tuple(tf.identity(moment) for moment in moments)

    return utils.smart_cond(is_training, forced, lambda: otherwise)


@add_arg_scope
def batch_norm(
    inputs: Any,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Any = None,
    param_initializers: Any = None,
    param_regularizers: Any = None,
    updates_collections: Any = tf.GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_decay: float = 0.99,
    adjustment: Any = None,
) -> Any:
    """Normalize over the batch; the moving moments are updated by operations in UPDATE_OPS.

    Inputs of rank two and four take the fused kernel, whose moving variance is the unbiased one.
    With ``updates_collections=None`` the updates run with the outputs.

    Args:
      inputs: A tensor of rank two or more whose channels are known.
      decay: The weight of the old moving value. The default is slow: use 0.9 for short trainings.
      center: Whether to add beta.
      scale: Whether to multiply by gamma, which the next linear layer can do as well.
      epsilon: Added to the variance.
      activation_fn: The activation; None for none.
      param_initializers: For "beta", "gamma", "moving_mean" and "moving_variance".
      param_regularizers: For "beta" and "gamma".
      updates_collections: Where the updates go; None to run them with the outputs.
      is_training: A bool or a bool tensor: whether to use the batch's moments.
      reuse: Whether to reuse the variables of the scope.
      variables_collections: Collections for the variables, by name or for all.
      outputs_collections: Collections for the output.
      trainable: Whether beta and gamma are trainable.
      batch_weights: A weight for each example in the moments.
      fused: Whether to use the fused kernel; None for "where it can".
      data_format: "NHWC" or "NCHW".
      zero_debias_moving_mean: Whether to correct the moving mean for its start at zero.
      scope: The variable scope; by default "BatchNorm", with a number.
      renorm: Whether to renormalize towards the moving moments.
      renorm_clipping: Limits "rmax", "rmin" and "dmax" of that.
      renorm_decay: The weight of the old value in the moments used for that.
      adjustment: See ``tf1_shim.layers.batch_normalization``.

    Returns:
      A tensor of the shape of ``inputs``.

    Raises:
      ValueError: If the data format is unknown, the rank or the channels are not known, or
        ``batch_weights`` come with ``renorm``, ``adjustment`` or the fused kernel.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(f"data_format must be NHWC or NCHW. Received: {data_format!r}")
    special = {"batch_weights": batch_weights, "renorm": renorm or None, "adjustment": adjustment}
    if fused and (batch_weights is not None or renorm):
        raise ValueError("Fused batch norm supports neither batch_weights nor renorm.")
    if renorm and batch_weights is not None:
        raise ValueError("batch_weights is not supported with renorm.")
    if renorm and zero_debias_moving_mean:
        raise ValueError("zero_debias_moving_mean is not supported with renorm.")
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    fused = True if fused is None else fused
    to_update_ops = updates_collections == tf.GraphKeys.UPDATE_OPS
    initializers, regularizers = param_initializers or {}, param_regularizers or {}
    fusable = rank in (2, 4) and all(value is None for value in special.values())
    by_hand = zero_debias_moving_mean or not to_update_ops
    fused_rows = fused and fusable and (by_hand or rank == 2)
    core_class = not fused_rows and batch_weights is None and not by_hand
    # TF1's fused way by hand had no getter, so its shadow variables are no model variables.
    custom = None if fused_rows else getter()
    with tf.variable_scope(scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=custom) as sc:
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        if core_class:
            layer = core.BatchNormalization(
                axis=1 if data_format == "NCHW" else -1,
                momentum=decay,
                epsilon=epsilon,
                center=center,
                scale=scale,
                beta_initializer=initializers.get("beta", ZEROS),
                gamma_initializer=initializers.get("gamma", ONES),
                moving_mean_initializer=initializers.get("moving_mean", ZEROS),
                moving_variance_initializer=initializers.get("moving_variance", ONES),
                beta_regularizer=regularizers.get("beta"),
                gamma_regularizer=regularizers.get("gamma"),
                trainable=trainable,
                renorm=renorm,
                renorm_clipping=renorm_clipping,
                renorm_momentum=renorm_decay,
                adjustment=adjustment,
                name=sc.name,
                dtype=inputs.dtype.base_dtype,
                _scope=sc,
                _reuse=reuse,
                fused=fused,
            )
            outputs = layer.apply(inputs, training=is_training)
            for name in ("moving_mean", "moving_variance", "beta", "gamma"):
                if getattr(layer, name) is not None:
                    add_to_collections(getattr(layer, name), variables_collections, name)
            return finish(outputs, sc.name, activation_fn, outputs_collections)
        if adjustment is not None or renorm:
            raise ValueError("renorm and adjustment need updates_collections=UPDATE_OPS.")
        first = data_format == "NCHW"
        channels = inputs.shape.as_list()[1 if first else -1]
        if channels is None:
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension.")
        made = _variables(
            [channels],
            center,
            scale,
            initializers,
            regularizers,
            variables_collections,
            trainable,
        )

        def update(mean: Any, variance: Any) -> tuple[Any, Any]:
            return (
                moving_average(made[2], mean, decay, zero_debias_moving_mean),
                moving_average(made[3], variance, decay),
            )

        options = (epsilon, is_training, updates_collections, first, batch_weights)
        way = _fused if fused_rows else _unfused
        outputs = way(inputs, made, update, *options)
        outputs.set_shape(inputs.shape)
        return finish(outputs, sc.name, activation_fn, outputs_collections)


def _fused(
    inputs: Any,
    variables: tuple[Any, ...],
    update: Callable[[Any, Any], tuple[Any, Any]],
    epsilon: float,
    is_training: Any,
    collections: Any,
    first: bool,
    batch_weights: Any,
) -> Any:
    """The fused kernel, for images and for rows."""
    beta, gamma, moving_mean, moving_variance = variables
    images, data_format = inputs, "NCHW" if first else "NHWC"
    channels = moving_mean.shape.as_list()
    if inputs.shape.rank == 2:
        wide = [-1, *channels, 1, 1] if first else [-1, 1, 1, *channels]
        images = tf.reshape(inputs, wide)
    beta = tf.constant(0.0, shape=channels) if beta is None else beta
    gamma = tf.constant(1.0, shape=channels) if gamma is None else gamma

    def train() -> Any:
        return tf.nn.fused_batch_norm(images, gamma, beta, epsilon=epsilon, data_format=data_format)

    def infer() -> Any:
        return tf.nn.fused_batch_norm(
            images,
            gamma,
            beta,
            mean=moving_mean,
            variance=moving_variance,
            epsilon=epsilon,
            is_training=False,
            data_format=data_format,
        )

    outputs, mean, variance = utils.smart_cond(is_training, train, infer)
    if constant(is_training) is not False:
        moved = _updated(
            is_training,
            collections,
            lambda: update(mean, variance),
            (outputs,),
            (outputs,) if collections is None else (moving_mean, moving_variance),
        )
        if moved is not None:
            outputs = moved[0] if isinstance(moved, (list, tuple)) else moved
    return tf.reshape(outputs, tf.shape(inputs)) if inputs.shape.rank == 2 else outputs


def _unfused(
    inputs: Any,
    variables: tuple[Any, ...],
    update: Callable[[Any, Any], tuple[Any, Any]],
    epsilon: float,
    is_training: Any,
    collections: Any,
    first: bool,
    batch_weights: Any,
) -> Any:
    """Moments and normalization one by one: weights, other ranks, other collections."""
    beta, gamma, *moving = variables
    rank = inputs.shape.rank
    axes = [0, *range(2, rank)] if first else list(range(rank - 1))
    mean, variance = moving
    if constant(is_training) is not False:
        if batch_weights is None:
            mean, variance = tf.nn.moments(inputs, axes)
        else:
            weights = tf.convert_to_tensor(batch_weights)
            inputs.shape[0:1].assert_is_compatible_with(weights.shape)
            weights = tf.reshape(weights, [-1] + [1] * (rank - 1))
            mean, variance = tf.nn.weighted_moments(inputs, axes, weights)
        batch = (mean, variance)
        otherwise = tuple(tf.convert_to_tensor(moment) for moment in moving)
        moved = _updated(is_training, collections, lambda: update(*batch), batch, otherwise)
        if moved is None:
            moved = utils.smart_cond(is_training, lambda: batch, lambda: otherwise)
        mean, variance = moved
    if first:
        wide = [1, -1] + [1] * (rank - 2)
        mean, variance = tf.reshape(mean, wide), tf.reshape(variance, wide)
        beta = None if beta is None else tf.reshape(beta, wide)
        gamma = None if gamma is None else tf.reshape(gamma, wide)
    return tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
