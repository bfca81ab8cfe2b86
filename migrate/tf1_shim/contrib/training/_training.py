"""``tf.contrib.training``: train operations, gradients and training loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "add_gradients_summaries",
    "clip_gradient_norms",
    "clip_gradient_norms_fn",
    "create_train_op",
    "multiply_gradients",
    "train",
]

_USE_GLOBAL_STEP = 0

Gradients = list[tuple[Any, Any]]


def _values(gradient: Any) -> Any:
    return gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient


def _with_values(gradient: Any, values: Any) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return values


def add_gradients_summaries(grads_and_vars: Gradients) -> list[Any]:
    """Summaries of gradients: a histogram and the norm of each.

    Args:
      grads_and_vars: (gradient, variable) pairs.

    Returns:
      The summaries.
    """
    summaries = []
    for gradient, variable in grads_and_vars:
        if gradient is None:
            tf.logging.info("Var %s has no gradient", variable.op.name)
            continue
        values = _values(gradient)
        name = variable.op.name
        summaries.append(tf.summary.histogram(name + "_gradient", values))
        summaries.append(tf.summary.scalar(name + "_gradient_norm", tf.global_norm([values])))
    return summaries


def clip_gradient_norms(gradients_to_variables: Gradients, max_norm: float) -> Gradients:
    """Clip every gradient to a norm of its own.

    Args:
      gradients_to_variables: (gradient, variable) pairs.
      max_norm: The largest norm.

    Returns:
      The pairs with clipped gradients.
    """
    return [
        (
            None if g is None else _with_values(g, tf.clip_by_norm(_values(g), max_norm)),
            variable,
        )
        for g, variable in gradients_to_variables
    ]


def clip_gradient_norms_fn(max_norm: float) -> Callable[[Gradients], Gradients]:
    """`clip_gradient_norms` as a function for ``transform_grads_fn``."""
    return lambda gradients: clip_gradient_norms(gradients, max_norm)


def multiply_gradients(grads_and_vars: Gradients, gradient_multipliers: Any) -> Gradients:
    """Multiply gradients.

    Args:
      grads_and_vars: (gradient, variable) pairs.
      gradient_multipliers: A variable, or its operation's name, -> a factor.

    Returns:
      The pairs.

    Raises:
      ValueError: If the factors are no dictionary or empty, or a variable has no gradient.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not isinstance(gradient_multipliers, dict) or not gradient_multipliers:
        raise ValueError("`gradient_multipliers` must be a dict that is not empty.")
    out = []
    for gradient, variable in grads_and_vars:
        keys = [k for k in gradient_multipliers if k is variable or k == variable.op.name]
        if keys:
            if gradient is None:
                raise ValueError("Requested multiple of `None` gradient.")
            values = _values(gradient)
            factor = tf.constant(gradient_multipliers[keys[0]], dtype=values.dtype)
            gradient = _with_values(gradient, values * factor)
        out.append((gradient, variable))
    return out


def create_train_op(
    total_loss: Any,
    optimizer: Any,
    global_step: Any = _USE_GLOBAL_STEP,
    update_ops: Any = None,
    variables_to_train: Any = None,
    transform_grads_fn: Callable[[Gradients], Gradients] | None = None,
    summarize_gradients: bool = False,
    gate_gradients: int = tf.train.Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> Any:
    """A tensor that makes a training step when it is evaluated, and gives the loss.

    Args:
      total_loss: The loss, a scalar.
      optimizer: An optimizer of ``tf.train``.
      global_step: The global step; by default that of the graph, made if need be. None for none.
      update_ops: What runs before the gradients; by default UPDATE_OPS.
      variables_to_train: By default the trainable variables.
      transform_grads_fn: From (gradient, variable) pairs to such pairs.
      summarize_gradients: Whether to add summaries of the gradients.
      gate_gradients: As for ``Optimizer.compute_gradients``.
      aggregation_method: As for ``Optimizer.compute_gradients``.
      colocate_gradients_with_ops: As for ``Optimizer.compute_gradients``.
      check_numerics: Whether to fail if the loss is no finite number.

    Returns:
      The loss after the step, also in the collection TRAIN_OP.
    """
    if global_step is _USE_GLOBAL_STEP:
        global_step = tf.train.get_or_create_global_step()
    known = set(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
    update_ops = known if update_ops is None else set(update_ops)
    if not known.issubset(update_ops):
        tf.logging.warning(
            "create_train_op: the collection UPDATE_OPS has operations that update_ops lacks, "
            "such as those of moving averages; they won't run"
        )
    if update_ops:
        with tf.control_dependencies(list(update_ops)):
            barrier = tf.no_op(name="update_barrier")
        with tf.control_dependencies([barrier]):
            total_loss = tf.identity(total_loss, name="control_dependency")
    if variables_to_train is None:
        variables_to_train = tf.trainable_variables()
    if not variables_to_train:
        raise ValueError("No variables to train.")
    gradients = optimizer.compute_gradients(
        total_loss,
        variables_to_train,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn:
        gradients = transform_grads_fn(gradients)
    if summarize_gradients:
        with tf.name_scope("summarize_grads"):
            add_gradients_summaries(gradients)
    updates = optimizer.apply_gradients(gradients, global_step=global_step)
    with tf.name_scope("train_op"):
        if check_numerics:
            total_loss = tf.check_numerics(total_loss, "LossTensor is inf or nan")
        with tf.control_dependencies([updates]):
            train_op = tf.identity(total_loss, name="control_dependency")
    ops = tf.get_collection_ref(tf.GraphKeys.TRAIN_OP)
    if all(train_op is not op for op in ops):
        ops.append(train_op)
    return train_op


def train(
    train_op: Any,
    logdir: str | None,
    master: str = "",
    is_chief: bool = True,
    scaffold: Any = None,
    hooks: Any = None,
    chief_only_hooks: Any = None,
    save_checkpoint_secs: int | None = 600,
    save_summaries_steps: int | None = 100,
    config: Any = None,
    max_wait_secs: int = 7200,
    run_metadata: Any = None,
) -> Any:
    """Run a train operation until a hook stops it.

    Args:
      train_op: What to run.
      logdir: The folder for checkpoints and summaries.
      master: The master to connect to.
      is_chief: Whether this is the chief.
      scaffold: A ``tf.train.Scaffold``.
      hooks: Hooks; one of them has to stop the training.
      chief_only_hooks: Further hooks of the chief.
      save_checkpoint_secs: How often to save.
      save_summaries_steps: How often to write summaries.
      config: A ``tf.ConfigProto``.
      max_wait_secs: How long to wait for a session.
      run_metadata: A ``tf.RunMetadata``.

    Returns:
      What the last run gave, or None.

    Raises:
      ValueError: If there is no ``logdir`` but a need for it.
    """
    if logdir is None and is_chief:
        if save_summaries_steps:
            raise ValueError("save_summaries_steps needs a logdir")
        if save_checkpoint_secs:
            raise ValueError("save_checkpoint_secs needs a logdir")
    with tf.train.MonitoredTrainingSession(
        master=master,
        is_chief=is_chief,
        checkpoint_dir=logdir,
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
        max_wait_secs=max_wait_secs,
    ) as session:
        loss = None
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss
