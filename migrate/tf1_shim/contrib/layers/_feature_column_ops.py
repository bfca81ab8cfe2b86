"""``tf.contrib.layers``: layers and linear models of contrib's feature columns."""

from __future__ import annotations

import math
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.framework._variables import model_variable
from migrate.tf1_shim.contrib.layers import _feature_columns as fc
from migrate.tf1_shim.contrib.layers._encoders import safe_embedding_lookup_sparse
from migrate.tf1_shim.contrib.layers._scattered import _ScatteredEmbeddingColumn
from migrate.tf1_shim.contrib.layers.feature_column import (
    create_feature_spec_for_parsing,
    real_valued_column,
)

__all__ = [
    "check_feature_columns",
    "infer_real_valued_columns",
    "input_from_feature_columns",
    "joint_weighted_sum_from_feature_columns",
    "parse_feature_columns_from_examples",
    "parse_feature_columns_from_sequence_examples",
    "sequence_input_from_feature_columns",
    "transform_features",
    "weighted_sum_from_feature_columns",
]


def check_feature_columns(feature_columns: Any) -> None:
    """Check that no two columns have the same key.

    Args:
      feature_columns: Columns.

    Raises:
      ValueError: If two have, or they are in a dictionary.
    """
    if isinstance(feature_columns, dict):
        raise ValueError("feature_columns must be a list or a set of columns. Received: a dict")
    seen = set()
    for column in feature_columns:
        if column.key in seen:
            raise ValueError(
                "Two columns are the same but for what does not tell them apart: leave one out. "
                f"Received: {column.name}, twice"
            )
        seen.add(column.key)


def _ordered(feature_columns: Any) -> list[Any]:
    check_feature_columns(feature_columns)
    columns = list(feature_columns)
    fc.check_instances(columns)
    return sorted(set(columns), key=lambda column: column.key)


def _parts(variable: Any) -> list[Any]:
    """A variable, or the parts of a partitioned one."""
    return list(variable) if hasattr(variable, "as_tensor") else [variable]


def _start_from(checkpoint: Any, parts: list[Any]) -> None:
    if checkpoint is not None:
        path, name = checkpoint
        tf.train.init_from_checkpoint(path, {name: parts[0] if len(parts) == 1 else parts})


def embedded(column: Any, how: dict[str, Any], collections: Any, trainable: bool, rank: int) -> Any:
    """The embedding of a column's ids, by variables that are made in the scope at hand."""
    ids = fc.inner_flatten(how["ids"], rank)
    weights = how["weights"]
    if weights is not None:
        weights = fc.inner_flatten(weights, rank)
    settings = {
        "shape": how["shape"],
        "dtype": tf.float32,
        "initializer": how["initializer"],
        "trainable": trainable and how["trainable"],
        "collections": collections,
    }
    if how["shared"] is None:
        table = model_variable("weights", **settings)
    else:
        shared = tf.get_collection_ref("SHARED_EMBEDDING_COLLECTION_" + how["shared"].upper())
        if not shared:
            shared.append(model_variable(how["shared"], **settings))
        table = shared[0]
        if table.shape.as_list() != how["shape"]:
            raise ValueError(
                f"The embedding variable with name {how['shared']} already exists, but its shape "
                f"{table.shape} does not match {how['shape']}. Use different shared_embedding_name."
            )
    parts = _parts(table)
    if isinstance(column, _ScatteredEmbeddingColumn):
        return column.looked_up(ids, parts)
    _start_from(column.checkpoint(), parts)
    return safe_embedding_lookup_sparse(
        parts,
        ids,
        sparse_weights=weights,
        combiner=how["combiner"],
        name=column.name + "weights",
        max_norm=how["max_norm"],
    )


def _of_rank(tensor: Any, column: str, rank: int) -> Any:
    """A tensor, dense or sparse, with the rank of a sequence's features."""
    sparse = isinstance(tensor, tf.SparseTensor)
    have = tensor.shape.rank
    if have is None:
        raise ValueError(
            f"The column {column} needs an input of known rank. Received: an unknown one"
        )
    if rank > have + 1:
        raise ValueError(
            f"Error while processing column {column}. Rank of input Tensor ({have}) should be the "
            f"same as output_rank ({rank})."
        )
    if rank == have + 1:
        if sparse:
            return tf.sparse.reshape(tensor, tf.concat([tensor.dense_shape, [1]], 0))
        return tf.expand_dims(tensor, -1)
    return fc.inner_flatten(tensor, rank) if rank < have else tensor


def _input(
    columns_to_tensors: Any,
    feature_columns: Any,
    weight_collections: Any,
    trainable: bool,
    scope: Any,
    rank: int,
    default_name: str,
    cols_to_outs: Any = None,
) -> Any:
    tensors = dict(columns_to_tensors)
    columns = _ordered(feature_columns)
    if cols_to_outs is not None and not isinstance(cols_to_outs, dict):
        raise ValueError(f"cols_to_outs is a dict to fill, or None. Received: {cols_to_outs!r}")
    values = list(tensors.values())
    with tf.variable_scope(scope, default_name=default_name, values=values):
        outputs, features = [], fc.Lazy(tensors)
        for column in columns:
            with tf.variable_scope(None, default_name=column.name, values=values):
                tensor = features.get(column)
                if rank == 3:
                    flat = [tensor] if not isinstance(tensor, tuple) else list(tensor)
                    flat = [_of_rank(one, column.name, rank) for one in flat]
                    tensor = tuple(flat) if isinstance(tensor, tuple) else flat[0]
                how = column.deep(tensor)
                if how is not None:
                    out = embedded(column, how, weight_collections, trainable, rank)
                else:
                    try:
                        out = column.dnn(tensor, rank)
                    except ValueError as error:
                        raise ValueError(
                            f"Error creating input layer for column: {column.name}.\n{error}"
                        ) from error
                outputs.append(out)
                if cols_to_outs is not None:
                    cols_to_outs[column] = out
        return tf.concat(outputs, rank - 1)


def input_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    cols_to_outs: Any = None,
) -> Any:
    """The first layer of a network: dense columns side by side, in the order of their keys.

    Args:
      columns_to_tensors: From names of features to tensors.
      feature_columns: Embeddings, one-hot, bucketized and real-valued columns.
      weight_collections: Further collections of the variables.
      trainable: Whether the variables are trained.
      scope: The variable scope; by default "input_from_feature_columns".
      cols_to_outs: A dictionary that gets each column's output.

    Returns:
      (batch, sum of sizes).

    Raises:
      ValueError: If a column is not dense, or two have the same key.
    """
    return _input(
        columns_to_tensors,
        feature_columns,
        weight_collections,
        trainable,
        scope,
        2,
        "input_from_feature_columns",
        cols_to_outs,
    )


def sequence_input_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """The first layer of a recurrent network: dense columns side by side, for each step.

    Args:
      columns_to_tensors: From names of features to tensors (batch, time, …).
      feature_columns: Embeddings, one-hot and real-valued columns.
      weight_collections: Further collections of the variables.
      trainable: Whether the variables are trained.
      scope: The variable scope; by default "sequence_input_from_feature_columns".

    Returns:
      (batch, time, sum of sizes).

    Raises:
      ValueError: If a column is not for sequences.
    """
    allowed = (fc._OneHotColumn, fc._EmbeddingColumn, fc._RealValuedColumn)
    waiting = list(feature_columns)
    for column in waiting:
        if not isinstance(column, allowed):
            raise ValueError(
                "Sequences take sparse, weighted, real-valued and embedding columns. Received: "
                f"{column}"
            )
    while waiting:
        column = waiting.pop()
        if isinstance(column, (fc._BucketizedColumn, fc._CrossedColumn)):
            raise ValueError(
                f"{column.name} can't be made of sequences: it is a {type(column).__name__}"
            )
        waiting += column.parents
    return _input(
        columns_to_tensors,
        feature_columns,
        weight_collections,
        trainable,
        scope,
        3,
        "sequence_input_from_feature_columns",
    )


def _bias(num_outputs: int, trainable: bool, collections: Any) -> Any:
    return model_variable(
        "bias_weight",
        shape=[num_outputs],
        initializer=tf.zeros_initializer(),
        trainable=trainable,
        collections=collections,
    )


def _looked_up(
    how: dict[str, Any], num_outputs: int, trainable: bool, collections: Any, name: str
) -> tuple[list[Any], Any]:
    parts = _parts(
        model_variable(
            "weights",
            shape=[how["size"], num_outputs],
            dtype=tf.float32,
            initializer=how["initializer"],
            trainable=trainable,
            collections=collections,
        )
    )
    found = safe_embedding_lookup_sparse(
        parts,
        how["ids"],
        sparse_weights=how["weights"],
        combiner=how["combiner"],
        name=name,
    )
    return parts, found


def weighted_sum_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """A linear model of columns.

    Args:
      columns_to_tensors: From names of features to tensors.
      feature_columns: Categorical, crossed, bucketized and real-valued columns.
      num_outputs: The number of outputs.
      weight_collections: Further collections of the variables.
      trainable: Whether the variables are trained.
      scope: The variable scope; by default "weighted_sum_from_feature_columns".

    Returns:
      The outputs (batch, num_outputs), a dictionary from columns to lists of variables, and the
      bias.

    Raises:
      ValueError: If a column is not for linear models, or two have the same key.
    """
    tensors = dict(columns_to_tensors)
    columns = _ordered(feature_columns)
    values = list(tensors.values())
    with tf.variable_scope(scope, "weighted_sum_from_feature_columns", values):
        outputs, variables, features = [], {}, fc.Lazy(tensors)
        for column in columns:
            tensor = features.get(column)
            try:
                how = column.wide(tensor)
            except ValueError as error:
                raise ValueError(
                    f"Error creating weighted sum for column: {column.name}.\n{error}"
                ) from error
            with tf.variable_scope(None, default_name=column.name, values=values):
                if how is not None:
                    parts, found = _looked_up(
                        how, num_outputs, trainable, weight_collections, column.name + "_weights"
                    )
                else:
                    dense = _of_rank(column.dense(tensor), column.name, 2)
                    parts = [
                        model_variable(
                            "weight",
                            shape=[dense.shape.as_list()[1], num_outputs],
                            initializer=tf.zeros_initializer(),
                            trainable=trainable,
                            collections=weight_collections,
                        )
                    ]
                    found = tf.matmul(dense, parts[0], name="matmul")
            outputs.append(tf.reshape(found, shape=(-1, num_outputs)))
            variables[column] = parts
            _start_from(column.checkpoint(), parts)
        total = tf.add_n(outputs)
        bias = _bias(num_outputs, trainable, weight_collections)
        return tf.nn.bias_add(total, bias), variables, bias


def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """A linear model of categorical columns with one variable for all weights.

    Args:
      columns_to_tensors: From names of features to tensors.
      feature_columns: Categorical, crossed and bucketized columns, not weighted, with "sum".
      num_outputs: The number of outputs.
      weight_collections: Further collections of the variables.
      trainable: Whether the variables are trained.
      scope: The variable scope; by default "joint_weighted_sum_from_feature_columns".

    Returns:
      The outputs (batch, num_outputs), the list of variables, and the bias.

    Raises:
      NotImplementedError: If a column is not categorical.
      ValueError: If one is weighted, or combined otherwise.
    """
    tensors = dict(columns_to_tensors)
    columns = _ordered(feature_columns)
    values = list(tensors.values())
    with tf.variable_scope(scope, "joint_weighted_sum_from_feature_columns", values):
        features, parts, size = fc.Lazy(tensors), [], 0
        for column in columns:
            how = column.wide(features.get(column))
            if how is None:
                raise NotImplementedError(
                    "A joint sum takes sparse columns: give real-valued ones boundaries, or use "
                    f"weighted_sum_from_feature_columns. Received: {column.name}"
                )
            if how["weights"] is not None or how["combiner"] != "sum":
                raise ValueError(
                    "Joint sums need columns without weights and with the combiner 'sum'. Use "
                    f"weighted_sum_from_feature_columns instead. Received: {column}"
                )
            ids = how["ids"]
            shifted = tf.cast(ids.values, tf.int64) + size
            parts.append(tf.SparseTensor(ids.indices, shifted, ids.dense_shape))
            size += how["size"]
        joined = {
            "ids": tf.sparse.concat(1, parts),
            "weights": None,
            "size": size,
            "initializer": tf.zeros_initializer(),
            "combiner": "sum",
        }
        with tf.variable_scope(None, default_name="linear_weights", values=values):
            variables, found = _looked_up(
                joined, num_outputs, trainable, weight_collections, "_weights"
            )
        bias = _bias(num_outputs, trainable, weight_collections)
        return tf.nn.bias_add(found, bias), variables, bias


def transform_features(features: Any, feature_columns: Any) -> dict[Any, Any]:
    """What columns make of features.

    Args:
      features: From names to tensors.
      feature_columns: Columns.

    Returns:
      From columns to tensors.
    """
    tensors = dict(features)
    columns = _ordered(feature_columns)
    for column in columns:
        fc.Lazy(tensors).get(column)
    return {key: tensor for key, tensor in tensors.items() if key in columns}


def parse_feature_columns_from_examples(
    serialized: Any, feature_columns: Any, name: str | None = None, example_names: Any = None
) -> dict[Any, Any]:
    """Parse examples for columns, and transform their features.

    Args:
      serialized: Strings (batch): ``tf.Example``.
      feature_columns: Columns.
      name: The name of the parsing operation.
      example_names: Strings (batch), for messages.

    Returns:
      From names and columns to tensors.
    """
    columns = _ordered(feature_columns)
    tensors = tf.parse_example(
        serialized=serialized,
        features=create_feature_spec_for_parsing(columns),
        name=name,
        example_names=example_names,
    )
    for column in columns:
        fc.Lazy(tensors).get(column)
    return tensors


def parse_feature_columns_from_sequence_examples(
    serialized: Any,
    context_feature_columns: Any,
    sequence_feature_columns: Any,
    name: str | None = None,
    example_name: Any = None,
) -> Any:
    """Parse one ``tf.SequenceExample`` for columns.

    Args:
      serialized: A string.
      context_feature_columns: The columns of the context; None for none.
      sequence_feature_columns: The columns of the steps; None for none.
      name: The name of the parsing operation.
      example_name: A string, for messages.

    Returns:
      Two dictionaries from names to tensors: the context's and the steps'.

    Raises:
      ValueError: If there is more than one string.
    """
    context, steps = list(context_feature_columns or ()), list(sequence_feature_columns or ())
    check_feature_columns(context)
    check_feature_columns(steps)
    wanted: dict[str, Any] = {}
    for key, feature in create_feature_spec_for_parsing(steps).items():
        wanted[key] = feature
        if not isinstance(feature, tf.VarLenFeature):
            missing = feature.default_value is not None
            if missing:
                tf.logging.warning("%s: missing steps are empty, not the default value", key)
            wanted[key] = tf.FixedLenSequenceFeature(
                shape=feature.shape, dtype=feature.dtype, allow_missing=missing
            )
    return tf.parse_single_sequence_example(
        tf.reshape(serialized, []),
        create_feature_spec_for_parsing(context),
        wanted,
        example_name,
        name,
    )


def infer_real_valued_columns(features: Any) -> list[Any]:
    """Columns of numbers for tensors.

    Args:
      features: A tensor, or a dictionary of them.

    Returns:
      `real_valued_column` for each.

    Raises:
      ValueError: If one is sparse or has no numbers.
    """
    named = features if isinstance(features, dict) else {"": features}
    columns = []
    for name, tensor in named.items():
        sparse = isinstance(tensor, tf.SparseTensor)
        if sparse or not (tensor.dtype.is_integer or tensor.dtype.is_floating):
            raise ValueError(
                f"Only dense numbers are detected. Define a feature column for {name!r}: {tensor}"
            )
        size = math.prod(tensor.shape.as_list()[1:])
        columns.append(real_valued_column(name, dimension=size, dtype=tensor.dtype))
    return columns
