"""A TPUEstimator on one CPU, and on two that stand in for the cores of a TPU; prints JSON."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.update(CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import tensorflow

from migrate import estimator_shim
from migrate.estimator_shim.contrib import tpu
from migrate.estimator_shim.tpu import _cores

tf = tensorflow.compat.v1
CPU = tensorflow.config.list_physical_devices("CPU")[0]
TWO = [tensorflow.config.LogicalDeviceConfiguration()] * 2
X = np.random.RandomState(0).normal(size=(24, 3)).astype(np.float32)
Y = X.sum(1, keepdims=True) + np.float32(0.3)
MEAN, SUM = tf.losses.Reduction.MEAN, tf.losses.Reduction.SUM


class Own(tf.train.GradientDescentOptimizer):  # type: ignore[misc]
    """Assigns by itself, as BERT's optimizer does."""

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: Any = None
    ) -> Any:
        """One step."""
        done = [v.assign(v - 0.1 * g) for g, v in grads_and_vars]
        with tf.control_dependencies(done):
            return global_step.assign(global_step + 1)


OPTIMIZERS = {
    "adam": (lambda: tf.train.AdamOptimizer(0.1), MEAN),
    "own": (lambda: Own(0.1), MEAN),
    # The sum over two cores is twice the mean.
    "sum": (lambda: tf.train.GradientDescentOptimizer(0.05), SUM),
}


def run(name: str, use_tpu: bool, **odd: Any) -> dict[str, Any]:
    """What an Estimator does with one of the optimizers."""
    make, reduction = OPTIMIZERS[name]
    sizes: dict[str, list[int]] = {}
    host_calls: list[list[int]] = []

    def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
        assert params["use_tpu"] is use_tpu
        sizes[mode] = [params["batch_size"], features["x"].shape[0]]
        start = tf.constant_initializer(0.1)
        w = tf.get_variable("w", [3, 1], initializer=start)
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        out = tf.matmul(features["x"], w) + b
        if mode == "infer":
            return tpu.TPUEstimatorSpec(mode, predictions={"y": out})
        loss = tf.reduce_mean(tf.square(out - labels))
        optimizer = make()
        if use_tpu:
            own = tf.tpu if odd.get("plain") else tpu
            optimizer = own.CrossShardOptimizer(optimizer, reduction=reduction)
        elif reduction == SUM:
            optimizer = tf.train.GradientDescentOptimizer(0.1)
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
        if odd.get("spec"):
            return estimator_shim.EstimatorSpec(mode, loss=loss, train_op=train_op)

        def metrics(labels: Any, out: Any) -> Any:
            ones = tf.ones_like(out)
            return {
                "mae": tf.metrics.mean_absolute_error(labels, out),
                "counted": tf.metrics.true_positives(ones, ones),
            }

        def seen(step: Any, loss: Any) -> Any:
            host_calls.append([int(step[0]), len(loss)])
            return np.int32(0)

        def host(step: Any, loss: Any) -> Any:
            return tf.py_func(seen, [step, loss], tf.int32)

        step = tf.reshape(tf.train.get_global_step(), [1])
        return tpu.TPUEstimatorSpec(
            mode, loss=loss, train_op=train_op, eval_metrics=(metrics, [labels, out]),
            host_call=(host, [step, tf.reshape(loss, [1])]) if mode == "train" else None,
        )  # fmt: skip

    def input_fn(params: Any) -> Any:
        dataset = tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat()
        return dataset.batch(params["batch_size"], drop_remainder=not odd.get("partial"))

    def predict_fn(params: Any) -> Any:
        return tf.data.Dataset.from_tensor_slices({"x": X[:11]}).batch(params["batch_size"])

    if use_tpu:
        _cores._found.setdefault(
            "local",
            tf.distribute.MirroredStrategy(
                ["CPU:0", "CPU:1"], tf.distribute.ReductionToOneDevice()
            ),
        )
    size = odd.get("size", 8)
    of_tpu = tpu.TPUConfig(**odd.get("of_tpu", {}))
    config = tpu.RunConfig(of_tpu, model_dir=tempfile.mkdtemp(), tf_random_seed=1)
    est = tpu.TPUEstimator(
        model_fn, use_tpu=use_tpu, train_batch_size=size, eval_batch_size=8, predict_batch_size=8,
        batch_axis=odd.get("axis"), config=config,
    )  # fmt: skip
    est.train(input_fn, steps=5)
    found = est.evaluate(input_fn, steps=3)
    predictions = [float(p["y"][0]) for p in est.predict(predict_fn)]
    return {
        "sizes": sizes,
        "names": est.get_variable_names(),
        "w": est.get_variable_value("w").ravel().tolist(),
        "predictions": predictions,
        "mae": float(found["mae"]),
        "loss": float(found["loss"]),
        "counted": float(found["counted"]),
        "step": int(found["global_step"]),
        "host_calls": host_calls,
    }


def error(**odd: Any) -> str:
    """What a TPUEstimator says of something that does not go."""
    try:
        run("adam", True, **odd)
    except (NotImplementedError, ValueError) as e:
        return f"{type(e).__name__}: {e}"
    return ""


def main() -> None:
    """Both ways with each optimizer, and errors."""
    tf.logging.set_verbosity(tf.logging.ERROR)
    tensorflow.config.set_logical_device_configuration(CPU, TWO)
    found: dict[str, Any] = {name: [run(name, False), run(name, True)] for name in OPTIMIZERS}
    found |= {"odd": error(size=7), "partial": error(partial=True), "spec": error(spec=True)}
    found |= {"plain": error(plain=True), "axis": error(axis=({"x": 1}, 0))}
    for key, value in (("num_shards", 4), ("experimental_host_call_every_n_steps", 2)):
        found[key] = error(of_tpu={key: value})
    print(json.dumps(found))


if __name__ == "__main__":
    main()
