"""``tf.contrib.seq2seq``: helpers, decoders, attention, beam search, the loss."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.seq2seq._attention import (
    AttentionMechanism,
    BahdanauAttention,
    LuongAttention,
    hardmax,
)
from migrate.tf1_shim.contrib.seq2seq._beam import (
    BeamSearchDecoder,
    BeamSearchDecoderOutput,
    BeamSearchDecoderState,
    FinalBeamSearchDecoderOutput,
    gather_tree,
    tile_batch,
)
from migrate.tf1_shim.contrib.seq2seq._custom import (
    CustomHelper,
    InferenceHelper,
)
from migrate.tf1_shim.contrib.seq2seq._decoder import (
    BasicDecoder,
    BasicDecoderOutput,
    Decoder,
    dynamic_decode,
    sequence_loss,
)
from migrate.tf1_shim.contrib.seq2seq._helpers import (
    Helper,
    TrainingHelper,
)
from migrate.tf1_shim.contrib.seq2seq._monotonic import (
    BahdanauMonotonicAttention,
    LuongMonotonicAttention,
    monotonic_attention,
    safe_cumprod,
)
from migrate.tf1_shim.contrib.seq2seq._sampling import (
    GreedyEmbeddingHelper,
    SampleEmbeddingHelper,
    ScheduledEmbeddingTrainingHelper,
    ScheduledOutputTrainingHelper,
)
from migrate.tf1_shim.contrib.seq2seq._wrapper import (
    AttentionWrapper,
    AttentionWrapperState,
)

__all__ = [
    "AttentionMechanism",
    "AttentionWrapper",
    "AttentionWrapperState",
    "BahdanauAttention",
    "BahdanauMonotonicAttention",
    "BasicDecoder",
    "BasicDecoderOutput",
    "BeamSearchDecoder",
    "BeamSearchDecoderOutput",
    "BeamSearchDecoderState",
    "CustomHelper",
    "Decoder",
    "FinalBeamSearchDecoderOutput",
    "GreedyEmbeddingHelper",
    "Helper",
    "InferenceHelper",
    "LuongAttention",
    "LuongMonotonicAttention",
    "SampleEmbeddingHelper",
    "ScheduledEmbeddingTrainingHelper",
    "ScheduledOutputTrainingHelper",
    "TrainingHelper",
    "dynamic_decode",
    "gather_tree",
    "hardmax",
    "monotonic_attention",
    "safe_cumprod",
    "sequence_loss",
    "tile_batch",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.seq2seq")
