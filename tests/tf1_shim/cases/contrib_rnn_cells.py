"""tf.contrib.rnn: further cells."""

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _dynamic(tf, cell, *shape, **kwargs):
    x = tf.constant(_data(3, 4, *(shape or (5,))))
    out, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, parallel_iterations=1, **kwargs)
    return {"out": out, "state": state, "_inputs": [x]}


def _static(tf, cell, *shape):
    x = tf.constant(_data(3, *shape))
    first = cell.zero_state(3, tf.float32)
    out, state = cell(x, first)
    out2, state2 = cell(x + 0.1, state)
    return {"out": out, "out2": out2, "state": state2, "_inputs": [x]}


def coupled(tf, shim):
    return _dynamic(tf, shim.contrib.rnn.CoupledInputForgetGateLSTMCell(6))


def coupled_all(tf, shim):
    cell = shim.contrib.rnn.CoupledInputForgetGateLSTMCell(
        6, use_peepholes=True, num_proj=4, proj_clip=0.3, num_unit_shards=2, num_proj_shards=3,
        forget_bias=0.5, state_is_tuple=False,
    )  # fmt: skip
    return _dynamic(tf, cell)


def coupled_norm(tf, shim):
    cell = shim.contrib.rnn.CoupledInputForgetGateLSTMCell(6, layer_norm=True, norm_gain=0.7)
    return _dynamic(tf, cell)


def time_freq(tf, shim):
    cell = shim.contrib.rnn.TimeFreqLSTMCell(
        4, use_peepholes=True, cell_clip=0.4, feature_size=3, frequency_skip=2
    )
    x = tf.constant(_data(3, 7))
    out, state = cell(x, tf.constant(_data(3, 24)))
    return {"out": out, "state": state, "_inputs": [x]}


def grid(tf, shim):
    cell = shim.contrib.rnn.GridLSTMCell(
        4, feature_size=3, frequency_skip=2, num_frequency_blocks=[3]
    )
    return dict(_dynamic(tf, cell, 7), fields=list(cell.state_tuple_type._fields))


def grid_all(tf, shim):
    cell = shim.contrib.rnn.GridLSTMCell(
        2, use_peepholes=True, cell_clip=0.3, num_unit_shards=2, feature_size=3, frequency_skip=1,
        num_frequency_blocks=[2, 3], start_freqindex_list=[0, 3], end_freqindex_list=[4, 8],
    )  # fmt: skip
    return _dynamic(tf, cell, 8)


def grid_shared(tf, shim):
    cell = shim.contrib.rnn.GridLSTMCell(
        4, use_peepholes=True, share_time_frequency_weights=True, feature_size=3,
        frequency_skip=2, num_frequency_blocks=[3], couple_input_forget_gates=True,
        state_is_tuple=False,
    )  # fmt: skip
    return _dynamic(tf, cell, 7)


def grid_bidirectional(tf, shim):
    cell = shim.contrib.rnn.BidirectionalGridLSTMCell(
        2, use_peepholes=True, feature_size=3, frequency_skip=2, num_frequency_blocks=[3],
        backward_slice_offset=1,
    )  # fmt: skip
    return _dynamic(tf, cell, 7)


def nas(tf, shim):
    return _dynamic(tf, shim.contrib.rnn.NASCell(6))


def nas_all(tf, shim):
    return _dynamic(tf, shim.contrib.rnn.NASCell(6, num_proj=4, use_bias=True, name="mine"))


def intersection(tf, shim):
    cell = shim.contrib.rnn.IntersectionRNNCell
    start = tf.random_normal_initializer(stddev=0.2)
    both = [cell(6, num_in_proj=6, initializer=start), cell(6, y_activation=tf.tanh)]
    return _dynamic(tf, shim.contrib.rnn.MultiRNNCell(both))


def phased(tf, shim):
    cell = shim.contrib.rnn.PhasedLSTMCell(6, use_peepholes=True, period_init_max=9.0)
    time = tf.constant(np.cumsum(np.abs(_data(3, 4, 1)), 1))
    x = tf.constant(_data(3, 4, 5))
    out, state = tf.nn.dynamic_rnn(cell, (time, x), dtype=tf.float32, parallel_iterations=1)
    return {"out": out, "state": state, "_inputs": [x]}


def phased_double(tf, shim):
    cell = shim.contrib.rnn.PhasedLSTMCell(6, trainable_ratio_on=False, leak=0.1, ratio_on=0.5)
    time = tf.constant([[1.5], [20.25], [300.0]], tf.float64)
    out, state = cell((time, tf.constant(_data(3, 5))), cell.zero_state(3, tf.float32))
    return {"out": out, "state": state}


def conv_1d(tf, shim):
    cell = shim.contrib.rnn.Conv1DLSTMCell(input_shape=[6, 2], output_channels=3, kernel_shape=[3])
    return _static(tf, cell, 6, 2)


def conv_2d(tf, shim):
    cell = shim.contrib.rnn.ConvLSTMCell(
        conv_ndims=2, input_shape=[4, 5, 2], output_channels=3, kernel_shape=[3, 3], name="mine"
    )
    return _dynamic(tf, cell, 4, 5, 2)


def conv_2d_skip(tf, shim):
    cell = shim.contrib.rnn.Conv2DLSTMCell(
        input_shape=[4, 5, 2], output_channels=3, kernel_shape=[3, 1], use_bias=False,
        skip_connection=True, forget_bias=0.0,
    )  # fmt: skip
    x = tf.constant(_data(3, 4, 5, 2))
    out, state = cell(x, cell.zero_state(3, tf.float32))
    return {"out": out, "c": state.c, "size": cell.output_size.as_list(), "_inputs": [x]}


def conv_3d(tf, shim):
    cell = shim.contrib.rnn.Conv3DLSTMCell(
        input_shape=[3, 4, 2, 2], output_channels=3, kernel_shape=[2, 2, 2]
    )
    return _static(tf, cell, 3, 4, 2, 2)


def grouped(tf, shim):
    return _dynamic(tf, shim.contrib.rnn.GLSTMCell(6, number_of_groups=3), 9)


def grouped_projected(tf, shim):
    cell = shim.contrib.rnn.GLSTMCell(
        8, num_proj=4, number_of_groups=2, initializer=tf.random_normal_initializer(stddev=0.3)
    )
    return _dynamic(tf, cell, 6)


def simple(tf, shim):
    return _dynamic(tf, shim.contrib.rnn.SRUCell(6))


def indy_gru(tf, shim):
    return _dynamic(tf, shim.contrib.rnn.IndyGRUCell(6, activation=tf.nn.relu))


def indy_lstm(tf, shim):
    return _dynamic(tf, shim.contrib.rnn.IndyLSTMCell(6, forget_bias=0.5, name="mine"))


def compiled(tf, shim):
    rnn = shim.contrib.rnn
    cell = rnn.CompiledWrapper(rnn.BasicLSTMCell(6))
    x = tf.constant(_data(3, 5))
    out, _ = cell(x, cell.zero_state(3, tf.float32))
    return {"out": out, "size": cell.output_size}
