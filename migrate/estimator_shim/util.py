"""Small things that several modules need: arguments of functions, results of an input_fn."""

from __future__ import annotations

import functools
import inspect
import os
import time
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["fn_args"]

_MAX_STAMPS = 10


def fn_args(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the arguments that a caller can give by name.

    Args:
      function: A function, method, object with ``__call__`` or ``functools.partial``; what a
        partial already bound by name is left out, and so is ``self``.

    Returns:
      The names, without ``*args`` and ``**kwargs``.
    """
    bound: set[str] = set()
    positional = 0
    while isinstance(function, functools.partial):
        bound.update(function.keywords)
        positional += len(function.args)
        function = function.func
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [p.name for p in inspect.signature(function).parameters.values() if p.kind in named]
    return tuple(n for n in names[positional:] if n not in bound)


class _InitializeIterator(tf.train.SessionRunHook):
    """Starts the iterator of a Dataset whenever a session is created."""

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator
        self._initializer: Any = None

    def begin(self) -> None:
        self._initializer = self._iterator.initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._initializer)


def parse_input_fn_result(result: Any) -> tuple[Any, Any, list[Any]]:
    """Features, labels and the hooks that they need.

    Args:
      result: What an input_fn returned: a Dataset of features or of (features, labels), or these
        themselves as tensors.

    Returns:
      ``(features, labels, hooks)``; labels is None if there are none.

    Raises:
      ValueError: If a tuple or list has other than two elements.
    """
    hooks: list[Any] = []
    if isinstance(result, DATASETS):
        iterator = tf.data.make_initializable_iterator(result)
        hooks.append(_InitializeIterator(iterator))
        result = iterator.get_next()
    return *features_and_labels(result), hooks


def features_and_labels(result: Any) -> tuple[Any, Any]:
    """Takes a result apart: features, or (features, labels).

    Args:
      result: What an input_fn returned, or an element of its Dataset.

    Returns:
      ``(features, labels)``; labels is None if there are none.

    Raises:
      ValueError: If a tuple or list has other than two elements.
    """
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise ValueError(
                "input_fn must return features, or a tuple (features, labels). "
                f"Received: {len(result)} elements: {result!r}"
            )
        return result[0], result[1]
    return result, None


def _dataset_v2() -> type:
    # compat.v1's Dataset is a subclass of the one of TF 2; both may come from an input_fn.
    import tensorflow

    dataset: type = tensorflow.data.Dataset
    return dataset


#: What counts as a Dataset.
DATASETS = (tf.data.Dataset, _dataset_v2())


def check_hooks(hooks: Iterable[Any] | None) -> list[Any]:
    """The hooks as a list.

    Raises:
      TypeError: If one is no SessionRunHook.
    """
    hooks = list(hooks or [])
    for hook in hooks:
        if not isinstance(hook, tf.train.SessionRunHook):
            raise TypeError(f"hooks must be SessionRunHook objects. Received: {hook!r}")
    return hooks


def check_listeners(listeners: Iterable[Any] | None) -> list[Any]:
    """The listeners as a list.

    Raises:
      TypeError: If one is no CheckpointSaverListener.
    """
    listeners = list(listeners or [])
    for listener in listeners:
        if not isinstance(listener, tf.train.CheckpointSaverListener):
            raise TypeError(
                f"saving_listeners must be CheckpointSaverListener objects. Received: {listener!r}"
            )
    return listeners


def timestamped_dir(base: str) -> str:
    """A folder below ``base`` that does not exist yet, called after the time in seconds."""
    for _ in range(_MAX_STAMPS):
        path = os.path.join(base, str(int(time.time())))
        if not tf.io.gfile.exists(path):
            return path
        time.sleep(1)
    raise RuntimeError(f"No free folder below {base!r} after {_MAX_STAMPS} attempts")
