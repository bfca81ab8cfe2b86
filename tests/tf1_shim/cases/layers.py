"""tf.layers."""

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def dense_plain(tf, shim):
    y = shim.layers.dense(tf.constant(_data(3, 4)), 5)
    return {"y": y, "name": y.name}


def dense_options(tf, shim):
    x = tf.constant(_data(2, 3, 4))
    y = shim.layers.dense(
        x,
        5,
        activation=tf.nn.tanh,
        use_bias=False,
        kernel_initializer=tf.truncated_normal_initializer(stddev=0.2, seed=3),
        name="out",
    )
    return {"y": y, "_inputs": [x], "name": y.name}


def dense_keras_regularizer(tf, shim):
    x = tf.constant(_data(3, 4))
    ones = tf.ones_initializer()
    y = shim.layers.dense(
        x, 2, kernel_initializer=ones, kernel_regularizer=tf.keras.regularizers.l2(0.1)
    )
    return {"y": y, "loss": tf.losses.get_regularization_loss()}


def dense_numbering(tf, shim):
    x = tf.constant(_data(3, 4))
    a = shim.layers.dense(x, 4, activation="relu")
    b = shim.layers.dense(a, 3, activation=tf.nn.relu)
    with tf.variable_scope("s"):
        c = shim.layers.dense(b, 2)
        d = shim.layers.dense(c, 2, name="named")
    return {"y": d, "names": [a.name, b.name, c.name, d.name]}


def dense_reuse(tf, shim):
    x = tf.constant(_data(3, 4))
    a = shim.layers.dense(x, 4, name="a")
    b = shim.layers.dense(a, 4, name="a", reuse=True)
    with tf.variable_scope("auto", reuse=tf.AUTO_REUSE):
        c = shim.layers.dense(b, 4, name="c", kernel_regularizer=tf.nn.l2_loss)
        d = shim.layers.dense(c, 4, name="c", kernel_regularizer=tf.nn.l2_loss)
    with tf.variable_scope("auto", reuse=True):
        e = shim.layers.dense(d, 4, name="c")
    return {"y": e, "names": [a.name, b.name, c.name, d.name, e.name]}


def dense_scope_default_names_reused(tf, shim):
    x = tf.constant(_data(3, 4))

    def net(v):
        h = shim.layers.dense(v, 4)
        return shim.layers.dense(h, 4)

    with tf.variable_scope("net"):
        a = net(x)
    with tf.variable_scope("net", reuse=True):
        b = net(a)
    return {"y": b, "names": [a.name, b.name]}


def dense_regularized(tf, shim):
    x = tf.constant(_data(3, 4))
    y = shim.layers.dense(
        x,
        5,
        kernel_regularizer=lambda v: 0.1 * tf.reduce_sum(tf.square(v)),
        bias_regularizer=lambda v: 0.2 * tf.reduce_sum(tf.abs(v)),
        activity_regularizer=lambda v: tf.reduce_sum(tf.square(v)),
    )
    return {"y": y}


def dense_constraint(tf, shim):
    x = tf.constant(_data(3, 4))
    y = shim.layers.dense(x, 5, kernel_constraint=lambda v: tf.clip_by_value(v, -0.1, 0.1))
    loss = tf.reduce_sum(tf.square(y))
    return {"y": y, "_steps": [tf.train.GradientDescentOptimizer(0.1).minimize(loss)]}


def dense_not_trainable(tf, shim):
    x = tf.constant(_data(3, 4))
    layer = shim.layers.Dense(5, trainable=False)
    y = layer(x)
    return {
        "y": y,
        "_inputs": [x],
        "w": [v.name for v in layer.weights],
        "t": [v.name for v in layer.trainable_weights],
        "n": [v.name for v in layer.non_trainable_variables],
    }


def dense_partitioned(tf, shim):
    x = tf.constant(_data(3, 4))
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
        y = shim.layers.dense(x, 6, kernel_regularizer=tf.nn.l2_loss)
    return {"y": y}


def dense_scope_initializer_regularizer(tf, shim):
    x = tf.constant(_data(3, 4))
    with tf.variable_scope(
        "p",
        initializer=tf.random_uniform_initializer(-1, 1, seed=2),
        regularizer=lambda v: tf.reduce_sum(tf.square(v)),
    ):
        y = shim.layers.dense(x, 6)
    return {"y": y}


def dense_custom_getter(tf, shim):
    def getter(getter, name, *args, **kwargs):
        kwargs["trainable"] = "bias" in name
        return getter(name, *args, **kwargs)

    x = tf.constant(_data(3, 4))
    with tf.variable_scope("g", custom_getter=getter):
        layer = shim.layers.Dense(3)
        y = layer(x)
    return {"y": y, "t": [v.name for v in layer.trainable_weights]}


def dense_double(tf, shim):
    x = tf.constant(_data(3, 4).astype(np.float64))
    return {"y": shim.layers.dense(x, 2)}


def dense_object(tf, shim):
    x = tf.constant(_data(3, 4))
    layer = shim.layers.Dense(4, name="fc", activation=tf.nn.relu)
    other = shim.layers.Dense(4, name="fc")
    unnamed = shim.layers.Dense(4)
    y = layer(layer(x))
    z = unnamed(other(y))
    return {
        "y": z,
        "names": [layer.name, other.name, unnamed.name],
        "scopes": [layer.scope_name, other.scope_name, unnamed.scope_name],
        "ops": [y.name, z.name],
        "params": layer.count_params(),
        "dtype": layer.dtype,
        "built": layer.built,
        "kernel": layer.kernel.name,
        "bias": layer.bias.name,
    }


def dense_object_in_scope(tf, shim):
    x = tf.constant(_data(3, 4))
    layer = shim.layers.Dense(4)
    with tf.variable_scope("first"):
        a = layer(x)
    with tf.variable_scope("second"):
        b = layer(a)
    return {"y": b, "names": [a.name, b.name]}


def dense_unknown_batch(tf, shim):
    x = tf.placeholder(tf.float32, [None, 4])
    z = tf.placeholder(tf.float32, [None, None, 4])
    return {
        "y": shim.layers.dense(x, 2),
        "z": shim.layers.dense(z, 2),
        "_feed": {x: _data(3, 4), z: _data(2, 3, 4)},
    }


def dense_string_initializers(tf, shim):
    x = tf.constant(_data(3, 4))
    for name in ("glorot_normal", "he_normal", "lecun_uniform", "ones", "zeros", "he_uniform"):
        x = shim.layers.dense(x, 3, kernel_initializer=name)
    for name in ("random_normal", "random_uniform", "truncated_normal", "orthogonal"):
        x = shim.layers.dense(x, 3, kernel_initializer=name)
    return {"y": x}


def dropout_switch(tf, shim):
    x = tf.constant(_data(30, 4))
    p = tf.placeholder(tf.bool, [])
    a = shim.layers.dropout(x, 0.4, seed=3)
    b = shim.layers.dropout(x, 0.4, seed=3, training=True)
    c = shim.layers.dropout(x, 0.4, seed=4, training=p)
    d = shim.layers.dropout(x, 0.4, seed=5, noise_shape=[None, 1], training=True)
    return {"a": a, "b": b, "c": c, "d": d, "_feed": {p: True}, "_inputs": [x]}


def flatten_shapes(tf, shim):
    x = tf.placeholder(tf.float32, [None, 2, 3, 4])
    a = shim.layers.flatten(x)
    b = shim.layers.Flatten(data_format="channels_first")(x)
    c = shim.layers.flatten(tf.constant(_data(3)))
    return {"a": a, "b": b, "c": c, "n": [a.name, c.name], "_feed": {x: _data(2, 2, 3, 4)}}


def conv1d_all(tf, shim):
    x = tf.constant(_data(2, 9, 3))
    a = shim.layers.conv1d(x, 4, 3)
    b = shim.layers.conv1d(x, 4, 3, strides=2, padding="same", activation=tf.nn.relu)
    c = shim.layers.conv1d(x, 4, 3, dilation_rate=2, use_bias=False)
    d = shim.layers.Conv1D(4, 3, padding="causal")(x)
    return {"a": a, "b": b, "c": c, "d": d, "_inputs": [x], "n": [a.name, b.name]}


def conv2d_all(tf, shim):
    x = tf.constant(_data(2, 9, 8, 3))
    a = shim.layers.conv2d(x, 4, 3)
    b = shim.layers.conv2d(x, 4, [3, 2], strides=(2, 1), padding="SAME", activation=tf.nn.relu)
    c = shim.layers.conv2d(x, 4, 3, use_bias=False, kernel_regularizer=tf.nn.l2_loss, name="c")
    return {"a": a, "b": b, "c": c, "_inputs": [x], "n": [a.name, b.name, c.name]}


def conv2d_dilated(tf, shim):
    x = tf.constant(_data(2, 9, 8, 3))
    a = shim.layers.conv2d(x, 4, 3, dilation_rate=2)
    b = shim.layers.conv2d(x, 4, 3, dilation_rate=(2, 3), padding="same")
    return {"a": a, "b": b, "_inputs": [x], "n": [a.name, b.name]}


def conv2d_placeholder(tf, shim):
    x = tf.placeholder(tf.float32, [None, None, None, 3])
    a = shim.layers.conv2d(x, 4, 3, padding="same", activation=tf.nn.relu)
    return {"a": a, "_feed": {x: _data(2, 5, 6, 3)}}


def conv3d_all(tf, shim):
    x = tf.constant(_data(2, 5, 6, 4, 2))
    a = shim.layers.conv3d(x, 3, 2)
    b = shim.layers.conv3d(x, 3, (2, 3, 1), strides=2, padding="same", activation=tf.nn.elu)
    c = shim.layers.conv3d(x, 3, 2, dilation_rate=2)
    return {"a": a, "b": b, "c": c, "_inputs": [x], "n": [a.name, b.name]}


def conv2d_transpose_all(tf, shim):
    x = tf.constant(_data(2, 5, 4, 3))
    a = shim.layers.conv2d_transpose(x, 4, 3)
    b = shim.layers.conv2d_transpose(x, 4, 3, strides=2, padding="same", activation=tf.nn.relu)
    c = shim.layers.conv2d_transpose(x, 4, (2, 3), strides=(3, 2), use_bias=False)
    return {"a": a, "b": b, "c": c, "_inputs": [x], "n": [a.name, b.name]}


def conv2d_transpose_unknown(tf, shim):
    x = tf.placeholder(tf.float32, [None, None, None, 3])
    a = shim.layers.conv2d_transpose(x, 4, 3, strides=2)
    return {"a": a, "_feed": {x: _data(2, 5, 4, 3)}}


def conv3d_transpose_all(tf, shim):
    x = tf.constant(_data(2, 3, 4, 3, 2))
    a = shim.layers.conv3d_transpose(x, 3, 2)
    b = shim.layers.conv3d_transpose(x, 3, 3, strides=2, padding="same", activation=tf.nn.relu)
    return {"a": a, "b": b, "_inputs": [x], "n": [a.name, b.name]}


def separable_conv1d_all(tf, shim):
    x = tf.constant(_data(2, 9, 3))
    a = shim.layers.separable_conv1d(x, 4, 3)
    b = shim.layers.separable_conv1d(
        x, 4, 3, strides=2, padding="same", depth_multiplier=2, activation=tf.nn.relu
    )
    return {"a": a, "b": b, "_inputs": [x], "n": [a.name, b.name]}


def separable_conv2d_all(tf, shim):
    x = tf.constant(_data(2, 9, 8, 3))
    a = shim.layers.separable_conv2d(x, 4, 3)
    b = shim.layers.separable_conv2d(
        x, 4, 3, strides=2, padding="same", depth_multiplier=2, activation=tf.nn.relu
    )
    c = shim.layers.separable_conv2d(x, 4, 3, dilation_rate=2, use_bias=False)
    return {"a": a, "b": b, "c": c, "_inputs": [x], "n": [a.name, b.name, c.name]}


def pooling_all(tf, shim):
    one = tf.constant(_data(2, 9, 3))
    two = tf.constant(_data(2, 9, 8, 3))
    three = tf.constant(_data(2, 5, 6, 7, 2))
    layers = shim.layers
    out = {
        "a1": layers.average_pooling1d(one, 3, 2),
        "m1": layers.max_pooling1d(one, 2, 2, padding="same"),
        "a2": layers.average_pooling2d(two, 2, 2, padding="same"),
        "m2": layers.max_pooling2d(two, (3, 2), (2, 1)),
        "m2n": layers.max_pooling2d(two, 2, 2, name="pool"),
        "a3": layers.average_pooling3d(three, 2, 2),
        "m3": layers.max_pooling3d(three, (2, 1, 3), 2, padding="same"),
        "c1": layers.max_pooling1d(one, 2, 1, data_format="channels_first"),
        "c3": layers.max_pooling3d(three, 2, 1, data_format="channels_first"),
    }
    names = [t.name for _, t in sorted(out.items())]
    out["names"] = names
    out["_inputs"] = [one, two, three]
    return out


def subclass_layer(tf, shim):
    class Scale(shim.layers.Layer):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.units = units
            self.inner = shim.layers.Dense(units, name="inner")

        def build(self, input_shape):
            self.w = self.add_weight(
                "w", [self.units], initializer=tf.ones_initializer(), regularizer=tf.nn.l2_loss
            )
            self.s = self.add_variable("s", [], trainable=False)
            self.built = True

        def call(self, inputs, flip=False):
            out = self.inner(inputs) * self.w + self.s
            return -out if flip else out

    layer = Scale(3)
    x = tf.constant(_data(2, 4))
    a = layer(x, flip=True)
    b = layer(x)
    return {
        "a": a,
        "b": b,
        "names": [a.name, b.name],
        "weights": [v.name for v in layer.weights],
        "trainable": [v.name for v in layer.trainable_variables],
        "losses": len(layer.losses),
        "scope": layer.scope_name,
    }


def subclass_get_variable(tf, shim):
    class Plain(shim.layers.Layer):
        def call(self, inputs):
            w = tf.get_variable("w", [4, 2])
            self.add_update(tf.assign_add(w, tf.ones_like(w)))
            self.add_loss(tf.reduce_sum(w))
            return tf.matmul(inputs, w)

    layer = Plain(name="plain")
    x = tf.constant(_data(2, 4))
    y = layer(x)
    return {"y": y, "names": [y.name], "_count": 1}


def subclass_scope_argument(tf, shim):
    class Scoped(shim.layers.Layer):
        def call(self, inputs, scope=None):
            w = tf.get_variable("w", [4, 2])
            return tf.matmul(inputs, w), scope.name

    with tf.variable_scope("outer"):
        y, name = Scoped()(tf.constant(_data(2, 4)))
    return {"y": y, "scope": name}


def input_spec(tf, shim):
    spec = shim.layers.InputSpec(min_ndim=2, axes={-1: 4})
    layer = shim.layers.Dense(3)
    layer(tf.constant(_data(2, 4)))
    try:
        layer(tf.constant(_data(2, 5)))
        raised = ""
    except ValueError as error:
        raised = type(error).__name__
    return {
        "min": spec.min_ndim,
        "axes": sorted(layer.input_spec.axes.items()),
        "ndim": shim.layers.InputSpec(shape=[None, 3]).ndim,
        "raised": raised,
    }


def resource_variables(tf, shim):
    x = tf.constant(_data(3, 4))
    with tf.variable_scope("r", use_resource=True):
        h = shim.layers.dense(x, 4)
        h = shim.layers.batch_normalization(h, training=True)
    return {"y": h}


def xor_like_training(tf, shim):
    x = tf.constant(_data(8, 4))
    h = shim.layers.dense(x, 16, activation=tf.nn.relu)
    y = shim.layers.dense(h, 1)
    loss = tf.reduce_mean(tf.square(y - tf.reduce_sum(x, 1, keepdims=True)))
    return {
        "loss": loss,
        "_steps": [tf.train.AdamOptimizer(0.01).minimize(loss)],
        "_count": 10,
    }
