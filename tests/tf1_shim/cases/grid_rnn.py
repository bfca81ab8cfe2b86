"""tf.contrib.grid_rnn."""

import importlib

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _grid(tf, shim):
    if shim is tf:
        return importlib.import_module("tensorflow.contrib.grid_rnn")
    return shim.contrib.grid_rnn


def _step(tf, cell, size=5):
    x = tf.constant(_data(3, size))
    first = tf.nest.map_structure(lambda n: tf.constant(_data(3, n)), cell.state_size)
    out, state = cell(x, first)
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        out2, state = cell(x * 0.5, state)
    return {"out": out, "out2": out2, "state": state, "_inputs": [x]}


def _initialized(tf, cell):
    """Dense dimensions fail in TF 1.15.5 without an initializer of the scope."""
    with tf.variable_scope("all", initializer=tf.random_normal_initializer(stddev=0.3)):
        return _step(tf, cell)


def one_rnn(tf, shim):
    return _step(tf, _grid(tf, shim).Grid1BasicRNNCell(4))


def one_lstm(tf, shim):
    return _step(tf, _grid(tf, shim).Grid1LSTMCell(4, use_peepholes=True))


def one_basic_lstm(tf, shim):
    cell = _grid(tf, shim).Grid1BasicLSTMCell(4, state_is_tuple=True, output_is_tuple=False)
    return _step(tf, cell)


def two_rnn(tf, shim):
    return _step(tf, _grid(tf, shim).Grid2BasicRNNCell(4))


def two_lstm(tf, shim):
    return _step(tf, _grid(tf, shim).Grid2LSTMCell(4, forget_bias=0.5))


def two_tied(tf, shim):
    return _step(tf, _grid(tf, shim).Grid2BasicLSTMCell(4, tied=True))


def two_dense(tf, shim):
    return _initialized(tf, _grid(tf, shim).Grid2LSTMCell(4, non_recurrent_fn=tf.nn.relu))


def two_gru(tf, shim):
    return _step(tf, _grid(tf, shim).Grid2GRUCell(4))


def three_lstm(tf, shim):
    return _initialized(tf, _grid(tf, shim).Grid3LSTMCell(4, non_recurrent_fn=tf.tanh))


def general(tf, shim):
    cell = _grid(tf, shim).GridRNNCell(
        4, num_dims=3, input_dims=[0, 1], output_dims=[0, 2], priority_dims=[2]
    )
    return dict(_step(tf, cell, 6), sizes=[list(cell.output_size), len(cell.state_size)])
