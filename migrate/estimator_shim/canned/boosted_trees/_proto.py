"""The message that a checkpoint keeps of an ensemble, and operations that read and write it.

TensorFlow has lost ``boosted_trees_pb2``, but ``DecodeProtoV2`` and ``EncodeProto`` take the
description of any message. They are operations like others, so that exported models restore
themselves wherever they are served.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf
from google.protobuf import descriptor_pb2  # type: ignore[import-untyped]

from migrate.estimator_shim.canned.boosted_trees._growth import (
    HAS_METADATA,
    HAS_ORIGINAL,
    IS_LEAF,
    Ensemble,
)

_PACKAGE = "boosted_trees"
#: Message -> its fields: name, number, type; types with a star are repeated.
_MESSAGES = {
    "Leaf": [("scalar", 3, "float")],
    "BucketizedSplit": [
        ("feature_id", 1, "int32"),
        ("threshold", 2, "int32"),
        ("left_id", 3, "int32"),
        ("right_id", 4, "int32"),
    ],
    "NodeMetadata": [("gain", 1, "float"), ("original_leaf", 2, "Leaf")],
    "Node": [
        ("leaf", 1, "Leaf"),
        ("bucketized_split", 2, "BucketizedSplit"),
        ("metadata", 777, "NodeMetadata"),
    ],
    "Tree": [("nodes", 1, "Node*")],
    "PostPruneNodeUpdate": [("new_node_id", 1, "int32"), ("logit_change", 2, "float*")],
    "TreeMetadata": [
        ("num_layers_grown", 2, "int32"),
        ("is_finalized", 3, "bool"),
        ("post_pruned_nodes_meta", 4, "PostPruneNodeUpdate*"),
    ],
    "GrowingMetadata": [
        ("num_trees_attempted", 1, "int64"),
        ("num_layers_attempted", 2, "int64"),
        ("last_layer_node_start", 3, "int32"),
        ("last_layer_node_end", 4, "int32"),
    ],
    "TreeEnsemble": [
        ("trees", 1, "Tree*"),
        ("tree_weights", 2, "float*"),
        ("tree_metadata", 3, "TreeMetadata*"),
        ("growing_metadata", 4, "GrowingMetadata"),
    ],
}


@cache
def _description() -> bytes:
    """The messages as operations want them described."""
    field = descriptor_pb2.FieldDescriptorProto
    types = {
        "float": field.TYPE_FLOAT,
        "int32": field.TYPE_INT32,
        "int64": field.TYPE_INT64,
        "bool": field.TYPE_BOOL,
    }
    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name="boosted_trees.proto", package=_PACKAGE, syntax="proto3")
    for message, fields in _MESSAGES.items():
        described = file.message_type.add(name=message)
        for name, number, kind in fields:
            what = kind.rstrip("*")
            label = field.LABEL_REPEATED if kind.endswith("*") else field.LABEL_OPTIONAL
            one = described.field.add(name=name, number=number, label=label)
            one.type = types.get(what, field.TYPE_MESSAGE)
            if what not in types:
                one.type_name = f".{_PACKAGE}.{what}"
    serialized: bytes = files.SerializeToString()
    return b"bytes://" + serialized


def _decode(message: str, serialized: Any) -> tuple[Any, dict[str, Any]]:
    """The fields of serialized messages [n]: how often each occurs, and values [n, most]."""
    dtypes = {"float": tf.float32, "int32": tf.int32, "int64": tf.int64, "bool": tf.bool}
    described = _MESSAGES[message]
    fields = [(name, dtypes.get(kind.rstrip("*"), tf.string)) for name, _, kind in described]
    # The operation refuses to decode nothing: there is one message more, for a while.
    sizes, values = tf.io.decode_proto(
        tf.concat([serialized, [""]], 0),
        f"{_PACKAGE}.{message}",
        *zip(*fields, strict=True),
        _description(),
    )
    names = [name for name, _ in fields]
    counts = dict(zip(names, tf.unstack(sizes[:-1], num=len(names), axis=1), strict=True))
    return counts, {name: v[:-1] for name, v in zip(names, values, strict=True)}


def _single(values: Any) -> Any:
    """Of a field that occurs once at most: its values [n], zeros where it does not."""
    if values.dtype == tf.string:
        return tf.strings.reduce_join(values, 1)
    return tf.reduce_any(values, 1) if values.dtype == tf.bool else tf.reduce_sum(values, 1)


def _flat(values: Any, counts: Any) -> Any:
    """Of a repeated field: the values of all messages, one after the other."""
    return tf.boolean_mask(values, tf.sequence_mask(counts, tf.shape(values)[1]))


def decode(serialized: Any) -> Ensemble:
    """The ensemble of a message.

    Args:
      serialized: A TreeEnsemble, string [].

    Returns:
      An `Ensemble` of tensors.
    """
    counts, whole = _decode("TreeEnsemble", serialized[None])
    _, growing = _decode("GrowingMetadata", _single(whole["growing_metadata"]))
    sizes, trees = _decode("Tree", _flat(whole["trees"], counts["trees"]))
    sizes = sizes["nodes"]
    starts = tf.cumsum(sizes, exclusive=True)
    has, nodes = _decode("Node", _flat(trees["nodes"], sizes))
    _, leaves = _decode("Leaf", _single(nodes["leaf"]))
    _, split = _decode("BucketizedSplit", _single(nodes["bucketized_split"]))
    has_too, metadata = _decode("NodeMetadata", _single(nodes["metadata"]))
    _, originals = _decode("Leaf", _single(metadata["original_leaf"]))
    is_leaf = tf.equal(has["bucketized_split"], 0)
    own = tf.range(tf.size(is_leaf))
    offset = tf.repeat(starts, sizes)
    leads = [tf.where(is_leaf, own, _single(split[k]) + offset) for k in ("left_id", "right_id")]
    values = tf.where(is_leaf, _single(leaves["scalar"]), _single(originals["scalar"]))
    marks = (
        IS_LEAF * tf.cast(is_leaf, tf.int32)
        + HAS_METADATA * has["metadata"]
        + HAS_ORIGINAL * has_too["original_leaf"]
    )
    metas = _flat(whole["tree_metadata"], counts["tree_metadata"])
    sizes_too, of_trees = _decode("TreeMetadata", metas)
    pruned = sizes_too["post_pruned_nodes_meta"]
    _, updates = _decode("PostPruneNodeUpdate", _flat(of_trees["post_pruned_nodes_meta"], pruned))
    columns = [_single(split["feature_id"]), _single(split["threshold"]), *leads]
    return Ensemble(
        nodes=tf.stack(columns, 1),
        values=values,
        gains=_single(metadata["gain"]),
        marks=marks,
        starts=starts,
        weights=_flat(whole["tree_weights"], counts["tree_weights"]),
        layers=_single(of_trees["num_layers_grown"]),
        finished=_single(of_trees["is_finalized"]),
        pruned=pruned,
        pruned_to=_single(updates["new_node_id"]),
        pruned_by=_single(updates["logit_change"]),
        attempted=tf.concat(
            [_single(growing[f"num_{k}_attempted"]) for k in ("trees", "layers")], 0
        ),
        layer=tf.concat([_single(growing[f"last_layer_node_{k}"]) for k in ("start", "end")], 0),
    )


def _encode(message: str, **fields: tuple[Any, Any]) -> Any:
    """Serialized messages [n], of each field's counts [n] and values [n] or [n, most]."""
    names = [name for name, _, _ in _MESSAGES[message]]
    counts = [tf.cast(fields[name][0], tf.int32) for name in names]
    values = [fields[name][1] for name in names]
    return tf.io.encode_proto(
        tf.stack(counts, 1),
        [v[:, None] if v.shape.rank == 1 else v for v in values],
        names,
        f"{_PACKAGE}.{message}",
        _description(),
    )


def _given(values: Any) -> tuple[Any, Any]:
    """A field of numbers [n], which is left out where it is zero."""
    return tf.not_equal(values, tf.zeros_like(values)), values


def _ragged(values: Any, counts: Any) -> tuple[Any, Any]:
    """A repeated field, from the values of all messages one after the other."""
    return counts, tf.RaggedTensor.from_row_lengths(values, counts).to_tensor()


def encode(ensemble: Ensemble) -> Any:
    """The message of an ensemble.

    Args:
      ensemble: An `Ensemble` of tensors.

    Returns:
      A TreeEnsemble, string [], byte for byte as TF 1.15 writes it.
    """
    count = tf.shape(ensemble.values)[:1]
    sizes = tf.concat([ensemble.starts[1:], count], 0)[: tf.size(ensemble.starts)] - ensemble.starts
    offset = tf.repeat(ensemble.starts, sizes)
    feature, threshold, left, right = tf.unstack(ensemble.nodes, num=4, axis=1)
    is_leaf, has_metadata, has_original = (
        tf.not_equal(tf.bitwise.bitwise_and(ensemble.marks, bit), 0)
        for bit in (IS_LEAF, HAS_METADATA, HAS_ORIGINAL)
    )
    leaves = _encode("Leaf", scalar=_given(ensemble.values))
    splits = _encode(
        "BucketizedSplit",
        feature_id=_given(feature),
        threshold=_given(threshold),
        left_id=_given(left - offset),
        right_id=_given(right - offset),
    )
    metadata = _encode(
        "NodeMetadata", gain=_given(ensemble.gains), original_leaf=(has_original, leaves)
    )
    nodes = _encode(
        "Node",
        leaf=(is_leaf, leaves),
        bucketized_split=(tf.logical_not(is_leaf), splits),
        metadata=(has_metadata, metadata),
    )
    trees = _encode("Tree", nodes=_ragged(nodes, sizes))
    updates = _encode(
        "PostPruneNodeUpdate",
        new_node_id=_given(ensemble.pruned_to),
        logit_change=(tf.ones_like(ensemble.pruned_to), ensemble.pruned_by),
    )
    of_trees = _encode(
        "TreeMetadata",
        num_layers_grown=_given(ensemble.layers),
        is_finalized=(ensemble.finished, ensemble.finished),
        post_pruned_nodes_meta=_ragged(updates, ensemble.pruned),
    )
    attempted, layer = ensemble.attempted, ensemble.layer
    growing = _encode(
        "GrowingMetadata",
        num_trees_attempted=_given(attempted[:1]),
        num_layers_attempted=_given(attempted[1:]),
        last_layer_node_start=_given(layer[:1]),
        last_layer_node_end=_given(layer[1:]),
    )
    number = tf.shape(ensemble.starts)[:1]
    return _encode(
        "TreeEnsemble",
        trees=(number, trees[None]),
        tree_weights=(number, ensemble.weights[None]),
        tree_metadata=(number, of_trees[None]),
        growing_metadata=(attempted[1:] > 0, growing),
    )[0]


def splits_of(serialized: bytes) -> tuple[Any, Any, Any]:
    """The features, gains and trees' weights of all splits of an ensemble, as arrays."""
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(decode(tf.constant(serialized)))
    is_split = found.marks & IS_LEAF == 0
    sizes = np.diff(np.append(found.starts, len(found.values)))
    weights = np.repeat(found.weights, sizes)
    return found.nodes[is_split, 0], found.gains[is_split], weights[is_split]
