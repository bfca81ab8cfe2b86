"""Packages of tf.contrib that moved into the core: signal, strategies, resolvers, sequences."""

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


def signal(tf, shim):
    signal = shim.contrib.signal
    wave = tf.constant(_data(2, 64))
    spectrum = signal.stft(wave, 16, 8, fft_length=16)
    back = signal.inverse_stft(spectrum, 16, 8, window_fn=signal.inverse_stft_window_fn(8))
    mel = signal.linear_to_mel_weight_matrix(5, 9, 8000, 80.0, 3000.0)
    power = tf.tensordot(tf.abs(spectrum), mel, 1)
    return {
        "power": power,
        "back": back,
        "mfccs": signal.mfccs_from_log_mel_spectrograms(tf.log(power + 1e-3)),
        "frames": signal.frame(wave, 16, 8),
        "added": signal.overlap_and_add(signal.frame(wave, 16, 8), 8),
        "hann": signal.hann_window(7),
        "hamming": signal.hamming_window(8, periodic=False),
        "_inputs": [wave],
    }


def resolver(tf, shim):
    resolvers = shim.contrib.cluster_resolver
    spec = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:2", "c:3"]})
    simple = resolvers.SimpleClusterResolver(spec, task_type="worker", task_id=1)
    other = resolvers.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["d:4"]}))
    union = resolvers.UnionClusterResolver(simple, other)
    return {
        "spec": simple.cluster_spec().as_dict(),
        "master": simple.master(),
        "union": union.cluster_spec().as_dict(),
        "task": [simple.task_type, simple.task_id],
    }


def mirrored(tf, shim):
    distribute = shim.contrib.distribute
    strategy = distribute.MirroredStrategy(devices=["/device:CPU:0"])
    with strategy.scope():
        v = tf.get_variable("v", [3], initializer=tf.constant_initializer([1.0, 2.0, 3.0]))
        inside = [distribute.has_strategy(), distribute.get_strategy() is strategy]
    return {
        "inside": inside,
        "outside": distribute.has_strategy(),
        "replicas": strategy.num_replicas_in_sync,
        "name": v.name,
        "_static": True,
    }


def one_device(tf, shim):
    strategy = shim.contrib.distribute.OneDeviceStrategy("/device:CPU:0")
    with strategy.scope():
        v = tf.get_variable("v", [3], initializer=tf.constant_initializer([1.0, 2.0, 3.0]))
    return {"v": v * 2.0, "replicas": strategy.num_replicas_in_sync, "device": v.device[-5:]}


def sequence_layer(tf, shim):
    columns = shim.contrib.feature_column
    ids = tf.SparseTensor(
        [[0, 0], [0, 1], [1, 0], [2, 0], [2, 1], [2, 2]], [2, 1, 0, 1, 2, 2], [3, 3]
    )
    words = tf.SparseTensor(ids.indices, ["a", "b", "x", "c", "a", "a"], [3, 3])
    numbers = tf.SparseTensor(ids.indices, [0.5, 1.0, 2.0, 3.0, 4.0, 5.0], [3, 3])
    features = {"ids": tf.SparseTensor(ids.indices, tf.cast(ids.values, tf.int64), [3, 3]),
                "words": words, "numbers": numbers}  # fmt: skip
    fc = tf.feature_column
    used = [
        columns.sequence_numeric_column("numbers"),
        fc.embedding_column(columns.sequence_categorical_column_with_identity("ids", 3), 2),
        fc.indicator_column(
            columns.sequence_categorical_column_with_vocabulary_list("words", ["a", "b", "c"])
        ),
    ]
    out, lengths = columns.sequence_input_layer(features, used)
    return {"out": out, "lengths": lengths}


def _pendulum(tf):
    return lambda y, t: tf.stack([y[1], -tf.sin(y[0]) + 0.1 * tf.cast(tf.cos(t), y.dtype)])


def odeint(tf, shim):
    start = tf.constant([0.5, -0.2], tf.float64)
    times = np.linspace(0.0, 3.0, 7)
    y, how = shim.contrib.integrate.odeint(_pendulum(tf), start, times, full_output=True)
    return {"y": y, "how": [how["integrate_points"], how["error_ratio"], how["num_func_evals"]],
            "_inputs": [start], "_gradients": False}  # fmt: skip


def odeint_options(tf, shim):
    start = tf.constant([1.0 + 1.0j, 0.5], tf.complex64)
    y = shim.contrib.integrate.odeint(
        lambda y, t: 1j * y, start, [0.0, 0.5, 1.5], rtol=1e-4, atol=1e-6, method="dopri5",
        options={"first_step": 0.1, "safety": 0.8},
    )  # fmt: skip
    return {"real": tf.math.real(y), "imaginary": tf.math.imag(y), "_gradients": False}


def odeint_fixed(tf, shim):
    start = tf.constant([0.5, -0.2])
    integrate = shim.contrib.integrate
    times = np.linspace(0.0, 2.0, 5)
    return {
        "rk4": integrate.odeint_fixed(_pendulum(tf), start, times),
        "steps": integrate.odeint_fixed(_pendulum(tf), start, times, dt=np.full(4, 0.15)),
        "midpoint": integrate.odeint_fixed(_pendulum(tf), start, times, method="midpoint"),
        "_inputs": [start],
    }
