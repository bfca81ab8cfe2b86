"""``tf.contrib.opt``: LazyAdam, moving averages, clipping."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "LazyAdamOptimizer",
    "MovingAverageOptimizer",
    "clip_gradients_by_global_norm",
]


class LazyAdamOptimizer(tf.train.AdamOptimizer):
    """Adam that moves only the rows, moments included, that a sparse gradient names."""

    def _lazy(self, values: Any, var: Any, indices: Any) -> Any:
        """Update the rows; ids do not repeat, since the optimizer sums them before."""
        one, two = self._get_beta_accumulators()
        dtype = var.dtype.base_dtype
        one, two = tf.cast(one, dtype), tf.cast(two, dtype)
        rate = tf.cast(self._lr_t, dtype)
        beta1, beta2 = tf.cast(self._beta1_t, dtype), tf.cast(self._beta2_t, dtype)
        epsilon = tf.cast(self._epsilon_t, dtype)
        rate = rate * tf.sqrt(1 - two) / (1 - one)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        new_m = beta1 * tf.gather(m, indices) + (1 - beta1) * values
        new_v = beta2 * tf.gather(v, indices) + (1 - beta2) * tf.square(values)
        step = rate * new_m / (tf.sqrt(new_v) + epsilon)
        return tf.group(
            m.scatter_update(tf.IndexedSlices(new_m, indices), use_locking=self._use_locking),
            v.scatter_update(tf.IndexedSlices(new_v, indices), use_locking=self._use_locking),
            var.scatter_sub(tf.IndexedSlices(step, indices), use_locking=self._use_locking),
        )

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._lazy(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        return self._lazy(grad, var, indices)


def clip_gradients_by_global_norm(
    gradients_variables: Any, clip_norm: float = 20.0
) -> tuple[list[tuple[Any, Any]], Any]:
    """Clip (gradient, variable) pairs to a global norm.

    Args:
      gradients_variables: The pairs.
      clip_norm: The largest global norm.

    Returns:
      The pairs with clipped gradients, and the global norm before.
    """
    gradients, variables = zip(*gradients_variables, strict=True)
    norm = tf.global_norm(gradients)
    clipped, _ = tf.clip_by_global_norm(gradients, clip_norm, use_norm=norm)
    return list(zip(clipped, variables, strict=True)), norm


class MovingAverageOptimizer(tf.train.Optimizer):
    """An optimizer that also keeps moving averages, and a saver that saves them instead.

    Example::

        opt = MovingAverageOptimizer(tf.train.MomentumOptimizer(0.01, 0.9))
        train_op = opt.minimize(loss)
        saver = opt.swapping_saver()        # variables' names hold their moving averages
    """

    def __init__(
        self,
        opt: Any,
        average_decay: Any = 0.9999,
        num_updates: Any = None,
        sequential_update: bool = True,
    ) -> None:
        """Wrap an optimizer.

        Args:
          opt: The optimizer.
          average_decay: The weight of the old average.
          num_updates: Counts the updates, for a smaller decay at the start.
          sequential_update: Whether the averages wait for the optimizer's step.
        """
        self._optimizer = opt
        self._ema = tf.train.ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped_variable_name_map: dict[str, str] | None = None
        self._sequential_update = sequential_update

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """The optimizer's step, and that of the averages."""
        pairs = list(grads_and_vars)
        train_op = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        variables = [variable for gradient, variable in pairs if gradient is not None]
        if self._sequential_update:
            with tf.control_dependencies([train_op]):
                average_op = self._ema.apply(variables)
        else:
            average_op = self._ema.apply(variables)
        self._swapped_variable_name_map = {
            variable.op.name: self._ema.average(variable).op.name for variable in variables
        }
        return tf.group(train_op, average_op, name="train_with_avg")

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> Any:
        """A saver that puts the averages under the variables' names.

        Args:
          var_list: What to save; by default all global variables.
          name: The name of its operations.
          **kwargs: The saver's other arguments.

        Returns:
          A ``tf.train.Saver``.

        Raises:
          RuntimeError: Before `apply_gradients`.
          ValueError: If an average is not among what is saved.
        """
        if self._swapped_variable_name_map is None:
            raise RuntimeError("swapping_saver() comes after minimize() or apply_gradients()")
        variables = tf.global_variables() if var_list is None else var_list
        if not isinstance(variables, dict):
            variables = {variable.op.name: variable for variable in variables}
        swapped = {}
        back = {average: name for name, average in self._swapped_variable_name_map.items()}
        for key, variable in variables.items():
            other = self._swapped_variable_name_map.get(key) or back.get(key)
            if other is not None and other not in variables:
                raise ValueError(f"{other} is to change places with {key}, but var_list lacks it")
            swapped[key] = variables[other] if other is not None else variable
        return tf.train.Saver(swapped, name=name, **kwargs)
