"""tf.contrib.cudnn_rnn.

TF 1.15 has no kernels of its layers for the CPU. There the numbers come from the cells that load
the same checkpoints: their variables get values by their names, which are those that the layers'
savers write.
"""

import importlib
import os
import tempfile
import zlib

import numpy as np

UNITS, SIZE = 3, 4


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _module(tf, shim):
    if shim is tf:
        return importlib.import_module("tensorflow.contrib.cudnn_rnn")
    return shim.contrib.cudnn_rnn


def _value(name, shape):
    seed = zlib.crc32(name.encode("utf-8")) & 0x7FFFFFFF
    return np.random.RandomState(seed).uniform(-0.6, 0.6, shape).astype(np.float32)


def _cells(tf, shim, kind, layers, bidirectional, x, first, lengths):
    """The cells of TF 1.15: outputs, states."""
    cudnn = _module(tf, shim)

    def cell():
        if kind == "lstm":
            return cudnn.CudnnCompatibleLSTMCell(UNITS)
        if kind == "gru":
            return cudnn.CudnnCompatibleGRUCell(UNITS)
        activation = tf.tanh if kind == "rnn_tanh" else tf.nn.relu
        return shim.nn.rnn_cell.BasicRNNCell(UNITS, activation=activation)

    def states(number):
        if first is None:
            return None
        parts = [s[number] for s in first]
        return shim.nn.rnn_cell.LSTMStateTuple(parts[1], parts[0]) if kind == "lstm" else parts[0]

    with tf.variable_scope("mine"):
        if bidirectional:
            out, fw, bw = shim.contrib.rnn.stack_bidirectional_dynamic_rnn(
                [cell() for _ in range(layers)],
                [cell() for _ in range(layers)],
                tf.transpose(x, [1, 0, 2]),
                dtype=tf.float32,
                sequence_length=lengths,
            )
            out = tf.transpose(out, [1, 0, 2])
            ends = [end for pair in zip(fw, bw) for end in pair]  # noqa: B905
        else:
            start = tuple(states(i) for i in range(layers))
            out, ends = tf.nn.dynamic_rnn(
                shim.nn.rnn_cell.MultiRNNCell([cell() for _ in range(layers)]),
                x,
                dtype=tf.float32,
                sequence_length=lengths,
                time_major=True,
                initial_state=None if first is None else start,
            )
    if kind == "lstm":
        return out, [tf.stack([e.h for e in ends]), tf.stack([e.c for e in ends])]
    return out, [tf.stack(list(ends))]


def _numbers(tf, shim, kind, layers=2, bidirectional=False, lengths=None, with_state=False):
    names = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNNTanh", "rnn_relu": "RNNRelu"}
    direction = "bidirectional" if bidirectional else "unidirectional"
    first = None
    if with_state:
        first = [_data(layers, 2, UNITS + i)[:, :, :UNITS] for i in range(1 + (kind == "lstm"))]
    with tf.Graph().as_default(), tf.Session() as sess, tempfile.TemporaryDirectory() as folder:
        x = tf.constant(_data(5, 2, SIZE))
        if shim is tf:
            out, states = _cells(tf, shim, kind, layers, bidirectional, x, first, lengths)
            variables = tf.global_variables()
            assign = [v.assign(_value(v.op.name, v.shape.as_list())) for v in variables]
        else:
            make = getattr(_module(tf, shim), "Cudnn" + names[kind])
            layer = make(layers, UNITS, direction=direction, name="mine")
            out, states = layer(
                x,
                initial_state=None if first is None else tuple(first),
                sequence_lengths=lengths,
                training=False,
            )
            specs = layer.saveable.specs
            values = [_value(s.name, s.tensor.shape.as_list()) for s in specs]
            assign = [layer.saveable.restore([tf.constant(v) for v in values], None)]
        slope = tf.gradients(tf.reduce_sum(tf.square(out) + tf.sin(out)), x)[0]
        sess.run(tf.global_variables_initializer())
        sess.run(assign)
        saver = tf.train.Saver()
        path = saver.save(sess, os.path.join(folder, "model"))
        before = sess.run([out, list(states), slope])
        saved = [
            [name, shape]
            for name, shape in tf.train.list_variables(path)
            if not name.endswith("opaque_kernel")
        ]
        # The other way round, from the checkpoint.
        sess.run(tf.global_variables_initializer())
        saver.restore(sess, path)
        again = sess.run(out)
        assert np.array_equal(before[0], again)
    return {"out": before[0], "states": before[1], "slope": before[2], "saved": saved}


def lstm(tf, shim):
    return _numbers(tf, shim, "lstm")


def lstm_state(tf, shim):
    return _numbers(tf, shim, "lstm", with_state=True, lengths=[5, 3])


def lstm_bidirectional(tf, shim):
    return _numbers(tf, shim, "lstm", bidirectional=True)


def lstm_bidirectional_lengths(tf, shim):
    return _numbers(tf, shim, "lstm", bidirectional=True, lengths=[2, 5])


def gru(tf, shim):
    return _numbers(tf, shim, "gru", with_state=True)


def gru_bidirectional(tf, shim):
    return _numbers(tf, shim, "gru", bidirectional=True)


def rnn_tanh(tf, shim):
    return _numbers(tf, shim, "rnn_tanh")


def rnn_relu(tf, shim):
    return _numbers(tf, shim, "rnn_relu", layers=1)


def initial_values(tf, shim):
    """What the layers draw: TF 1.15's matrices before they are packed."""
    shapes = [(UNITS, SIZE)] * 4 + [(UNITS, UNITS)] * 4
    if shim is tf:
        start = tf.glorot_uniform_initializer(seed=None)
        return {f"w{i}": start(shape) for i, shape in enumerate(shapes)}
    layer = _module(tf, shim).CudnnLSTM(1, UNITS, name="mine")
    converter = _module(tf, shim).CudnnParamsFormatConverterLSTM(1, UNITS, SIZE)
    layer.build([None, None, SIZE])
    weights, _ = converter.unpack(layer.kernel.initial_value)
    tf.get_default_graph().clear_collection(tf.GraphKeys.GLOBAL_VARIABLES)
    tf.get_default_graph().clear_collection(tf.GraphKeys.TRAINABLE_VARIABLES)
    return {f"w{i}": w for i, w in enumerate(weights)}


def surface(tf, shim):
    """Names and shapes that need no kernel."""
    out = {}
    for name in ("CudnnLSTM", "CudnnGRU", "CudnnRNNTanh", "CudnnRNNRelu"):
        with tf.Graph().as_default():
            layer = getattr(_module(tf, shim), name)(2, UNITS, direction="bidirectional")
            layer.build([7, 2, SIZE])
            variables = [[v.name, v.dtype.base_dtype.name] for v in layer.trainable_variables]
            saveables = tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)
            out[name] = {
                "variables": variables,
                "saveable": [s.name for s in saveables],
                "specs": [s.name for s in layer.saveable.specs],
                "weights": [list(s) for s in layer.canonical_weight_shapes],
                "biases": len(layer.canonical_bias_shapes),
                "states": [list(s) for s in layer.state_shape(5)],
                "facts": [layer.num_dirs, layer.rnn_mode, layer.input_size, layer.direction],
            }
    return {"seen": str(sorted((k, sorted(v.items())) for k, v in out.items()))}


def compatible_cells(tf, shim):
    cudnn = _module(tf, shim)
    x = tf.constant(_data(3, 5, SIZE))
    out, _ = tf.nn.dynamic_rnn(
        cudnn.CudnnCompatibleGRUCell(UNITS), x, dtype=tf.float32, parallel_iterations=1
    )
    cell = cudnn.CudnnCompatibleLSTMCell(UNITS)
    out2, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, parallel_iterations=1)
    return {"gru": out, "lstm": out2, "_inputs": [x]}
