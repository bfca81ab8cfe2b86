"""``tf.contrib.legacy_seq2seq``: decoders over lists of inputs."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.legacy_seq2seq._attention import (
    attention_decoder,
    embedding_attention_decoder,
    embedding_attention_seq2seq,
)
from migrate.tf1_shim.contrib.legacy_seq2seq._decoders import (
    basic_rnn_seq2seq,
    embedding_rnn_decoder,
    embedding_rnn_seq2seq,
    rnn_decoder,
    tied_rnn_seq2seq,
)
from migrate.tf1_shim.contrib.legacy_seq2seq._losses import (
    model_with_buckets,
    sequence_loss,
    sequence_loss_by_example,
)

__all__ = [
    "attention_decoder",
    "basic_rnn_seq2seq",
    "embedding_attention_decoder",
    "embedding_attention_seq2seq",
    "embedding_rnn_decoder",
    "embedding_rnn_seq2seq",
    "model_with_buckets",
    "rnn_decoder",
    "sequence_loss",
    "sequence_loss_by_example",
    "tied_rnn_seq2seq",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.legacy_seq2seq")
