"""``tf.contrib.layers``: layers with argument scopes, initializers, regularizers."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
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
from migrate.tf1_shim.contrib.layers._feature_column_ops import (
    check_feature_columns,
    infer_real_valued_columns,
    input_from_feature_columns,
    joint_weighted_sum_from_feature_columns,
    parse_feature_columns_from_examples,
    parse_feature_columns_from_sequence_examples,
    sequence_input_from_feature_columns,
    transform_features,
    weighted_sum_from_feature_columns,
)
from migrate.tf1_shim.contrib.layers._feature_crosses import (
    SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY,
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
from migrate.tf1_shim.contrib.layers.feature_column import (
    bucketized_column,
    create_feature_spec_for_parsing,
    crossed_column,
    embedding_column,
    make_place_holder_tensors_for_base_features,
    one_hot_column,
    real_valued_column,
    shared_embedding_columns,
    sparse_column_with_hash_bucket,
    sparse_column_with_integerized_feature,
    sparse_column_with_keys,
    sparse_column_with_vocabulary_file,
    weighted_sparse_column,
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
    "SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY",
    "apply_regularization",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bias_add",
    "bow_encoder",
    "bucketized_column",
    "check_feature_columns",
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
    "create_feature_spec_for_parsing",
    "crossed_column",
    "dense_to_sparse",
    "dropout",
    "elu",
    "embed_sequence",
    "embedding_column",
    "embedding_lookup_unique",
    "feature_column",
    "flatten",
    "fully_connected",
    "group_norm",
    "images_to_sequence",
    "infer_real_valued_columns",
    "input_from_feature_columns",
    "instance_norm",
    "joint_weighted_sum_from_feature_columns",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "layer_norm",
    "linear",
    "make_place_holder_tensors_for_base_features",
    "max_pool2d",
    "max_pool3d",
    "maxout",
    "one_hot_column",
    "one_hot_encoding",
    "optimize_loss",
    "parse_feature_columns_from_examples",
    "parse_feature_columns_from_sequence_examples",
    "real_valued_column",
    "relu",
    "relu6",
    "repeat",
    "safe_embedding_lookup_sparse",
    "scale_gradient",
    "separable_conv2d",
    "separable_convolution2d",
    "sequence_input_from_feature_columns",
    "sequence_to_images",
    "shared_embedding_columns",
    "softmax",
    "sparse_column_with_hash_bucket",
    "sparse_column_with_integerized_feature",
    "sparse_column_with_keys",
    "sparse_column_with_vocabulary_file",
    "spatial_softmax",
    "stack",
    "sum_regularizer",
    "summaries",
    "summarize_activation",
    "summarize_activations",
    "summarize_biases",
    "summarize_collection",
    "summarize_tensor",
    "summarize_tensors",
    "summarize_variables",
    "summarize_weights",
    "transform_features",
    "unit_norm",
    "utils",
    "variance_scaling_initializer",
    "weighted_sparse_column",
    "weighted_sum_from_feature_columns",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]

#: Names without a home, and what to use instead.
GONE = {
    "scattered_embedding_column": (
        "its hashed table is not in the shim: use embedding_column with a "
        "sparse_column_with_hash_bucket"
    ),
}

__getattr__ = _lazy.attributes(
    __name__,
    (
        "feature_column",
        "summaries",
        "utils",
    ),
    "tf.contrib.layers",
    GONE,
)
