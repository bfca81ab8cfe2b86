"""``tf.layers``: batch normalization, fused or not, with renormalization and virtual batches."""

from __future__ import annotations

from typing import Any

from migrate.tf1_shim._values import ONES, ZEROS
from migrate.tf1_shim.layers._batchnorm import BatchNormalization

__all__ = ["BatchNormalization", "batch_normalization"]


def batch_normalization(
    inputs: Any,
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
    training: Any = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
    renorm: bool = False,
    renorm_clipping: dict[str, Any] | None = None,
    renorm_momentum: float = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Any = None,
) -> Any:
    """Normalize over the batch: ``(x - mean) / sqrt(variance + epsilon) * gamma + beta``.

    While training the batch's moments are used, and the moving ones are updated by operations in
    UPDATE_OPS, which the train operation has to depend on::

        update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        with tf.control_dependencies(update_ops):
            train_op = optimizer.minimize(loss)

    Inputs of rank four with the channels at axis 1 or 3 take the fused kernel, as in TF1: its
    moving variance is the unbiased one, n / (n - 1) times the variance used for normalizing.

    Args:
      inputs: A tensor whose normalized axes are known.
      axis: The axis (or axes) that keep moments of their own, usually the channels.
      momentum: The weight of the old moving value.
      epsilon: Added to the variance.
      center: Whether to add beta.
      scale: Whether to multiply by gamma.
      beta_initializer: For beta.
      gamma_initializer: For gamma.
      moving_mean_initializer: For the moving mean.
      moving_variance_initializer: For the moving variance.
      beta_regularizer: From beta to a scalar, added to REGULARIZATION_LOSSES.
      gamma_regularizer: From gamma to a scalar, added to REGULARIZATION_LOSSES.
      beta_constraint: Applied to beta after the optimizer's update.
      gamma_constraint: Applied to gamma after the optimizer's update.
      training: A bool or a bool tensor: whether to use the batch's moments.
      trainable: Whether gamma and beta are trainable; without it there are no update ops.
      name: The scope; by default "batch_normalization", with a number.
      reuse: Whether to reuse the variables of the scope ``name``.
      renorm: Whether to renormalize towards the moving moments (arXiv:1702.03275).
      renorm_clipping: Limits "rmax", "rmin" and "dmax" of the correction.
      renorm_momentum: The weight of the old value in the moments used for the correction.
      fused: Whether to use the fused kernel; None for "where it can".
      virtual_batch_size: Normalize groups of that many examples; it must divide the batch.
      adjustment: While training: from the input's dynamic shape to (scale, bias), applied to the
        normalized values before gamma and beta.

    Returns:
      A tensor of the shape of ``inputs``.
    """
    layer = BatchNormalization(
        axis=axis,
        momentum=momentum,
        epsilon=epsilon,
        center=center,
        scale=scale,
        beta_initializer=beta_initializer,
        gamma_initializer=gamma_initializer,
        moving_mean_initializer=moving_mean_initializer,
        moving_variance_initializer=moving_variance_initializer,
        beta_regularizer=beta_regularizer,
        gamma_regularizer=gamma_regularizer,
        beta_constraint=beta_constraint,
        gamma_constraint=gamma_constraint,
        renorm=renorm,
        renorm_clipping=renorm_clipping,
        renorm_momentum=renorm_momentum,
        fused=fused,
        trainable=trainable,
        virtual_batch_size=virtual_batch_size,
        adjustment=adjustment,
        name=name,
        dtype=inputs.dtype.base_dtype,
        _reuse=reuse,
        _scope=name,
    )
    return layer.apply(inputs, training=training)
