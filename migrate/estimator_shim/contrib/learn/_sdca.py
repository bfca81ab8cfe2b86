"""contrib.learn's linear models under an `SDCAOptimizer`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned._sdca import UpdateWeightsHook
from migrate.estimator_shim.contrib.learn._heads import BinaryHead, RegressionHead
from migrate.estimator_shim.contrib.learn._heads_more import BinarySvmHead
from migrate.estimator_shim.contrib.learn.model_fn import ModeKeys, ModelFnOps
from migrate.tf1_shim.contrib import layers

_BIAS = "tf_virtual_bias_column"
_LOSSES = {
    BinarySvmHead: "hinge_loss",
    BinaryHead: "logistic_loss",
    RegressionHead: "squared_loss",
}


def model_fn(features: Any, labels: Any, mode: str, params: Mapping[str, Any]) -> ModelFnOps:
    """The model_fn of a linear model, by the loss of its head.

    Raises:
      ValueError: If the head has no such loss.
    """
    columns, optimizer, head = params["feature_columns"], params["optimizer"], params["head"]
    kind = next((loss for cls, loss in _LOSSES.items() if type(head) is cls), None)
    if kind is None or head.logits_dimension != 1:
        raise ValueError(
            "SDCAOptimizer trains two classes, or one target with the squared loss. "
            f"Received: {head!r}"
        )
    values = tuple(features.values())
    with tf.variable_scope("linear", values=values, partitioner=optimizer.partitioner) as scope:
        features = dict(features)
        features.update(layers.transform_features(features, columns))
        logits, variables, bias = layers.weighted_sum_from_feature_columns(
            columns_to_tensors=features, feature_columns=columns, num_outputs=1, scope=scope
        )
    hooks: list[Any] = []

    def train_op_fn(loss: Any) -> Any:
        del loss
        ones = layers.real_valued_column(_BIAS)
        model, train_op = optimizer.get_train_step(
            {**variables, ones: [bias]},
            params["weight_column_name"],
            kind,
            {**features, ones: tf.ones([tf.shape(logits)[0], 1])},
            labels,
            tf.train.get_global_step(),
        )
        hooks.append(UpdateWeightsHook(model, train_op))
        return train_op

    ops = head.create_model_fn_ops(
        features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
    )
    if mode != ModeKeys.TRAIN:
        return ops
    return ops._replace(training_chief_hooks=[*(ops.training_chief_hooks or ()), *hooks])
