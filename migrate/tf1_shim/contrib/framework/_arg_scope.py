"""``arg_scope``: default arguments for decorated functions inside of a ``with``."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

__all__ = [
    "add_arg_scope",
    "arg_scope",
    "arg_scope_func_key",
    "arg_scoped_arguments",
    "current_arg_scope",
    "has_arg_scope",
]

F = TypeVar("F", bound=Callable[..., Any])

#: The scopes entered, innermost last: key of a function -> its default arguments.
_STACK: list[dict[str, dict[str, Any]]] = [{}]

#: Key of a decorated function -> the names of its arguments with a default.
_DECORATED: dict[str, tuple[str, ...]] = {}


def arg_scope_func_key(op: Any) -> str:
    """The key under which a scope keeps a function's arguments."""
    key: str = getattr(op, "_key_op", str(op))
    return key


def current_arg_scope() -> dict[str, dict[str, Any]]:
    """The innermost scope: function key -> default arguments."""
    return _STACK[-1]


def has_arg_scope(func: Any) -> bool:
    """Whether a function was decorated with `add_arg_scope`."""
    return arg_scope_func_key(func) in _DECORATED


def arg_scoped_arguments(func: Any) -> tuple[str, ...]:
    """The names of a decorated function's arguments with a default.

    Raises:
      ValueError: If it is not decorated.
    """
    if not has_arg_scope(func):
        raise ValueError(f"{func!r} is not decorated with @add_arg_scope")
    return _DECORATED[arg_scope_func_key(func)]


def add_arg_scope(func: F) -> F:
    """Let the scopes around a call give a function's arguments.

    Args:
      func: The function.

    Returns:
      A function that fills in what the innermost `arg_scope` says and the caller does not.
    """
    target = getattr(func, "__wrapped__", func)

    @functools.wraps(func)
    def with_args(*args: Any, **kwargs: Any) -> Any:
        given = current_arg_scope().get(key)
        return func(*args, **({**given, **kwargs} if given else kwargs))

    key = getattr(func, "_key_op", str(func))
    code, defaults = getattr(target, "__code__", None), getattr(target, "__defaults__", None)
    names = code.co_varnames[: code.co_argcount] if code is not None else ()
    keyword = tuple(getattr(target, "__kwdefaults__", None) or ())
    _DECORATED[key] = (names[len(names) - len(defaults) :] if defaults else ()) + keyword
    with_args._key_op = key  # type: ignore[attr-defined]
    return with_args  # type: ignore[return-value]


@contextlib.contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[Mapping[str, dict[str, Any]]]:
    """Give default arguments to functions inside of a ``with``.

    Example::

        with arg_scope([slim.conv2d], padding="VALID", weights_regularizer=l2) as scope:
            net = slim.conv2d(x, 64, 3)                 # padding="VALID" …
        with arg_scope(scope):                          # the same once more
            net = slim.conv2d(net, 64, 3)

    Args:
      list_ops_or_scope: Decorated functions, or a scope from an earlier ``with``.
      **kwargs: The arguments; none with an earlier scope.

    Yields:
      The scope.

    Raises:
      TypeError: If it is neither a list nor a scope.
      ValueError: If a function is not decorated, or arguments come with an earlier scope.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(
                "arg_scope takes a scope to enter again (a dict) without further arguments. "
                f"Received: {sorted(kwargs)}"
            )
        scope = dict(list_ops_or_scope)
    else:
        if not isinstance(list_ops_or_scope, (list, tuple)):
            raise TypeError(
                "arg_scope needs a list of functions, or the dict of an earlier scope. "
                f"Received: {list_ops_or_scope!r}"
            )
        scope = dict(current_arg_scope())
        for op in list_ops_or_scope:
            if not has_arg_scope(op):
                raise ValueError(f"{op!r} is not decorated with @add_arg_scope")
            key = arg_scope_func_key(op)
            scope[key] = {**scope.get(key, {}), **kwargs}
    _STACK.append(scope)
    try:
        yield scope
    finally:
        _STACK.pop()
