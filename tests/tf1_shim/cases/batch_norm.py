"""tf.layers.batch_normalization."""

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(1.0, 2.0, size=shape).astype(np.float32)


def rank2_training(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.layers.batch_normalization(x, training=True)
    return {"y": y, "_inputs": [x], "name": y.name}


def rank2_inference(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.layers.batch_normalization(x)
    return {"y": y, "_inputs": [x], "name": y.name}


def rank2_switch(tf, shim):
    x = tf.constant(_data(6, 4))
    p = tf.placeholder(tf.bool, [])
    y = shim.layers.batch_normalization(x, training=p)
    return {"y": y, "_inputs": [x], "_feed": {p: True}}


def rank2_switch_off(tf, shim):
    x = tf.constant(_data(6, 4))
    p = tf.placeholder(tf.bool, [])
    y = shim.layers.batch_normalization(x, training=p)
    return {"y": y, "_inputs": [x], "_feed": {p: False}}


def fused_training(tf, shim):
    x = tf.constant(_data(3, 4, 5, 2))
    y = shim.layers.batch_normalization(x, training=True, momentum=0.9, epsilon=1e-4)
    return {"y": y, "_inputs": [x], "name": y.name}


def fused_inference(tf, shim):
    x = tf.constant(_data(3, 4, 5, 2))
    y = shim.layers.batch_normalization(x, training=False)
    return {"y": y, "_inputs": [x], "name": y.name}


def fused_switch(tf, shim):
    x = tf.constant(_data(3, 4, 5, 2))
    p = tf.placeholder(tf.bool, [])
    y = shim.layers.batch_normalization(x, training=p)
    return {"y": y, "_inputs": [x], "_feed": {p: True}, "name": y.name}


def fused_switch_off(tf, shim):
    x = tf.constant(_data(3, 4, 5, 2))
    p = tf.placeholder(tf.bool, [])
    y = shim.layers.batch_normalization(x, training=p)
    return {"y": y, "_inputs": [x], "_feed": {p: False}}


def fused_no_scale_center(tf, shim):
    x = tf.constant(_data(3, 4, 5, 2))
    y = shim.layers.batch_normalization(x, training=True, scale=False, center=False)
    return {"y": y, "_inputs": [x]}


def fused_half(tf, shim):
    x = tf.cast(tf.constant(_data(3, 4, 5, 2)), tf.float16)
    y = shim.layers.batch_normalization(x, training=True)
    return {"y": tf.cast(y, tf.float32)}


def not_fused(tf, shim):
    x = tf.constant(_data(3, 4, 5, 2))
    y = shim.layers.batch_normalization(x, training=True, fused=False)
    return {"y": y, "_inputs": [x], "name": y.name}


def axis_one(tf, shim):
    x = tf.constant(_data(3, 4, 5))
    y = shim.layers.batch_normalization(x, axis=1, training=True)
    z = shim.layers.batch_normalization(x, axis=1, training=False)
    return {"y": y, "z": z, "_inputs": [x]}


def two_axes(tf, shim):
    x = tf.constant(_data(3, 4, 5, 2))
    y = shim.layers.batch_normalization(x, axis=[1, 3], training=True)
    return {"y": y, "_inputs": [x]}


def renorm(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.layers.batch_normalization(
        x, training=True, renorm=True, renorm_clipping={"rmax": 1.1, "rmin": 0.9, "dmax": 0.2}
    )
    return {"y": y, "_inputs": [x]}


def renorm_rank4_switch(tf, shim):
    x = tf.constant(_data(3, 4, 5, 2))
    p = tf.placeholder(tf.bool, [])
    y = shim.layers.batch_normalization(x, training=p, renorm=True)
    return {"y": y, "_inputs": [x], "_feed": {p: True}}


def virtual_batches(tf, shim):
    x = tf.constant(_data(8, 4))
    y = shim.layers.batch_normalization(x, training=True, virtual_batch_size=2)
    return {"y": y, "_inputs": [x]}


def virtual_batches_rank4(tf, shim):
    x = tf.constant(_data(4, 3, 5, 2))
    y = shim.layers.batch_normalization(x, training=True, virtual_batch_size=2)
    z = shim.layers.batch_normalization(x, training=False, virtual_batch_size=2)
    return {"y": y, "z": z, "_inputs": [x]}


def adjusted(tf, shim):
    x = tf.constant(_data(6, 4))

    def adjust(shape):
        return tf.fill([shape[0], 1], 1.5), tf.fill([shape[0], 1], 0.25)

    y = shim.layers.batch_normalization(x, training=True, adjustment=adjust)
    return {"y": y, "_inputs": [x]}


def not_trainable(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.layers.batch_normalization(x, training=True, trainable=False)
    return {"y": y, "_inputs": [x]}


def regularized(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.layers.batch_normalization(
        x, training=True, gamma_regularizer=tf.nn.l2_loss, beta_regularizer=tf.nn.l2_loss
    )
    return {"y": y, "_inputs": [x]}


def initialized(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.layers.batch_normalization(
        x,
        training=True,
        gamma_initializer=tf.random_normal_initializer(1.0, 0.02, seed=3),
        moving_mean_initializer=tf.constant_initializer(0.5),
        moving_variance_initializer=tf.constant_initializer(4.0),
        name="bn",
    )
    return {"y": y, "_inputs": [x]}


def reused(tf, shim):
    x = tf.constant(_data(6, 4))
    with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
        a = shim.layers.batch_normalization(x, training=True, name="bn")
        b = shim.layers.batch_normalization(x * 2.0, training=False, name="bn")
        c = shim.layers.batch_normalization(x * 3.0, training=True, name="bn")
    return {"a": a, "b": b, "c": c, "_count": 1, "_steps": tf.get_collection("update_ops")[:2]}


def as_object(tf, shim):
    layer = shim.layers.BatchNormalization()
    x = tf.constant(_data(6, 4))
    a = layer(x, training=True)
    b = layer(x)
    return {
        "a": a,
        "b": b,
        "updates": len(layer.updates),
        "for": len(layer.get_updates_for(x)),
        "weights": [v.name for v in layer.weights],
        "gamma": layer.gamma.name,
        "mean": layer.moving_mean.name,
    }


def convnet_step(tf, shim):
    x = tf.constant(_data(4, 8, 8, 3))
    h = shim.layers.conv2d(x, 4, 3, use_bias=False)
    h = tf.nn.relu(shim.layers.batch_normalization(h, training=True))
    h = shim.layers.max_pooling2d(h, 2, 2)
    y = shim.layers.dense(shim.layers.flatten(h), 3)
    loss = tf.losses.sparse_softmax_cross_entropy([0, 1, 2, 0], y)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        step = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
    return {"loss": loss, "_steps": [step], "_count": 5}
