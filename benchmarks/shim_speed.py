"""Training steps per second on the shim against TensorFlow 1.15.5, on one machine in one run.

    python benchmarks/shim_speed.py [--tf1-python PY37] [--tf2-python PY311] [--rounds N]

A graph-mode MLP, CNN and LSTM; the two interpreters take turns, and the best round of each
counts. Needs a Python 3.7 with TensorFlow 1.15.5 (or MIGRATE_TF1_PYTHON).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

WORKER = """
import json, os, sys, time
import numpy as np
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow
if tensorflow.__version__.startswith("1."):
    import tensorflow as tf
    shim = tf
else:
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
    from migrate import tf1_shim as shim
    tf.get_logger().setLevel("ERROR")

def mlp(random):
    x = tf.constant(random.normal(size=(128, 784)).astype(np.float32))
    h = shim.layers.dense(x, 256, activation=tf.nn.relu)
    h = shim.layers.dense(h, 128, activation=tf.nn.relu)
    return shim.layers.dense(h, 10), random.randint(0, 10, 128)

def cnn(random):
    x = tf.constant(random.normal(size=(32, 28, 28, 1)).astype(np.float32))
    h = shim.layers.conv2d(x, 16, 5, padding="same", use_bias=False)
    h = tf.nn.relu(shim.layers.batch_normalization(h, training=True))
    h = shim.layers.max_pooling2d(h, 2, 2)
    h = shim.layers.conv2d(h, 32, 5, padding="same", activation=tf.nn.relu)
    h = shim.layers.max_pooling2d(h, 2, 2)
    h = shim.layers.dense(shim.layers.flatten(h), 64, activation=tf.nn.relu)
    return shim.layers.dense(h, 10), random.randint(0, 10, 32)

def lstm(random):
    x = tf.constant(random.normal(size=(32, 20, 32)).astype(np.float32))
    cells = shim.nn.rnn_cell
    cell = cells.MultiRNNCell([cells.BasicLSTMCell(64) for _ in range(2)])
    out, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    return shim.layers.dense(out[:, -1, :], 10), random.randint(0, 10, 32)

found = {}
for build in (mlp, cnn, lstm):
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        logits, labels = build(np.random.RandomState(0))
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(10):
                sess.run(step)
            start, count = time.time(), 0
            while time.time() - start < float(sys.argv[1]):
                sess.run(step)
                count += 1
            found[build.__name__] = count / (time.time() - start)
print("RESULT " + json.dumps(found))
"""


def measure(python: str, seconds: float) -> dict[str, float]:
    """Steps per second of each model in a fresh process."""
    done = subprocess.run(
        [python, "-W", "ignore", "-c", WORKER, str(seconds)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))
    found: dict[str, float] = json.loads(line.removeprefix("RESULT "))
    return found


def main() -> int:
    """Print a table of steps per second and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tf1-python", default=os.environ.get("MIGRATE_TF1_PYTHON"))
    parser.add_argument("--tf2-python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3.0)
    args = parser.parse_args()
    if not args.tf1_python:
        parser.error("give --tf1-python or set MIGRATE_TF1_PYTHON")
    best: dict[str, dict[str, float]] = {"tf1": {}, "shim": {}}
    for _ in range(args.rounds):
        for side, python in (("tf1", args.tf1_python), ("shim", args.tf2_python)):
            for model, speed in measure(python, args.seconds).items():
                best[side][model] = max(speed, best[side].get(model, 0.0))
    print("model  TF 1.15.5 steps/s  shim steps/s  ratio")
    for model, old in best["tf1"].items():
        new = best["shim"][model]
        print(f"{model:5}  {old:17.1f}  {new:12.1f}  {new / old:5.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
