"""tf.nn."""

from __future__ import annotations

from migrate.symbols.curated.decisions import ALWAYS, Args, Change, Decision, Equal

_CUDNN = {"use_cudnn_on_gpu": ("cuDNN is always used", ALWAYS)}
_PARTITION = (
    "partition_strategy is always 'div', 1.15's default was 'mod': equal unless the weights are "
    "a list or a partitioned variable"
)

DECISIONS: dict[str, Decision] = {
    "nn.avg_pool": Args(renamed={"value": "input"}, same_defaults=("data_format",)),
    "nn.batch_norm_with_global_normalization": Args(
        renamed={"t": "input", "m": "mean", "v": "variance"}
    ),
    "nn.conv1d": Args(renamed={"value": "input"}, removed=_CUDNN, same_defaults=("data_format",)),
    "nn.conv2d": Args(renamed={"filter": "filters"}, removed=_CUDNN, same_defaults=("dilations",)),
    "nn.conv2d_transpose": Args(renamed={"value": "input", "filter": "filters"}),
    "nn.conv3d": Args(renamed={"filter": "filters"}, same_defaults=("dilations",)),
    "nn.conv3d_transpose": Args(renamed={"value": "input", "filter": "filters"}),
    "nn.convolution": Args(renamed={"filter": "filters", "dilation_rate": "dilations"}),
    "nn.crelu": Args(),
    "nn.ctc_beam_search_decoder": Change(
        "never merges repeated labels; 1.15 did by default (merge_repeated=True)"
    ),
    "nn.ctc_loss": Change(
        "labels, logits and their lengths come in another order; labels may be dense, the blank "
        "is index 0 unless blank_index is given, and repeats are always merged"
    ),
    "nn.depth_to_space": Args(),
    "nn.depthwise_conv2d": Args(renamed={"rate": "dilations"}),
    "nn.dilation2d": Args(
        renamed={"filter": "filters", "rates": "dilations"}, defaults={"data_format": "'NHWC'"}
    ),
    "nn.dropout": Change("keep_prob became rate = 1 - keep_prob"),
    "nn.embedding_lookup": Change(_PARTITION + "; validate_indices is gone"),
    "nn.embedding_lookup_sparse": Change(_PARTITION),
    "nn.erosion2d": Args(
        renamed={"kernel": "filters", "rates": "dilations"}, defaults={"data_format": "'NHWC'"}
    ),
    "nn.fractional_avg_pool": Change("deterministic and seed2 are gone: seed alone says it"),
    "nn.fractional_max_pool": Change("deterministic and seed2 are gone: seed alone says it"),
    "nn.max_pool": Args(renamed={"value": "input"}, same_defaults=("data_format",)),
    "nn.max_pool_with_argmax": Args(
        renamed={"Targmax": "output_dtype"}, same_defaults=("output_dtype", "Targmax")
    ),
    "nn.moments": Args(renamed={"keep_dims": "keepdims"}),
    "nn.nce_loss": Change(_PARTITION),
    "nn.pool": Args(renamed={"dilation_rate": "dilations"}),
    "nn.safe_embedding_lookup_sparse": Change(_PARTITION),
    "nn.sampled_softmax_loss": Change(_PARTITION),
    "nn.separable_conv2d": Args(renamed={"rate": "dilations"}),
    "nn.sigmoid_cross_entropy_with_logits": Equal(),
    "nn.softmax_cross_entropy_with_logits": Change(
        "gradients flow into the labels: tf.stop_gradient(labels) keeps 1.15's; dim is axis"
    ),
    "nn.softmax_cross_entropy_with_logits_v2": Args(
        "nn.softmax_cross_entropy_with_logits", {"dim": "axis"}, same_defaults=("axis",)
    ),
    "nn.space_to_depth": Args(),
    "nn.sparse_softmax_cross_entropy_with_logits": Equal(),
    "nn.sufficient_statistics": Args(renamed={"keep_dims": "keepdims"}),
    "nn.weighted_cross_entropy_with_logits": Args(renamed={"targets": "labels"}),
    "nn.weighted_moments": Args(renamed={"keep_dims": "keepdims"}),
}
