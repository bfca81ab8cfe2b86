"""``tf.contrib.slim``: the layers of contrib, argument scopes, training and reading."""

from __future__ import annotations

import importlib
from typing import Any

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.framework._arg_scope import (
    add_arg_scope,
    arg_scope,
    arg_scope_func_key,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)
from migrate.tf1_shim.contrib.framework._checkpoints import (
    assert_global_step,
    assert_or_get_global_step,
    assign_from_checkpoint,
    assign_from_checkpoint_fn,
    assign_from_values,
    assign_from_values_fn,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)
from migrate.tf1_shim.contrib.framework._variables import (
    VariableDeviceChooser,
    add_model_variable,
    filter_variables,
    get_local_variables,
    get_model_variables,
    get_trainable_variables,
    get_unique_variable,
    get_variable_full_name,
    get_variables,
    get_variables_by_name,
    get_variables_by_suffix,
    get_variables_to_restore,
    global_variable,
    local_variable,
    model_variable,
    variable,
)
from migrate.tf1_shim.contrib.layers._batch_norm import (
    batch_norm,
)
from migrate.tf1_shim.contrib.layers._compose import (
    dense_to_sparse,
    images_to_sequence,
    repeat,
    scale_gradient,
    sequence_to_images,
    stack,
)
from migrate.tf1_shim.contrib.layers._conv import (
    conv1d,
    conv2d,
    conv3d,
    convolution,
    convolution1d,
    convolution2d,
    convolution3d,
    elu,
    fully_connected,
    linear,
    relu,
    relu6,
)
from migrate.tf1_shim.contrib.layers._encoders import (
    bow_encoder,
    embed_sequence,
    embedding_lookup_unique,
    safe_embedding_lookup_sparse,
)
from migrate.tf1_shim.contrib.layers._initializers import (
    apply_regularization,
    l1_l2_regularizer,
    l1_regularizer,
    l2_regularizer,
    sum_regularizer,
    variance_scaling_initializer,
    xavier_initializer,
    xavier_initializer_conv2d,
)
from migrate.tf1_shim.contrib.layers._norms import (
    group_norm,
    instance_norm,
    layer_norm,
    unit_norm,
)
from migrate.tf1_shim.contrib.layers._optimizers import (
    OPTIMIZER_CLS_NAMES,
    OPTIMIZER_SUMMARIES,
    optimize_loss,
)
from migrate.tf1_shim.contrib.layers._pooling import (
    avg_pool2d,
    avg_pool3d,
    max_pool2d,
    max_pool3d,
    pool,
)
from migrate.tf1_shim.contrib.layers._separable import (
    conv2d_in_plane,
    convolution2d_in_plane,
    separable_conv2d,
    separable_convolution2d,
)
from migrate.tf1_shim.contrib.layers._simple import (
    bias_add,
    dropout,
    flatten,
    maxout,
    one_hot_encoding,
    softmax,
    spatial_softmax,
)
from migrate.tf1_shim.contrib.layers._transposed import (
    conv2d_transpose,
    conv3d_transpose,
    convolution2d_transpose,
    convolution3d_transpose,
)
from migrate.tf1_shim.contrib.layers.summaries import (
    summarize_activation,
    summarize_activations,
    summarize_biases,
    summarize_collection,
    summarize_tensor,
    summarize_tensors,
    summarize_variables,
    summarize_weights,
)

__all__ = [
    "OPTIMIZER_CLS_NAMES",
    "OPTIMIZER_SUMMARIES",
    "VariableDeviceChooser",
    "add_arg_scope",
    "add_model_variable",
    "apply_regularization",
    "arg_scope",
    "arg_scope_func_key",
    "arg_scoped_arguments",
    "assert_global_step",
    "assert_or_get_global_step",
    "assign_from_checkpoint",
    "assign_from_checkpoint_fn",
    "assign_from_values",
    "assign_from_values_fn",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bias_add",
    "bow_encoder",
    "conv1d",
    "conv2d",
    "conv2d_in_plane",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "convolution",
    "convolution1d",
    "convolution2d",
    "convolution2d_in_plane",
    "convolution2d_transpose",
    "convolution3d",
    "convolution3d_transpose",
    "create_global_step",
    "current_arg_scope",
    "dataset",
    "dense_to_sparse",
    "dropout",
    "elu",
    "embed_sequence",
    "embedding_lookup_unique",
    "evaluation",
    "filter_variables",
    "flatten",
    "fully_connected",
    "get_global_step",
    "get_local_variables",
    "get_model_variables",
    "get_or_create_global_step",
    "get_trainable_variables",
    "get_unique_variable",
    "get_variable_full_name",
    "get_variables",
    "get_variables_by_name",
    "get_variables_by_suffix",
    "get_variables_to_restore",
    "global_variable",
    "group_norm",
    "has_arg_scope",
    "images_to_sequence",
    "instance_norm",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "layer_norm",
    "learning",
    "linear",
    "local_variable",
    "max_pool2d",
    "max_pool3d",
    "maxout",
    "model_variable",
    "one_hot_encoding",
    "optimize_loss",
    "pool",
    "relu",
    "relu6",
    "repeat",
    "safe_embedding_lookup_sparse",
    "scale_gradient",
    "separable_conv2d",
    "separable_convolution2d",
    "sequence_to_images",
    "softmax",
    "spatial_softmax",
    "stack",
    "sum_regularizer",
    "summarize_activation",
    "summarize_activations",
    "summarize_biases",
    "summarize_collection",
    "summarize_tensor",
    "summarize_tensors",
    "summarize_variables",
    "summarize_weights",
    "tfexample_decoder",
    "unit_norm",
    "utils",
    "variable",
    "variance_scaling_initializer",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]

#: Names without a home, and what to use instead.
GONE = dict.fromkeys(
    (
        "bucketized_column",
        "check_feature_columns",
        "create_feature_spec_for_parsing",
        "crossed_column",
        "embedding_column",
        "infer_real_valued_columns",
        "input_from_feature_columns",
        "joint_weighted_sum_from_feature_columns",
        "make_place_holder_tensors_for_base_features",
        "one_hot_column",
        "parse_feature_columns_from_examples",
        "parse_feature_columns_from_sequence_examples",
        "real_valued_column",
        "scattered_embedding_column",
        "sequence_input_from_feature_columns",
        "shared_embedding_columns",
        "sparse_column_with_hash_bucket",
        "sparse_column_with_integerized_feature",
        "sparse_column_with_keys",
        "sparse_column_with_vocabulary_file",
        "transform_features",
        "weighted_sparse_column",
        "weighted_sum_from_feature_columns",
        "feature_column",
    ),
    "the feature columns of contrib are not in the shim: use those of tf.feature_column",
)

SUBMODULES = (
    "dataset",
    "evaluation",
    "learning",
    "tfexample_decoder",
)

_module = _lazy.attributes(__name__, SUBMODULES, "tf.contrib.slim", GONE)


def __getattr__(name: str) -> Any:
    if name in ("utils", "summaries"):
        return importlib.import_module(f"migrate.tf1_shim.contrib.layers.{name}")
    return _module(name)
