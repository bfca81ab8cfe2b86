"""tf.nn.rnn_cell, with the functions that unroll cells."""

# ruff: noqa: B905 - also runs in Python 3.7

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _dynamic(tf, cell, **kwargs):
    x = tf.constant(_data(3, 5, 4))
    # One iteration at a time, so that random operations draw in order.
    out, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, parallel_iterations=1, **kwargs)
    return {"out": out, "state": state, "_inputs": [x], "name": out.name}


def basic_rnn(tf, shim):
    return _dynamic(tf, shim.nn.rnn_cell.BasicRNNCell(6))


def basic_rnn_relu(tf, shim):
    return _dynamic(tf, shim.nn.rnn_cell.BasicRNNCell(6, activation="relu", name="mine"))


def gru(tf, shim):
    return _dynamic(tf, shim.nn.rnn_cell.GRUCell(6), sequence_length=[2, 5, 3])


def gru_initializers(tf, shim):
    cell = shim.nn.rnn_cell.GRUCell(
        6,
        activation=tf.nn.relu,
        kernel_initializer=tf.orthogonal_initializer(seed=3),
        bias_initializer=tf.constant_initializer(0.5),
    )
    return _dynamic(tf, cell)


def basic_lstm(tf, shim):
    return _dynamic(tf, shim.nn.rnn_cell.BasicLSTMCell(6), sequence_length=[2, 5, 3])


def basic_lstm_options(tf, shim):
    cell = shim.nn.rnn_cell.BasicLSTMCell(
        6, forget_bias=0.0, state_is_tuple=False, activation=tf.nn.relu, name="cell"
    )
    return _dynamic(tf, cell, time_major=True)


def lstm(tf, shim):
    return _dynamic(tf, shim.nn.rnn_cell.LSTMCell(6))


def lstm_peepholes(tf, shim):
    cell = shim.nn.rnn_cell.LSTMCell(
        6,
        use_peepholes=True,
        cell_clip=0.3,
        initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1),
    )
    return _dynamic(tf, cell)


def lstm_projection(tf, shim):
    cell = shim.nn.rnn_cell.LSTMCell(
        6, num_proj=3, proj_clip=0.2, forget_bias=0.5, state_is_tuple=False
    )
    return _dynamic(tf, cell)


def lstm_sharded(tf, shim):
    cell = shim.nn.rnn_cell.LSTMCell(6, num_unit_shards=2, num_proj=4, num_proj_shards=2)
    return _dynamic(tf, cell)


def multi(tf, shim):
    cells = shim.nn.rnn_cell
    cell = cells.MultiRNNCell([cells.BasicLSTMCell(4), cells.GRUCell(5)])
    out = _dynamic(tf, cell)
    out["weights"] = [v.name for v in cell.trainable_weights]
    out["size"] = [list(cell.state_size[0]), cell.state_size[1], cell.output_size]
    return out


def multi_concatenated(tf, shim):
    cells = shim.nn.rnn_cell
    cell = cells.MultiRNNCell([cells.GRUCell(4), cells.GRUCell(5)], state_is_tuple=False)
    return _dynamic(tf, cell)


def multi_sharing_refused(tf, shim):
    cells = shim.nn.rnn_cell
    one = cells.BasicLSTMCell(4)
    return _dynamic(tf, cells.MultiRNNCell([one] + [cells.BasicLSTMCell(4) for _ in range(2)]))


def dropout_wrapper(tf, shim):
    cells = shim.nn.rnn_cell
    cell = cells.DropoutWrapper(
        cells.BasicLSTMCell(6), input_keep_prob=0.7, output_keep_prob=0.6, seed=9
    )
    out = _dynamic(tf, cell)
    out["weights"] = [v.name for v in cell.trainable_weights]
    return out


def dropout_wrapper_state(tf, shim):
    cells = shim.nn.rnn_cell
    keep = tf.placeholder(tf.float32, [])
    cell = cells.MultiRNNCell(
        [
            cells.DropoutWrapper(cells.BasicLSTMCell(6), state_keep_prob=keep, seed=4)
            for _ in range(2)
        ]
    )
    out = _dynamic(tf, cell)
    out["_feed"] = {keep: 0.5}
    return out


def dropout_wrapper_variational(tf, shim):
    cells = shim.nn.rnn_cell
    cell = cells.DropoutWrapper(
        cells.LSTMCell(6),
        input_keep_prob=0.7,
        output_keep_prob=0.6,
        state_keep_prob=0.5,
        variational_recurrent=True,
        input_size=4,
        dtype=tf.float32,
        seed=5,
    )
    return _dynamic(tf, cell)


def dropout_wrapper_unseeded(tf, shim):
    cells = shim.nn.rnn_cell
    return _dynamic(tf, cells.DropoutWrapper(cells.GRUCell(6), output_keep_prob=0.5))


def dropout_wrapper_visitor(tf, shim):
    cells = shim.nn.rnn_cell
    cell = cells.DropoutWrapper(
        cells.BasicLSTMCell(6),
        state_keep_prob=0.5,
        seed=5,
        dropout_state_filter_visitor=lambda s: True,
    )
    return _dynamic(tf, cell)


def residual_wrapper(tf, shim):
    cells = shim.nn.rnn_cell
    cell = cells.MultiRNNCell(
        [
            cells.ResidualWrapper(cells.GRUCell(4)),
            cells.ResidualWrapper(cells.GRUCell(4), residual_fn=lambda i, o: 2.0 * i + o),
        ]
    )
    return _dynamic(tf, cell)


def device_wrapper(tf, shim):
    cells = shim.nn.rnn_cell
    return _dynamic(tf, cells.DeviceWrapper(cells.GRUCell(4), "/cpu:0"))


def one_step(tf, shim):
    cell = shim.nn.rnn_cell.BasicLSTMCell(6)
    x = tf.constant(_data(3, 4))
    state = cell.zero_state(3, tf.float32)
    out, state = cell(x, state)
    out2, state = cell(out[:, :4], state)
    return {
        "out": out2,
        "c": state.c,
        "h": state.h,
        "names": [out.name, out2.name, state.c.name],
        "scope": cell.scope_name,
        "vars": [v.name for v in cell.variables],
        "params": cell.count_params(),
    }


def loop_with_reuse(tf, shim):
    cell = shim.nn.rnn_cell.BasicLSTMCell(6, state_is_tuple=True)
    x = tf.constant(_data(3, 5, 4))
    state = cell.zero_state(3, tf.float32)
    outs = []
    with tf.variable_scope("RNN"):
        for t in range(5):
            if t > 0:
                tf.get_variable_scope().reuse_variables()
            out, state = cell(x[:, t, :], state)
            outs.append(out)
    return {"out": tf.stack(outs), "state": state, "_inputs": [x]}


def scope_argument(tf, shim):
    cell = shim.nn.rnn_cell.GRUCell(6)
    x = tf.constant(_data(3, 4))
    with tf.variable_scope("here") as scope:
        out, _ = cell(x, cell.zero_state(3, tf.float32), scope=scope)
    return {"out": out, "name": out.name}


def reuse_argument(tf, shim):
    x = tf.constant(_data(3, 4))
    a = shim.nn.rnn_cell.GRUCell(6, name="g")
    out, _ = a(x, a.zero_state(3, tf.float32))
    b = shim.nn.rnn_cell.GRUCell(6, name="g", reuse=True)
    out2, _ = b(x, out)
    return {"out": out2}


def static_rnn(tf, shim):
    x = tf.constant(_data(3, 5, 4))
    cell = shim.nn.rnn_cell.BasicLSTMCell(6)
    outs, state = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float32)
    return {"outs": outs, "state": state, "_inputs": [x], "name": outs[-1].name}


def static_bidirectional(tf, shim):
    x = tf.constant(_data(3, 5, 4))
    fw, bw = shim.nn.rnn_cell.GRUCell(3), shim.nn.rnn_cell.GRUCell(2)
    outs, a, b = tf.nn.static_bidirectional_rnn(fw, bw, tf.unstack(x, axis=1), dtype=tf.float32)
    return {"outs": outs, "a": a, "b": b}


def bidirectional_dynamic(tf, shim):
    x = tf.constant(_data(3, 5, 4))
    fw, bw = shim.nn.rnn_cell.LSTMCell(3), shim.nn.rnn_cell.LSTMCell(2)
    outs, states = tf.nn.bidirectional_dynamic_rnn(
        fw, bw, x, sequence_length=[3, 5, 1], dtype=tf.float32
    )
    return {"outs": outs, "states": states, "_inputs": [x]}


def raw_rnn(tf, shim):
    x = tf.constant(_data(5, 3, 4))
    cell = shim.nn.rnn_cell.LSTMCell(6)
    array = tf.TensorArray(tf.float32, 5).unstack(x)

    def loop(time, output, state, loop_state):
        if output is None:
            state = cell.zero_state(3, tf.float32)
        done = time >= 5
        read = tf.cond(done, lambda: tf.zeros([3, 4]), lambda: array.read(time))
        return tf.fill([3], done), read, state, output, None

    outs, state, _ = tf.nn.raw_rnn(cell, loop)
    return {"outs": outs.stack(), "state": state}


def custom_cell(tf, shim):
    class Cell(shim.nn.rnn_cell.RNNCell):
        def __init__(self, units):
            super().__init__()
            self._units = units

        @property
        def state_size(self):
            return self._units

        @property
        def output_size(self):
            return self._units

        def call(self, inputs, state):
            w = tf.get_variable("w", [4 + self._units, self._units])
            b = tf.get_variable("b", [self._units], trainable=False)
            out = tf.tanh(tf.matmul(tf.concat([inputs, state], 1), w) + b)
            return out, out

    cell = Cell(6)
    out = _dynamic(tf, cell)
    out["t"] = [v.name for v in cell.trainable_weights]
    out["n"] = [v.name for v in cell.non_trainable_weights]
    return out


def custom_cell_old_style(tf, shim):
    class Cell(shim.nn.rnn_cell.RNNCell):
        state_size = 6
        output_size = 6

        def __init__(self):
            pass

        def __call__(self, inputs, state, scope=None):
            with tf.variable_scope(scope or type(self).__name__):
                w = tf.get_variable("w", [10, 6])
                out = tf.tanh(tf.matmul(tf.concat([inputs, state], 1), w))
            return out, out

    return _dynamic(tf, Cell())


def initial_state_given(tf, shim):
    x = tf.constant(_data(3, 5, 4))
    cell = shim.nn.rnn_cell.LSTMCell(6)
    first = shim.nn.rnn_cell.LSTMStateTuple(
        tf.constant(_data(3, 6)), tf.constant(_data(3, 6) * 0.5)
    )
    out, state = tf.nn.dynamic_rnn(cell, x, initial_state=first)
    return {"out": out, "c": state.c, "kind": type(state).__name__}


def unknown_batch(tf, shim):
    x = tf.placeholder(tf.float32, [None, None, 4])
    cell = shim.nn.rnn_cell.MultiRNNCell([shim.nn.rnn_cell.LSTMCell(6) for _ in range(2)])
    out, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    return {"out": out, "state": state, "_feed": {x: _data(3, 5, 4)}}


def language_model_step(tf, shim):
    cells = shim.nn.rnn_cell
    ids = tf.constant(np.random.RandomState(0).randint(0, 10, (4, 6)))
    table = tf.get_variable("embedding", [10, 5])
    cell = cells.MultiRNNCell([cells.BasicLSTMCell(5, forget_bias=0.0) for _ in range(2)])
    state = cell.zero_state(4, tf.float32)
    out, _ = tf.nn.dynamic_rnn(cell, tf.nn.embedding_lookup(table, ids), initial_state=state)
    logits = shim.layers.dense(out, 10)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=ids, logits=logits))
    grads = tf.gradients(loss, tf.trainable_variables())
    grads, _ = tf.clip_by_global_norm(grads, 1.0)
    step = tf.train.GradientDescentOptimizer(0.5).apply_gradients(
        zip(grads, tf.trainable_variables())
    )
    return {"loss": loss, "_steps": [step], "_count": 5}
