"""contrib.learn's heads: from logits to `ModelFnOps`.

They are older than those of contrib.estimator: losses are means over the batch, metrics have other
names ("accuracy/threshold_0.500000_mean"), and classes are vectors [batch_size].
"""

from __future__ import annotations

from migrate.estimator_shim.contrib.learn._heads import (
    Head,
    multi_class_head,
    no_op_train_fn,
    poisson_regression_head,
    regression_head,
)
from migrate.estimator_shim.contrib.learn._heads_more import (
    binary_svm_head,
    loss_only_head,
    multi_head,
    multi_label_head,
)

__all__ = [
    "Head",
    "binary_svm_head",
    "loss_only_head",
    "multi_class_head",
    "multi_head",
    "multi_label_head",
    "no_op_train_fn",
    "poisson_regression_head",
    "regression_head",
]
