"""``tf.contrib.opt``: optimizers around others, and Adagrad that may keep its slots."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.opt._raw import cast, kernel

__all__ = [
    "DropStaleGradientOptimizer",
    "MultitaskOptimizerWrapper",
    "RegAdagradOptimizer",
    "VariableClippingOptimizer",
]


class RegAdagradOptimizer(tf.train.AdagradOptimizer):
    """Adagrad that can leave its accumulators out of an update, for the steps of a regularizer."""

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "RegAdagrad",
    ) -> None:
        """Make an optimizer.

        Args:
          learning_rate: The rate.
          initial_accumulator_value: Where the accumulators start.
          use_locking: Whether updates lock.
          name: The name of operations and slots.
        """
        super().__init__(
            learning_rate,
            initial_accumulator_value=initial_accumulator_value,
            use_locking=use_locking,
            name=name,
        )
        self._should_update_slots = True

    @contextlib.contextmanager
    def avoid_updating_slots(self) -> Iterator[None]:
        """Inside of it gradients are applied without adding to the accumulators."""
        old, self._should_update_slots = self._should_update_slots, False
        try:
            yield
        finally:
            self._should_update_slots = old

    def _adagrad(self, grad: Any, var: Any, **how: Any) -> Any:
        return kernel(
            "Adagrad",
            var,
            {"accum": self.get_slot(var, "accumulator")},
            lr=cast(self._learning_rate_tensor, var),
            grad=grad,
            use_locking=self._use_locking,
            update_slots=self._should_update_slots,
            **how,
        )

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._adagrad(grad, var)

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        return self._adagrad(grad, var)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._adagrad(grad.values, var, indices=grad.indices)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        return self._adagrad(grad, var, indices=indices)


class _Around(tf.train.Optimizer):
    """An optimizer whose slots and gradients are another one's."""

    def __init__(self, opt: Any, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._opt = opt

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's."""
        return self._opt.compute_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's."""
        return self._opt.get_slot_names(*args, **kwargs)


class VariableClippingOptimizer(_Around):
    """Clips variables to a norm along given axes after each step of another optimizer."""

    def __init__(
        self,
        opt: Any,
        vars_to_clip_dims: Any,
        max_norm: float,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ) -> None:
        """Wrap an optimizer.

        Args:
          opt: The optimizer.
          vars_to_clip_dims: From variables to the axes over which the norm is taken.
          max_norm: The largest norm.
          use_locking: Whether updates lock.
          colocate_clip_ops_with_vars: Whether the clipping happens on the variables' devices.
          name: The name of operations.
        """
        super().__init__(opt, use_locking, name)
        # A list of pairs: resource variables compare by value where TF2 behaviour is on.
        self._dims = {id(var): list(dims) for var, dims in vars_to_clip_dims.items()}
        self._max_norm = max_norm
        self._colocate = colocate_clip_ops_with_vars

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """The optimizer's step, then the clipping."""
        pairs = list(grads_and_vars)
        with tf.name_scope(name, self._name) as scope:
            update = self._opt.apply_gradients(pairs, global_step=global_step)
            clips = []
            with tf.control_dependencies([update]):
                for grad, var in pairs:
                    if grad is None or id(var) not in self._dims:
                        continue
                    with tf.name_scope("clip_" + var.op.name):
                        clips.append(self._clip(grad, var))
            return tf.group(update, *clips, name=scope)

    def _clip(self, grad: Any, var: Any) -> Any:
        dims = self._dims[id(var)]
        rows = isinstance(grad, tf.IndexedSlices)
        if rows and 0 in dims:
            tf.logging.warning(
                "Clipping %s over %s needs all its rows, though the gradient is sparse.",
                var.op.name,
                dims,
            )
            rows = False
        beside = tf.colocate_with(var) if self._colocate else contextlib.nullcontext()
        if not rows:
            with beside:
                value = var.read_value()
                delta = value - tf.clip_by_norm(value, self._max_norm, dims)
            with tf.colocate_with(var):
                return var.assign_sub(delta, use_locking=self._use_locking)
        with tf.colocate_with(var):
            value = tf.gather(var, grad.indices)
        with beside:
            delta = value - tf.clip_by_norm(value, self._max_norm, dims)
            slices = tf.IndexedSlices(delta, grad.indices, grad.dense_shape)
        with tf.colocate_with(var):
            return var.scatter_sub(slices, use_locking=self._use_locking)


class DropStaleGradientOptimizer(_Around):
    """Drops gradients that were computed too many steps ago, and counts them.

    Variable: ``stale_counter``; the summary "Gradient staleness percentage" has the share.
    """

    def __init__(
        self, opt: Any, staleness: int, use_locking: bool = False, name: str = "DropStaleGradient"
    ) -> None:
        """Wrap an optimizer.

        Args:
          opt: The optimizer.
          staleness: The most steps that may lie between computing and applying.
          use_locking: Whether updates lock.
          name: The name of operations.
        """
        super().__init__(opt, use_locking, name)
        self._staleness = staleness

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's, after a look at the global step."""
        with tf.colocate_with(loss):
            self._local_step = tf.train.get_global_step() + 0
        with tf.control_dependencies([self._local_step]):
            return self._opt.compute_gradients(tf.identity(loss), *args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """The optimizer's step unless the gradients are stale.

        Raises:
          ValueError: If there is no global step.
        """
        if global_step is None:
            raise ValueError("DropStaleGradientOptimizer needs a global_step. Received: None")
        pairs = list(grads_and_vars)
        with tf.colocate_with(global_step):
            counter = tf.get_variable(
                "stale_counter", [], initializer=tf.zeros_initializer(), trainable=False
            )

        def accept() -> Any:
            step = self._opt.apply_gradients(pairs, global_step=global_step, name=name)
            with tf.control_dependencies([step]):
                return tf.identity(0.0)

        gradients = [
            grad if isinstance(grad, tf.Tensor) else grad.op
            for grad, _ in pairs
            if grad is not None
        ]
        with tf.control_dependencies(gradients), tf.colocate_with(global_step):
            age = tf.reshape(global_step - self._local_step, [])
        update = counter.assign_add(
            tf.cond(tf.less_equal(age, self._staleness), accept, lambda: tf.identity(1.0))
        )
        tf.summary.scalar(
            "Gradient staleness percentage", counter / tf.cast(global_step + 1, tf.float32)
        )
        return update


class MultitaskOptimizerWrapper:
    """Lets an optimizer leave variables and slots alone whose gradient is all zeros.

    For several tasks that train one model in turns: momentum does not go on for the others.
    """

    def __init__(self, opt: Any) -> None:
        """Wrap an optimizer.

        Args:
          opt: The optimizer.

        Raises:
          TypeError: If it is not a ``tf.train.Optimizer``.
        """
        if not isinstance(opt, tf.train.Optimizer):
            raise TypeError(f"A tf.train.Optimizer is needed to wrap. Received: {opt!r}")
        self._opt = opt
        for name in (
            "_apply_dense",
            "_resource_apply_dense",
            "_apply_sparse",
            "_resource_apply_sparse",
        ):
            setattr(opt, name, types.MethodType(_unless_zero(getattr(opt, name)), opt))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opt, name)


def _unless_zero(apply: Any) -> Any:
    def wrapped(_: Any, grad: Any, *args: Any, **kwargs: Any) -> Any:
        def step() -> Any:
            with tf.control_dependencies([apply(grad, *args, **kwargs)]):
                return tf.no_op()

        values = grad.values if isinstance(grad, tf.IndexedSlices) else grad
        return tf.cond(tf.equal(tf.count_nonzero(values), 0), tf.no_op, step)

    return wrapped
