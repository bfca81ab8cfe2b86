"""``tf.layers``: dense, dropout and flatten."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _values
from migrate.tf1_shim._values import ZEROS
from migrate.tf1_shim.layers._layer import Layer
from migrate.tf1_shim.layers._spec import InputSpec

__all__ = ["Dense", "Dropout", "Flatten", "dense", "dropout", "flatten"]


class Dense(Layer):
    """A densely connected layer: ``activation(inputs @ kernel + bias)``.

    Inputs of a rank above two are contracted over their last axis. Variables: ``kernel``
    (features, units) and ``bias`` (units).
    """

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the layer.

        Args:
          units: The size of the last axis of the output.
          activation: A callable or a name; None for none.
          use_bias: Whether to add a bias.
          kernel_initializer: For the kernel; None for the scope's default, Glorot uniform.
          bias_initializer: For the bias.
          kernel_regularizer: From the kernel to a scalar loss.
          bias_regularizer: From the bias to a scalar loss.
          activity_regularizer: From the output to a scalar loss.
          kernel_constraint: Applied to the kernel after the optimizer's update.
          bias_constraint: Applied to the bias after the optimizer's update.
          trainable: Whether the variables are trainable.
          name: The scope's name.
          **kwargs: As for `Layer`.
        """
        super().__init__(
            trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs
        )
        self.units = int(units)
        self.activation = _values.activation(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.bias: Any = None
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape: Any) -> None:
        """Make the kernel and the bias; the last axis of the input must be known."""
        size = tf.TensorShape(input_shape).as_list()[-1]
        if size is None:
            raise ValueError(
                f"Dense needs inputs whose last axis has a known size. Received: {input_shape}"
            )
        if not tf.as_dtype(self._dtype or tf.float32).is_floating and not (
            tf.as_dtype(self._dtype).is_complex
        ):
            raise TypeError(
                f"Dense computes with floats or complex numbers. Received: dtype {self._dtype!r}"
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = self.add_weight(
            "kernel",
            shape=[size, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            dtype=self._dtype,
            trainable=True,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                dtype=self._dtype,
                trainable=True,
            )
        self.built = True

    def call(self, inputs: Any) -> Any:
        """``activation(inputs @ kernel + bias)``."""
        if isinstance(inputs, tf.SparseTensor):
            outputs = tf.sparse.sparse_dense_matmul(inputs, self.kernel)
        elif inputs.shape.rank > 2:
            rank = inputs.shape.rank
            outputs = tf.tensordot(inputs, self.kernel, [[rank - 1], [0]])
            if not tf.executing_eagerly():
                outputs.set_shape([*inputs.shape.as_list()[:-1], self.units])
        else:
            inputs = tf.cast(inputs, self._dtype or tf.float32)
            outputs = tf.matmul(inputs, self.kernel)
        if self.use_bias:
            outputs = tf.nn.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The input's shape with `units` at the end."""
        shape = tf.TensorShape(input_shape).with_rank_at_least(2)
        return shape[:-1].concatenate(self.units)


class Dropout(Layer):
    """Sets a share of the entries to zero while training and scales the others up."""

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the layer.

        Args:
          rate: The share to drop, between 0 and 1; also a tensor.
          noise_shape: The shape of the mask, broadcast to the input; None entries are filled in
            from the input.
          seed: The operation's seed.
          name: The scope's name.
          **kwargs: As for `Layer`.
        """
        super().__init__(name=name, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed
        self.supports_masking = True

    def _get_noise_shape(self, inputs: Any) -> Any:
        if self.noise_shape is None or tf.is_tensor(self.noise_shape):
            return self.noise_shape
        sizes = tf.shape(inputs)
        return tf.convert_to_tensor(
            [sizes[i] if size is None else size for i, size in enumerate(self.noise_shape)]
        )

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Drop if ``training`` (a bool or a tensor) holds; else pass the inputs on."""

        def dropped() -> Any:
            return tf.nn.dropout(
                inputs,
                noise_shape=self._get_noise_shape(inputs),
                seed=self.seed,
                rate=self.rate,
            )

        return _values.smart_cond(training, dropped, lambda: tf.identity(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The input's shape."""
        return input_shape


class Flatten(Layer):
    """Flattens all axes but the first: (batch, a, b) gives (batch, a * b)."""

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        """Make the layer.

        Args:
          data_format: "channels_last", the default, or "channels_first", whose channels are
            moved to the end before.
          **kwargs: As for `Layer`.
        """
        super().__init__(**kwargs)
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Any:
        """The flattened inputs."""
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = tf.transpose(inputs, [0, *range(2, rank), 1])
        outputs = tf.reshape(inputs, (inputs.shape[0] or tf.shape(inputs)[0], -1))
        if not tf.executing_eagerly():
            outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """(batch, product of the others), None where a factor is unknown."""
        sizes = tf.TensorShape(input_shape).as_list()
        if not sizes:
            return tf.TensorShape(sizes)
        product: int | None = 1
        for size in sizes[1:]:
            product = None if size is None or product is None else product * size
        return tf.TensorShape([sizes[0], product])


def data_format_of(value: str | None) -> str:
    """A data format in lower case, by default "channels_last".

    Raises:
      ValueError: If it is neither "channels_last" nor "channels_first".
    """
    name = "channels_last" if value is None else value.lower()
    if name not in ("channels_last", "channels_first"):
        raise ValueError(
            f"data_format must be 'channels_last' or 'channels_first'. Received: {value!r}"
        )
    return name


def dense(
    inputs: Any,
    units: int,
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """A densely connected layer as a function: ``activation(inputs @ kernel + bias)``.

    Example::

        logits = tf1_shim.layers.dense(hidden, 10, name="logits")
        # variables "logits/kernel:0" (features, 10) and "logits/bias:0" (10)

    Args:
      inputs: A tensor of rank two or more whose last axis is known.
      units: The size of the last axis of the output.
      activation: A callable or a name; None for none.
      use_bias: Whether to add a bias.
      kernel_initializer: For the kernel; None for the scope's default, Glorot uniform.
      bias_initializer: For the bias.
      kernel_regularizer: From the kernel to a scalar, added to REGULARIZATION_LOSSES.
      bias_regularizer: From the bias to a scalar, added to REGULARIZATION_LOSSES.
      activity_regularizer: From the output to a scalar; divided by the batch size.
      kernel_constraint: Applied to the kernel after the optimizer's update.
      bias_constraint: Applied to the bias after the optimizer's update.
      trainable: Whether the variables are trainable.
      name: The scope; by default "dense", "dense_1" …
      reuse: Whether to reuse the variables of the scope ``name``.

    Returns:
      The output, of the input's shape with ``units`` at the end.

    Raises:
      ValueError: If the last axis of ``inputs`` is unknown.
    """
    layer = Dense(
        units,
        activation=activation,
        use_bias=use_bias,
        kernel_initializer=kernel_initializer,
        bias_initializer=bias_initializer,
        kernel_regularizer=kernel_regularizer,
        bias_regularizer=bias_regularizer,
        activity_regularizer=activity_regularizer,
        kernel_constraint=kernel_constraint,
        bias_constraint=bias_constraint,
        trainable=trainable,
        name=name,
        dtype=inputs.dtype.base_dtype,
        _scope=name,
        _reuse=reuse,
    )
    return layer.apply(inputs)


def dropout(
    inputs: Any,
    rate: Any = 0.5,
    noise_shape: Any = None,
    seed: int | None = None,
    training: Any = False,
    name: str | None = None,
) -> Any:
    """Drop entries while training: with rate 0.1 a tenth of them becomes 0, the rest * 1 / 0.9.

    Args:
      inputs: A tensor.
      rate: The share to drop (not to keep), between 0 and 1; also a tensor.
      noise_shape: The shape of the mask, broadcast to the input.
      seed: The operation's seed.
      training: A bool or a bool tensor; false passes the inputs on.
      name: The name scope; by default "dropout", "dropout_1" …

    Returns:
      A tensor of the shape of ``inputs``.
    """
    layer = Dropout(rate, noise_shape=noise_shape, seed=seed, name=name)
    return layer.apply(inputs, training=training)


def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> Any:
    """Flatten all axes but the first.

    Args:
      inputs: A tensor (batch, ...).
      name: The name scope; by default "flatten", "flatten_1" …
      data_format: "channels_last" or "channels_first".

    Returns:
      A tensor (batch, product of the others).
    """
    return Flatten(name=name, data_format=data_format).apply(inputs)
