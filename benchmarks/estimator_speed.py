"""Steps per second of Estimator.train: TF 1.15.5 and TF 2.15 against the shim.

    python benchmarks/estimator_speed.py --tf1-python PY37 [--tf215-python PY311]
        [--rounds 3] [--steps N] [--inputs N]

--tf215-python is a Python with `tensorflow==2.15.*` (the last one that had tf.estimator).

A model_fn of three dense layers (128-64-10) with Adam, batches of 128 from tf.data and from
numpy_input_fn, checkpoints and summaries as by default. Interpreters take turns, so that both meet
the same machine; medians of the rounds. "start" counts from the call of train to its end, "steady"
from the first line of the step counter on; "first step" counts from the call of train, and
with imports from the start of the interpreter. The load of the machine is printed too.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

CHILD = """
import json, os, sys, tempfile, time
launched = time.time()
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tensorflow
tf = tensorflow.compat.v1
kind, steps, mode, root = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
inputs = int(sys.argv[5])
if tensorflow.__version__.startswith(("1.", "2.15")):
    estimator = tf.estimator
else:
    sys.path.insert(0, root)
    from migrate import estimator_shim as estimator
    if mode == "v1":
        tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.FATAL)
rng = np.random.RandomState(0)
X = rng.rand(6000, inputs).astype(np.float32)
Y = rng.randint(0, 10, 6000)
if kind == "numpy":
    input_fn = estimator.inputs.numpy_input_fn({"x": X}, Y, 128, None, True)
else:
    def input_fn():
        ds = tf.data.Dataset.from_tensor_slices(({"x": X}, Y))
        return ds.shuffle(1000).repeat().batch(128).prefetch(8)

def dense(x, units, name):
    with tf.variable_scope(name):
        w = tf.get_variable("kernel", [x.shape[1], units])
        b = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        return tf.matmul(x, w) + b

def model_fn(features, labels, mode):
    x = tf.reshape(features["x"], [-1, inputs])
    x = tf.nn.relu(dense(x, 128, "a"))
    x = tf.nn.relu(dense(x, 64, "b"))
    logits = dense(x, 10, "c")
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

config = estimator.RunConfig(tempfile.mkdtemp(), tf_random_seed=1)
est = estimator.Estimator(model_fn, config=config)
begin = time.time()
est.train(input_fn, steps=1)
first = time.time() - begin
startup = time.time() - launched
begin = time.time()
est.train(input_fn, steps=steps)
whole = time.time() - begin
loss = est.evaluate(input_fn, steps=10)["loss"]
tf.summary.FileWriterCache.clear()
import glob
speeds = []
for path in glob.glob(os.path.join(config.model_dir, "events*")):
    for e in tf.train.summary_iterator(path):
        speeds += [v.simple_value for v in e.summary.value if v.tag == "global_step/sec"]
steady = len(speeds) / sum(1 / s for s in speeds)
print(json.dumps({"start": steps / whole, "steady": steady, "first": first, "startup": startup,
    "loss": float(loss)}))
"""


def measure(python: str, kind: str, steps: int, mode: str, inputs: int) -> dict[str, float]:
    """One training in a process of its own."""
    root = str(Path(__file__).resolve().parent.parent)
    env = {k: v for k, v in os.environ.items() if k != "TF_CONFIG"}
    done = subprocess.run(
        [python, "-c", CHILD, kind, str(steps), mode, root, str(inputs)],
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> None:
    """Print a table and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--tf1-python", default=os.environ.get("MIGRATE_TF1_PYTHON"), required=False
    )
    parser.add_argument("--tf215-python", default=os.environ.get("MIGRATE_TF215_PYTHON"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--inputs", type=int, default=784)
    options = parser.parse_args()
    if not options.tf1_python:
        parser.error("--tf1-python or MIGRATE_TF1_PYTHON must name a Python with TensorFlow 1.15.5")
    who = {
        "TF 1.15.5": (options.tf1_python, "v1"),
        **({"TF 2.15": (options.tf215_python, "v2")} if options.tf215_python else {}),
        "shim, v2 behaviour": (sys.executable, "v2"),
        "shim, v1 behaviour": (sys.executable, "v1"),
    }
    print(f"{os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}", flush=True)
    for kind in ("tf.data", "numpy"):
        runs: dict[str, list[dict[str, float]]] = {name: [] for name in who}
        for _ in range(options.rounds):
            for name, (python, mode) in who.items():
                runs[name].append(measure(python, kind, options.steps, mode, options.inputs))
        medians = {
            name: {k: statistics.median(r[k] for r in found) for k in found[0]}
            for name, found in runs.items()
        }
        theirs = [m for name, m in medians.items() if name.startswith("TF ")]
        base = {k: max(m[k] for m in theirs) for k in ("start", "steady")}
        for name, m in medians.items():
            print(
                f"{kind:8} {name:20} {m['start']:6.0f} steps/s from start "
                f"({m['start'] / base['start']:.2f}x), {m['steady']:6.0f} steady "
                f"({m['steady'] / base['steady']:.2f}x), first step {m['first']:.2f} s "
                f"({m['startup']:.2f} s with imports), "
                f"loss {m['loss']:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
