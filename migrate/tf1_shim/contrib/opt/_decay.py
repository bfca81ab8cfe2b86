"""``tf.contrib.opt``: optimizers with decoupled weight decay."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "AdamWOptimizer",
    "DecoupledWeightDecayExtension",
    "MomentumWOptimizer",
    "extend_with_decoupled_weight_decay",
]


class DecoupledWeightDecayExtension:
    """Decays variables before an optimizer's step: ``variable -= weight_decay * variable``.

    The decay is not multiplied by the learning rate, unlike that of Keras's AdamW. Put it before
    an optimizer among the bases of a class.
    """

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        """Make an optimizer.

        Args:
          weight_decay: The share, a number, a tensor or a function of nothing.
          **kwargs: The optimizer's arguments.
        """
        self._decay_var_list: set[int] | None = None
        self._weight_decay = weight_decay
        super().__init__(**kwargs)

    def minimize(self, loss: Any, *args: Any, decay_var_list: Any = None, **kwargs: Any) -> Any:
        """``Optimizer.minimize``; only variables in ``decay_var_list`` decay if it is given."""
        self._decay_var_list = _ids(decay_var_list)
        return super().minimize(loss, *args, **kwargs)  # type: ignore[misc]

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: str | None = None,
        decay_var_list: Any = None,
    ) -> Any:
        """``Optimizer.apply_gradients``; only variables in ``decay_var_list`` decay."""
        if decay_var_list is not None:
            self._decay_var_list = _ids(decay_var_list)
        return super().apply_gradients(  # type: ignore[misc]
            grads_and_vars, global_step=global_step, name=name
        )

    def _prepare(self) -> None:
        decay = self._weight_decay
        decay = decay() if callable(decay) else decay
        self._weight_decay_tensor = tf.convert_to_tensor(decay, name="weight_decay")
        super()._prepare()  # type: ignore[misc]

    def _decays(self, var: Any) -> bool:
        return self._decay_var_list is None or id(var) in self._decay_var_list

    def _decay(self, var: Any) -> Any:
        if not self._decays(var):
            return tf.no_op()
        return var.assign_sub(self._weight_decay_tensor * var, use_locking=self._use_locking)  # type: ignore[attr-defined]

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decay(var)]):
            return super()._apply_dense(grad, var)  # type: ignore[misc]

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decay(var)]):
            return super()._resource_apply_dense(grad, var)  # type: ignore[misc]

    def _decay_rows(self, var: Any, indices: Any) -> Any:
        if not self._decays(var):
            return tf.no_op()
        rows = -self._weight_decay_tensor * tf.gather(var, indices)
        return var.scatter_add(tf.IndexedSlices(rows, indices))

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decay_rows(var, grad.indices)]):
            return super()._apply_sparse(grad, var)  # type: ignore[misc]

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        with tf.control_dependencies([self._decay_rows(var, indices)]):
            return super()._resource_apply_sparse(grad, var, indices)  # type: ignore[misc]


def _ids(variables: Any) -> set[int] | None:
    return None if variables is None else {id(variable) for variable in variables}


def extend_with_decoupled_weight_decay(base_optimizer: Any) -> Any:
    """A class of optimizers with decoupled weight decay.

    Example::

        AdagradW = extend_with_decoupled_weight_decay(tf.train.AdagradOptimizer)
        optimizer = AdagradW(weight_decay=1e-4, learning_rate=0.1)

    Args:
      base_optimizer: A class of ``tf.train`` optimizers.

    Returns:
      The class; its first argument is ``weight_decay``, the others need their names.
    """

    class Extended(DecoupledWeightDecayExtension, base_optimizer):
        """The optimizer with weight decay."""

        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            DecoupledWeightDecayExtension.__init__(self, weight_decay, *args, **kwargs)

    return Extended


class MomentumWOptimizer(DecoupledWeightDecayExtension, tf.train.MomentumOptimizer):
    """Momentum with decoupled weight decay."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        """Make an optimizer: see `DecoupledWeightDecayExtension` and ``MomentumOptimizer``."""
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )


class AdamWOptimizer(DecoupledWeightDecayExtension, tf.train.AdamOptimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        """Make an optimizer: see `DecoupledWeightDecayExtension` and ``AdamOptimizer``."""
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )
