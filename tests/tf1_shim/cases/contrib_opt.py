"""tf.contrib.opt."""

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _steps(tf, optimizer, sparse=False, resource=False, **kwargs):
    with tf.variable_scope("model", use_resource=resource):
        w = tf.get_variable("w", [5, 3], initializer=tf.constant_initializer(_data(5, 3)))
        b = tf.get_variable("b", [3], initializer=tf.constant_initializer([0.1, 0.2, 0.3]))
    rows = tf.nn.embedding_lookup(w, [0, 2, 2]) if sparse else w
    loss = tf.reduce_sum(tf.square(rows + b - 1.0))
    return {
        "loss": loss,
        "_steps": [optimizer.minimize(loss, **kwargs)],
        "_count": 4,
        "_move": False,
        "_gradients": False,
    }


def adam_w(tf, shim):
    return _steps(tf, shim.contrib.opt.AdamWOptimizer(0.01, learning_rate=0.1))


def adam_w_sparse(tf, shim):
    return _steps(tf, shim.contrib.opt.AdamWOptimizer(0.01, learning_rate=0.1), sparse=True)


def adam_w_resource(tf, shim):
    opt = shim.contrib.opt.AdamWOptimizer(0.01, learning_rate=0.1)
    return _steps(tf, opt, sparse=True, resource=True)


def momentum_w(tf, shim):
    opt = shim.contrib.opt.MomentumWOptimizer(0.01, 0.1, 0.9, use_nesterov=True)
    return _steps(tf, opt)


def extended(tf, shim):
    kind = shim.contrib.opt.extend_with_decoupled_weight_decay(tf.train.AdagradOptimizer)
    return _steps(tf, kind(weight_decay=0.02, learning_rate=0.1), resource=True)


def lazy_adam(tf, shim):
    return _steps(tf, shim.contrib.opt.LazyAdamOptimizer(0.1), sparse=True)


def lazy_adam_resource(tf, shim):
    return _steps(tf, shim.contrib.opt.LazyAdamOptimizer(0.1), sparse=True, resource=True)


def moving_average(tf, shim):
    opt = shim.contrib.opt.MovingAverageOptimizer(
        tf.train.GradientDescentOptimizer(0.05), average_decay=0.5
    )
    return _steps(tf, opt)


def clipping(tf, shim):
    g, v = tf.constant(_data(3, 4)), tf.get_variable("v", [3, 4])
    pairs, norm = shim.contrib.opt.clip_gradients_by_global_norm([(g, v)], 0.5)
    return {"clipped": pairs[0][0], "norm": norm, "names": [pairs[0][0].name, norm.name]}
