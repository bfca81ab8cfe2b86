"""The source of recurrent cells with TF 1's variables and numbers, and of what runs them.

Keras' cells keep two kernels where TF 1 has one for the inputs and the state together, so that they
neither start with TF 1's values nor find its checkpoints. A module gets only what it uses, and of
that only the parts that it needs. In the texts that `FILES` names a line that ends
with ``#feature`` is left out without it, one with ``#-feature`` with it; so are parts of lines:
``[feature|text]``. What needs two has ``one+other``, what needs one of two ``one/other``.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/dynamic_rnn
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache
from pathlib import Path

_NAMEDTUPLE = ("from collections import namedtuple",)
IMPORTS = dict.fromkeys(
    (
        *("LSTMStateTuple", "BasicDecoderOutput", "AttentionWrapperState"),
        *("BeamSearchDecoderState", "BeamSearchDecoderOutput", "FinalBeamSearchDecoderOutput"),
    ),
    _NAMEDTUPLE,
)
NEEDS = {
    "BasicRNNCell": ("RNNCell",),
    "BasicLSTMCell": ("LSTMStateTuple", "RNNCell"),
    "LSTMCell": ("LSTMStateTuple", "RNNCell"),
    "LayerNormBasicLSTMCell": ("LSTMStateTuple", "RNNCell"),
    "GRUCell": ("RNNCell",),
    "NASCell": ("LSTMStateTuple", "RNNCell"),
    **dict.fromkeys(
        (
            *("IndyLSTMCell", "GLSTMCell", "ConvLSTMCell"),
            *("CoupledInputForgetGateLSTMCell", "DrawnDropoutWrapper"),
        ),
        ("LSTMStateTuple", "RNNCell"),
    ),
    **dict.fromkeys(
        (
            *("IndRNNCell", "IndyGRUCell", "SRUCell", "IntersectionRNNCell", "HighwayWrapper"),
            *("CudnnCompatibleGRUCell", "DeviceWrapper", "EmbeddingWrapper"),
        ),
        ("RNNCell",),
    ),
    "MultiRNNCell": ("RNNCell",),
    "DropoutWrapper": ("RNNCell",),
    "ResidualWrapper": ("RNNCell",),
    "UGRNNCell": ("RNNCell",),
    "InputProjectionWrapper": ("RNNCell",),
    "OutputProjectionWrapper": ("RNNCell",),
    "AttentionCellWrapper": ("RNNCell",),
    "bidirectional_dynamic_rnn": ("dynamic_rnn",),
    "static_bidirectional_rnn": ("static_rnn",),
    "BahdanauAttention": ("AttentionMechanism", "RNNCell"),
    "LuongAttention": ("AttentionMechanism", "RNNCell"),
    "AttentionWrapper": ("AttentionWrapperState", "RNNCell"),
    "ScheduledEmbeddingTrainingHelper": ("TrainingHelper", "embedding_function"),
    "GreedyEmbeddingHelper": ("embedding_function",),
    "BasicDecoder": ("BasicDecoderOutput",),
    "BeamSearchDecoder": (
        *("BeamSearchDecoderState", "BeamSearchDecoderOutput", "FinalBeamSearchDecoderOutput"),
        *("embedding_function", "gather_tree"),
    ),
}
FILES = ("recurrent_code.txt", "cells_code.txt", "seq2seq_code.txt", "distributions_code.txt")
WIDTH = 99
_LINE = re.compile(r"  #(-?)([\w+/]+)$")
_PART = re.compile(r"\[(-?)([a-z_+/]+)\|((?:[^][]|\[[^][]*\])*)\]")
_TF = re.compile(r"\btf\.")


@cache
def sources() -> dict[str, str]:
    """The definitions by name, in an order in which they can stand."""
    here = Path(__file__).parent
    text = "".join((here / name).read_text(encoding="utf-8") for name in FILES)
    return dict(part.split("\n", 1) for part in text.split("=== ")[1:])


def source(name: str, features: Set[str], tf: str) -> str:
    """A definition as a module that uses some features needs it."""

    def used(match: re.Match[str]) -> bool:
        wanted = {*match[2].replace("/", "+").split("+")}
        there = bool(features & wanted) if "/" in match[2] else features >= wanted
        return there is not bool(match[1])

    def part(match: re.Match[str]) -> str:
        return match[3] if used(match) else ""

    text = _PART.sub(part, _PART.sub(part, sources()[name]))  # a part may have parts
    text = _TF.sub(f"{tf}.", text)
    lines: list[str] = []
    for line in text.splitlines():
        mark = _LINE.search(line)
        if mark is not None and not used(mark):
            continue
        lines.extend(_wrapped(_LINE.sub("", line).rstrip(), tf))
    return "\n".join(lines) + "\n"


def _wrapped(line: str, tf: str) -> list[str]:
    """A line, or the lines of a call that is too long for one; TensorFlow's name gets shorter."""
    out: list[str] = []
    indent = " " * (line.replace(tf, "tf").find("(") + 1)
    while indent and len(line.replace(tf, "tf")) > WIDTH:
        longer = (len(tf) - len("tf")) * line.count(tf, 0, WIDTH)
        at = line.rindex(", ", 0, WIDTH + longer) + 1
        out.append(line[:at])
        line = indent + line[at:].lstrip()
    return [*out, line]
