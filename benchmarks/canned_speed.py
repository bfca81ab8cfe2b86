"""Steps per second of canned Estimators: TF 1.15.5 against the shim, in one run.

    python benchmarks/canned_speed.py --tf1-python PY37 [--rounds 3] [--models dnn wide trees ...]

Census-like synthetic data: numbers, and strings from vocabularies and hashed. "dnn" is a
DNNClassifier, "wide" a DNNLinearCombinedClassifier (wide & deep), both on batches of 128 from
tf.data; "trees" BoostedTreesClassifier with a layer per batch of all examples, "batches" with a
layer per ten batches, "memory" with train_in_memory. Each round is a process of each interpreter,
one after the other and with the order turned round by round, so that both meet the same machine.
Ratios are medians of the rounds' ratios: "start" counts from the call of train to its end, after a
first training of one step; "steady" from the first line of the step counter on; "CPU" steps per
second of processor time, which other processes disturb least. Exits with 1 if a ratio of steps per
second is below 1.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CHILD = """
import glob, json, os, resource, sys, tempfile, time
import numpy as np
import tensorflow
tf = tensorflow.compat.v1
model, root = sys.argv[1:]
if tensorflow.__version__.startswith("1."):
    estimator = tf.estimator
else:
    sys.path.insert(0, root)
    from migrate import estimator_shim as estimator
tf.logging.set_verbosity(tf.logging.FATAL)
fc = tf.feature_column
rng = np.random.RandomState(0)
N = 1000 if model in ("trees", "batches", "memory") else 20000
NUMBERS, WORDS = ["n%d" % i for i in range(8)], ["w%d" % i for i in range(5)]
VOCABULARY = ["v%d" % i for i in range(12)]
X = {name: rng.normal(size=N).astype(np.float32) for name in NUMBERS}
X.update({name: rng.choice(np.array(VOCABULARY, object), N) for name in WORDS})
Y = (X["n0"] + X["n1"] * X["n2"] + (X["w0"] == "v3") + rng.normal(size=N) > 0.5).astype(np.int32)

def input_fn(batch):
    def make():
        ds = tf.data.Dataset.from_tensor_slices((X, Y)).batch(batch)
        return ds.cache().repeat().prefetch(4)
    return make

def whole():
    return {k: tf.constant(v) for k, v in X.items()}, tf.constant(Y)

numbers = [fc.numeric_column(n) for n in NUMBERS]
words = [fc.categorical_column_with_vocabulary_list(w, VOCABULARY) for w in WORDS]
cut = [fc.bucketized_column(n, [-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5]) for n in numbers]
shown = [fc.indicator_column(w) for w in words]
hashed = [fc.categorical_column_with_hash_bucket(w, 100) for w in WORDS]
config = estimator.RunConfig(tempfile.mkdtemp(), tf_random_seed=1)
trees = dict(n_trees=50 if model == "batches" else 100, max_depth=6, config=config)
if model == "dnn":
    est = estimator.DNNClassifier([64, 32], numbers + shown, config=config)
    fn, steps = input_fn(128), 3000
elif model == "wide":
    est = estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=cut + hashed + [fc.crossed_column(["w0", "w1"], 1000)],
        dnn_feature_columns=numbers + [fc.embedding_column(h, 8) for h in hashed],
        dnn_hidden_units=[64, 32], config=config)
    fn, steps = input_fn(128), 2000
elif model == "trees":
    est = estimator.BoostedTreesClassifier(cut + shown, 1, **trees)
    fn, steps = input_fn(N), 599
elif model == "batches":
    est = estimator.BoostedTreesClassifier(cut + shown, 10, **trees)
    fn, steps = input_fn(N // 10), 2989
else:
    est = estimator.BoostedTreesClassifier(cut + shown, 1, train_in_memory=True, **trees)
    fn, steps = whole, 599
est.train(fn, steps=1)
used, begin = resource.getrusage(resource.RUSAGE_SELF), time.time()
est.train(fn, steps=steps)
wall, after = time.time() - begin, resource.getrusage(resource.RUSAGE_SELF)
cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
loss = est.evaluate(fn, steps=5)["loss"]
tf.summary.FileWriterCache.clear()
found = []
for path in sorted(glob.glob(os.path.join(config.model_dir, "events*"))):
    for event in tf.train.summary_iterator(path):
        found += [v.simple_value for v in event.summary.value if v.tag == "global_step/sec"]
steady = len(found) / sum(1 / speed for speed in found)
seen = {"start": steps / wall, "steady": steady, "CPU": steps / cpu, "loss": float(loss)}
print(json.dumps(seen))
"""

MODELS = ("dnn", "wide", "trees", "batches", "memory")
SPEEDS = ("start", "steady", "CPU")


def measure(python: str, model: str) -> dict[str, float]:
    """One training in a process of its own."""
    env = {k: v for k, v in os.environ.items() if k not in ("TF_CONFIG", "PYTHONPATH")}
    env |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    command = [python, "-c", CHILD, model, str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> int:
    """Print a table of speeds and ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tf1-python", default=os.environ.get("MIGRATE_TF1_PYTHON"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    options = parser.parse_args()
    if not options.tf1_python:
        parser.error("--tf1-python or MIGRATE_TF1_PYTHON must name a Python with TensorFlow 1.15.5")
    print(f"{os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}", flush=True)
    slower = []
    for model in options.models:
        pairs = []
        for turn in range(options.rounds):
            both = {}
            for python in (options.tf1_python, sys.executable)[:: -1 if turn % 2 else 1]:
                both[python] = measure(python, model)
            pairs.append((both[options.tf1_python], both[sys.executable]))
        for speed in SPEEDS:
            old, new = (statistics.median(pair[i][speed] for pair in pairs) for i in (0, 1))
            ratio = statistics.median(b[speed] / a[speed] for a, b in pairs)
            print(f"{model:8} {speed:7} 1.15.5 {old:7.1f}  shim {new:7.1f}  {ratio:5.2f}x", end="")
            print(f"   losses {pairs[0][0]['loss']:.4f} {pairs[0][1]['loss']:.4f}", flush=True)
            if ratio < 1 and speed != "CPU":
                slower.append(f"{model} ({speed})")
    if slower:
        print(f"slower than TF 1.15.5: {', '.join(slower)}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
