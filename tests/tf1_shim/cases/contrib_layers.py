"""tf.contrib.layers and tf.contrib.slim."""

# ruff: noqa: SIM117, UP031 - also runs in Python 3.7

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def fully_connected(tf, shim):
    x = tf.constant(_data(3, 4))
    layers = shim.contrib.layers
    a = layers.fully_connected(x, 5)
    b = layers.fully_connected(
        a, 3, activation_fn=None, weights_regularizer=layers.l2_regularizer(0.1), scope="out"
    )
    c = layers.linear(b, 2)
    d = layers.relu(c, 4, biases_initializer=None)
    e = layers.fully_connected(d, 3, normalizer_fn=layers.batch_norm, outputs_collections="acts")
    out = {"a": a, "b": b, "e": e, "_inputs": [x], "names": [a.name, b.name, c.name, d.name]}
    out["acts"] = sorted(shim.contrib.slim.utils.convert_collection_to_dict("acts"))
    out["model"] = [v.name for v in shim.contrib.framework.get_model_variables()]
    return out


def legacy_fully_connected(tf, shim):
    x = tf.constant(_data(3, 2, 4))
    layers = shim.contrib.layers
    a = layers.legacy_fully_connected(x, 5, weight_regularizer=layers.l2_regularizer(0.1))
    b = layers.legacy_relu(a, 3, name="out")
    c = layers.legacy_linear(b, 2, bias_init=None)
    out = {"a": a, "b": b, "c": c, "_inputs": [x], "names": [v.name for v in tf.global_variables()]}
    out["collected"] = [len(tf.get_collection(k)) for k in ("biases", "activations")]
    return out


def whole_floats(tf, shim):
    """Numbers that a width multiplier gives."""
    layers = shim.contrib.layers
    two = tf.constant(_data(2, 9, 8, 3))
    return {
        "conv": layers.conv2d(two, 4.0, [3.0, 3]),
        "sep": layers.separable_conv2d(two, 5.0, 3, depth_multiplier=2.0),
        "depth": layers.separable_conv2d(two, None, 3, depth_multiplier=1.0, stride=2),
    }


def fully_connected_reuse(tf, shim):
    x = tf.constant(_data(3, 4))
    layers = shim.contrib.layers
    a = layers.fully_connected(x, 4, scope="fc")
    b = layers.fully_connected(a, 4, scope="fc", reuse=True)
    with tf.variable_scope("auto", reuse=tf.AUTO_REUSE):
        c = layers.fully_connected(b, 4, scope="fc")
        d = layers.fully_connected(c, 4, scope="fc")
    return {"d": d, "names": [a.name, b.name, c.name, d.name]}


def variables_collections(tf, shim):
    x = tf.constant(_data(3, 4))
    layers = shim.contrib.layers
    layers.fully_connected(x, 4, variables_collections={"weights": ["w"], "biases": ["b"]})
    layers.fully_connected(x, 4, variables_collections=["all"])
    names = {c: [v.name for v in tf.get_collection(c)] for c in ("w", "b", "all")}
    return {"names": names}


def convolutions(tf, shim):
    layers = shim.contrib.layers
    one = tf.constant(_data(2, 9, 3))
    two = tf.constant(_data(2, 9, 8, 3))
    three = tf.constant(_data(2, 5, 6, 4, 2))
    out = {
        "one": layers.conv1d(one, 4, 3),
        "two": layers.conv2d(two, 4, [3, 3], stride=2, padding="VALID"),
        "rate": layers.conv2d(two, 4, 3, rate=2, activation_fn=None),
        "three": layers.conv3d(three, 3, 2),
        "any": layers.convolution(two, 4, 3, scope="mine"),
        "plane": layers.conv2d_in_plane(two, [1, 3]),
        "sep": layers.separable_conv2d(two, 5, 3, depth_multiplier=2),
        "depth": layers.separable_conv2d(two, None, 3, depth_multiplier=2, stride=2),
        "up": layers.conv2d_transpose(two, 4, 3, stride=2),
        "up3": layers.conv3d_transpose(three, 2, 2, stride=2, activation_fn=None),
    }
    out["names"] = [v.name for _, v in sorted(out.items())]
    out["_inputs"] = [one, two, three]
    return out


def pools_and_more(tf, shim):
    layers = shim.contrib.layers
    two = tf.constant(_data(2, 9, 8, 4))
    three = tf.constant(_data(2, 5, 6, 4, 2))
    out = {
        "max": layers.max_pool2d(two, 2),
        "avg": layers.avg_pool2d(two, [3, 2], stride=1, padding="SAME", scope="p"),
        "max3": layers.max_pool3d(three, 2),
        "avg3": layers.avg_pool3d(three, 2),
        "flat": layers.flatten(two),
        "hot": layers.one_hot_encoding([1, 0, 2], 4),
        "soft": layers.softmax(tf.constant(_data(2, 3, 4))),
        "maxout": layers.maxout(two, 2),
        "unit": layers.unit_norm(two, 3),
        "bias": layers.bias_add(two, activation_fn=tf.nn.relu),
        "spatial": layers.spatial_softmax(two),
        "drop": layers.dropout(two, 0.6, seed=3),
        "kept": layers.dropout(two, 0.6, is_training=False),
        "sequence": layers.images_to_sequence(two),
    }
    out["back"] = layers.sequence_to_images(out["sequence"], 9)
    out["names"] = [v.name for k, v in sorted(out.items()) if k != "drop"]
    out["_inputs"] = [two, three]
    return out


def stack_and_repeat(tf, shim):
    layers = shim.contrib.layers
    x = tf.constant(_data(2, 8, 8, 3))
    a = layers.repeat(x, 2, layers.conv2d, 4, [3, 3], scope="conv1")
    b = layers.repeat(a, 2, layers.conv2d, 4, [3, 3])
    c = layers.stack(layers.flatten(b), layers.fully_connected, [5, 6], scope="fc")
    d = layers.stack(c, layers.fully_connected, [5, (6,)])
    return {"d": d, "names": [a.name, b.name, c.name, d.name]}


def arg_scopes(tf, shim):
    slim = shim.contrib.slim
    x = tf.constant(_data(2, 8, 8, 3))

    @slim.add_arg_scope
    def mine(inputs, factor=1.0, scope=None):
        return inputs * factor

    both = slim.arg_scope(
        [slim.conv2d, slim.fully_connected],
        weights_regularizer=slim.l2_regularizer(0.01),
        weights_initializer=tf.truncated_normal_initializer(stddev=0.1, seed=2),
    )
    with both:
        with slim.arg_scope([slim.conv2d], padding="VALID") as scope:
            a = slim.conv2d(x, 4, 3)
            with slim.arg_scope([slim.conv2d], activation_fn=None, normalizer_fn=slim.batch_norm):
                b = slim.conv2d(a, 4, 3, scope="b")
            with slim.arg_scope([mine], factor=3.0):
                b = mine(b)
    with slim.arg_scope(scope):
        c = slim.conv2d(b, 2, 3, scope="c")
    d = slim.fully_connected(slim.flatten(c), 3)
    arguments = sorted(slim.arg_scoped_arguments(mine))
    return {"d": d, "has": slim.has_arg_scope(slim.conv2d), "arguments": arguments}


def batch_norm_defaults(tf, shim):
    x = tf.constant(_data(3, 4, 5, 2))
    y = shim.contrib.layers.batch_norm(x)
    return {"y": y, "_inputs": [x], "name": y.name}


def batch_norm_rank2(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.contrib.layers.batch_norm(x, decay=0.9, scale=True)
    z = shim.contrib.layers.batch_norm(x, is_training=False)
    return {"y": y, "z": z, "_inputs": [x], "name": [y.name, z.name]}


def batch_norm_rank2_not_fused(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.contrib.layers.batch_norm(x, decay=0.9, fused=False, activation_fn=tf.nn.relu)
    return {"y": y, "_inputs": [x], "name": y.name}


def batch_norm_rank3(tf, shim):
    x = tf.constant(_data(3, 4, 5))
    y = shim.contrib.layers.batch_norm(x, center=False)
    return {"y": y, "_inputs": [x]}


def batch_norm_switch(tf, shim):
    p = tf.placeholder(tf.bool, [])
    x, z = tf.constant(_data(3, 4, 5, 2)), tf.constant(_data(6, 4))
    y = shim.contrib.layers.batch_norm(x, is_training=p, decay=0.9)
    w = shim.contrib.layers.batch_norm(z, is_training=p, decay=0.9)
    return {"y": y, "w": w, "_inputs": [x, z], "_feed": {p: True}}


def batch_norm_switch_off(tf, shim):
    p = tf.placeholder(tf.bool, [])
    x, z = tf.constant(_data(3, 4, 5, 2)), tf.constant(_data(6, 4))
    y = shim.contrib.layers.batch_norm(x, is_training=p, updates_collections=None)
    w = shim.contrib.layers.batch_norm(z, is_training=p)
    return {"y": y, "w": w, "_inputs": [x, z], "_feed": {p: False}}


def batch_norm_in_place(tf, shim):
    x, z = tf.constant(_data(3, 4, 5, 2)), tf.constant(_data(3, 4, 2))
    p = tf.placeholder(tf.bool, [])
    y = shim.contrib.layers.batch_norm(x, decay=0.9, updates_collections=None)
    w = shim.contrib.layers.batch_norm(z, decay=0.9, updates_collections=None, is_training=p)
    return {"y": y, "w": w, "_steps": [tf.group(y, w)], "_feed": {p: True}, "_inputs": [x, z]}


def batch_norm_own_collection(tf, shim):
    x, z = tf.constant(_data(3, 4, 5, 2)), tf.constant(_data(3, 4, 2))
    y = shim.contrib.layers.batch_norm(x, decay=0.9, updates_collections="mine")
    w = shim.contrib.layers.batch_norm(z, decay=0.9, updates_collections="mine")
    return {"y": y, "w": w, "_steps": tf.get_collection("mine"), "_inputs": [x, z]}


def batch_norm_zero_debias(tf, shim):
    x = tf.constant(_data(3, 4, 5, 2))
    y = shim.contrib.layers.batch_norm(x, decay=0.9, zero_debias_moving_mean=True)
    return {"y": y, "_inputs": [x], "_move": False}


def batch_norm_weights(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.contrib.layers.batch_norm(x, batch_weights=[1.0, 2, 0, 1, 1, 1], fused=False)
    return {"y": y, "_inputs": [x]}


def batch_norm_renorm(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.contrib.layers.batch_norm(x, renorm=True, decay=0.9, scale=True)
    return {"y": y, "_inputs": [x]}


def batch_norm_parameters(tf, shim):
    x = tf.constant(_data(3, 4, 5, 2))
    y = shim.contrib.layers.batch_norm(
        x,
        param_initializers={"beta": tf.constant_initializer(0.5)},
        param_regularizers={"beta": tf.nn.l2_loss},
        trainable=True,
        scope="bn",
        variables_collections=["v"],
    )
    z = shim.contrib.layers.batch_norm(y, trainable=False)
    return {"y": z, "v": [v.name for v in tf.get_collection("v")]}


def layer_norm(tf, shim):
    layers = shim.contrib.layers
    x, z = tf.constant(_data(3, 4, 5, 2)), tf.constant(_data(6, 4))
    out = {
        "a": layers.layer_norm(x),
        "b": layers.layer_norm(z, activation_fn=tf.nn.relu, scope="ln"),
        "c": layers.layer_norm(x, begin_norm_axis=2, begin_params_axis=1, center=False),
    }
    out["names"] = [v.name for _, v in sorted(out.items())]
    out["_inputs"] = [x, z]
    return out


def other_norms(tf, shim):
    layers = shim.contrib.layers
    x = tf.constant(_data(3, 4, 5, 6))
    out = {
        "instance": layers.instance_norm(x),
        "group": layers.group_norm(x, groups=3),
        "close": layers.group_norm(x, groups=2, mean_close_to_zero=True, scale=False),
        "first": layers.instance_norm(x, data_format="NCHW"),
        "first_group": layers.group_norm(x, 2, channels_axis=1, reduction_axes=[2, 3]),
    }
    out["_inputs"] = [x]
    return out


def initializers(tf, shim):
    layers = shim.contrib.layers
    makers = [
        layers.xavier_initializer(seed=1),
        layers.xavier_initializer(uniform=False),
        layers.xavier_initializer_conv2d(),
        layers.variance_scaling_initializer(),
        layers.variance_scaling_initializer(1.0, "FAN_OUT", uniform=True),
    ]
    out = {}
    for i, maker in enumerate(makers):
        tf.get_variable("m%d" % i, [3, 3, 4, 5], initializer=maker)
        tf.get_variable("v%d" % i, [7], initializer=maker)
        out["t%d" % i] = maker([4, 6])
    return out


def regularizers(tf, shim):
    layers = shim.contrib.layers
    w = tf.constant(_data(3, 4))
    out = {
        "l1": layers.l1_regularizer(0.1)(w),
        "l2": layers.l2_regularizer(0.2)(w),
        "both": layers.l1_l2_regularizer(0.1, 0.3)(w),
        "sum": layers.sum_regularizer([layers.l1_regularizer(0.1), layers.l2_regularizer(0.2)])(w),
        "apply": layers.apply_regularization(layers.l2_regularizer(0.5), [w, w]),
    }
    out["names"] = [v.name for _, v in sorted(out.items())]
    out["none"] = layers.l2_regularizer(0.0)(w) is None
    return out


def embeddings(tf, shim):
    layers = shim.contrib.layers
    ids = tf.constant([[1, 2, 0], [3, 1, 1]])
    out = {
        "seq": layers.embed_sequence(ids, 5, 3),
        "uniq": layers.embed_sequence(ids, 5, 3, unique=True, scope="u"),
        "again": layers.embed_sequence(ids, scope="u", reuse=True, vocab_size=5, embed_dim=3),
        "bow": layers.bow_encoder(ids, 5, 3),
        "dense": layers.bow_encoder(ids, 5, 3, sparse_lookup=False),
    }
    out["names"] = [v.name for k, v in sorted(out.items()) if k != "bow"]
    return out


def optimize_loss(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.contrib.layers.fully_connected(x, 1, normalizer_fn=shim.contrib.layers.batch_norm)
    loss = tf.reduce_mean(tf.square(y - 1.0))
    step = tf.train.get_or_create_global_step()
    train = shim.contrib.layers.optimize_loss(
        loss,
        step,
        0.1,
        "Momentum",
        clip_gradients=0.5,
        gradient_multipliers={"fully_connected/weights": 2.0},
        learning_rate_decay_fn=lambda rate, at: tf.train.exponential_decay(rate, at, 2, 0.5),
    )
    return {
        "loss": loss,
        "train": train,
        "_steps": [train],
        "_gradients": False,
        "name": train.name,
        "summaries": sorted(t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)),
    }


def optimize_loss_class(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.contrib.layers.fully_connected(x, 1, activation_fn=None)
    loss = tf.reduce_mean(tf.square(y - 1.0))
    step = tf.train.get_or_create_global_step()
    train = shim.contrib.layers.optimize_loss(
        loss, step, 0.01, tf.train.AdamOptimizer, name="a", summaries=[]
    )
    return {"loss": loss, "_steps": [train], "_gradients": False, "_move": False}


def optimize_loss_function(tf, shim):
    x = tf.constant(_data(6, 4))
    y = shim.contrib.layers.fully_connected(x, 1, activation_fn=None)
    loss = tf.reduce_mean(tf.square(y - 1.0))
    step = tf.train.get_or_create_global_step()
    train = shim.contrib.layers.optimize_loss(
        loss, step, None, lambda: tf.train.FtrlOptimizer(0.1), increment_global_step=False
    )
    return {"loss": loss, "_steps": [train], "_gradients": False, "_move": False}


def slim_mnist_net(tf, shim):
    slim = shim.contrib.slim
    x = tf.constant(_data(4, 12, 12, 1))
    with slim.arg_scope(
        [slim.conv2d, slim.fully_connected],
        normalizer_fn=slim.batch_norm,
        normalizer_params={"is_training": True, "decay": 0.9, "updates_collections": None},
        weights_regularizer=slim.l2_regularizer(1e-3),
    ):
        net = slim.conv2d(x, 4, [3, 3], scope="conv1")
        net = slim.max_pool2d(net, [2, 2], scope="pool1")
        net = slim.conv2d(net, 6, [3, 3], scope="conv2")
        net = slim.flatten(net)
        net = slim.dropout(net, 0.8, is_training=False)
        logits = slim.fully_connected(
            net, 3, activation_fn=None, normalizer_fn=None, scope="logits"
        )
    loss = tf.losses.sparse_softmax_cross_entropy([0, 1, 2, 0], logits)
    total = tf.losses.get_total_loss()
    step = tf.train.GradientDescentOptimizer(0.1).minimize(total)
    return {"logits": logits, "loss": loss, "total": total, "_steps": [step], "_count": 4}
