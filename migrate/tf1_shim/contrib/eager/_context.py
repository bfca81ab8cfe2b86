"""Devices, execution modes, functions and iterators."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from collections.abc import Iterator as Iterable
from typing import Any

import tensorflow
import tensorflow.compat.v1 as tf

#: Execution modes: wait for each operation, or run ahead.
SYNC = 0
ASYNC = 1

#: What happens to an input on another device: an error, a copy with a warning, a copy.
DEVICE_PLACEMENT_EXPLICIT = 0
DEVICE_PLACEMENT_WARN = 1
DEVICE_PLACEMENT_SILENT = 2


def list_devices() -> list[str]:
    """The names of the devices that operations can be placed on."""
    return [device.name for device in tf.config.list_logical_devices()]


def num_gpus() -> int:
    """How many GPUs there are."""
    return len(tf.config.list_logical_devices("GPU"))


def set_execution_mode(mode: int | None) -> None:
    """Choose between waiting for each operation and running ahead.

    Args:
      mode: `SYNC`, `ASYNC`, or None for `SYNC`.

    Raises:
      ValueError: If it is none of them.
    """
    if mode not in (None, SYNC, ASYNC):
        raise ValueError(f"mode must be None, SYNC or ASYNC. Received: {mode!r}")
    tf.config.experimental.set_synchronous_execution(mode != ASYNC)


@contextlib.contextmanager
def execution_mode(mode: int | None) -> Iterable[None]:
    """`set_execution_mode` within a block; what was before comes back."""
    before = tf.config.experimental.get_synchronous_execution()
    set_execution_mode(mode)
    try:
        yield
    finally:
        tf.config.experimental.set_synchronous_execution(before)


def async_wait() -> None:
    """Wait until all operations that were started have run."""
    tensorflow.test.experimental.sync_devices()


def run(main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> None:
    """Enable eager execution and run the program: see ``tf.app.run``."""
    tf.enable_eager_execution()
    tf.app.run(main, argv)


def defun(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    experimental_autograph_options: Any = None,
    experimental_relax_shapes: bool = False,
) -> Any:
    """Make of a Python function one that runs as a graph: ``tf.function``.

    Unlike TF1's ``defun``, variables can only be made by the first call.

    Args:
      func: The function; None to get a decorator.
      input_signature: The shapes and types of the arguments; None to trace for each.
      autograph: Whether ``if`` and ``while`` on tensors are converted.
      experimental_autograph_options: ``tf.autograph.experimental.Feature``, one or several.
      experimental_relax_shapes: Whether to trace for more general shapes.

    Returns:
      The function.
    """
    if func is None:
        return functools.partial(
            defun,
            input_signature=input_signature,
            autograph=autograph,
            experimental_autograph_options=experimental_autograph_options,
            experimental_relax_shapes=experimental_relax_shapes,
        )
    return tf.function(
        func,
        input_signature=input_signature,
        autograph=autograph,
        experimental_autograph_options=experimental_autograph_options,
        reduce_retracing=experimental_relax_shapes,
    )


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    create_graph_function_: bool = False,
    **kwargs: Any,
) -> Any:
    """``tf.make_template``: a function whose variables are made once.

    Args:
      name_: The variable scope.
      func_: The function.
      create_scope_now_: Whether the scope is opened at once and not by the first call.
      unique_name_: The scope's name if it must not be made unique; not while executing eagerly.
      custom_getter_: A custom getter for the variables.
      create_graph_function_: Whether to run the function as a graph.
      **kwargs: Arguments of the function that are the same in all calls.

    Returns:
      The function.
    """
    return tf.make_template(
        name_,
        defun(func_) if create_graph_function_ else func_,
        create_scope_now_=create_scope_now_,
        unique_name_=unique_name_,
        custom_getter_=custom_getter_,
        **kwargs,
    )


def py_func(
    func: Callable[..., Any],
    inp: Sequence[Any],
    Tout: Any,  # noqa: N803
    name: str | None = None,
) -> Any:
    """Call a Python function that computes eagerly: ``tf.py_function``.

    Args:
      func: A function of eager tensors, differentiable if its operations are.
      inp: The tensors that it gets.
      Tout: The types of what it returns, a list or one.
      name: The operation's name.

    Returns:
      What it returns, as tensors.
    """
    return tf.py_function(func, inp, Tout, name=name)


class Iterator(tensorflow.__internal__.tracking.AutoTrackable):
    """Goes through a ``tf.data.Dataset`` in eager execution.

    It can be part of a ``tf.train.Checkpoint``, which saves how far it is.
    """

    def __init__(self, dataset: Any) -> None:
        """Begin at the beginning of a dataset.

        Raises:
          RuntimeError: If TensorFlow does not execute eagerly.
        """
        if not tf.executing_eagerly():
            raise RuntimeError(
                "tfe.Iterator needs eager execution: use tf.data.make_one_shot_iterator(dataset)"
            )
        self._iterator = iter(dataset)
        self._dataset = dataset

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        return next(self._iterator)

    def next(self) -> Any:
        """The next element; raises `StopIteration` at the end."""
        return next(self._iterator)

    def get_next(self, name: str | None = None) -> Any:
        """The next element; raises ``tf.errors.OutOfRangeError`` at the end.

        Args:
          name: As in TF1, without effect: nothing is added to a graph.
        """
        return self._iterator.get_next()

    @property
    def element_spec(self) -> Any:
        """What the elements are."""
        return self._iterator.element_spec

    @property
    def output_classes(self) -> Any:
        """The classes of the elements' parts."""
        return tf.data.get_output_classes(self._dataset)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the elements' parts."""
        return tf.data.get_output_shapes(self._dataset)

    @property
    def output_types(self) -> Any:
        """The types of the elements' parts."""
        return tf.data.get_output_types(self._dataset)
