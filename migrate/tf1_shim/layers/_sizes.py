"""Windows, strides and paddings of convolutions and pools."""

from __future__ import annotations

from typing import Any

__all__ = ["deconv_length", "output_length", "padding_of", "sizes_of"]


def sizes_of(value: Any, rank: int, name: str) -> tuple[int, ...]:
    """A number, or one for each spatial axis, as a tuple.

    Raises:
      ValueError: If the count is not the rank or an entry is no integer.
    """
    if isinstance(value, int):
        return (value,) * rank
    try:
        found = tuple(int(entry) for entry in value)
    except (TypeError, ValueError):
        found = ()
    if len(found) != rank:
        raise ValueError(
            f"The `{name}` argument must be a tuple of {rank} integers. Received: {value}"
        )
    return found


def padding_of(value: str, *, causal: bool = False) -> str:
    """A padding in lower case.

    Raises:
      ValueError: If it is none that the layer knows.
    """
    known = ("valid", "same", "causal") if causal else ("valid", "same")
    if value.lower() not in known:
        raise ValueError(f"padding must be one of {', '.join(known)}. Received: {value!r}")
    return value.lower()


def output_length(
    length: int | None, window: int, padding: str, step: int, dilation: int = 1
) -> int | None:
    """How many windows fit along an axis."""
    if length is None:
        return None
    if padding == "valid":
        length = length - (window - 1) * dilation
    return (length + step - 1) // step


def deconv_length(length: Any, window: int, padding: str, step: int) -> Any:
    """How long an axis is after a transposed convolution; a number, a tensor or None."""
    if length is None:
        return None
    if padding == "same":
        return length * step
    return length * step + max(window - step, 0)
