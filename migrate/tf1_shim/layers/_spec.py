"""``tf.layers.InputSpec``: what a layer wants of its inputs, and the check of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["InputSpec", "check"]


class InputSpec:
    """The dtype, rank and shape that a layer accepts for one input.

    ``None`` anywhere means "whatever". Example::

        spec = InputSpec(min_ndim=2, axes={-1: 64})     # the last axis has 64 entries
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: Sequence[int | None] | None = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: Mapping[Any, int | None] | None = None,
    ) -> None:
        """Describe an input.

        Args:
          dtype: The dtype wanted.
          shape: The full shape; fixes the rank too.
          ndim: The rank.
          max_ndim: The largest rank.
          min_ndim: The smallest rank.
          axes: Axis (negative counts from the end) -> size wanted there.
        """
        self.dtype = tf.as_dtype(dtype).name if dtype is not None else None
        self.shape = shape
        self.ndim = len(shape) if shape is not None else ndim
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}

    def __repr__(self) -> str:
        fields = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        said = [f"{name}={getattr(self, name)}" for name in fields if getattr(self, name)]
        return f"InputSpec({', '.join(said)})"

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal one."""
        return {
            "dtype": self.dtype,
            "shape": self.shape,
            "ndim": self.ndim,
            "max_ndim": self.max_ndim,
            "min_ndim": self.min_ndim,
            "axes": self.axes,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputSpec:
        """The reverse of `get_config`."""
        return cls(**config)


def _check_one(spec: InputSpec, value: Any, layer: str) -> None:
    shape = value.shape
    rank = shape.rank
    wants = spec.ndim is not None or spec.max_ndim is not None or spec.min_ndim is not None
    if rank is None:
        if wants or spec.axes:
            raise ValueError(
                f"The layer {layer} needs inputs of a known rank. Received: an unknown one"
            )
        return
    if spec.ndim is not None and rank != spec.ndim:
        raise ValueError(
            f"Input of layer {layer} is incompatible with it: expected ndim={spec.ndim}, found "
            f"ndim={rank}. Full shape received: {shape.as_list()}"
        )
    if spec.max_ndim is not None and rank > spec.max_ndim:
        raise ValueError(
            f"Input of layer {layer} is incompatible with it: expected max_ndim={spec.max_ndim}, "
            f"found ndim={rank}"
        )
    if spec.min_ndim is not None and rank < spec.min_ndim:
        raise ValueError(
            f"Input of layer {layer} is incompatible with it: expected min_ndim={spec.min_ndim}, "
            f"found ndim={rank}. Full shape received: {shape.as_list()}"
        )
    if spec.dtype is not None and value.dtype.base_dtype.name != spec.dtype:
        raise ValueError(
            f"Input of layer {layer} is incompatible with it: expected dtype={spec.dtype}, found "
            f"dtype={value.dtype.base_dtype.name}"
        )
    sizes = shape.as_list()
    for axis, size in spec.axes.items():
        if size is not None and sizes[int(axis)] not in (size, None):
            raise ValueError(
                f"Input of layer {layer} is incompatible with it: expected axis {axis} to have "
                f"value {size}, but received input with shape {sizes}"
            )
    for size, found in zip(spec.shape or (), sizes, strict=False):
        if size is not None and found is not None and size != found:
            raise ValueError(
                f"Input of layer {layer} is incompatible with it: expected shape={spec.shape}, "
                f"found shape={sizes}"
            )


def check(specs: Any, inputs: Any, layer: str) -> None:
    """Check a layer's inputs against its ``input_spec``.

    Args:
      specs: None, an `InputSpec` or a nest of them.
      inputs: The tensors.
      layer: The layer's name, for the message.

    Raises:
      ValueError: If the count, a rank, a shape or a dtype is not as wanted.
    """
    if not specs:
        return
    wanted = tf.nest.flatten(specs)
    given = tf.nest.flatten(inputs)
    if len(given) != len(wanted):
        raise ValueError(
            f"Layer {layer} expects {len(wanted)} inputs, but it received {len(given)} input "
            f"tensors. Inputs received: {inputs}"
        )
    for spec, value in zip(wanted, given, strict=True):
        if spec is not None:
            _check_one(spec, value, layer)
