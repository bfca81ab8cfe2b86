"""Normalizing flows: bijectors whose shift and scale a network computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.tf1_shim import layers
from migrate.tf1_shim.contrib.distributions.bijectors._base import Bijector


def _depth(x: Any) -> int:
    """The size of the last dimension.

    Raises:
      NotImplementedError: If it is not known.
    """
    depth = x.shape.with_rank_at_least(1).as_list()[-1]
    if depth is None:
        raise NotImplementedError("the last dimension must be known while the graph is built")
    return int(depth)


class MaskedAutoregressiveFlow(Bijector):
    """``y[i] = x[i] * exp(log_scale(y[:i])) + shift(y[:i])`` (https://arxiv.org/abs/1705.07057).

    The inverse takes one pass, `forward` as many as the event has entries. With `Invert` it is the
    inverse autoregressive flow (https://arxiv.org/abs/1606.04934).

    Args:
      shift_and_log_scale_fn: From y to shift and log_scale of its shape (or None for either), each
        entry of which depends on the entries before only, such as
        `masked_autoregressive_default_template`.
      is_constant_jacobian: Whether log_scale is always None.
      validate_args: Kept for the others.
      unroll_loop: Whether `forward` is a chain of operations in place of a loop; then the size of
        the event must be known.
      name: Its name; by default "masked_autoregressive_flow".
    """

    def __init__(
        self,
        shift_and_log_scale_fn: Callable[[Any], Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        unroll_loop: bool = False,
        name: str | None = None,
    ) -> None:
        self._function = shift_and_log_scale_fn
        self._unroll_loop = unroll_loop
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "masked_autoregressive_flow",
        )

    def _pass(self, x: Any, y: Any) -> Any:
        shift, log_scale = self._function(y)
        after = x if log_scale is None else x * tf.exp(log_scale)
        return after if shift is None else after + shift

    def _forward(self, x: Any) -> Any:
        size = x.shape.with_rank_at_least(1).as_list()[-1]
        y = tf.zeros_like(x, name="y0")
        if self._unroll_loop:
            if size is None:
                raise ValueError(f"unroll_loop=True needs the last dimension of {x.shape}")
            for _ in range(size):
                y = self._pass(x, y)
            return y
        # The variables must not be made inside of the loop.
        self._function(y)
        count = tf.shape(x)[-1]
        return tf.while_loop(
            lambda i, _: i < count,
            lambda i, before: (i + 1, self._pass(x, before)),
            (0, y),
            maximum_iterations=size,
        )[1]

    def _inverse(self, y: Any) -> Any:
        shift, log_scale = self._function(y)
        x = y if shift is None else y - shift
        return x if log_scale is None else x * tf.exp(-log_scale)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        _, log_scale = self._function(y)
        if log_scale is None:
            return tf.zeros([], y.dtype)
        return -tf.reduce_sum(log_scale, axis=-1)


def _mask(blocks: int, n_in: int, n_out: int, exclusive: bool) -> np.ndarray:
    """Ones (n_in, n_out) where an output may depend on an input: on those of earlier blocks."""
    mask = np.zeros([n_in, n_out], np.float32)
    d_in, d_out = n_in // blocks, n_out // blocks
    for block in range(blocks):
        first = (block + exclusive) * d_out
        mask[block * d_in : (block + 1) * d_in, first:] = 1
    return mask


def masked_dense(
    inputs: Any,
    units: int,
    num_blocks: int | None = None,
    exclusive: bool = False,
    kernel_initializer: Any = None,
    reuse: Any = None,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """A dense layer whose outputs depend on earlier inputs only (https://arxiv.org/abs/1502.03509).

    Args:
      inputs: A float tensor (…, size) of known size.
      units: How many outputs.
      num_blocks: Into how many blocks inputs and outputs are divided.
      exclusive: Whether an output does not depend on its own block either.
      kernel_initializer: By default Glorot normal; what it gives is masked.
      reuse: Whether to reuse the variables of the scope `name`.
      name: The scope; by default "dense".
      *args: For ``tf.layers.Dense``, after `units`.
      **kwargs: For ``tf.layers.Dense``.

    Returns:
      (…, units).

    Raises:
      NotImplementedError: If the size is not known.
      ValueError: If there is no `num_blocks`.
    """
    size = _depth(inputs)
    if num_blocks is None:
        raise ValueError("num_blocks is missing")
    mask = _mask(num_blocks, size, units, exclusive)
    initializer = kernel_initializer or tf.glorot_normal_initializer()

    def masked(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return mask * initializer(shape, dtype, partition_info)

    # What args and kwargs are is up to the caller, as in TF1.
    dense: Any = layers.Dense
    with tf.name_scope(name, "masked_dense", [inputs, units, num_blocks]):
        layer = dense(
            units,
            *args,
            kernel_initializer=masked,
            kernel_constraint=lambda kernel: mask * kernel,
            name=name,
            dtype=inputs.dtype.base_dtype,
            _scope=name,
            _reuse=reuse,
            **kwargs,
        )
        return layer.apply(inputs)


def masked_autoregressive_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Any = tf.nn.relu,
    log_scale_min_clip: float = -5.0,
    log_scale_max_clip: float = 3.0,
    log_scale_clip_gradient: bool = False,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """A masked network for `MaskedAutoregressiveFlow`, whose variables are made once.

    Args:
      hidden_layers: The units of the hidden layers.
      shift_only: Whether there is no scale.
      activation: The activation of the hidden layers; None for none.
      log_scale_min_clip: The least logarithm of the scale.
      log_scale_max_clip: The largest.
      log_scale_clip_gradient: Whether clipping stops the gradient.
      name: The scope; by default "masked_autoregressive_default_template".
      **kwargs: For `masked_dense`.

    Returns:
      A function from (…, size) to shift and log_scale (or None).
    """

    def network(x: Any) -> tuple[Any, Any]:
        depth = _depth(x)
        shape = x.shape.as_list() if x.shape.is_fully_defined() else tf.shape(x)
        for i, units in enumerate(hidden_layers):
            x = masked_dense(
                inputs=x,
                units=units,
                num_blocks=depth,
                exclusive=i == 0,
                activation=activation,
                **kwargs,
            )
        x = masked_dense(
            inputs=x,
            units=(1 if shift_only else 2) * depth,
            num_blocks=depth,
            activation=None,
            **kwargs,
        )
        if shift_only:
            return tf.reshape(x, shape), None
        shift, log_scale = tf.unstack(tf.reshape(x, tf.concat([shape, [2]], 0)), num=2, axis=-1)
        clipped = tf.clip_by_value(log_scale, log_scale_min_clip, log_scale_max_clip)
        if not log_scale_clip_gradient:
            clipped = log_scale + tf.stop_gradient(clipped - log_scale)
        return shift, clipped

    return tf.make_template(name or "masked_autoregressive_default_template", network)


class RealNVP(Bijector):
    """The first entries stay; they say how the others are scaled and moved.

    After Dinh et al.: Density Estimation Using Real NVP (https://arxiv.org/abs/1605.08803).

    Args:
      num_masked: How many entries stay, at least one and not all.
      shift_and_log_scale_fn: From those (batch, num_masked) and the number of the others to shift
        and log_scale (or None for either), such as `real_nvp_default_template`.
      is_constant_jacobian: Whether log_scale is always None.
      validate_args: Kept for the others.
      name: Its name; by default "real_nvp".

    Raises:
      ValueError: If `num_masked` is not positive, or all entries.
    """

    def __init__(
        self,
        num_masked: int,
        shift_and_log_scale_fn: Callable[[Any, int], Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        if num_masked <= 0:
            raise ValueError(f"num_masked must be a positive integer. Received: {num_masked}")
        self._num_masked = num_masked
        self._function = shift_and_log_scale_fn
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "real_nvp",
        )

    def _split(self, x: Any) -> tuple[Any, Any, Any, Any]:
        others = _depth(x) - self._num_masked
        if others <= 0:
            raise ValueError(f"num_masked must be less than the event's size {_depth(x)}")
        kept, rest = x[:, : self._num_masked], x[:, self._num_masked :]
        return kept, rest, *self._function(kept, others)

    def _forward(self, x: Any) -> Any:
        kept, rest, shift, log_scale = self._split(x)
        rest = rest if log_scale is None else rest * tf.exp(log_scale)
        rest = rest if shift is None else rest + shift
        return tf.concat([kept, rest], axis=-1)

    def _inverse(self, y: Any) -> Any:
        kept, rest, shift, log_scale = self._split(y)
        rest = rest if shift is None else rest - shift
        rest = rest if log_scale is None else rest * tf.exp(-log_scale)
        return tf.concat([kept, rest], axis=-1)

    def _volume(self, x: Any) -> Any:
        log_scale = self._split(x)[3]
        return tf.zeros([], x.dtype) if log_scale is None else tf.reduce_sum(log_scale, axis=-1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -self._volume(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return self._volume(x)


def real_nvp_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Any = tf.nn.relu,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """A network of dense layers for `RealNVP`, whose variables are made once.

    Args:
      hidden_layers: The units of the hidden layers.
      shift_only: Whether there is no scale.
      activation: The activation of the hidden layers; None for none.
      name: The name scope while the function is made; the variables' scope is
        "real_nvp_default_template" in any case, as in TF1.
      **kwargs: For ``tf.layers.dense``.

    Returns:
      A function from x (batch, size) and a number to shift and log_scale (or None).
    """
    with tf.name_scope(name, "real_nvp_default_template"):

        def network(x: Any, output_units: int) -> tuple[Any, Any]:
            for units in hidden_layers:
                x = layers.dense(x, units, activation=activation, **kwargs)
            units = (1 if shift_only else 2) * output_units
            x = layers.dense(x, units, activation=None, **kwargs)
            if shift_only:
                return x, None
            shift, log_scale = tf.split(x, 2, axis=-1)
            return shift, log_scale

        return tf.make_template("real_nvp_default_template", network)


class BatchNormalization(Bijector):
    """Its inverse normalizes a batch, so that flows train better (1605.08803, section 3.7).

    `forward` undoes that with the moving averages.

    Args:
      batchnorm_layer: A ``tf.layers.BatchNormalization`` without renormalization and virtual
        batches; by default one whose gamma is kept positive.
      training: Whether `inverse` uses the batch's own moments.
      validate_args: Kept for the others.
      name: Its name.

    Raises:
      ValueError: If the layer is another one.
    """

    def __init__(
        self,
        batchnorm_layer: Any = None,
        training: bool = True,
        validate_args: bool = False,
        name: str = "batch_normalization",
    ) -> None:
        layer = batchnorm_layer or layers.BatchNormalization(
            gamma_constraint=lambda gamma: tf.nn.relu(gamma) + 1e-6
        )
        if not isinstance(layer, layers.BatchNormalization):
            raise ValueError(f"batchnorm_layer must be a BatchNormalization layer, not {layer!r}")
        if getattr(layer, "renorm", False) or getattr(layer, "virtual_batch_size", None):
            raise ValueError("renormalization and virtual batches have no inverse")
        self.batchnorm = layer
        self._training = training
        axis = layer.axis
        super().__init__(
            forward_min_event_ndims=1 if isinstance(axis, int) else len(axis),
            validate_args=validate_args,
            name=name,
        )

    def _axes(self, x: Any) -> list[int]:
        if not x.shape.is_fully_defined():
            raise ValueError(f"the shape of the input must be known. Received: {x.shape}")
        if not self.batchnorm.built:
            self.batchnorm.build(x.shape)
            self.batchnorm.built = True
        axis = self.batchnorm.axis
        found = [axis] if isinstance(axis, int) else list(axis)
        return [a % x.shape.rank for a in found]

    def _forward(self, x: Any) -> Any:
        axes, layer = self._axes(x), self.batchnorm
        wide = [size if i in axes else 1 for i, size in enumerate(x.shape.as_list())]
        deviation = tf.sqrt(tf.reshape(layer.moving_variance, wide) + layer.epsilon)
        if layer.scale:
            deviation /= tf.reshape(layer.gamma, wide)
        mean = tf.reshape(layer.moving_mean, wide)
        if layer.center:
            mean -= tf.reshape(layer.beta, wide) * deviation
        return x * deviation + mean

    def _inverse(self, y: Any) -> Any:
        return self.batchnorm.apply(y, training=self._training)

    def _volume(self, y: Any, saved: bool) -> Any:
        axes, layer = self._axes(y), self.batchnorm
        variance = layer.moving_variance
        if not saved:
            others = [i for i in range(y.shape.rank) if i not in axes]
            _, variance = tf.nn.moments(y, axes=others, keepdims=True)
        total = tf.reduce_sum(tf.log(variance + layer.epsilon))
        return tf.reduce_sum(tf.log(layer.gamma)) - 0.5 * total

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return self._volume(y, saved=not self._training)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -self._volume(x, saved=True)
