"""Decoders and attention of `tf.contrib.seq2seq`, layers as objects, states in one tensor."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import numpy as np
import tensorflow as tf
from tensorflow.contrib import seq2seq

x = tf.placeholder(tf.float32, [None, 3, 4])
lengths = tf.placeholder(tf.int32, [None])
size = tf.shape(x)[0]
table = tf.get_variable("table", [5, 4])
"""
ENCODER = """\
enc, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), x, dtype=tf.float32)
"""
CELL = "cell = tf.nn.rnn_cell.GRUCell(4)\n"
TAUGHT = """\
helper = seq2seq.TrainingHelper(x, lengths)
decoder = seq2seq.BasicDecoder(cell, helper, {state}{layer})
out, _, _ = seq2seq.dynamic_decode(decoder{more})
net = out.rnn_output
"""
RUN = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net, {x: np.ones((2, 3, 4)), lengths: [3, 2]}))
"""
ZERO = "cell.zero_state(size, tf.float32)"
ATTENTION = """\
mechanism = seq2seq.LuongAttention(4, enc, memory_sequence_length=lengths)
cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), mechanism, 4)
"""


def upgrade(text: str) -> FileResult:
    (result,) = texts({"program.py": text.encode()}, Options())
    return result


def after(text: str) -> str:
    result = upgrade(text)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def stopped(text: str) -> str:
    result = upgrade(text)
    assert result.level is Level.COMPAT
    return " ".join(f.message for f in result.left if f.rule == "TFM420")


def taught(state: str = ZERO, layer: str = "", more: str = "") -> str:
    return TAUGHT.format(state=state, layer=layer, more=more)


def test_a_decoder_is_given_only_what_it_is_asked_for() -> None:
    text = after(HEAD + CELL + taught() + RUN)
    assert "def dynamic_decode(decoder, scope=" in text
    assert "    out, _, _ = dynamic_decode(decoder)\n" in text
    assert "class GreedyEmbeddingHelper" not in text
    assert "output_layer" not in text
    assert "memory" not in text


SCHEDULED = """\
helper = seq2seq.ScheduledEmbeddingTrainingHelper(x, lengths, table, 0.5{})
decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(size, tf.float32))
out, _, _ = seq2seq.dynamic_decode(decoder)
net = out.rnn_output
"""


def test_what_is_sampled_may_be_read() -> None:
    text = after(HEAD + CELL + SCHEDULED.format("") + RUN)
    assert "helper = ScheduledEmbeddingTrainingHelper(x, lengths, table, 0.5)\n" in text
    assert "sample_ids = self.helper.sample(output)\n" in text
    assert "GreedyEmbeddingHelper" not in text
    for seed in ("seed", "scheduling_seed"):
        seeded = HEAD + CELL + SCHEDULED.format(f", {seed}=1") + RUN
        assert f"`{seed}` of ScheduledEmbeddingTrainingHelper" in stopped(seeded)


def test_what_is_sampled_differs_from_run_to_run() -> None:
    both = "total = tf.reduce_sum(net)\nmean = tf.reduce_mean(net)\n"
    run = RUN.replace("sess.run(net,", "sess.run([total, mean],")
    text = after(HEAD + CELL + SCHEDULED.format("") + both + run)
    assert text.count("dynamic_decode(decoder)") == 1


def test_a_memory_is_given_where_a_decoder_runs() -> None:
    text = after(HEAD + ENCODER + ATTENTION + taught() + RUN)
    assert "mechanism = LuongAttention(4)\n" in text
    assert "cell = AttentionWrapper(GRUCell(4), mechanism, 4)\n" in text
    assert "dynamic_decode(decoder, memory=enc, memory_sequence_length=lengths)" in text


def test_the_scope_that_is_open_is_the_decoder_s() -> None:
    inner = "".join("    " + line + "\n" for line in taught(more=", scope=here").splitlines())
    opened = 'with tf.variable_scope("speak") as here:\n' + inner
    assert 'dynamic_decode(decoder, scope="speak")' in after(HEAD + CELL + opened + RUN)


def test_a_layer_is_keras_s_and_called_by_hand_too() -> None:
    made = CELL + "layer = tf.layers.Dense(5, use_bias=False)\n"
    text = after(HEAD + made + taught() + "net = layer(net)\n" + RUN)
    assert "layer = tf.keras.layers.Dense(5, use_bias=False)\n" in text
    assert "layer(net)" in text


def test_an_argument_behind_one_that_is_left_out_gets_its_name() -> None:
    search = "found = seq2seq.BeamSearchDecoder(cell, table, [1], 2, start, 3, None, 0.6)\n"
    start = f"start = seq2seq.tile_batch({ZERO}, 3)\n"
    run = "out, _, _ = seq2seq.dynamic_decode(found, maximum_iterations=4)\n"
    text = after(HEAD + CELL + start + search + run + "net = out.predicted_ids\n" + RUN)
    assert "start, 3, length_penalty_weight=0.6)" in text


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (CELL + taught(more=", impute_finished=len('a') > 1"), "`impute_finished` of a decoder is"),
        (CELL + taught(state="x[:, 0]", layer=", None").replace("cell, h", "table, h"), "the cell"),
        (
            ENCODER + ATTENTION + "enc = enc * 2.0\n" + taught(),
            "`enc` means something else by now",
        ),
        (ENCODER + ATTENTION + taught(state="state"), "the first state of a decoder"),
        (
            ENCODER + ATTENTION.replace(", 4)\n", ", 4, alignment_history=True)\n") + taught(),
            "a decoder's cell with `alignment_history`",
        ),
        (
            ENCODER + ATTENTION.replace("mechanism, 4", "mechanism") + taught(),
            "AttentionWrapper without `attention_layer_size`",
        ),
        (
            CELL
            + "a, b = tf.layers.Dense(5), tf.layers.Dense(5)\n"
            + taught(layer=", a")
            + taught(layer=", b"),
            "two layers of one name in a scope",
        ),
        (
            CELL
            + "a, b = tf.layers.Dense(5, name='a'), tf.layers.Dense(5, name='b')\n"
            + "def use(layer, t):\n    return layer(t)\n"
            + taught()
            + "net = use(a, net) + use(b, net)\n",
            "one call applies several layers",
        ),
        (
            CELL + "layer = tf.layers.Dense(5)\nfor _ in range(2):\n    x = layer(x)\n" + taught(),
            "a layer that is called in a loop",
        ),
        (
            "one = tf.nn.rnn_cell.LSTMCell(4)\n"
            "cell = tf.nn.rnn_cell.MultiRNNCell([one], state_is_tuple=False)\n" + taught(),
            "states in one tensor over cells whose states are tuples",
        ),
        (
            "cell = tf.contrib.rnn.LayerNormBasicLSTMCell(4, dropout_keep_prob=0.5)\n" + taught(),
            "`dropout_keep_prob` of LayerNormBasicLSTMCell",
        ),
        (
            "cell = tf.contrib.rnn.PhasedLSTMCell(4, use_peepholes=True)\n" + taught(),
            "tf.contrib.rnn.PhasedLSTMCell isn't followed yet",
        ),
        (
            CELL
            + "found = seq2seq.BeamSearchDecoder(cell, table, [1], 2, "
            + ZERO
            + ", 3)\nnet, _, _ = seq2seq.dynamic_decode(found, impute_finished=True)\n",
            "`impute_finished` of a beam search",
        ),
    ],
)
def test_what_a_decoder_does_otherwise_keeps_the_session(program: str, reason: str) -> None:
    assert reason in stopped(HEAD + program + RUN)
