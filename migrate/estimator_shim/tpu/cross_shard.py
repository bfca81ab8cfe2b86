"""`CrossShardOptimizer` for the cores of a TPU that a `TPUEstimator` runs on."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["CrossShardOptimizer"]


class CrossShardOptimizer(tf.tpu.CrossShardOptimizer):
    """Sums up or averages the gradients of all cores, and lets another optimizer apply them.

    In a model_fn that runs on a strategy's replicas the strategy sums up. Elsewhere this is
    ``tf.compat.v1.tpu``'s, which has no kernels on CPUs and GPUs.
    """

    def compute_gradients(self, loss: Any, var_list: Any = None, **kwargs: Any) -> Any:
        """Gradients of a loss, divided by the number of cores if they are to be averaged.

        Args:
          loss: The loss of a core.
          var_list: See ``tf.compat.v1.train.Optimizer``.
          **kwargs: See ``tf.compat.v1.train.Optimizer``.

        Returns:
          Pairs of gradient and variable.

        Raises:
          NotImplementedError: For groups of cores.
        """
        if not tf.distribute.has_strategy():
            return super().compute_gradients(loss, var_list=var_list, **kwargs)
        if self._group_assignment:
            raise NotImplementedError(
                "CrossShardOptimizer takes all cores as one group. "
                f"Received: group_assignment={self._group_assignment!r}"
            )
        if self._reduction == tf.losses.Reduction.MEAN:
            loss = loss * (1.0 / tf.distribute.get_strategy().num_replicas_in_sync)
        return self._opt.compute_gradients(loss, var_list=var_list, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Applies the sum of all cores' gradients.

        Args:
          grads_and_vars: Pairs of gradient and variable.
          global_step: Is counted up, if given.
          name: Of the operation.

        Returns:
          The operation.
        """
        if not tf.distribute.has_strategy():
            return super().apply_gradients(grads_and_vars, global_step, name)
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if type(self._opt).apply_gradients is not tf.train.Optimizer.apply_gradients:
            # An optimizer that assigns by itself; the others sum up over replicas in it.
            replica = tf.distribute.get_replica_context()
            sums = replica.merge_call(_sums, args=tuple(g for g, _ in pairs))
            pairs = [(g, v) for g, (_, v) in zip(sums, pairs, strict=True)]
        return self._opt.apply_gradients(pairs, global_step, name)


def _sums(strategy: Any, *gradients: Any) -> Any:
    """Each gradient summed up over the replicas."""
    pairs = [(g, g) for g in gradients]
    return strategy.extended.batch_reduce_to(tf.distribute.ReduceOp.SUM, pairs)
