"""``tf.layers.BatchNormalization``."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _values
from migrate.tf1_shim._values import ONES, ZEROS
from migrate.tf1_shim.layers._layer import Layer
from migrate.tf1_shim.layers._spec import InputSpec

__all__ = ["BatchNormalization"]


class BatchNormalization(Layer):
    """Batch normalization; its arguments are those of `batch_normalization`.

    Variables: ``gamma``, ``beta`` (trainable), ``moving_mean``, ``moving_variance``; with
    ``renorm`` also ``renorm_mean``, ``renorm_stddev`` and ``moving_stddev``.
    """

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = ZEROS,
        gamma_initializer: Any = ONES,
        moving_mean_initializer: Any = ZEROS,
        moving_variance_initializer: Any = ONES,
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: dict[str, Any] | None = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the layer: see `batch_normalization`."""
        super().__init__(name=name, trainable=trainable, **kwargs)
        self.axis: Any = axis if isinstance(axis, int) else list(axis)
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = beta_initializer
        self.gamma_initializer = gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer = beta_regularizer
        self.gamma_regularizer = gamma_regularizer
        self.beta_constraint = beta_constraint
        self.gamma_constraint = gamma_constraint
        self.renorm = renorm
        self.renorm_clipping = dict(renorm_clipping or {})
        unknown = set(self.renorm_clipping) - {"rmax", "rmin", "dmax"}
        if renorm and unknown:
            raise ValueError(f"renorm_clipping {renorm_clipping} contains keys not in rmax …")
        self.renorm_momentum = renorm_momentum
        self.virtual_batch_size = virtual_batch_size
        self.adjustment = adjustment
        self.fused = fused
        self.gamma: Any = None
        self.beta: Any = None
        if renorm and virtual_batch_size is not None:
            raise ValueError("virtual_batch_size and renorm cannot both be True.")
        self._plain = not renorm and virtual_batch_size is None and adjustment is None

    # Variables.

    def build(self, input_shape: Any) -> None:
        """Make the variables; the normalized axes must be known."""
        shape = tf.TensorShape(input_shape)
        if shape.rank is None:
            raise ValueError(f"Input has undefined rank: {shape}")
        rank = shape.rank
        given = [self.axis] if isinstance(self.axis, int) else self.axis
        self.axis = [axis + rank if axis < 0 else axis for axis in given]
        if any(axis < 0 or axis >= rank for axis in self.axis):
            raise ValueError(f"Invalid axis: {given}")
        if len(self.axis) != len(set(self.axis)):
            raise ValueError(f"Duplicate axis: {self.axis}")
        if self.virtual_batch_size is not None:
            if self.virtual_batch_size <= 0:
                raise ValueError("virtual_batch_size must be a positive integer")
            if 0 in self.axis:
                raise ValueError(
                    "virtual_batch_size splits axis 0, which can't be normalized as well"
                )
        fits = rank == 4 and self.axis in ([1], [3])
        # As in TF1, fused=True is a wish.
        self.fused = fits and self._plain and self.fused in (None, True)
        self._data_format = "NCHW" if self.axis == [1] else "NHWC"
        wanted = self._dtype or "float32"
        self._param_dtype = "float32" if wanted in ("float16", "bfloat16") else wanted
        sizes = {axis: shape.as_list()[axis] for axis in self.axis}
        if None in sizes.values():
            raise ValueError(f"The normalized axes need known sizes. Received: {shape}")
        self.input_spec = InputSpec(ndim=rank, axes=sizes)
        if self.virtual_batch_size is not None:
            param_shape = [sizes.get(i - 1, 1) for i in range(rank + 1)]
        elif len(sizes) == 1:
            param_shape = [sizes[self.axis[0]]]
        else:
            param_shape = [sizes.get(i, 1) for i in range(rank)]
        if self.scale:
            self.gamma = self._param(
                "gamma",
                param_shape,
                self.gamma_initializer,
                self.gamma_regularizer,
                self.gamma_constraint,
            )
        elif self.fused:
            self._gamma_const = tf.constant(1.0, self._param_dtype, param_shape)
        if self.center:
            self.beta = self._param(
                "beta",
                param_shape,
                self.beta_initializer,
                self.beta_regularizer,
                self.beta_constraint,
            )
        elif self.fused:
            self._beta_const = tf.constant(0.0, self._param_dtype, param_shape)
        self._add_moments(param_shape)
        self.built = True

    def _param(self, name: str, shape: Any, initializer: Any, regular: Any, constraint: Any) -> Any:
        return self.add_weight(
            name=name,
            shape=shape,
            dtype=self._param_dtype,
            initializer=initializer,
            regularizer=regular,
            constraint=constraint,
            trainable=True,
        )

    def _moment(self, name: str, shape: Any, initializer: Any) -> Any:
        return self.add_weight(
            name=name,
            shape=shape,
            dtype=self._param_dtype,
            initializer=initializer,
            synchronization=tf.VariableSynchronization.ON_READ,
            trainable=False,
            aggregation=tf.VariableAggregation.MEAN,
        )

    def _add_moments(self, shape: Any) -> None:
        # The moving moments are never partitioned.
        partitioner = self._scope.partitioner if self._scope else None
        if self._scope:
            self._scope.set_partitioner(None)
        try:
            self.moving_mean = self._moment("moving_mean", shape, self.moving_mean_initializer)
            self.moving_variance = self._moment(
                "moving_variance", shape, self.moving_variance_initializer
            )
            if self.renorm:
                start = _values.initializer(self.moving_variance_initializer)
                self.moving_stddev = self._moment("moving_stddev", shape, _root(start))
                self.renorm_mean = self._moment("renorm_mean", shape, self.moving_mean_initializer)
                self.renorm_stddev = self._moment("renorm_stddev", shape, _root(start))
        finally:
            if self._scope:
                self._scope.set_partitioner(partitioner)

    # Calls.

    def _average(self, variable: Any, value: Any, momentum: Any) -> Any:
        """Move a moment towards the batch's."""
        with tf.name_scope("AssignMovingAvg") as scope, tf.colocate_with(variable):
            decay = tf.convert_to_tensor(1.0 - momentum, name="decay")
            decay = tf.cast(decay, variable.dtype.base_dtype)
            delta = (variable - tf.cast(value, variable.dtype.base_dtype)) * decay
            return tf.assign_sub(variable, delta, name=scope)

    def _call_fused(self, inputs: Any, training: Any) -> Any:
        beta = self.beta if self.center else self._beta_const
        gamma = self.gamma if self.scale else self._gamma_const

        def train() -> Any:
            return tf.nn.fused_batch_norm(
                inputs, gamma, beta, epsilon=self.epsilon, data_format=self._data_format
            )

        def infer() -> Any:
            return tf.nn.fused_batch_norm(
                inputs,
                gamma,
                beta,
                mean=self.moving_mean,
                variance=self.moving_variance,
                epsilon=self.epsilon,
                is_training=False,
                data_format=self._data_format,
            )

        output, mean, variance = _values.smart_cond(training, train, infer)
        known = _values.constant(training)
        if known is None:
            momentum = _values.smart_cond(training, lambda: self.momentum, lambda: 1.0)
        else:
            momentum = tf.convert_to_tensor(self.momentum)
        if known is not False:
            self.add_update(lambda: self._average(self.moving_mean, mean, momentum))
            self.add_update(lambda: self._average(self.moving_variance, variance, momentum))
        return output

    def _corrections(self, mean: Any, variance: Any, training: Any) -> tuple[Any, ...]:
        """Batch renormalization: the factors (r, d), and the moments once they are recorded."""
        stddev = tf.sqrt(variance + self.epsilon)
        floor = tf.sqrt(tf.constant(self.epsilon, stddev.dtype))
        r = stddev / tf.maximum(self.renorm_stddev, floor)
        d = (mean - self.renorm_mean) / tf.maximum(self.renorm_stddev, floor)
        # The corrections must read the moments before the updates below.
        with tf.control_dependencies([r, d]):
            mean, stddev = tf.identity(mean), tf.identity(stddev)
        if self.renorm_clipping.get("rmin") is not None:
            r = tf.maximum(r, self.renorm_clipping["rmin"])
        if self.renorm_clipping.get("rmax") is not None:
            r = tf.minimum(r, self.renorm_clipping["rmax"])
        if self.renorm_clipping.get("dmax") is not None:
            d = tf.minimum(
                tf.maximum(d, -self.renorm_clipping["dmax"]), self.renorm_clipping["dmax"]
            )
        r, d = _choose(training, r, tf.ones_like), _choose(training, d, tf.zeros_like)

        def record(variable: Any, value: Any) -> Any:
            value = tf.identity(value)
            return _values.smart_cond(
                training,
                lambda: self._average(variable, value, self.renorm_momentum),
                lambda: tf.identity(variable),
            )

        recorded = [record(self.renorm_mean, mean), record(self.renorm_stddev, stddev)]
        with tf.control_dependencies(recorded):
            return r, d, tf.identity(mean), tf.identity(variance)

    def _call_virtual(self, inputs: Any, training: Any) -> Any:
        """Split the batch into groups, normalize each, and put them together again."""
        dynamic = tf.shape(inputs)
        groups = tf.concat([[self.virtual_batch_size, -1], dynamic[1:]], axis=0)
        shape = inputs.shape.as_list()
        split = tf.reshape(inputs, groups)
        split.set_shape([self.virtual_batch_size, None, *shape[1:]])
        outputs = self._call_plain(split, training, [axis + 1 for axis in self.axis], virtual=True)
        outputs = tf.reshape(outputs, dynamic)
        outputs.set_shape(inputs.shape)
        return outputs

    def _call_plain(self, inputs: Any, training: Any, axes: list[int], virtual: bool) -> Any:
        rank = inputs.shape.rank
        # Virtual batches stand along the second axis.
        reduced = [i for i in range(rank) if i not in axes and not (virtual and i == 1)]
        wide = [1] * rank
        wide[axes[0]] = inputs.shape.as_list()[axes[0]]

        def broadcast(value: Any) -> Any:
            fits = value is None or len(value.shape) == rank
            if fits or reduced == list(range(rank - 1)):
                return value
            return tf.reshape(value, wide)

        scale, offset = broadcast(self.gamma), broadcast(self.beta)
        known = _values.constant(training)
        if known is False:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            if self.adjustment is not None:
                by, to = self.adjustment(tf.shape(inputs))
                by, to = _choose(training, by, tf.ones_like), _choose(training, to, tf.zeros_like)
                scale, offset = _compose(by, to, scale, offset)
            moments = tf.nn.moments(
                tf.cast(inputs, self._param_dtype), reduced, keep_dims=virtual or len(axes) > 1
            )
            moving = (self.moving_mean, self.moving_variance)
            mean, variance = (
                _choose(training, batch, lambda _, kept=kept: tf.convert_to_tensor(kept))
                for batch, kept in zip(moments, moving, strict=True)
            )
            if virtual:
                # Each moment is the mean over the groups.
                new = [tf.reduce_mean(moment, axis=1, keepdims=True) for moment in (mean, variance)]
            else:
                new = [mean, variance]
            if self.renorm:
                r, d, *new = self._corrections(new[0], new[1], training)
                by = broadcast(tf.stop_gradient(r, name="renorm_r"))
                to = broadcast(tf.stop_gradient(d, name="renorm_d"))
                scale, offset = _compose(by, to, scale, offset)
            self._update(new, training)
        dtype = inputs.dtype
        outputs = tf.nn.batch_normalization(
            inputs,
            broadcast(tf.cast(mean, dtype)),
            broadcast(tf.cast(variance, dtype)),
            None if offset is None else tf.cast(offset, dtype),
            None if scale is None else tf.cast(scale, dtype),
            self.epsilon,
        )
        outputs.set_shape(inputs.shape)
        return outputs

    def _update(self, new: Any, training: Any) -> None:
        def update(variable: Any, value: Any) -> Any:
            return _values.smart_cond(
                training,
                lambda: self._average(variable, value, self.momentum),
                lambda: tf.convert_to_tensor(variable),
            )

        def renormed() -> Any:
            stddev = tf.sqrt(new[1] + self.epsilon)
            moved = self._average(self.moving_stddev, stddev, self.momentum)
            return tf.assign(
                self.moving_variance,
                tf.nn.relu(moved * moved - self.epsilon),
                name="AssignNewValue",
            )

        self.add_update(lambda: update(self.moving_mean, new[0]))
        if self.renorm:
            self.add_update(
                lambda: _values.smart_cond(
                    training, renormed, lambda: tf.convert_to_tensor(self.moving_variance)
                )
            )
        else:
            self.add_update(lambda: update(self.moving_variance, new[1]))

    def call(self, inputs: Any, training: Any = False) -> Any:
        """Normalize, with the batch's moments if ``training``, else with the moving ones."""
        if self.virtual_batch_size is not None:
            return self._call_virtual(inputs, training)
        if self.fused:
            return self._call_fused(inputs, training)
        return self._call_plain(inputs, training, self.axis, virtual=False)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The input's shape."""
        return input_shape


def _root(initializer: Any) -> Any:
    """The square root of what an initializer gives."""

    def initialize(shape: Any, dtype: Any = tf.float32, partition_info: Any = None) -> Any:
        return tf.sqrt(initializer(shape, dtype=dtype))

    return initialize


def _choose(training: Any, value: Any, otherwise: Any) -> Any:
    """The value while training, else what ``otherwise`` makes of it."""
    return _values.smart_cond(training, lambda: value, lambda: otherwise(value))


def _compose(by: Any, to: Any, scale: Any, offset: Any) -> tuple[Any, Any]:
    """``(x * by + to) * scale + offset`` as one scale and one offset."""
    if scale is not None:
        by, to = by * scale, to * scale
    return by, to if offset is None else to + offset
