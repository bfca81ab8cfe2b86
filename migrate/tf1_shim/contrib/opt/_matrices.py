"""``tf.contrib.opt``: optimizers with matrices: Shampoo and GGT."""

from __future__ import annotations

import math
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["GGTOptimizer", "ShampooOptimizer"]


def _at(value: Any, step: Any) -> Any:
    """A number, or what a function of the step gives."""
    return value(step) if callable(value) else value


def _square_root(matrix: Any, size: int, iterations: int, ridge: float) -> Any:
    """The square root of a positive matrix, by Newton and Schulz."""
    identity = tf.eye(size)
    matrix = matrix + ridge * identity
    norm = tf.sqrt(tf.reduce_sum(matrix * matrix))

    def better(i: Any, y: Any, _: Any, z: Any, error: Any, __: Any) -> Any:
        step = 0.5 * (3.0 * identity - tf.matmul(z, y))
        new_y, new_z = tf.matmul(y, step), tf.matmul(step, z)
        root = new_y * tf.sqrt(norm)
        rest = matrix - tf.matmul(root, root)
        return i + 1, new_y, y, new_z, tf.sqrt(tf.reduce_sum(rest * rest)) / norm, error

    start = matrix / norm
    _, _, root, _, _, _ = tf.while_loop(
        lambda i, _y, _o, _z, error, old: tf.logical_and(i < iterations, error < old),
        better,
        [0, start, start, identity, norm, norm + 1.0],
    )
    return root * tf.sqrt(norm)


def _inverse_root(matrix: Any, size: int, alpha: float, iterations: int, epsilon: float) -> Any:
    """A positive matrix to the power of alpha, minus one over a whole number."""
    if size == 1:
        return tf.pow(matrix, alpha)
    identity = tf.eye(size)
    whole = round(-1.0 / alpha)

    def power(one: Any) -> Any:
        result, left = None, whole
        while left:
            if left % 2:
                result = one if result is None else tf.matmul(one, result)
            one, left = tf.matmul(one, one), left // 2
        return result

    def better(i: Any, m: Any, x: Any) -> Any:
        step = (1 - alpha) * identity + alpha * m
        return i + 1, tf.matmul(power(step), m), tf.matmul(x, step)

    scale = (1 - 1 / alpha) / (2 * tf.norm(matrix))
    _, _, result = tf.while_loop(
        lambda i, m, _: tf.logical_and(
            i < iterations, tf.reduce_max(tf.abs(m - identity)) > epsilon
        ),
        better,
        [0, matrix * scale, identity * tf.pow(scale, -alpha)],
    )
    return result


class ShampooOptimizer(tf.train.Optimizer):
    """Gradients preconditioned along each axis (arXiv:1802.09568).

    Slots: ``gbar``, and for each axis ``Gbar_0`` … (and ``H_0`` … with ``svd_interval`` over one).
    """

    def __init__(
        self,
        global_step: Any = 0,
        max_matrix_size: int = 768,
        gbar_decay: Any = 0.0,
        gbar_weight: Any = 1.0,
        mat_gbar_decay: Any = 1.0,
        mat_gbar_weight: Any = 1.0,
        learning_rate: Any = 1.0,
        svd_interval: Any = 1,
        precond_update_interval: Any = 1,
        epsilon: float = 1e-4,
        alpha: Any = 0.5,
        use_iterative_root: bool = False,
        use_locking: bool = False,
        name: str = "Shampoo",
    ) -> None:
        """Make an optimizer. Numbers may be functions of the global step, too.

        Args:
          global_step: The global step.
          max_matrix_size: Axes longer than that get a diagonal.
          gbar_decay: The decay of the average gradient.
          gbar_weight: The weight of a gradient in it.
          mat_gbar_decay: The decay of the matrices.
          mat_gbar_weight: The weight of a gradient in them.
          learning_rate: The rate.
          svd_interval: How many steps a power of the matrices is kept.
          precond_update_interval: How many steps the matrices are kept.
          epsilon: Added to the matrices' diagonals.
          alpha: The power, shared by the axes.
          use_iterative_root: Whether the power is found by iteration instead of by the singular
            values.
          use_locking: Whether updates lock.
          name: The name of operations and slots.
        """
        super().__init__(use_locking, name)
        self._global_step = tf.cast(global_step, tf.float32)
        self._max_matrix_size = max_matrix_size
        self._gbar_decay, self._gbar_weight = gbar_decay, gbar_weight
        self._mat_gbar_decay, self._mat_gbar_weight = mat_gbar_decay, mat_gbar_weight
        self._learning_rate = learning_rate
        self._svd_interval = svd_interval
        self._precond_update_interval = precond_update_interval
        self._epsilon, self._alpha = epsilon, alpha
        self._use_iterative_root = use_iterative_root

    def _create_slots(self, var_list: Any) -> None:
        for var in var_list:
            with tf.colocate_with(var):
                self._zeros_slot(var, "gbar", self._name)
                for i, size in enumerate(var.shape.as_list()):
                    small = size <= self._max_matrix_size
                    if small and (callable(self._svd_interval) or self._svd_interval > 1):
                        self._get_or_make_slot(var, tf.eye(size), f"H_{i}", self._name)
                    start = tf.zeros([size, size] if small else [size])
                    self._get_or_make_slot(var, start, f"Gbar_{i}", self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._apply(grad, var)

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        return self._apply(grad, var)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._rows(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        return self._rows(grad, var, indices)

    def _rows(self, values: Any, var: Any, indices: Any) -> Any:
        if var.shape.as_list()[0] > self._max_matrix_size and self._gbar_decay == 0.0:
            return self._apply(values, var, indices)
        shape = tf.shape(var, out_type=indices.dtype)
        return self._apply(tf.scatter_nd(tf.expand_dims(indices, 1), values, shape), var)

    @staticmethod
    def _average(slot: Any, weight: Any, now: Any, rest: Any) -> Any:
        if weight == 0.0:
            return rest
        if weight == 1.0:
            return tf.assign_add(slot, rest)
        return tf.assign_add(slot, (now - 1) * slot + rest)

    def _power(self, var: Any, matrix: Any, size: int, alpha: Any, slot: str | None) -> Any:
        with tf.name_scope("matrix_iterative_power"):
            if self._use_iterative_root:
                root = _square_root(matrix, size, 100, self._epsilon)
                result = _inverse_root(root, size, 2 * alpha, 100, 1e-6)
            elif size == 1:
                result = tf.pow(matrix + self._epsilon, alpha)
            else:
                values, left, right = tf.linalg.svd(
                    matrix + self._epsilon * tf.eye(size), full_matrices=True
                )
                powers = tf.pow(tf.maximum(values, self._epsilon), alpha)
                result = tf.matmul(right * powers, tf.transpose(left))
            return result if slot is None else tf.assign(self.get_slot(var, slot), result)

    def _apply(self, grad: Any, var: Any, indices: Any = None) -> Any:
        step = self._global_step + 1
        shape = var.shape.as_list()
        rank = len(shape)
        if indices is None:
            result = self._average(
                self.get_slot(var, "gbar"),
                self._gbar_decay,
                _at(self._gbar_decay, step),
                _at(self._gbar_weight, step) * grad,
            )
        else:
            result = grad
        alpha = -_at(self._alpha, step) / rank
        for i, size in enumerate(shape):
            axes = [axis for axis in range(rank) if axis != i]
            if size <= self._max_matrix_size:
                matrix = self._matrix(grad, var, i, axes, step) / float(size)
                power = self._kept_power(var, matrix, i, size, alpha, step)
                result = tf.tensordot(result, power, axes=([0], [0]), name=f"precond_{i}")
            else:
                power = self._diagonal(grad, var, i, axes, alpha, step, indices)
                result = tf.transpose(result, perm=[*range(1, rank), 0]) * power
        rate = _at(self._learning_rate, step)
        if indices is not None:
            return var.scatter_add(tf.IndexedSlices(-rate * result, indices))
        return tf.assign_sub(var, rate * result)

    def _matrix(self, grad: Any, var: Any, i: int, axes: list[int], step: Any) -> Any:
        slot, every = self.get_slot(var, f"Gbar_{i}"), _at(self._precond_update_interval, step)

        def update() -> Any:
            outer = tf.tensordot(grad, grad, axes=(axes, axes), name=f"grad_outer_{i}")
            weight = _at(self._mat_gbar_weight, step) * every
            now = _at(self._mat_gbar_decay, step)
            updated = self._average(slot, self._mat_gbar_decay, now, weight * outer)
            return tf.identity(updated)

        return tf.cond(tf.mod(step, every) < 1, update, lambda: tf.identity(slot))

    def _kept_power(self, var: Any, matrix: Any, i: int, size: int, alpha: Any, step: Any) -> Any:
        if self._svd_interval == 1:
            return self._power(var, matrix, size, alpha, None)
        slot = f"H_{i}"
        return tf.cond(
            tf.mod(step, _at(self._svd_interval, step)) < 1,
            lambda: tf.identity(self._power(var, matrix, size, alpha, slot)),
            lambda: tf.identity(self.get_slot(var, slot)),
        )

    def _diagonal(
        self, grad: Any, var: Any, i: int, axes: list[int], alpha: Any, step: Any, indices: Any
    ) -> Any:
        slot, outer = self.get_slot(var, f"Gbar_{i}"), grad * grad
        if axes:
            size = 1.0 if indices is not None else float(var.shape.as_list()[i])
            outer = tf.reduce_sum(outer, axis=axes) / size
        outer = _at(self._mat_gbar_weight, step) * outer
        if i == 0 and indices is not None:
            if self._mat_gbar_decay != 1.0:
                raise ValueError(
                    f"Sparse gradients need mat_gbar_decay=1.0. Received: {self._mat_gbar_decay}"
                )
            added = slot.scatter_add(tf.IndexedSlices(outer, indices))
            with tf.control_dependencies([added]):
                updated = tf.gather(slot.read_value(), indices)
        else:
            now = _at(self._mat_gbar_decay, step)
            updated = tf.convert_to_tensor(self._average(slot, self._mat_gbar_decay, now, outer))
        positive = tf.greater(updated, 0)
        return tf.where(positive, tf.pow(updated, alpha), tf.zeros_like(updated))


class GGTOptimizer(tf.train.Optimizer):
    """Preconditioning by the last gradients (arXiv:1806.02958).

    Variables: ``grad_buffer`` (window, all weights), ``moment1``, ``flat_grad``, ``global_step``.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        use_locking: bool = False,
        name: str = "GGT",
        window: int = 10,
        eps: Any = 1e-4,
        svd_eps: Any = 1e-6,
        sigma_eps: Any = 1e-2,
    ) -> None:
        """Make an optimizer.

        Args:
          learning_rate: The rate.
          beta1: The decay of the first moment.
          use_locking: Whether updates lock.
          name: The name of operations.
          window: How many gradients are kept.
          eps: Below that singular value, what lies outside of the gradients is left alone.
          svd_eps: Added to the diagonal before the singular values are found.
          sigma_eps: Added to the singular values.
        """
        super().__init__(use_locking, name)
        self._settings = (learning_rate, beta1, eps, svd_eps, sigma_eps)
        self._window = window
        self._places: dict[str, int] = {}
        self._total = 0

    def _create_slots(self, var_list: Any) -> None:
        sizes = {var.name: math.prod(var.shape.as_list()) for var in var_list}
        for name in sorted(sizes):
            self._places[name] = self._total
            self._total += sizes[name]
        first, dtype = min(var_list, key=lambda var: var.name), var_list[0].dtype.base_dtype
        for name, start in (
            ("global_step", tf.cast(0.0, dtype)),
            ("grad_buffer", tf.zeros([self._window, self._total], dtype)),
            ("moment1", tf.zeros([self._total], dtype)),
            ("flat_grad", tf.zeros([self._total], dtype)),
        ):
            self._create_non_slot_variable(start, name, colocate_with=first)

    def _own(self, name: str) -> Any:
        graph = None if tf.executing_eagerly() else tf.get_default_graph()
        return self._get_non_slot_variable(name, graph=graph)

    def _prepare(self) -> None:
        self._moved: list[Any] = []

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        self._moved.append(var)
        start = self._places[var.name]
        flat = tf.reshape(grad, [-1])
        rows = tf.IndexedSlices(flat, tf.range(start, start + math.prod(var.shape.as_list())))
        return self._own("flat_grad").scatter_update(rows)

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        return self._apply_dense(grad, var)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        raise NotImplementedError(f"GGTOptimizer takes no sparse gradients. Received: {var.name}")

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        return self._apply_sparse(grad, var)

    def _finish(self, update_ops: Any, name_scope: str) -> Any:
        dtype = self._moved[0].dtype.base_dtype
        rate, beta1, eps, svd_eps, sigma_eps = (tf.cast(s, dtype) for s in self._settings)
        with tf.control_dependencies(update_ops):
            count = tf.identity(tf.assign_add(self._own("global_step"), 1.0))
            moment = self._own("moment1")
            flat = self._own("flat_grad").read_value()
            new = tf.identity(moment.assign(beta1 * moment + (1.0 - beta1) * flat))
            buffer = self._own("grad_buffer")
            place = tf.floormod(tf.cast(count - 1.0, tf.int32), self._window)
            rows = tf.IndexedSlices(tf.expand_dims(new, 0), tf.expand_dims(place, 0))
            with tf.control_dependencies([buffer.scatter_update(rows)]):
                kept = buffer.read_value()
        used = tf.sqrt(tf.minimum(count, tf.cast(self._window, dtype)))
        column = tf.expand_dims(new, -1)
        m = tf.transpose(kept / used)
        damped = tf.matmul(m, m, transpose_a=True) + tf.eye(self._window, dtype=dtype) * svd_eps
        sigma, u, _ = tf.linalg.svd(damped)
        root = tf.sqrt(sigma)
        least = tf.reduce_min(root)
        seen = tf.matmul(u, tf.matmul(m, column, transpose_a=True), transpose_a=True)

        def back(scale: Any) -> Any:
            return tf.matmul(m, tf.matmul(u, tf.matmul(tf.linalg.diag(scale), seen)))

        inside = back(1.0 / tf.pow(root + sigma_eps, 3))
        outside = (column - back(1.0 / sigma)) / least
        step = tf.cond(least > eps, lambda: inside + outside, lambda: tf.identity(inside))
        updates = []
        for var in self._moved:
            start = self._places[var.name]
            part = step[start : start + math.prod(var.shape.as_list())]
            updates.append(tf.assign_sub(var, rate * tf.reshape(part, var.shape)))
        return tf.group(*update_ops, *updates, name=name_scope)
