"""tf.contrib.framework."""

import os
import tempfile

import numpy as np


def framework_variables(tf, shim):
    f = shim.contrib.framework
    with tf.variable_scope("one"):
        f.model_variable("w", [2, 3], initializer=tf.ones_initializer(), regularizer=tf.nn.l2_loss)
        f.variable("b", [3], device="/cpu:0", collections=["mine", tf.GraphKeys.GLOBAL_VARIABLES])
    with tf.variable_scope("two"):
        f.model_variable("w", [2])
    f.local_variable(3.0, name="local")
    f.global_variable(4.0, name="global")
    step = f.get_or_create_global_step()

    def names(variables):
        return sorted(v.op.name for v in variables)

    return {
        "all": names(f.get_variables()),
        "one": names(f.get_variables("one")),
        "suffix": names(f.get_variables(suffix="w")),
        "by_name": names(f.get_variables_by_name("w")),
        "by_suffix": names(f.get_variables_by_suffix("b", "one")),
        "model": names(f.get_model_variables()),
        "trainable": names(f.get_trainable_variables("two")),
        "locals": names(f.get_local_variables()),
        "restore": names(f.get_variables_to_restore(exclude=["two", "global"])),
        "include": names(f.get_variables_to_restore(include=["one"], exclude=["one/b"])),
        "unique": f.get_unique_variable("one/w").name,
        "filter": names(f.filter_variables(f.get_variables(), ["w:0$"], ["two"])),
        "mine": names(tf.get_collection("mine")),
        "step": step.name,
        "scope": f.get_name_scope(),
    }


def framework_assign(tf, shim):
    f = shim.contrib.framework
    f.model_variable("a/w", [2, 3])
    f.model_variable("a/b", [3])
    op, feed = f.assign_from_values(
        {"a/w": np.arange(6, dtype=np.float32).reshape(2, 3), "a/b": np.ones(3, np.float32)}
    )
    return {"_steps": [op], "_feed": feed, "_count": 1}


def framework_checkpoint(tf, shim):
    f = shim.contrib.framework
    folder = tempfile.mkdtemp()
    with tf.Graph().as_default(), tf.Session() as sess:
        one = tf.get_variable("a/one", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0]]))
        two = tf.get_variable("b/two", initializer=tf.constant([5.0, 6.0]))
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver([one, two]).save(sess, os.path.join(folder, "model"))
    out = {
        "list": [[name, list(shape)] for name, shape in f.list_variables(path)],
        "value": f.load_variable(path, "a/one"),
        "has": f.load_checkpoint(path).has_tensor("b/two"),
    }
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.get_variable("a/one", [2, 2], initializer=tf.zeros_initializer())
        y = tf.get_variable("other", [2], initializer=tf.zeros_initializer())
        z = tf.get_variable("missing", [2], initializer=tf.ones_initializer())
        op, feed = f.assign_from_checkpoint(path, {"a/one": x, "b/two": y})
        sess.run(tf.global_variables_initializer())
        sess.run(op, feed)
        out["assigned"] = np.concatenate([sess.run(x).ravel(), sess.run(y)])
        restore = f.assign_from_checkpoint_fn(path, [x, z], ignore_missing_vars=True)
        sess.run(tf.global_variables_initializer())
        restore(sess)
        out["restored"] = np.concatenate([sess.run(x).ravel(), sess.run(z)])
    return out


def framework_tensors(tf, shim):
    f = shim.contrib.framework
    x = tf.constant([[3.0, 1.0, 2.0]])
    labels, predictions = tf.constant([1, 2]), tf.constant([[1], [2]])
    squeezed = f.remove_squeezable_dimensions(predictions, labels)
    return {
        "sort": f.sort(x),
        "argsort": f.argsort(x),
        "cond": f.smart_cond(True, lambda: x, lambda: -x),
        "cond_tensor": f.smart_cond(tf.reduce_sum(x) > 1, lambda: x, lambda: -x),
        "value": f.smart_constant_value(tf.constant(True)),
        "sum": f.reduce_sum_n([x, x]),
        "squeezed": squeezed[0],
        "shape": f.with_shape([1, 3], x),
        "same": f.with_same_shape(x, x),
        "is": [f.is_tensor(x), f.is_tensor(3)],
        "flat": f.nest.flatten([1, [2, 3]]),
        "seq": [f.nest.is_sequence([1]), f.nest.is_sequence(1)],
    }


def framework_made_twice(tf, shim):
    """A variable of a layer that stands in its scope already is shared only where that is asked."""
    f, layers = shim.contrib.framework, shim.contrib.layers
    makers = {
        "dense": lambda x: layers.fully_connected(layers.flatten(x), 2),
        "conv": lambda x: layers.conv2d(x, 2, [3, 3]),
        "batch": layers.batch_norm,
        "separable": lambda x: layers.separable_conv2d(x, 2, [3, 3], 1),
        "transposed": lambda x: layers.conv2d_transpose(x, 2, [3, 3]),
        "layer": layers.layer_norm,
        "variable": lambda x: f.model_variable("v", [2]),
    }
    out = {}
    for name, make in makers.items():
        for reuse in (False, tf.AUTO_REUSE, True):
            with tf.Graph().as_default():
                x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
                with tf.variable_scope("part"):
                    make(x)
                with tf.variable_scope("part", reuse=reuse):
                    try:
                        make(x)
                        said = "made"
                    except ValueError as error:
                        said = str(error).partition(", disallowed")[0]
                names = sorted(v.name for v in tf.global_variables())
                out[f"{name}_{reuse}"] = [said, *names]
    return out
