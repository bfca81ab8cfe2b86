"""tf.contrib.seq2seq."""

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _decode(tf, shim, helper, cell=None, **kwargs):
    seq = shim.contrib.seq2seq
    cell = cell or shim.nn.rnn_cell.GRUCell(6)
    state = kwargs.pop("state", None)
    if state is None:
        state = cell.zero_state(3, tf.float32)
    layer = shim.layers.Dense(7, name="projection")
    decoder = seq.BasicDecoder(cell, helper, state, output_layer=layer)
    outputs, state, lengths = seq.dynamic_decode(decoder, parallel_iterations=1, **kwargs)
    return {
        "out": outputs.rnn_output,
        "ids": outputs.sample_id,
        "state": tf.nest.flatten(state)[0],
        "lengths": lengths,
    }


def training(tf, shim):
    x = tf.constant(_data(3, 5, 4))
    helper = shim.contrib.seq2seq.TrainingHelper(x, [5, 2, 3])
    return _decode(tf, shim, helper)


def training_time_major_impute(tf, shim):
    x = tf.constant(_data(5, 3, 4))
    helper = shim.contrib.seq2seq.TrainingHelper(x, [5, 2, 0], time_major=True)
    return _decode(tf, shim, helper, impute_finished=True, output_time_major=True)


def greedy(tf, shim):
    table = tf.get_variable("table", [7, 4])
    helper = shim.contrib.seq2seq.GreedyEmbeddingHelper(table, [1, 2, 3], 0)
    return _decode(tf, shim, helper, maximum_iterations=6)


def sampled(tf, shim):
    table = tf.get_variable("table", [7, 4])
    helper = shim.contrib.seq2seq.SampleEmbeddingHelper(
        table, [1, 2, 3], 0, softmax_temperature=0.7, seed=5
    )
    return _decode(tf, shim, helper, maximum_iterations=6)


def scheduled(tf, shim):
    table = tf.get_variable("table", [7, 4])
    helper = shim.contrib.seq2seq.ScheduledEmbeddingTrainingHelper(
        tf.constant(_data(3, 5, 4)), [5, 2, 3], table, 0.5, seed=5, scheduling_seed=6
    )
    return _decode(tf, shim, helper)


def scheduled_output(tf, shim):
    helper = shim.contrib.seq2seq.ScheduledOutputTrainingHelper(
        tf.constant(_data(3, 5, 7)), [5, 2, 3], 0.5, seed=5,
        auxiliary_inputs=tf.constant(_data(3, 5, 2)),
    )  # fmt: skip
    out = _decode(tf, shim, helper)
    # TF 2.21 knows more of the shape.
    return dict(out, ids=tf.reshape(out["ids"], [-1]))


def scheduled_output_mapped(tf, shim):
    helper = shim.contrib.seq2seq.ScheduledOutputTrainingHelper(
        tf.constant(_data(5, 3, 4)), [5, 2, 3], 0.5, time_major=True, seed=6,
        next_inputs_fn=lambda out: tf.tanh(out[:, :4]),
    )  # fmt: skip
    out = _decode(tf, shim, helper)
    # TF 2.21 knows more of the shape.
    return dict(out, ids=tf.reshape(out["ids"], [-1]))


def custom(tf, shim):
    x = tf.constant(_data(3, 4))
    helper = shim.contrib.seq2seq.CustomHelper(
        lambda: (tf.fill([3], False), x),
        lambda time, outputs, state: tf.argmax(outputs, -1, output_type=tf.int32),
        lambda time, outputs, state, sample_ids: (tf.fill([3], time >= 3), x * 0.5, state),
    )
    return _decode(tf, shim, helper)


def inference(tf, shim):
    helper = shim.contrib.seq2seq.InferenceHelper(
        sample_fn=lambda outputs: outputs[:, :4],
        sample_shape=[4],
        sample_dtype=tf.float32,
        start_inputs=tf.constant(_data(3, 4)),
        end_fn=lambda ids: tf.fill([3], False),
    )
    return _decode(tf, shim, helper, maximum_iterations=4)


def _attention(tf, shim, mechanism, **kwargs):
    seq = shim.contrib.seq2seq
    cell = seq.AttentionWrapper(shim.nn.rnn_cell.LSTMCell(6), mechanism, **kwargs)
    x = tf.constant(_data(3, 5, 4))
    helper = seq.TrainingHelper(x, [5, 2, 3])
    state = cell.zero_state(3, tf.float32)
    out = _decode(tf, shim, helper, cell=cell, state=state)
    out["size"] = cell.output_size
    return out


def bahdanau(tf, shim):
    memory = tf.constant(_data(3, 6, 5))
    mechanism = shim.contrib.seq2seq.BahdanauAttention(4, memory, [6, 2, 4])
    return _attention(tf, shim, mechanism, attention_layer_size=5)


def bahdanau_normalized(tf, shim):
    memory = tf.constant(_data(3, 6, 5))
    mechanism = shim.contrib.seq2seq.BahdanauAttention(4, memory, normalize=True)
    return _attention(tf, shim, mechanism, output_attention=False)


def luong(tf, shim):
    memory = tf.constant(_data(3, 6, 5))
    mechanism = shim.contrib.seq2seq.LuongAttention(6, memory, [6, 2, 4])
    return _attention(tf, shim, mechanism, attention_layer_size=5)


def luong_scaled_history(tf, shim):
    memory = tf.constant(_data(3, 6, 5))
    mechanism = shim.contrib.seq2seq.LuongAttention(
        6, memory, scale=True, probability_fn=tf.nn.softmax
    )
    return _attention(tf, shim, mechanism, alignment_history=True)


def _monotonic(tf, shim, name, **kwargs):
    seq = shim.contrib.seq2seq
    memory = tf.constant(_data(3, 4, 5))
    make = getattr(seq, name)
    return _attention(tf, shim, make(6, memory, memory_sequence_length=[4, 2, 3], **kwargs))


def bahdanau_monotonic(tf, shim):
    return _monotonic(tf, shim, "BahdanauMonotonicAttention", score_bias_init=-0.5)


def bahdanau_monotonic_noise(tf, shim):
    return _monotonic(
        tf, shim, "BahdanauMonotonicAttention", normalize=True, sigmoid_noise=0.4,
        sigmoid_noise_seed=4, mode="recursive",
    )  # fmt: skip


def luong_monotonic(tf, shim):
    return _monotonic(tf, shim, "LuongMonotonicAttention", scale=True)


def luong_monotonic_hard(tf, shim):
    return _monotonic(tf, shim, "LuongMonotonicAttention", mode="hard", score_bias_init=0.1)


def monotonic_functions(tf, shim):
    seq = shim.contrib.seq2seq
    p = tf.sigmoid(tf.constant(_data(2, 5)))
    before = tf.nn.softmax(tf.constant(_data(5, 2))[:2, :1] * np.ones((2, 5), np.float32))
    hard = tf.constant([[0.0, 1, 1, 0, 1], [0, 0, 1, 1, 0]])
    return {
        "safe": seq.safe_cumprod(p, axis=1, exclusive=True),
        "parallel": seq.monotonic_attention(p, before, "parallel"),
        "recursive": seq.monotonic_attention(p, before, "recursive"),
        "hard": seq.monotonic_attention(hard, tf.one_hot([0, 2], 5), "hard"),
    }


def two_mechanisms(tf, shim):
    seq = shim.contrib.seq2seq
    memory = tf.constant(_data(3, 6, 5))
    mechanisms = [seq.LuongAttention(6, memory), seq.BahdanauAttention(4, memory)]
    return _attention(tf, shim, mechanisms, attention_layer_size=[3, 4])


def cloned_state(tf, shim):
    seq = shim.contrib.seq2seq
    memory = tf.constant(_data(3, 6, 5))
    cell = seq.AttentionWrapper(shim.nn.rnn_cell.GRUCell(6), seq.LuongAttention(6, memory))
    state = cell.zero_state(3, tf.float32).clone(cell_state=tf.constant(_data(3, 6)))
    out, state = cell(tf.constant(_data(3, 4)), state)
    return {"out": out, "state": state.cell_state, "alignments": state.alignments}


def beam_search(tf, shim):
    seq = shim.contrib.seq2seq
    table = tf.get_variable("table", [7, 4])
    cell = shim.nn.rnn_cell.GRUCell(6)
    first = seq.tile_batch(tf.constant(_data(2, 6)), 3)
    decoder = seq.BeamSearchDecoder(
        cell, table, [1, 2], 0, first, 3, output_layer=shim.layers.Dense(7, use_bias=False)
    )
    outputs, state, lengths = seq.dynamic_decode(decoder, maximum_iterations=5)
    return {
        "ids": outputs.predicted_ids,
        "scores": outputs.beam_search_decoder_output.scores,
        "parents": outputs.beam_search_decoder_output.parent_ids,
        "lengths": lengths,
        "log_probs": state.log_probs,
        "_gradients": False,
    }


def beam_search_attention(tf, shim):
    seq = shim.contrib.seq2seq
    table = tf.get_variable("table", [7, 4])
    memory = seq.tile_batch(tf.constant(_data(2, 6, 5)), 3)
    cell = seq.AttentionWrapper(
        shim.nn.rnn_cell.LSTMCell(6), seq.LuongAttention(6, memory), attention_layer_size=5
    )
    decoder = seq.BeamSearchDecoder(
        cell,
        table,
        [1, 2],
        0,
        cell.zero_state(6, tf.float32),
        3,
        output_layer=shim.layers.Dense(7),
        length_penalty_weight=0.8,
    )
    outputs, state, _ = seq.dynamic_decode(decoder, maximum_iterations=6)
    return {
        "ids": outputs.predicted_ids,
        "scores": outputs.beam_search_decoder_output.scores,
        "lengths": state.lengths,
        "_gradients": False,
    }


def gather_tree(tf, shim):
    steps = np.array([[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]], [[3, 0, 2]]], np.int32)
    parents = np.array([[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]], [[1, 0, 2]]], np.int32)
    seq = shim.contrib.seq2seq
    return {
        "a": seq.gather_tree(steps, parents, [4], 10),
        "b": seq.gather_tree(steps, parents, [2], 10),
        "c": seq.gather_tree(steps, parents, [4], 6),
    }


def losses(tf, shim):
    logits = tf.get_variable("logits", [3, 5, 7])
    targets = tf.constant(np.random.RandomState(0).randint(0, 7, (3, 5)))
    weights = tf.sequence_mask([5, 2, 3], 5, dtype=tf.float32)
    loss = shim.contrib.seq2seq.sequence_loss
    return {
        "all": loss(logits, targets, weights),
        "time": loss(logits, targets, weights, average_across_batch=False),
        "batch": loss(logits, targets, weights, average_across_timesteps=False),
        "none": loss(
            logits,
            targets,
            weights,
            average_across_timesteps=False,
            average_across_batch=False,
        ),
        "sums": loss(
            logits,
            targets,
            weights,
            average_across_timesteps=False,
            average_across_batch=False,
            sum_over_timesteps=True,
            sum_over_batch=True,
        ),
        "hard": shim.contrib.seq2seq.hardmax(logits),
    }
