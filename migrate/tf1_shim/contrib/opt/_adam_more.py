"""``tf.contrib.opt``: AdaMax, Nadam, and Adam that counts by the global step."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.opt._raw import cast, kernel

__all__ = ["AdaMaxOptimizer", "AdamGSOptimizer", "LazyAdamGSOptimizer", "NadamOptimizer"]


class _Adam(tf.train.AdamOptimizer):
    """Adam whose steps are taken from kernels that say what differs."""

    def _values(self, var: Any) -> tuple[Any, Any, Any, Any]:
        """The rate, both betas and epsilon in the variable's dtype."""
        given = (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)
        rate, beta1, beta2, epsilon = (cast(value, var) for value in given)
        return rate, beta1, beta2, epsilon

    def _moments(self, var: Any) -> dict[str, Any]:
        return {"m": self.get_slot(var, "m"), "v": self.get_slot(var, "v")}

    def _adam(self, grad: Any, var: Any, **how: Any) -> Any:
        power1, power2 = self._get_beta_accumulators()
        rate, beta1, beta2, epsilon = self._values(var)
        return kernel(
            "Adam",
            var,
            self._moments(var),
            beta1_power=cast(power1, var),
            beta2_power=cast(power2, var),
            lr=rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            grad=grad,
            use_locking=self._use_locking,
            **how,
        )

    def _corrected(self, var: Any) -> Any:
        """The rate with both corrections of the start."""
        one, two = (cast(power, var) for power in self._get_beta_accumulators())
        return cast(self._lr_t, var) * tf.sqrt(1 - two) / (1 - one)

    def _decayed(self, slot: Any, beta: Any, rows: Any, indices: Any) -> Any:
        """All of a slot decayed, and rows added to it: its new value."""
        decayed = slot.assign(slot * beta, use_locking=self._use_locking)
        with tf.control_dependencies([decayed]):
            added = slot.scatter_add(tf.IndexedSlices(rows, indices), use_locking=self._use_locking)
            with tf.control_dependencies([added]):
                return slot.read_value()

    def _sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        raise NotImplementedError

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._sparse(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        return self._sparse(grad, var, indices)

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        return self._apply_dense(grad, var)


class NadamOptimizer(_Adam):
    """Adam with Nesterov's momentum (Dozat, ICLR 2016 workshop)."""

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._adam(grad, var, use_nesterov=True)

    def _sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        _, beta1, beta2, epsilon = self._values(var)
        rate = self._corrected(var)
        m = self._decayed(self.get_slot(var, "m"), beta1, grad * (1 - beta1), indices)
        v = self._decayed(self.get_slot(var, "v"), beta2, grad * grad * (1 - beta2), indices)
        ahead = grad * (1 - beta1) + beta1 * tf.gather(m, indices)
        step = -rate * ahead / (tf.sqrt(tf.gather(v, indices)) + epsilon)
        rows = tf.IndexedSlices(step, indices)
        return tf.group(var.scatter_add(rows, use_locking=self._use_locking), m, v)


class AdaMaxOptimizer(_Adam):
    """Adam by the largest gradient instead of the second moment (arXiv:1412.6980, 7.1)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        """Make an optimizer.

        Args:
          learning_rate: The rate.
          beta1: The decay of the first moment.
          beta2: The decay of the largest gradient.
          epsilon: Added to the denominator.
          use_locking: Whether updates lock.
          name: The name of operations and slots.
        """
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _get_beta_accumulators(self) -> Any:
        graph = None if tf.executing_eagerly() else tf.get_default_graph()
        return self._get_non_slot_variable("beta1_power", graph=graph)

    def _create_slots(self, var_list: Any) -> None:
        first = min(var_list, key=lambda var: var.name)
        self._create_non_slot_variable(
            initial_value=self._beta1, name="beta1_power", colocate_with=first
        )
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        rate, beta1, beta2, epsilon = self._values(var)
        return kernel(
            "AdaMax",
            var,
            self._moments(var),
            beta1_power=cast(self._get_beta_accumulators(), var),
            lr=rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            grad=grad,
            use_locking=self._use_locking,
        )

    def _sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        rate, beta1, beta2, epsilon = self._values(var)
        power = cast(self._get_beta_accumulators(), var)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        new_m = tf.gather(m, indices) * beta1 + grad * (1 - beta1)
        new_v = tf.maximum(tf.gather(v, indices) * beta2, tf.abs(grad))
        step = -rate / (1 - power) * (new_m / (new_v + epsilon))
        locking = self._use_locking
        return tf.group(
            m.scatter_update(tf.IndexedSlices(new_m, indices), use_locking=locking),
            v.scatter_update(tf.IndexedSlices(new_v, indices), use_locking=locking),
            var.scatter_add(tf.IndexedSlices(step, indices), use_locking=locking),
        )

    def _finish(self, update_ops: Any, name_scope: str) -> Any:
        with tf.control_dependencies(update_ops):
            power = self._get_beta_accumulators()
            with tf.colocate_with(power):
                update = power.assign(power * self._beta1_t, use_locking=self._use_locking)
        return tf.group(*update_ops, update, name=name_scope)


class AdamGSOptimizer(_Adam):
    """Adam that takes the powers of its betas from the global step instead of own variables."""

    def __init__(
        self,
        global_step: Any = 0,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        """Make an optimizer.

        Args:
          global_step: The global step: a variable, a tensor or a number.
          learning_rate: The rate.
          beta1: The decay of the first moment.
          beta2: The decay of the second moment.
          epsilon: Added to the denominator.
          use_locking: Whether updates lock.
          name: The name of operations and slots.
        """
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)
        self._global_step = global_step
        self._global_step_on_worker: Any = None

    def _get_beta_accumulators(self) -> Any:
        step = self._global_step_on_worker
        return tf.pow(self._beta1_t, step), tf.pow(self._beta2_t, step)

    def _create_slots(self, var_list: Any) -> None:
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _prepare(self) -> None:
        super()._prepare()
        self._global_step_on_worker = tf.cast(tf.identity(self._global_step) + 1, tf.float32)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._adam(grad, var)

    def _sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        _, beta1, beta2, epsilon = self._values(var)
        rate = self._corrected(var)
        m = self._decayed(self.get_slot(var, "m"), beta1, grad * (1 - beta1), indices)
        v = self._decayed(self.get_slot(var, "v"), beta2, grad * grad * (1 - beta2), indices)
        update = var.assign_sub(rate * m / (tf.sqrt(v) + epsilon), use_locking=self._use_locking)
        return tf.group(update, m, v)

    def _finish(self, update_ops: Any, name_scope: str) -> Any:
        return tf.group(*update_ops, name=name_scope)


class LazyAdamGSOptimizer(AdamGSOptimizer):
    """`AdamGSOptimizer` that moves only the rows that a sparse gradient names."""

    def _sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        _, beta1, beta2, epsilon = self._values(var)
        rate = self._corrected(var)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        new_m = beta1 * tf.gather(m, indices) + (1 - beta1) * grad
        new_v = beta2 * tf.gather(v, indices) + (1 - beta2) * tf.square(grad)
        step = rate * new_m / (tf.sqrt(new_v) + epsilon)
        locking = self._use_locking
        return tf.group(
            m.scatter_update(tf.IndexedSlices(new_m, indices), use_locking=locking),
            v.scatter_update(tf.IndexedSlices(new_v, indices), use_locking=locking),
            var.scatter_sub(tf.IndexedSlices(step, indices), use_locking=locking),
        )
