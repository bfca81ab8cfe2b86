"""``slim.learning``: train operations and the training loop of slim."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib import training
from migrate.tf1_shim.contrib.training import (
    add_gradients_summaries,
    clip_gradient_norms,
    multiply_gradients,
)

__all__ = [
    "add_gradients_summaries",
    "clip_gradient_norms",
    "create_train_op",
    "multiply_gradients",
    "train",
    "train_step",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.learning")

_USE_DEFAULT = 0


def create_train_op(
    total_loss: Any,
    optimizer: Any,
    global_step: Any = _USE_DEFAULT,
    update_ops: Any = None,
    variables_to_train: Any = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = tf.train.Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Any = None,
    check_numerics: bool = True,
) -> Any:
    """A tensor that makes a training step when it is evaluated, and gives the loss.

    Args:
      total_loss: The loss, a scalar.
      optimizer: An optimizer of ``tf.train``.
      global_step: The global step; by default that of the graph. None for none.
      update_ops: What runs before the gradients; by default UPDATE_OPS.
      variables_to_train: By default the trainable variables.
      clip_gradient_norm: The largest norm of a gradient; 0 for any.
      summarize_gradients: Whether to add summaries of the gradients.
      gate_gradients: As for ``Optimizer.compute_gradients``.
      aggregation_method: As for ``Optimizer.compute_gradients``.
      colocate_gradients_with_ops: As for ``Optimizer.compute_gradients``.
      gradient_multipliers: A variable, or its name, -> a factor.
      check_numerics: Whether to fail if the loss is no finite number.

    Returns:
      The loss after the step.
    """

    def transform(gradients: Any) -> Any:
        if gradient_multipliers:
            gradients = multiply_gradients(gradients, gradient_multipliers)
        if clip_gradient_norm > 0:
            gradients = clip_gradient_norms(gradients, clip_gradient_norm)
        return gradients

    return training.create_train_op(
        total_loss=total_loss,
        optimizer=optimizer,
        global_step=global_step,
        update_ops=update_ops,
        variables_to_train=variables_to_train,
        transform_grads_fn=transform,
        summarize_gradients=summarize_gradients,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
        check_numerics=check_numerics,
    )


def train_step(
    sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    """Make one step and log the loss if it is time.

    Args:
      sess: The session.
      train_op: The train operation.
      global_step: The global step.
      train_step_kwargs: "should_log" and "should_stop", tensors; "logdir" and
        "should_trace" are for traces.

    Returns:
      The loss, and whether to stop.
    """
    start = time.time()
    loss, step = sess.run([train_op, global_step])
    elapsed = time.time() - start
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        tf.logging.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, elapsed)
    stop = train_step_kwargs.get("should_stop")
    return loss, sess.run(stop) if stop is not None else False


def train(
    train_op: Any,
    logdir: str | None,
    train_step_fn: Callable[..., Any] = train_step,
    train_step_kwargs: Any = None,
    log_every_n_steps: int = 1,
    graph: Any = None,
    master: str = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    init_op: Any = None,
    init_feed_dict: Any = None,
    local_init_op: Any = None,
    init_fn: Callable[[Any], Any] | None = None,
    ready_op: Any = None,
    summary_op: Any = None,
    save_summaries_secs: float = 600,
    summary_writer: Any = None,
    startup_delay_steps: int = 0,
    saver: Any = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Callable[[Any], Any] | None = None,
    trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
) -> Any:
    """Train with a ``tf.train.Supervisor``: initialize, restore, step, save, summarize.

    Args:
      train_op: What `create_train_op` gave.
      logdir: The folder for checkpoints and summaries; None for neither.
      train_step_fn: What makes a step.
      train_step_kwargs: Its last argument; by default whether to log and to stop.
      log_every_n_steps: How often to log.
      graph: The graph.
      master: The master to connect to.
      is_chief: Whether this is the chief.
      global_step: The global step; by default that of the graph.
      number_of_steps: When to stop; None for never.
      init_op: What initializes; by default the global variables.
      init_feed_dict: What to feed then.
      local_init_op: What initializes the rest; by default local variables and tables.
      init_fn: A function of the session that runs after it.
      ready_op: What tells that all is initialized.
      summary_op: The summaries; by default all.
      save_summaries_secs: How often to write them.
      summary_writer: The writer; by default one for ``logdir``.
      startup_delay_steps: How many steps another replica waits for.
      saver: The saver; by default one for all variables.
      save_interval_secs: How often to save.
      sync_optimizer: Must be None: synchronized replicas are not supported here.
      session_config: A ``tf.ConfigProto``.
      session_wrapper: From a session to what stands for it.
      trace_every_n_steps: Must be None: traces are not supported here.
      ignore_live_threads: Whether threads may live on.

    Returns:
      The last loss.

    Raises:
      ValueError: If an argument is not supported, or does not fit.
    """
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if sync_optimizer is not None:
        raise ValueError(
            "slim.learning.train(sync_optimizer=…) is not supported; use "
            "tf.train.MonitoredTrainingSession with the optimizer's hooks."
        )
    if trace_every_n_steps is not None:
        raise ValueError(
            "slim.learning.train(trace_every_n_steps=…) is not supported; use "
            "tf.train.ProfilerHook or tf.profiler.experimental."
        )
    if logdir is None and (summary_op is not None or saver is not None):
        raise ValueError("Cannot provide summary_op or saver without logdir.")
    if is_chief is False and startup_delay_steps and global_step is None:
        global_step = tf.train.get_global_step(graph)
    graph = graph or tf.get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = tf.train.get_or_create_global_step()
        saver = saver or tf.train.Saver()
        with tf.name_scope("init_ops"):
            init_op = tf.global_variables_initializer() if init_op is None else init_op
            if ready_op is None:
                ready_op = tf.report_uninitialized_variables()
            if local_init_op is None:
                local_init_op = tf.group(tf.local_variables_initializer(), tf.tables_initializer())
        if summary_op is None:
            summary_op = tf.summary.merge_all()
        if train_step_kwargs is None:
            with tf.name_scope("train_step"):
                train_step_kwargs = {}
                if number_of_steps:
                    train_step_kwargs["should_stop"] = tf.greater_equal(
                        global_step, number_of_steps
                    )
                if log_every_n_steps > 0:
                    train_step_kwargs["should_log"] = tf.equal(
                        tf.math.floormod(global_step, log_every_n_steps), 0
                    )
        supervisor = tf.train.Supervisor(
            graph=graph,
            is_chief=is_chief,
            logdir=logdir,
            init_op=init_op,
            init_feed_dict=init_feed_dict,
            local_init_op=local_init_op,
            ready_op=ready_op,
            summary_op=None,
            summary_writer=(
                tf.train.Supervisor.USE_DEFAULT if summary_writer is None else summary_writer
            ),
            global_step=global_step,
            saver=saver,
            save_model_secs=save_interval_secs,
            save_summaries_secs=save_summaries_secs,
            init_fn=init_fn,
        )
    loss = None
    with supervisor.managed_session(
        master, start_standard_services=False, config=session_config
    ) as session:
        if session_wrapper is not None:
            session = session_wrapper(session)
        if is_chief and logdir:
            supervisor.start_standard_services(session)
            if summary_op is not None and save_summaries_secs:
                supervisor.loop(
                    save_summaries_secs,
                    _summarize,
                    args=(supervisor, session, summary_op),
                )
        elif startup_delay_steps > 0:
            target = min(startup_delay_steps, number_of_steps or startup_delay_steps)
            while session.run(global_step) < target and not supervisor.should_stop():
                time.sleep(1)
        supervisor.start_queue_runners(session)
        try:
            while not supervisor.should_stop():
                loss, stop = train_step_fn(session, train_op, global_step, train_step_kwargs)
                if stop:
                    tf.logging.info("Stopping Training.")
                    supervisor.request_stop()
                    break
        except tf.errors.OutOfRangeError as error:
            tf.logging.info("Caught OutOfRangeError. Stopping Training. %s", error)
        if logdir and supervisor.is_chief:
            tf.logging.info("Finished training! Saving model to disk.")
            supervisor.saver.save(session, supervisor.save_path, global_step=supervisor.global_step)
            supervisor.stop(
                threads=[],
                close_summary_writer=True,
                ignore_live_threads=ignore_live_threads,
            )
    return loss


def _summarize(supervisor: Any, session: Any, summary_op: Any) -> None:
    text, step = session.run([summary_op, supervisor.global_step])
    if supervisor.summary_writer:
        supervisor.summary_writer.add_summary(text, step)
