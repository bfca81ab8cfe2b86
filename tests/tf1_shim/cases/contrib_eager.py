"""tf.contrib.eager, executing eagerly (within the one process) and in graphs."""

import contextlib
import os
import tempfile

import numpy as np


@contextlib.contextmanager
def _eager(tf):
    # No public name switches to eager execution after a graph was made. The graph is for what
    # TF1 keeps in the default graph even so: names, and some variables.
    from tensorflow.python.eager import context

    with tf.Graph().as_default(), context.eager_mode():
        yield


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def _arrays(value):
    return [np.asarray(part.numpy() if hasattr(part, "numpy") else part) for part in value]


def _refused(make):
    try:
        make()
    except Exception as error:
        return type(error).__name__
    return "made"


def gradients(tf, shim):
    tfe = shim.contrib.eager
    with _eager(tf):
        w = tfe.Variable(_data(3, 2), name="w")
        b = tfe.Variable([0.1, 0.2], name="b")
        fixed = tfe.Variable(2.0, trainable=False, name="fixed")

        def loss(x, power=2.0):
            return tf.reduce_sum(tf.pow(tf.abs(tf.matmul(x, w) + b), power)) * fixed

        def f(x, y):
            return tf.reduce_sum(x * x * y), y * 3.0

        x, y = tf.constant(_data(4, 3)), tf.constant([2.0, 3.0])
        pairs = tfe.implicit_gradients(loss)(x)
        value, again = tfe.implicit_value_and_gradients(loss)(x, power=3.0)
        both = tfe.value_and_gradients_function(f)(y, y + 1.0)
        square = tfe.gradients_function(lambda x: x**3.0)
        twice = tfe.gradients_function(lambda x: tfe.gradients_function(lambda t: t**3.0)(x)[0])
        out = {
            "implicit": _arrays([g for g, _ in pairs]),
            "names": [v.name for _, v in pairs],
            "value": _arrays([value] + [g for g, _ in again]),
            "both": _arrays(tf.nest.flatten(both)),
            "by_name": _arrays(tfe.gradients_function(f, params=["y"])(y, y)),
            "by_number": _arrays(tfe.gradients_function(f, params=[0])(y, 2.0)),
            "same": _arrays(tfe.gradients_function(f)(y, y)),
            "dy": _arrays(square(y, dy=tf.constant([1.0, 0.5]))),
            "number": _arrays(square(3.0)),
            "second": _arrays(twice(2.0)),
            "variable": [isinstance(w, tfe.Variable), isinstance(3, tfe.Variable)],
            "optimized": [],
        }
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        optimizer.apply_gradients(pairs)
        optimizer.apply_gradients(tfe.implicit_gradients(loss)(x))
        out["optimized"] = _arrays([w, b])
        out["slots"] = sorted(v.shape.as_list() for v in tfe.get_optimizer_variables(optimizer))
    with _eager(tf):
        out["errors"] = [
            _refused(lambda: tfe.implicit_gradients(lambda: None)()),
            _refused(lambda: tfe.implicit_gradients(lambda: tf.constant(1.0))()),
            _refused(lambda: tfe.gradients_function(f, params=["y", 0])(y, y)),
            _refused(lambda: tfe.gradients_function(f)(y, y=y)),
            _refused(lambda: tfe.gradients_function(lambda x: None)(y)),
        ]
    return out


def iterators(tf, shim):
    tfe = shim.contrib.eager
    with _eager(tf):
        dataset = tf.data.Dataset.range(10).map(lambda x: (x, tf.cast(x, tf.float32) * 2.0))
        seen = [float(b.numpy()) for _, b in tfe.Iterator(dataset)]
        second = tfe.Iterator(dataset)
        first = [int(second.next()[0]), int(next(second)[0]), int(second.get_next()[0])]
        empty = tfe.Iterator(dataset.take(0))
        ended = [_refused(empty.get_next), _refused(empty.next)]
        folder = tempfile.mkdtemp()
        checkpoint = tfe.Checkpoint(iterator=second, step=tfe.Variable(7))
        path = checkpoint.save(os.path.join(folder, "c"))
        int(second.next()[0])
        checkpoint.restore(path)
        return {
            "seen": seen,
            "first": first,
            "ended": ended,
            "after": int(second.next()[0]),
            "types": [t.name for t in second.output_types],
            "shapes": [str(s) for s in second.output_shapes],
        }


def metrics(tf, shim):
    m = shim.contrib.eager.metrics
    out = {}
    with _eager(tf):
        mean = m.Mean("loss")
        mean(tf.constant([1, 2, 6]))
        mean(_data(2, 3), weights=_data(3, 2).T ** 2)
        accuracy = m.Accuracy()
        returned = accuracy([1, 2, 3, 4], [1, 0, 3, 3])
        accuracy([0, 0], [0, 1], weights=[3.0, 0.5])
        categorical = m.CategoricalAccuracy("categorical accuracy!", dtype=tf.float32)
        categorical(np.eye(3)[[0, 2, 1]], _data(3, 3))
        binary = m.BinaryAccuracy(threshold=0.4)
        binary([0, 1, 1, 0], [0.1, 0.5, 0.2, 0.6], weights=[1.0, 2.0, 1.0, 1.0])
        sparse = m.SparseAccuracy()
        sparse(np.array([0, 2, 1]), _data(3, 3), weights=2.0)
        for metric in (mean, accuracy, categorical, binary, sparse):
            out[metric.name] = metric.result().numpy()
            out[metric.name + " names"] = [v.name for v in metric.variables]
        other = m.Mean("loss")
        other([10.0, 20.0])
        mean.aggregate([other])
        out["aggregated"] = mean.value()().numpy()
        mean.init_variables()
        mean(5.0)
        out["begun"] = mean.result().numpy()
        out["returned"] = len(returned)
        out["type"] = mean.result().dtype.name
        folder = tempfile.mkdtemp()
        path = tf.train.Checkpoint(mean=mean).save(os.path.join(folder, "c"))
        out["saved"] = sorted(name for name, _ in tf.train.list_variables(path) if "mean" in name)
    return out


def metrics_in_graphs(tf, shim):
    m = shim.contrib.eager.metrics
    out = {}
    with tf.Graph().as_default(), tf.Session() as sess:
        values = tf.placeholder(tf.float32, [None])
        mean = m.Mean("loss", use_global_variables=True)
        update = mean(values)
        accuracy = m.Accuracy()
        count = accuracy(tf.cast(values, tf.int32), tf.cast(values * 1.2, tf.int32))
        begin = [mean.init_variables(), accuracy.init_variables()]
        results = [mean.result(), accuracy.value()]
        out["names"] = [v.name for v in mean.variables + accuracy.variables]
        out["global"] = [v.name for v in tf.global_variables()]
        out["local"] = [v.name for v in tf.local_variables()]
        out["metric"] = [v.name for v in tf.get_collection("metric_variables")]
        sess.run(begin)
        seen = []
        for batch in ([1.0, 2.0], [4.0, 9.0, 20.0]):
            sess.run([update, count], {values: batch})
            seen.append(sess.run(results))
        out["seen"] = np.asarray(seen)
        sess.run(begin)
        sess.run([update, count], {values: [6.0]})
        out["again"] = np.asarray(sess.run(results))
    return out


def own_metric(tf, shim):
    m = shim.contrib.eager.metrics

    class Largest(m.Metric):
        def build(self, values):
            zeros = tf.zeros_initializer
            self.most = self.add_variable("most", shape=(), dtype=tf.float32, initializer=zeros)

        def call(self, values):
            self.most.assign(tf.maximum(self.most, tf.reduce_max(values)))
            return values

        def result(self):
            return self.most.read_value()

    with _eager(tf):
        metric = Largest()
        metric(tf.constant([1.0, 5.0]))
        metric(tf.constant([2.0]))
        late = _refused(lambda: metric.add_variable("late", shape=(), dtype=tf.float32))
        return {"largest": metric.result().numpy(), "name": metric.name, "late": late}


def variables(tf, shim):
    tfe = shim.contrib.eager
    out = {}
    folder = tempfile.mkdtemp()
    with _eager(tf):
        v = tfe.Variable([1.0, 2.0], name="v")
        w = tfe.Variable(3, dtype=tf.float32, trainable=False, name="w")
        path = tfe.Saver([v, w]).save(os.path.join(folder, "saved"), global_step=4)
        named = tfe.Saver({"a": v}).save(os.path.join(folder, "named"))
        v.assign([7.0, 8.0])
        w.assign(9.0)
        tfe.Saver([v, w]).restore(path)
        out["restored"] = _arrays([v, w])
        out["path"] = os.path.basename(path)
        out["names"] = [v.name, w.name, v.dtype.name, bool(w.trainable)]
        out["keys"] = sorted(name for name, _ in tf.train.list_variables(named))
        with tfe.restore_variables_on_create(path):
            out["created"] = _arrays([tfe.Variable([0.0, 0.0], name="v")])
        with tfe.restore_variables_on_create(named, lambda name: name.replace("x", "a")):
            out["mapped"] = _arrays([tfe.Variable([0.0, 0.0], name="x")])
            out["missing"] = _refused(lambda: tfe.Variable(0.0, name="nothing"))
        store = tfe.EagerVariableStore()
        results = []
        for _ in range(2):
            with store.as_default():
                a = tf.get_variable("a", initializer=tf.constant([1.0]))
                with tf.variable_scope("inner"):
                    tf.get_variable("b", initializer=tf.constant([2.0]), trainable=False)
                a.assign_add([1.0])
                results.append(a.numpy())
        out["kept"] = np.asarray(results)
        out["stored"] = [
            [x.name for x in store.variables()],
            [x.name for x in store.trainable_variables()],
            [x.name for x in store.non_trainable_variables()],
        ]
        copied = store.copy()
        a.assign([50.0])
        out["copied"] = _arrays(copied.variables())
    return out


def variables_in_graphs(tf, shim):
    tfe = shim.contrib.eager
    v = tfe.Variable([1.0, 2.0], name="v")
    w = tfe.Variable(lambda: tf.ones([2, 3]), dtype=tf.float32, trainable=False, name="v")
    u = tfe.Variable(4, collections=["mine"])
    return {
        "sum": v[:, None] * w,
        "mine": [x.name for x in tf.get_collection("mine")],
        "is": [isinstance(x, tfe.Variable) for x in (v, w, u)],
        "refused": _refused(lambda: tfe.Saver([v])),
    }


def functions(tf, shim):
    tfe = shim.contrib.eager
    with _eager(tf):
        v = tfe.Variable(2.0)
        traced = []

        @tfe.defun
        def scale(x, factor=1.0):
            traced.append(1)
            if tf.reduce_sum(x) > 0.0:
                x = x + 1.0
            return x * v * factor

        @tfe.defun(input_signature=[tfe.TensorSpec([None], tf.float32)])
        def total(x):
            traced.append(2)
            return tf.reduce_sum(x)

        def python(x):
            return tf.reduce_sum(x * 3.0)

        template = tfe.make_template(
            "t", lambda x: x + tf.get_variable("bias", initializer=tf.constant(1.5))
        )
        out = [scale(tf.constant(x)) for x in ([1.0, 2.0], [3.0, 4.0], [-3.0, 1.0])]
        out.append(scale(tf.constant([2.0]), factor=3.0))
        out += [total(_data(3)), total(_data(5)), tfe.py_func(python, [_data(4)], tf.float32)]
        out += [template(tf.constant(1.0)), template(tf.constant(2.0))]
        out += tfe.gradients_function(lambda x: scale(x))(tf.constant([1.0, 2.0]))
        modes = [tfe.SYNC, tfe.ASYNC, tfe.DEVICE_PLACEMENT_EXPLICIT, tfe.DEVICE_PLACEMENT_SILENT]
        with tfe.execution_mode(tfe.SYNC):
            out.append(v + 1.0)
        tfe.async_wait()
        return {
            "out": _arrays(out),
            "modes": modes,
            "eager": [tfe.executing_eagerly(), tfe.in_eager_mode()],
            "gpus": tfe.num_gpus(),
            "variables": [x.name for x in template.variables],
        }


def networks(tf, shim):
    tfe, layers = shim.contrib.eager, shim.layers

    class Inner(tfe.Network):
        def __init__(self, name=None):
            super().__init__(name=name)
            self.only = self.track_layer(layers.Dense(2, use_bias=False))

        def call(self, x):
            return self.only(x)

    class Outer(tfe.Network):
        def __init__(self, name=None):
            super().__init__(name=name)
            self.first = self.track_layer(layers.Dense(3, activation=tf.nn.relu))
            self.second = self.track_layer(layers.Dense(3))
            self.named = self.track_layer(layers.Dense(3, name="named"))
            self.norm = self.track_layer(layers.BatchNormalization())
            self.inner = self.track_layer(Inner())
            self.other = self.track_layer(Inner())

        def call(self, x):
            x = self.norm(self.named(self.second(self.first(x))), training=True)
            return self.inner(x) + self.other(x)

    folder = tempfile.mkdtemp()
    out = {}
    with _eager(tf):
        networks = [Outer(), Outer(), Outer("given")]
        for i, network in enumerate(networks):
            network(tf.constant(_data(4, 5)))
            out[f"names{i}"] = [[v.name, v.shape.as_list()] for v in network.variables]
            out[f"trainable{i}"] = [v.name for v in network.trainable_variables]
            out[f"name{i}"] = [network.name, network.scope_name, network.inner.name]
        network, another = networks[0], networks[1]
        for i, v in enumerate(network.variables):
            v.assign(_data(*v.shape.as_list()) + i)
        path = tfe.save_network_checkpoint(network, os.path.join(folder, "net"), 3)
        out["keys"] = sorted(name for name, _ in tf.train.list_variables(path))
        tfe.restore_network_checkpoint(another, path)
        out["output"] = another(tf.constant(_data(4, 5))).numpy()
        out["same"] = _arrays(another.variables)
        out["layers"] = [
            [layer.name for layer in network.layers],
            network.get_layer("dense_1").name,
            network.get_layer(index=2).name,
        ]
        drop = layers.Dropout(0.5)
        sequence = tfe.Sequential([layers.Dense(4), tf.nn.relu, drop, layers.Dense(1)])
        sequence(tf.constant(_data(2, 3)), training=False)
        out["sequence"] = [v.name for v in sequence.variables]
    return out


def networks_in_graphs(tf, shim):
    tfe, layers = shim.contrib.eager, shim.layers

    class Net(tfe.Network):
        def __init__(self, name=None):
            super().__init__(name=name)
            self.first = self.track_layer(layers.Dense(3, activation=tf.nn.relu))
            self.norm = self.track_layer(layers.BatchNormalization())

        def call(self, x, training):
            return self.norm(self.first(x), training=training)

    net = Net()
    with tf.variable_scope("outside"):
        other = Net()
    x = tf.constant(_data(4, 5))
    return {
        "out": net(x, True),
        "again": net(x + 1.0, False),
        "other": other(x, False),
        "names": [net.name, other.name],
    }
