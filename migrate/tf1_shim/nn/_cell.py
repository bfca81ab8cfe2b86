"""The base classes of the recurrent cells, and the cells with one state tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _values
from migrate.tf1_shim.layers import InputSpec, Layer

__all__ = [
    "BasicRNNCell",
    "GRUCell",
    "LayerRNNCell",
    "RNNCell",
    "check_cell",
    "last_size",
    "with_batch",
    "zeros_for",
]

KERNEL, BIAS = "kernel", "bias"


def with_batch(batch_size: Any, size: Any) -> tuple[Any, list[int | None]]:
    """The shape of a state with the batch in front: (for ``tf.zeros``, as far as it is known).

    Args:
      batch_size: A number or a scalar tensor.
      size: A number or a shape without the batch.

    Returns:
      The shape as a tensor or a list, and the static one.
    """
    rest = tf.TensorShape(size if isinstance(size, (list, tuple, tf.TensorShape)) else [size])
    known = tf.get_static_value(batch_size) if tf.is_tensor(batch_size) else batch_size
    static = [None if known is None else int(known), *rest.as_list()]
    if None not in static:
        return static, static
    if not rest.is_fully_defined():
        raise ValueError(f"Cannot make a zero state of unknown size {rest}.")
    batch = tf.expand_dims(tf.cast(batch_size, tf.int32), 0)
    return tf.concat([batch, tf.constant(rest.as_list(), tf.int32)], 0), static


def zeros_for(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros in the structure of a cell's ``state_size``, each with the batch in front."""

    def zeros(size: Any) -> Any:
        shape, static = with_batch(batch_size, size)
        made = tf.zeros(shape, dtype=dtype)
        if not tf.executing_eagerly():
            made.set_shape(static)
        return made

    return tf.nest.map_structure(zeros, state_size)


def last_size(input_shape: Any) -> int:
    """The size of the last axis of the inputs.

    Raises:
      ValueError: If it is unknown.
    """
    sizes = tf.TensorShape(input_shape).as_list()
    if sizes[-1] is None:
        raise ValueError(f"A cell needs inputs whose last axis has a known size. Received: {sizes}")
    return int(sizes[-1])


def check_cell(name: str, cell: Any) -> None:
    """Check that something can stand as a cell.

    Raises:
      TypeError: If it is not callable or lacks a size or a way to its first state.
    """
    lacks = [
        what
        for what, there in (
            ("'output_size' property is missing", hasattr(cell, "output_size")),
            ("'state_size' property is missing", hasattr(cell, "state_size")),
            (
                "either 'zero_state' or 'get_initial_state' method is required",
                hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state"),
            ),
            ("is not callable", callable(cell)),
        )
        if not there
    ]
    if lacks:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(lacks)}.")


class RNNCell(Layer):
    """Base class of recurrent cells, for subclassing.

    A cell is called as ``output, new_state = cell(inputs, state)``. A subclass gives `state_size`
    and `output_size` and either `call` or, as programs of the first TF versions do,
    ``__call__(inputs, state, scope=None)``. Variables that ``tf.get_variable`` makes inside of
    `call` belong to the cell.

    Example::

        class Counter(RNNCell):
            state_size = output_size = 1

            def call(self, inputs, state):
                return state + inputs, state + 1.0
    """

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        """Make a cell: see `Layer`."""
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._rnncell_scope: Any = None

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Run the cell for one step.

        Args:
          inputs: A tensor (batch, input size).
          state: What `zero_state` or the step before gave, in the structure of `state_size`.
          scope: The variable scope; by default one named after the class.

        Returns:
          The output (batch, `output_size`) and the new state.
        """
        if scope is not None:
            with tf.variable_scope(scope, custom_getter=self._rnn_get_variable) as entered:
                return super().__call__(inputs, state, scope=entered)
        if getattr(self, "_rnncell_scope", None) is None:
            self._rnncell_scope = tf.variable_scope(
                tf.get_variable_scope(), custom_getter=self._rnn_get_variable
            )
        with self._rnncell_scope:
            return super().__call__(inputs, state)

    def _rnn_get_variable(self, getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        variable = getter(*args, **kwargs)
        trainable = any(variable is other for other in tf.trainable_variables())
        if tf.executing_eagerly():
            trainable = bool(variable.trainable)
        into = self._tf1.trainable if trainable else self._tf1.other
        if all(variable is not other for other in into):
            into.append(variable)
        return variable

    @property
    def state_size(self) -> Any:
        """The size of the state: a number, a ``TensorShape``, or a nest of them."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the output: a number or a ``TensorShape``."""
        raise NotImplementedError("Abstract method")

    def build(self, _: Any) -> None:
        """Nothing, since a subclass may make its variables in `call`."""

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """The first state: zeros.

        Args:
          inputs: If given, batch size and dtype are taken from it.
          batch_size: The batch size, a number or a scalar tensor.
          dtype: The dtype of the state.

        Returns:
          Zeros in the structure of `state_size`.

        Raises:
          ValueError: If the batch size or the dtype is not known or contradicts the inputs.
        """
        if inputs is not None:
            inputs = tf.convert_to_tensor(inputs)
            if batch_size is not None:
                static = tf.get_static_value(batch_size) if tf.is_tensor(batch_size) else batch_size
                if inputs.shape.as_list()[0] != static:
                    raise ValueError(
                        "batch_size must be that of the inputs. Received: "
                        f"{batch_size}, and inputs of {inputs.shape[0]}"
                    )
            if dtype is not None and inputs.dtype != dtype:
                raise ValueError(
                    "dtype must be that of the inputs. Received: "
                    f"{dtype}, and inputs of {inputs.dtype}"
                )
            batch_size = inputs.shape.as_list()[0] or tf.shape(inputs)[0]
            dtype = inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "A zero state needs inputs, or else batch_size and dtype. Received: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros in the structure of `state_size`.

        Args:
          batch_size: The batch size, a number or a scalar tensor.
          dtype: The dtype of the state.

        Returns:
          For a `state_size` of n a tensor (batch, n); for a nest of sizes the same nest.
        """
        with tf.name_scope(type(self).__name__ + "ZeroState"):
            return zeros_for(self.state_size, batch_size, dtype)


class LayerRNNCell(RNNCell):
    """A cell that makes its variables in `build` with `add_weight`, as a layer does."""

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Run the cell for one step: see `RNNCell`."""
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)


class BasicRNNCell(LayerRNNCell):
    """The plain recurrence: ``output = new_state = tanh([inputs, state] @ kernel + bias)``."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the state and of the output.
          activation: A callable or a name; by default tanh.
          reuse: Whether to reuse the variables of the scope.
          name: The scope's name; by default "basic_rnn_cell".
          dtype: The variables' dtype; by default that of the first input.
          **kwargs: As for `Layer`.
        """
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = _values.activation(activation) or tf.tanh

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Make ``kernel`` (input + units, units) and ``bias`` (units)."""
        depth = last_size(input_shape)
        self._kernel = self.add_weight(KERNEL, [depth + self._num_units, self._num_units])
        self._bias = self.add_weight(BIAS, [self._num_units], initializer=_values.ZEROS)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        gates = tf.matmul(tf.concat([inputs, state], 1), self._kernel)
        output = self._activation(tf.nn.bias_add(gates, self._bias))
        return output, output


class GRUCell(LayerRNNCell):
    """The gated recurrent unit (arXiv:1406.1078), with the reset gate before the product."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the state and of the output.
          activation: A callable or a name; by default tanh.
          reuse: Whether to reuse the variables of the scope.
          kernel_initializer: For both kernels; None for the scope's default.
          bias_initializer: For both biases; by default 1 for the gates, 0 for the candidate.
          name: The scope's name; by default "gru_cell".
          dtype: The variables' dtype; by default that of the first input.
          **kwargs: As for `Layer`.
        """
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = _values.activation(activation) or tf.tanh
        self._kernel_initializer = _values.initializer(kernel_initializer)
        self._bias_initializer = _values.initializer(bias_initializer)

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Make ``gates/kernel``, ``gates/bias``, ``candidate/kernel`` and ``candidate/bias``."""
        rows, units = last_size(input_shape) + self._num_units, self._num_units
        ones = tf.constant_initializer(1.0, dtype=tf.as_dtype(self._dtype or "float32"))
        kernel, bias = self._kernel_initializer, self._bias_initializer
        self._gate_kernel = self.add_weight("gates/kernel", [rows, 2 * units], initializer=kernel)
        self._gate_bias = self.add_weight("gates/bias", [2 * units], initializer=bias or ones)
        self._candidate_kernel = self.add_weight(
            "candidate/kernel", [rows, units], initializer=kernel
        )
        self._candidate_bias = self.add_weight(
            "candidate/bias", [units], initializer=bias or _values.ZEROS
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """One step: r and u from the gates, ``u * state + (1 - u) * candidate``."""
        gates = tf.matmul(tf.concat([inputs, state], 1), self._gate_kernel)
        value = tf.sigmoid(tf.nn.bias_add(gates, self._gate_bias))
        r, u = tf.split(value=value, num_or_size_splits=2, axis=1)
        candidate = tf.matmul(tf.concat([inputs, r * state], 1), self._candidate_kernel)
        c = self._activation(tf.nn.bias_add(candidate, self._candidate_bias))
        new = u * state + (1 - u) * c
        return new, new
