"""Functions that give gradients, on top of ``tf.GradientTape``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

Function = Callable[..., Any]


def _not_none(value: Any, function: Function) -> Any:
    if value is None:
        name = getattr(function, "__name__", function)
        raise ValueError(f"{name} returned None, which cannot be differentiated: return a tensor")
    return value


def implicit_value_and_gradients(f: Function) -> Function:
    """Make of a function one that gives its value and the gradients by the variables it used.

    Args:
      f: A function that returns a tensor or a nest of them.

    Returns:
      A function of the same arguments: the value, and a list of pairs (gradient, variable) of all
      trainable variables that `f` read, ready for ``Optimizer.apply_gradients``. It raises
      `ValueError` if `f` returns None or reads no trainable variable.
    """

    def value_and_gradients(*args: Any, **kwargs: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        with tf.GradientTape() as tape:
            value = _not_none(f(*args, **kwargs), f)
        variables = list(tape.watched_variables())
        if not variables:
            raise ValueError("the function to be differentiated read no trainable variable")
        found = tape.gradient(tf.nest.flatten(value), variables)
        return value, list(zip(found, variables, strict=True))

    return value_and_gradients


def implicit_gradients(f: Function) -> Function:
    """Make of a function one that gives the gradients by the variables it used.

    Args:
      f: A function that returns a tensor or a nest of them.

    Returns:
      A function of the same arguments: pairs (gradient, variable), as of
      `implicit_value_and_gradients`.
    """
    both = implicit_value_and_gradients(f)

    def gradients(*args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        found: list[tuple[Any, Any]] = both(*args, **kwargs)[1]
        return found

    return gradients


def _positions(f: Function, params: Sequence[Any] | None, count: int) -> list[int]:
    """Which positional arguments to differentiate by."""
    if params is not None and all(isinstance(p, int) for p in params):
        return list(params)
    try:
        names = [
            p.name
            for p in inspect.signature(f).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError) as error:
        if params is None:
            return list(range(count))
        raise ValueError(f"the arguments of {f} have no names that can be read: {error}") from error
    if params is None:
        return list(range(len(names) or count))
    if all(isinstance(p, str) for p in params):
        return [names.index(p) for p in params]
    raise ValueError(f"params must be all names or all positions. Received: {params}")


def value_and_gradients_function(f: Function, params: Sequence[Any] | None = None) -> Function:
    """Make of a function one that gives its value and the gradients by its arguments.

    Args:
      f: A function of tensors, or of what can be converted to them.
      params: The names or the positions of the arguments to differentiate by; by default all.

    Returns:
      A function of the same positional arguments, and `dy`, the gradient of the value (by default
      ones): the value, and the list of gradients. It raises `ValueError` for other keyword
      arguments, and if `f` returns None.
    """

    def value_and_gradients(*args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        dy = kwargs.pop("dy", None)
        if kwargs:
            raise ValueError(
                "Functions to be differentiated cannot receive keyword arguments. Received: "
                f"{sorted(kwargs)}"
            )
        positions = _positions(f, params, len(args))
        given = list(args)
        sources: list[Any] = []
        for i in positions:
            tensor = tf.convert_to_tensor(given[i])
            # Each place that is differentiated by needs a tensor of its own.
            seen = any(tensor is source for source in sources)
            given[i] = tf.identity(tensor) if seen else tensor
            sources.append(given[i])
        with tf.GradientTape() as tape:
            tape.watch(sources)
            value = tf.nest.map_structure(tf.identity, _not_none(f(*given), f))
        if dy is not None:
            dy = [tf.convert_to_tensor(part) for part in tf.nest.flatten(dy)]
        return value, tape.gradient(tf.nest.flatten(value), sources, output_gradients=dy)

    return value_and_gradients


def gradients_function(f: Function, params: Sequence[Any] | None = None) -> Function:
    """Make of a function one that gives the gradients by its arguments.

    Args:
      f: A function of tensors, or of what can be converted to them.
      params: The names or the positions of the arguments to differentiate by; by default all.

    Returns:
      A function of the same positional arguments, and `dy`: the list of gradients, as of
      `value_and_gradients_function`.
    """
    both = value_and_gradients_function(f, params)

    def gradients(*args: Any, **kwargs: Any) -> list[Any]:
        found: list[Any] = both(*args, **kwargs)[1]
        return found

    return gradients
