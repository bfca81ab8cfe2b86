"""tf.contrib.rnn."""

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _dynamic(tf, cell, **kwargs):
    x = tf.constant(_data(3, 5, 4))
    out, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, parallel_iterations=1, **kwargs)
    return {"out": out, "state": state, "_inputs": [x], "name": out.name}


def same_classes(tf, shim):
    rnn = shim.contrib.rnn
    names = ("BasicLSTMCell", "GRUCell", "LSTMCell", "MultiRNNCell", "LSTMStateTuple", "RNNCell")
    return {"same": [getattr(rnn, n) is getattr(shim.nn.rnn_cell, n) for n in names]}


def lstm_block_cell(tf, shim):
    return _dynamic(tf, shim.contrib.rnn.LSTMBlockCell(6, forget_bias=0.5))


def lstm_block_cell_peephole(tf, shim):
    cell = shim.contrib.rnn.LSTMBlockCell(6, use_peephole=True, cell_clip=0.2, name="mine")
    return _dynamic(tf, cell)


def lstm_block_fused(tf, shim):
    cell = shim.contrib.rnn.LSTMBlockFusedCell(6)
    x = tf.constant(_data(5, 3, 4))
    out, state = cell(x, dtype=tf.float32)
    return {"out": out, "state": state, "_inputs": [x]}


def lstm_block_fused_lengths(tf, shim):
    cell = shim.contrib.rnn.LSTMBlockFusedCell(6, use_peephole=True)
    x = tf.constant(_data(5, 3, 4))
    first = (tf.constant(_data(3, 6)), tf.constant(_data(3, 6)))
    out, state = cell(x, initial_state=first, sequence_length=[2, 0, 5])
    return {"out": out, "state": state, "_inputs": [x]}


def time_reversed(tf, shim):
    rnn = shim.contrib.rnn
    x = tf.constant(_data(5, 3, 4))
    cell = rnn.TimeReversedFusedRNN(rnn.LSTMBlockFusedCell(6))
    out, state = cell(x, dtype=tf.float32, sequence_length=[2, 4, 5])
    other = rnn.FusedRNNCellAdaptor(rnn.GRUCell(3), use_dynamic_rnn=True)
    out2, _ = other(x, dtype=tf.float32)
    return {"out": out, "state": state, "out2": out2}


def gru_block(tf, shim):
    return _dynamic(tf, shim.contrib.rnn.GRUBlockCellV2(6))


def gru_block_old(tf, shim):
    return _dynamic(tf, shim.contrib.rnn.GRUBlockCell(6))


def layer_norm_lstm(tf, shim):
    return _dynamic(tf, shim.contrib.rnn.LayerNormBasicLSTMCell(6))


def layer_norm_lstm_dropout(tf, shim):
    cell = shim.contrib.rnn.LayerNormBasicLSTMCell(
        6, layer_norm=False, dropout_keep_prob=0.6, dropout_prob_seed=3, forget_bias=0.0
    )
    return _dynamic(tf, cell)


def ugrnn(tf, shim):
    return _dynamic(tf, shim.contrib.rnn.UGRNNCell(6))


def ind_rnn(tf, shim):
    return _dynamic(tf, shim.contrib.rnn.IndRNNCell(6))


def projections(tf, shim):
    rnn = shim.contrib.rnn
    cell = rnn.OutputProjectionWrapper(
        rnn.InputProjectionWrapper(rnn.GRUCell(6), 5, activation=tf.nn.relu), 3
    )
    return _dynamic(tf, cell)


def embedding_wrapper(tf, shim):
    rnn = shim.contrib.rnn
    cell = rnn.EmbeddingWrapper(rnn.GRUCell(6), 10, 4)
    ids = [tf.constant([1, 2, 3]), tf.constant([4, 9, 0])]
    outs, state = tf.nn.static_rnn(cell, ids, dtype=tf.float32)
    return {"outs": outs, "state": state}


def highway(tf, shim):
    rnn = shim.contrib.rnn
    return _dynamic(tf, rnn.HighwayWrapper(rnn.GRUCell(4), couple_carry_transform_gates=False))


def attention_cell(tf, shim):
    rnn = shim.contrib.rnn
    return _dynamic(tf, rnn.AttentionCellWrapper(rnn.BasicLSTMCell(6), 3, attn_vec_size=5))


def attention_cell_concatenated(tf, shim):
    rnn = shim.contrib.rnn
    return _dynamic(tf, rnn.AttentionCellWrapper(rnn.GRUCell(6), 3, state_is_tuple=False))


def stack_dynamic(tf, shim):
    rnn = shim.contrib.rnn
    x = tf.constant(_data(3, 5, 4))
    out, fw, bw = rnn.stack_bidirectional_dynamic_rnn(
        [rnn.LSTMCell(3), rnn.GRUCell(2)],
        [rnn.LSTMCell(3), rnn.GRUCell(4)],
        x,
        dtype=tf.float32,
        sequence_length=[5, 2, 3],
    )
    return {"out": out, "fw": fw, "bw": bw}


def stack_static(tf, shim):
    rnn = shim.contrib.rnn
    x = tf.constant(_data(3, 5, 4))
    out, fw, bw = rnn.stack_bidirectional_rnn(
        [rnn.GRUCell(2), rnn.GRUCell(2)],
        [rnn.GRUCell(4), rnn.GRUCell(1)],
        tf.unstack(x, axis=1),
        dtype=tf.float32,
    )
    return {"out": out, "fw": fw, "bw": bw, "t": rnn.transpose_batch_time(x)}
