"""`train_and_evaluate`: training and evaluation in turns, alone or as one task of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _coordinate, _executor, util
from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.exporter import Exporter

__all__ = ["EvalSpec", "TrainSpec", "train_and_evaluate"]


def _check_input_fn(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError(f"input_fn must be a function. Received: {input_fn!r}")


def _checked_hooks(hooks: Iterable[Any] | None) -> tuple[Any, ...]:
    return tuple(util.check_hooks(hooks))


def _checked_exporters(exporters: Any) -> tuple[Exporter, ...]:
    """The exporters as a tuple, with different names."""
    if not exporters:
        return ()
    if isinstance(exporters, Exporter):
        exporters = [exporters]
    names: set[str] = set()
    for exporter in exporters:
        if not isinstance(exporter, Exporter):
            raise TypeError(f"exporters must be Exporter objects. Received: {exporter!r}")
        name = exporter.name
        if not isinstance(name, str):
            raise ValueError(f"An exporter's name must be a string. Received: {name!r}")
        if not name:
            raise ValueError(f"An exporter's name must not be empty. Received: {exporter!r}")
        if name in names:
            raise ValueError(f"Exporters must have different names. Received: {name!r} twice")
        names.add(name)
    return tuple(exporters)


class _TrainSpec(NamedTuple):
    input_fn: Any
    max_steps: Any
    hooks: Any


class TrainSpec(_TrainSpec):
    """The training of `train_and_evaluate`.

    * ``input_fn``: the data;
    * ``max_steps``: the global step to train to; None until the input ends;
    * ``hooks``: more hooks of training.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        max_steps: int | None = None,
        hooks: Iterable[Any] | None = None,
    ) -> TrainSpec:
        """Checks the arguments.

        Args:
          input_fn: See above.
          max_steps: See above.
          hooks: See above.

        Returns:
          The spec.

        Raises:
          TypeError: If input_fn is not callable, or a hook is none.
          ValueError: If max_steps is not positive.
        """
        _check_input_fn(input_fn)
        if max_steps is not None and max_steps <= 0:
            raise ValueError(f"TrainSpec: max_steps must be positive. Received: {max_steps}")
        return super().__new__(cls, input_fn, max_steps, _checked_hooks(hooks))


class _EvalSpec(NamedTuple):
    input_fn: Any
    steps: Any
    name: Any
    hooks: Any
    exporters: Any
    start_delay_secs: Any
    throttle_secs: Any


class EvalSpec(_EvalSpec):
    """The evaluations of `train_and_evaluate`, and what is exported after them.

    * ``input_fn``, ``steps``, ``name``, ``hooks``: as for `Estimator.evaluate`;
    * ``exporters``: an `Exporter` or several, called after each evaluation;
    * ``start_delay_secs``: how long a separate evaluator waits at first;
    * ``throttle_secs``: the least time between evaluations.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        steps: int | None = 100,
        name: str | None = None,
        hooks: Iterable[Any] | None = None,
        exporters: Any = None,
        start_delay_secs: int = 120,
        throttle_secs: int = 600,
    ) -> EvalSpec:
        """Checks the arguments.

        Args:
          input_fn: See above.
          steps: See above; None for all of the input.
          name: See above.
          hooks: See above.
          exporters: See above.
          start_delay_secs: See above.
          throttle_secs: See above.

        Returns:
          The spec.

        Raises:
          TypeError: If an argument has a wrong type.
          ValueError: If a number is out of range, or two exporters have one name.
        """
        _check_input_fn(input_fn)
        if steps is not None and steps <= 0:
            raise ValueError(f"EvalSpec: steps must be positive. Received: {steps}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"EvalSpec: name must be a string. Received: {name!r}")
        for what, secs in (
            ("start_delay_secs", start_delay_secs),
            ("throttle_secs", throttle_secs),
        ):
            if secs < 0:
                raise ValueError(f"EvalSpec: {what} must not be negative. Received: {secs}")
        return super().__new__(
            cls,
            input_fn,
            steps,
            name,
            _checked_hooks(hooks),
            _checked_exporters(exporters),
            start_delay_secs,
            throttle_secs,
        )


def train_and_evaluate(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> Any:
    """Trains, and evaluates and exports checkpoints as they come.

    Alone (without a cluster in TF_CONFIG) training stops for an evaluation after a checkpoint, at
    most every ``throttle_secs``, and once more at the end. In a cluster this process plays the part
    that TF_CONFIG gives it: chief and workers train, parameter servers serve, the evaluator
    evaluates.

    Args:
      estimator: The `Estimator`.
      train_spec: A `TrainSpec`.
      eval_spec: An `EvalSpec`.

    Returns:
      Alone: the metrics of the last evaluation and the list of what its exporters returned. In a
      cluster None.

    Raises:
      TypeError: If an argument has a wrong type.
      ValueError: If TF_CONFIG gives this process a part that is not known.
    """
    for what, value, kind in (
        ("estimator", estimator, Estimator),
        ("train_spec", train_spec, TrainSpec),
        ("eval_spec", eval_spec, EvalSpec),
    ):
        if not isinstance(value, kind):
            raise TypeError(
                f"{what} must be of type {kind.__name__}. Received: {value!r} of type "
                f"{type(value).__name__}"
            )
    if estimator.config._cluster.coordinated:
        _coordinate.run(
            estimator,
            train_spec,
            eval_spec,
            lambda mine: _executor.Executor(mine, train_spec, eval_spec).run_evaluator(),
        )
        return None
    if estimator.config.task_type == "evaluator" and estimator.config.task_id > 0:
        raise ValueError(
            "A cluster has one evaluator, of index 0. "
            f"Received: TF_CONFIG with the evaluator {estimator.config.task_id}"
        )
    executor = _executor.Executor(estimator, train_spec, eval_spec)
    tf.logging.info("train_and_evaluate as %s.", estimator.config.task_type)
    return executor.run()
