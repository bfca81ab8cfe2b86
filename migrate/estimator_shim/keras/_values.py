"""The values of Keras variables, with and without eager execution."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import tensorflow
import tensorflow.compat.v1 as tf


def outside(function: Callable[[], Any]) -> Any:
    """Calls a function as if no graph were being built: a new thread has no default graph.

    Args:
      function: What to call.

    Returns:
      What it returns.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def numpy_values(variables: list[Any]) -> list[Any]:
    """The values of variables of Keras.

    After ``disable_v2_behavior()``, and in a graph, Keras makes variables that have no value
    before a session gives them one: unless a default session did, they are initialised here.

    Args:
      variables: ``keras.Variable`` objects.

    Returns:
      Arrays in the same order.
    """
    held = [v.value for v in variables]
    symbolic = [v for v in held if tensorflow.is_symbolic_tensor(v.handle)]
    if not symbolic:
        return list(outside(lambda: [v.numpy() for v in held]))
    graph, session = symbolic[0].graph, tf.get_default_session()
    with graph.as_default():
        if session is not None and session.graph is graph:
            missing = set(session.run(tf.report_uninitialized_variables(symbolic)))
            session.run([v.initializer for v in symbolic if v.op.name.encode() in missing])
            values = session.run([v.read_value() for v in symbolic])
        else:
            with tf.Session(graph=graph) as own:
                own.run([v.initializer for v in symbolic])
                values = own.run([v.read_value() for v in symbolic])
    found = {id(v): value for v, value in zip(symbolic, values, strict=True)}
    rest = [v for v in held if id(v) not in found]
    eager = dict(zip(map(id, rest), outside(lambda: [v.numpy() for v in rest]), strict=True))
    return [(found | eager)[id(v)] for v in held]


def empty(dtype: Any, shape: list[int | None]) -> Callable[[], Any]:
    """Makes a function that makes a tensor to build a model on.

    Args:
      dtype: Its type.
      shape: Its shape; unknown dimensions become 1.

    Returns:
      The function.
    """
    return lambda: tf.zeros([1 if d is None else d for d in shape], dtype)


@contextlib.contextmanager
def dimensions_as_numbers() -> Iterator[None]:
    """Keras 3 needs shapes of numbers, which ``disable_v2_behavior()`` switches off."""
    if isinstance(tf.TensorShape([1])[0], int):
        yield
        return
    tf.enable_v2_tensorshape()
    try:
        yield
    finally:
        tf.disable_v2_tensorshape()
