"""``tf.contrib.opt``: AddSign and PowerSign, and layer-wise rates (LARS)."""

from __future__ import annotations

import math
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.opt._raw import cast, kernel

__all__ = ["AddSignOptimizer", "LARSOptimizer", "PowerSignOptimizer"]


class _SignOptimizer(tf.train.Optimizer):
    """Steps that grow where the gradient has the sign of its moving average."""

    def __init__(
        self,
        learning_rate: Any,
        strength: float,
        beta: Any,
        sign_decay_fn: Any,
        use_locking: bool,
        name: str,
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._strength = strength
        self._beta = beta
        self._sign_decay_fn = sign_decay_fn

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """``Optimizer.apply_gradients``; ``sign_decay_fn`` gets the global step."""
        if self._sign_decay_fn is not None:
            decay = self._sign_decay_fn(global_step)
            self._sign_decay_t = tf.convert_to_tensor(decay, name="sign_decay")
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _create_slots(self, var_list: Any) -> None:
        for var in var_list:
            self._zeros_slot(var, "m", self._name)

    def _prepare(self) -> None:
        self._lr_t = tf.convert_to_tensor(self._lr, name="learning_rate")
        self._beta_t = tf.convert_to_tensor(self._beta, name="beta")
        self._strength_t = tf.convert_to_tensor(self._strength, name="strength")
        if self._sign_decay_fn is None:
            self._sign_decay_t = tf.convert_to_tensor(1.0, name="sign_decay")

    _kernel = ""
    _strength_name = ""

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return kernel(
            self._kernel,
            var,
            {"m": self.get_slot(var, "m")},
            lr=cast(self._lr_t, var),
            sign_decay=cast(self._sign_decay_t, var),
            beta=cast(self._beta_t, var),
            grad=grad,
            use_locking=self._use_locking,
            **{self._strength_name: cast(self._strength_t, var)},
        )

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        return self._apply_dense(grad, var)

    def _multiplier(self, agrees: Any, var: Any) -> Any:
        raise NotImplementedError

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        beta, m = cast(self._beta_t, var), self.get_slot(var, "m")
        dense = tf.convert_to_tensor(grad)
        moved = m.assign(m * beta + dense * (1 - beta), use_locking=self._use_locking)
        agrees = tf.gather(tf.sign(moved), grad.indices) * tf.sign(grad.values)
        step = cast(self._lr_t, var) * self._multiplier(agrees, var) * grad.values
        rows = tf.IndexedSlices(step, grad.indices, grad.dense_shape)
        return tf.group(var.scatter_sub(rows, use_locking=self._use_locking), moved)


class AddSignOptimizer(_SignOptimizer):
    """``var -= rate * (alpha + decay * sign(g) * sign(m)) * g`` (arXiv:1709.07417)."""

    _kernel = "AddSign"
    _strength_name = "alpha"

    def __init__(
        self,
        learning_rate: Any = 0.1,
        alpha: float = 1.0,
        beta: Any = 0.9,
        sign_decay_fn: Any = None,
        use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ) -> None:
        """Make an optimizer.

        Args:
          learning_rate: The rate.
          alpha: The step's share that does not depend on signs.
          beta: The weight of the old average of gradients.
          sign_decay_fn: From the global step to the weight of the signs; by default 1.
          use_locking: Whether updates lock.
          name: The name of operations and slots.
        """
        super().__init__(learning_rate, alpha, beta, sign_decay_fn, use_locking, name)

    def _multiplier(self, agrees: Any, var: Any) -> Any:
        return cast(self._strength_t, var) + cast(self._sign_decay_t, var) * agrees


class PowerSignOptimizer(_SignOptimizer):
    """``var -= rate * base ** (decay * sign(g) * sign(m)) * g`` (arXiv:1709.07417)."""

    _kernel = "PowerSign"
    _strength_name = "logbase"

    def __init__(
        self,
        learning_rate: Any = 0.1,
        base: float = math.e,
        beta: Any = 0.9,
        sign_decay_fn: Any = None,
        use_locking: bool = False,
        name: str = "PowerSignOptimizer",
    ) -> None:
        """Make an optimizer.

        Args:
          learning_rate: The rate.
          base: What is raised to the agreement of the signs.
          beta: The weight of the old average of gradients.
          sign_decay_fn: From the global step to the weight of the signs; by default 1.
          use_locking: Whether updates lock.
          name: The name of operations and slots.
        """
        super().__init__(learning_rate, math.log(base), beta, sign_decay_fn, use_locking, name)

    def _multiplier(self, agrees: Any, var: Any) -> Any:
        power = cast(self._strength_t, var) * cast(self._sign_decay_t, var) * agrees
        return tf.pow(cast(math.e, var), power)


class LARSOptimizer(tf.train.Optimizer):
    """Momentum with a rate for each layer, from the norms of weights and gradients.

    Source: arXiv:1708.03888. The weight decay is part of the gradient.
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Any = None,
        use_nesterov: bool = False,
    ) -> None:
        """Make an optimizer.

        Args:
          learning_rate: The rate.
          momentum: The momentum.
          weight_decay: The scale of the decay.
          eeta: The scale of the layers' rates.
          epsilon: Added to the norm of the gradient.
          name: The name of operations and slots.
          skip_list: Parts of the names of variables without decay and own rate.
          use_nesterov: Whether to use Nesterov's momentum.

        Raises:
          ValueError: If the momentum or the decay is negative.
        """
        for what, value in (("momentum", momentum), ("weight_decay", weight_decay)):
            if value < 0.0:
                raise ValueError(f"{what} should be positive: {value}")
        super().__init__(use_locking=False, name=name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._skip_list = skip_list
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: Any) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)

    def compute_lr(self, grad: Any, var: Any) -> tuple[Any, Any]:
        """The layer's rate, and the gradient with the decay.

        Args:
          grad: The gradient.
          var: The variable.

        Returns:
          The rate and the gradient.
        """
        if self._skip_list is not None and any(part in var.name for part in self._skip_list):
            return self._learning_rate, grad
        weight, slope = tf.norm(var, ord=2), tf.norm(grad, ord=2)
        trust = self._eeta * weight / (slope + self._weight_decay * weight + self._epsilon)
        trust = tf.where(tf.greater(weight, 0), tf.where(tf.greater(slope, 0), trust, 1.0), 1.0)
        return self._learning_rate * trust, grad + self._weight_decay * var

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        rate, grad = self.compute_lr(grad, var)
        return kernel(
            "Momentum",
            var,
            {"accum": self.get_slot(var, "momentum")},
            lr=cast(1.0, var),
            grad=grad * rate,
            momentum=cast(self._momentum, var),
            use_locking=False,
            use_nesterov=self._use_nesterov,
        )

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        return self._apply_dense(grad, var)

    def _rows(self, values: Any, var: Any, indices: Any) -> Any:
        return kernel(
            "Momentum",
            var,
            {"accum": self.get_slot(var, "momentum")},
            lr=cast(self._learning_rate_tensor, var),
            grad=values,
            indices=indices,
            momentum=cast(self._momentum_tensor, var),
            use_locking=self._use_locking,
            use_nesterov=self._use_nesterov,
        )

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._rows(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        return self._rows(grad, var, indices)

    def _prepare(self) -> None:
        rate, momentum = (
            value() if callable(value) else value for value in (self._learning_rate, self._momentum)
        )
        self._learning_rate_tensor = tf.convert_to_tensor(rate, name="learning_rate")
        self._momentum_tensor = tf.convert_to_tensor(momentum, name="momentum")
