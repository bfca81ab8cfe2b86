"""Cells around cells: dropout, residual connections, devices."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.nn._cell import RNNCell, check_cell
from migrate.tf1_shim.nn._lstm import LSTMStateTuple

__all__ = ["DeviceWrapper", "DropoutWrapper", "ResidualWrapper", "Wrapper"]


class Wrapper(RNNCell):
    """What the wrappers share: no variable scope of their own, sizes and states of the cell."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_cell("cell", cell)
        self.cell = cell

    @property
    def wrapped_cell(self) -> Any:
        """The cell inside."""
        return self.cell

    @property
    def state_size(self) -> Any:
        """The cell's."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """The cell's."""
        return self.cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The cell's."""
        with tf.name_scope(type(self).__name__ + "ZeroState"):
            return self.cell.zero_state(batch_size, dtype)

    def _call_cell(self, inputs: Any, state: Any, scope: Any) -> Any:
        return self.cell(inputs, state, scope=scope)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Run the cell for one step: see `RNNCell`."""
        return self._call_cell(inputs, state, scope)


def _nested(value: Any) -> bool:
    return bool(tf.nest.is_nested(value))


def keep_memory(state: Any) -> Any:
    """The default of ``dropout_state_filter_visitor``: everything but an LSTM's memory."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(state, tf.TensorArray)


def _map_filtered(
    visitor: Callable[[Any], Any], state: Any, change: Callable[[int, Any], Any]
) -> Any:
    """Change the parts of a state that a visitor lets through, with their numbers.

    A part that is kept as a whole counts as one.
    """
    count = 0

    def rebuild(value: Any, parts: list[Any]) -> Any:
        if isinstance(value, dict):
            return type(value)(zip(sorted(value), parts, strict=True))
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)

    def visit(value: Any, wanted: Any) -> Any:
        nonlocal count
        if wanted is False or not _nested(value):
            number, count = count, count + 1
            return value if wanted is False else change(number, value)
        flags = visitor(value) if wanted is None else wanted
        if flags is False:
            return visit(value, False)
        entries = [value[k] for k in sorted(value)] if isinstance(value, dict) else list(value)
        if flags is True:
            flags = [None] * len(entries)
        elif isinstance(flags, dict):
            flags = [flags[k] for k in sorted(flags)]
        parts = [
            visit(entry, None if flag is True and _nested(entry) else flag)
            for entry, flag in zip(entries, flags, strict=True)
        ]
        return rebuild(value, parts)

    first = visitor(state) if not _nested(state) else None
    return visit(state, first)


class DropoutWrapper(Wrapper):
    """Dropout around a cell: of its inputs, its state and its outputs."""

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Wrap a cell.

        Args:
          cell: The cell.
          input_keep_prob: The share of the inputs to keep: a number or a scalar tensor.
          output_keep_prob: The share of the outputs to keep.
          state_keep_prob: The share of the new state to keep; it is not changed in the outputs.
          variational_recurrent: Whether all steps share one mask (arXiv:1512.05287), the same one
            for all examples of the batch.
          input_size: The inputs' size without the batch; needed by that for the inputs' mask.
          dtype: The dtype; needed by ``variational_recurrent``.
          seed: A number from which the seeds of the operations are derived.
          dropout_state_filter_visitor: From a part of the state to whether (or which of its
            entries) to drop; by default everything but the memory of an LSTM.
          **kwargs: As for `Layer`.

        Raises:
          TypeError: If the cell is none or the visitor is not callable.
          ValueError: If a share is not within (0, 1], or the variational mask lacks a dtype or
            a size.
        """
        super().__init__(cell, dtype=dtype, **kwargs)
        visitor = dropout_state_filter_visitor
        if visitor is not None and not callable(visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._visitor = visitor or keep_memory
        shares = {
            "input_keep_prob": input_keep_prob,
            "state_keep_prob": state_keep_prob,
            "output_keep_prob": output_keep_prob,
        }
        for name, share in shares.items():
            known = tf.get_static_value(share) if tf.is_tensor(share) else share
            if known is not None and not 0 <= known <= 1:
                raise ValueError(f"Parameter {name} must be between 0 and 1: {known}")
            shares[name] = share if known is None else float(known)
        self._keep = {name.split("_")[0]: share for name, share in shares.items()}
        self._variational = variational_recurrent
        self._seed = seed
        self._noise: dict[str, list[Any]] = {}
        if variational_recurrent:
            if dtype is None:
                raise ValueError("variational_recurrent needs a dtype, for its masks")
            if self._drops("input"):
                if input_size is None:
                    raise ValueError(
                        "variational_recurrent needs input_size, for the mask of the inputs "
                        f"(input_keep_prob={self._keep['input']})"
                    )
                self._noise["input"] = self._masks("input", input_size, dtype)
            self._noise["state"] = self._masks("state", cell.state_size, dtype)
            self._noise["output"] = self._masks("output", cell.output_size, dtype)

    def _drops(self, what: str) -> bool:
        share = self._keep[what]
        return not isinstance(share, float) or share < 1.0

    def _masks(self, what: str, sizes: Any, dtype: Any) -> list[Any]:
        flat = [sizes] if isinstance(sizes, tf.TensorShape) else tf.nest.flatten(sizes)
        return [
            tf.random_uniform(
                [1, *tf.TensorShape(size if not isinstance(size, int) else [size]).as_list()],
                seed=self._gen_seed(what, number),
                dtype=dtype,
            )
            for number, size in enumerate(flat)
        ]

    def _gen_seed(self, salt_prefix: str, index: int) -> int | None:
        if self._seed is None:
            return None
        text = f"{self._seed}{salt_prefix}_{index}".encode()
        return int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _dropped(self, what: str, number: int, value: Any) -> Any:
        keep = self._keep[what]
        if not self._variational:
            return tf.nn.dropout(value, rate=1.0 - keep, seed=self._gen_seed(what, number))
        mask = tf.floor(keep + self._noise[what][number])
        result = tf.div(value, keep) * mask
        result.set_shape(value.shape)
        return result

    def _each(self, what: str, values: Any) -> Any:
        return _map_filtered(lambda _: True, values, lambda n, v: self._dropped(what, n, v))

    def _call_cell(self, inputs: Any, state: Any, scope: Any) -> Any:
        if self._drops("input"):
            inputs = self._each("input", inputs)
        output, new = super()._call_cell(inputs, state, scope)
        if self._drops("state"):
            new = _map_filtered(self._visitor, new, lambda n, v: self._dropped("state", n, v))
        if self._drops("output"):
            output = self._each("output", output)
        return output, new


class ResidualWrapper(Wrapper):
    """Adds a cell's inputs to its outputs."""

    def __init__(
        self, cell: Any, residual_fn: Callable[[Any, Any], Any] | None = None, **kwargs: Any
    ) -> None:
        """Wrap a cell.

        Args:
          cell: The cell; its outputs have the structure and the shapes of its inputs.
          residual_fn: From (inputs, outputs) to the outputs; by default the sum.
          **kwargs: As for `Layer`.
        """
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def _call_cell(self, inputs: Any, state: Any, scope: Any) -> Any:
        outputs, new = super()._call_cell(inputs, state, scope)
        if self._residual_fn is not None:
            return self._residual_fn(inputs, outputs), new
        tf.nest.assert_same_structure(inputs, outputs)
        for given, made in zip(tf.nest.flatten(inputs), tf.nest.flatten(outputs), strict=True):
            given.shape.assert_is_compatible_with(made.shape)
        return tf.nest.map_structure(lambda x, y: x + y, inputs, outputs), new


class DeviceWrapper(Wrapper):
    """Runs a cell, and makes its zero state, on a device."""

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        """Wrap a cell.

        Args:
          cell: The cell.
          device: A name or a function, as for ``tf.device``.
          **kwargs: As for `Layer`.
        """
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The cell's, on the device."""
        with tf.name_scope(type(self).__name__ + "ZeroState"), tf.device(self._device):
            return self.cell.zero_state(batch_size, dtype)

    def _call_cell(self, inputs: Any, state: Any, scope: Any) -> Any:
        with tf.device(self._device):
            return super()._call_cell(inputs, state, scope)
