"""``tf.contrib.layers.optimize_loss``."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "OPTIMIZER_CLS_NAMES",
    "OPTIMIZER_SUMMARIES",
    "optimize_loss",
]

OPTIMIZER_CLS_NAMES = {
    "Adagrad": tf.train.AdagradOptimizer,
    "Adam": tf.train.AdamOptimizer,
    "Ftrl": tf.train.FtrlOptimizer,
    "Momentum": lambda learning_rate: tf.train.MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": tf.train.RMSPropOptimizer,
    "SGD": tf.train.GradientDescentOptimizer,
}

OPTIMIZER_SUMMARIES = [
    "learning_rate",
    "loss",
    "gradients",
    "gradient_norm",
    "global_gradient_norm",
]


def _optimizer(optimizer: Any, rate: Any) -> Any:
    """The optimizer for a name, a class, an instance or a function."""
    if isinstance(optimizer, str):
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(
                f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you "
                f"provided {optimizer}."
            )
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    if isinstance(optimizer, type) and issubclass(optimizer, tf.train.Optimizer):
        if rate is None:
            raise ValueError(f"Learning rate is None for optimizer of class {optimizer}.")
        return optimizer(learning_rate=rate)
    if isinstance(optimizer, tf.train.Optimizer):
        return optimizer
    if callable(optimizer):
        made = optimizer(rate) if rate is not None else optimizer()
        if not isinstance(made, tf.train.Optimizer):
            raise ValueError(
                f"Unrecognized optimizer: function should return Optimizer. Got {made}."
            )
        return made
    raise ValueError(
        "optimizer must be a name, a class or an object of tf.train.Optimizer, or a function of "
        f"the learning rate. Received: {optimizer!r}"
    )


def _scaled(gradient: Any, factor: Any) -> Any:
    """A gradient times a number; sparse ones stay sparse."""
    if isinstance(gradient, tf.IndexedSlices):
        values = gradient.values * factor
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return gradient * factor


def _noisy(gradients: Any, scale: Any) -> Any:
    def noisy(gradient: Any) -> Any:
        if gradient is None:
            return None
        sparse = isinstance(gradient, tf.IndexedSlices)
        shape = gradient.dense_shape if sparse else gradient.shape
        return gradient + tf.truncated_normal(shape) * scale

    return [(noisy(gradient), variable) for gradient, variable in gradients]


def _multiplied(gradients: Any, multipliers: dict[Any, Any]) -> Any:
    out = []
    for gradient, variable in gradients:
        key = variable if any(variable is k for k in multipliers) else variable.name
        if gradient is not None and (key is variable or key in multipliers):
            factor = next(v for k, v in multipliers.items() if k is key or k == key)
            gradient = _scaled(gradient, tf.cast(factor, gradient.dtype))
        out.append((gradient, variable))
    return out


def optimize_loss(
    loss: Any,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    gradient_noise_scale: Any = None,
    gradient_multipliers: dict[Any, Any] | None = None,
    clip_gradients: Any = None,
    learning_rate_decay_fn: Any = None,
    update_ops: Any = None,
    variables: Any = None,
    name: str | None = None,
    summaries: Any = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Any:
    """A train operation whose result is the loss after the step's updates were asked for.

    Example::

        train_op = optimize_loss(loss, tf.train.get_global_step(), 0.01, "Adam", clip_gradients=5.0)

    Args:
      loss: A scalar.
      global_step: The global step; None for that of the graph.
      learning_rate: A number, a scalar tensor or None if the optimizer has one.
      optimizer: One of the names in `OPTIMIZER_CLS_NAMES`, a class, an instance, or a function of
        the learning rate.
      gradient_noise_scale: The deviation of noise added to the gradients.
      gradient_multipliers: A variable or its name -> a factor for its gradient.
      clip_gradients: The largest global norm, or a function of (gradient, variable) pairs.
      learning_rate_decay_fn: From (learning rate, global step) to the learning rate.
      update_ops: What runs before the gradients; by default UPDATE_OPS.
      variables: What to train; by default the trainable variables.
      name: The scope; by default "OptimizeLoss".
      summaries: What to summarize, of `OPTIMIZER_SUMMARIES`; by default "learning_rate" (if
        it decays), "loss" and "global_gradient_norm".
      colocate_gradients_with_ops: As for ``Optimizer.compute_gradients``.
      increment_global_step: Whether the step counts.

    Returns:
      The loss, once the step is made.

    Raises:
      ValueError: If there are no gradients, or an argument is none of the above.
    """
    loss = tf.convert_to_tensor(loss)
    if loss.shape.rank not in (0, None):
        raise ValueError(f"The loss must be a scalar. Received: {loss}")
    if global_step is None:
        global_step = tf.train.get_global_step()
    else:
        tf.train.assert_global_step(global_step)
    with tf.variable_scope(name, "OptimizeLoss", [loss, global_step]):
        if update_ops is None:
            update_ops = set(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        if update_ops:
            with tf.control_dependencies(list(update_ops)):
                loss = tf.identity(loss, name="control_dependency")
        rate = learning_rate
        if rate is not None:
            if isinstance(rate, float):
                if rate < 0.0:
                    raise ValueError(f"Invalid learning_rate {rate}.")
                rate = tf.get_variable(
                    "learning_rate",
                    [],
                    trainable=False,
                    initializer=tf.constant_initializer(rate),
                )
            elif not tf.is_tensor(rate) or rate.shape.rank != 0:
                raise ValueError(
                    f"learning_rate must be a float or a scalar tensor. Received: {rate!r}"
                )
        if summaries is None:
            summaries = ["loss", "learning_rate", "global_gradient_norm"]
        elif any(summary not in OPTIMIZER_SUMMARIES for summary in summaries):
            raise ValueError(
                f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}]: {summaries}"
            )
        if rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, global_step)
            if "learning_rate" in summaries:  # as in TF1: of a rate that decays
                tf.summary.scalar("learning_rate", rate)
        opt = _optimizer(optimizer, rate)
        gradients = opt.compute_gradients(
            loss,
            tf.trainable_variables() if variables is None else variables,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gradient_noise_scale is not None:
            gradients = _noisy(gradients, gradient_noise_scale)
        if gradient_multipliers is not None:
            gradients = _multiplied(gradients, gradient_multipliers)
            if not gradients:
                raise ValueError(
                    "No gradient is left: gradient_multipliers, or the loss, reach no variable."
                )
        if "global_gradient_norm" in summaries or "gradient_norm" in summaries:
            norm = tf.global_norm([gradient for gradient, _ in gradients])
            tf.summary.scalar("global_norm/gradient_norm", norm)
        if isinstance(clip_gradients, float):
            clipped, _ = tf.clip_by_global_norm([g for g, _ in gradients], clip_gradients)
            gradients = list(zip(clipped, [v for _, v in gradients], strict=True))
        elif callable(clip_gradients):
            gradients = clip_gradients(gradients)
        elif clip_gradients is not None:
            raise ValueError(f"Unknown type {type(clip_gradients)} for clip_gradients")
        if "loss" in summaries:
            tf.summary.scalar("loss", loss)
        for gradient, variable in gradients:
            values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
            if values is None:
                continue
            tag = variable.name.replace(":", "_")
            if "gradients" in summaries:
                tf.summary.histogram(f"gradients/{tag}", values)
            if "gradient_norm" in summaries:
                tf.summary.scalar(f"gradient_norm/{tag}", tf.global_norm([values]))
        if clip_gradients is not None and (
            "global_gradient_norm" in summaries or "gradient_norm" in summaries
        ):
            tf.summary.scalar(
                "global_norm/clipped_gradient_norm", tf.global_norm([g for g, _ in gradients])
            )
        step = opt.apply_gradients(
            gradients,
            global_step=global_step if increment_global_step else None,
            name="train",
        )
        with tf.control_dependencies([step]):
            return tf.identity(loss, name="control_dependency")
