"""Why what TF 1 has isn't followed, where more can be said than that it isn't."""

from __future__ import annotations

from migrate.programs.graph.meaning import T

PARTS = "each part of such a variable starts and is saved by itself, under a name of its own"
BUCKETS = "it makes decoders, embeddings and loops of its own over lists of placeholders"
CUDNN = "it is cuDNN's, which 1.15.5 has for a GPU alone; the CudnnCompatible cells are followed"
REASONS = {
    **dict.fromkeys(
        (
            *("fixed_size_partitioner", "min_max_variable_partitioner"),
            "variable_axis_size_partitioner",
        ),
        PARTS,
    ),
    "nn.raw_rnn": "its function gives each step's input and state by conditions of its own",
    **{
        f"contrib.legacy_seq2seq.{name}": BUCKETS
        for name in (
            *("attention_decoder", "basic_rnn_seq2seq", "embedding_attention_decoder"),
            *("embedding_attention_seq2seq", "embedding_rnn_decoder", "embedding_rnn_seq2seq"),
            *("embedding_tied_rnn_seq2seq", "model_with_buckets", "one2many_rnn_seq2seq"),
            "tied_rnn_seq2seq",
        )
    },
    **{f"contrib.cudnn_rnn.Cudnn{kind}": CUDNN for kind in ("LSTM", "GRU", "RNNRelu", "RNNTanh")},
    "contrib.losses.metric_learning.cluster_loss": "it calls scikit-learn in the graph",
}


# The same of arguments.
ARGUMENTS = {
    "custom_getter": "what it gives may be any tensor, of a variable that another scope made",
    "partitioner": PARTS,
    "renorm": "Keras 3's BatchNormalization has none",
    "activity_regularizer": "TF 1 divides an activity's penalty by the batch's size, Keras doesn't",
}


def of(argument: str) -> str:
    """What is said behind an argument that isn't followed."""
    return f": {ARGUMENTS[argument]}" if argument in ARGUMENTS else ""


def unfollowed(endpoint: str) -> str:
    """What is said of an endpoint that isn't followed."""
    shown = f"tf{endpoint.removeprefix('tensorflow')}"
    why = REASONS.get(endpoint.removeprefix(T))
    return f"{shown} isn't followed: {why}" if why else f"{shown} isn't followed yet"
