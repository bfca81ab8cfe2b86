"""``tf.contrib.layers``: embeddings."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.framework import add_arg_scope, model_variable

__all__ = [
    "bow_encoder",
    "embed_sequence",
    "embedding_lookup_unique",
    "safe_embedding_lookup_sparse",
]


def embedding_lookup_unique(
    params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None
) -> Any:
    """``tf.nn.embedding_lookup`` that fetches every id once only.

    Args:
      params: The table, or its parts.
      ids: Integers of any shape.
      partition_strategy: "mod" or "div".
      name: The name scope; by default "EmbeddingLookupUnique".

    Returns:
      A tensor of the shape of ``ids`` with the embedding's axes behind.
    """
    with tf.name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = tf.convert_to_tensor(ids)
        unique, back = tf.unique(tf.reshape(ids, [-1]))
        rows = tf.nn.embedding_lookup(params, unique, partition_strategy)
        found = tf.gather(rows, back)
        outputs = tf.reshape(found, tf.concat([tf.shape(ids), tf.shape(rows)[1:]], 0))
        outputs.set_shape(ids.shape.concatenate(rows.shape[1:]))
        return outputs


@add_arg_scope
def embed_sequence(
    ids: Any,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Any:
    """Embed sequences of ids with the variable ``EmbedSequence/embeddings``.

    Args:
      ids: int32 or int64 (batch, length).
      vocab_size: How many ids there are; needed unless the variable is reused.
      embed_dim: The size of an embedding; needed unless the variable is reused.
      unique: Whether to fetch every id once only.
      initializer: For the table; None for the scope's default.
      regularizer: From the table to a scalar, added to REGULARIZATION_LOSSES.
      trainable: Whether the table is trainable.
      scope: The variable scope; by default "EmbedSequence", with a number.
      reuse: Whether to reuse the table of the scope.

    Returns:
      (batch, length, embed_dim).

    Raises:
      ValueError: If a size is missing without reuse.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "The first use of an embedding needs vocab_size and embed_dim. Received: "
            f"vocab_size={vocab_size}, embed_dim={embed_dim}"
        )
    with tf.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        shape = [vocab_size, embed_dim]
        if reuse and (vocab_size is None or embed_dim is None):
            shape = None  # type: ignore[assignment]
        embeddings = model_variable(
            "embeddings",
            shape=shape,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if unique:
            return embedding_lookup_unique(embeddings, ids)
        return tf.nn.embedding_lookup(embeddings, ids)


@add_arg_scope
def bow_encoder(
    ids: Any,
    vocab_size: int,
    embed_dim: int,
    sparse_lookup: bool = True,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Any:
    """The mean of the embeddings of every sequence: a bag of words.

    Args:
      ids: int32 or int64 (batch, length), dense or sparse.
      vocab_size: How many ids there are.
      embed_dim: The size of an embedding.
      sparse_lookup: Whether to leave out the id 0 of dense inputs, as padding.
      initializer: For the table; None for the scope's default.
      regularizer: From the table to a scalar, added to REGULARIZATION_LOSSES.
      trainable: Whether the table is trainable.
      scope: The variable scope; by default "bow_encoder", with a number.
      reuse: Whether to reuse the table of the scope.

    Returns:
      (batch, embed_dim).

    Raises:
      TypeError: If the ids are sparse while ``sparse_lookup`` is false.
    """
    from migrate.tf1_shim.contrib.layers._compose import dense_to_sparse

    with tf.variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        embeddings = model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if sparse_lookup:
            sparse = ids if isinstance(ids, tf.SparseTensor) else dense_to_sparse(ids)
            return safe_embedding_lookup_sparse([embeddings], sparse, combiner="mean", default_id=0)
        if isinstance(ids, tf.SparseTensor):
            raise TypeError(f"bow_encoder takes a dense tensor of ids. Received: {ids!r}")
        return tf.reduce_mean(tf.nn.embedding_lookup(embeddings, ids), axis=1)


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str | None = None,
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
) -> Any:
    """Embed sparse ids row by row; empty rows and bad ids are no error.

    Args:
      embedding_weights: The table, or its parts.
      sparse_ids: A ``SparseTensor`` of ids; negative ones are left out.
      sparse_weights: Their weights; those not positive are left out.
      combiner: "sum", "mean" (the default) or "sqrtn".
      default_id: The id of empty rows; None for zeros.
      name: The name scope.
      partition_strategy: "mod" or "div", the default.
      max_norm: The largest length of an embedding.

    Returns:
      A dense tensor.
    """
    return tf.nn.safe_embedding_lookup_sparse(
        embedding_weights,
        sparse_ids,
        sparse_weights=sparse_weights,
        combiner=combiner or "mean",
        default_id=default_id,
        name=name,
        partition_strategy=partition_strategy,
        max_norm=max_norm,
    )
