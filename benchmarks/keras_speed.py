"""Steps per second of what `migrate upgrade --to keras` writes, against Estimator.train.

    python benchmarks/keras_speed.py --tf1-python PY37 [--rounds 3] [--steps N] [--inputs N] [--cpu]

One program, a model_fn of three dense layers (128-64-10) with Adam on batches of 128, is upgraded
by the command; the original runs on TF 1.15.5, the result on this interpreter, in turns, so that
both meet the same machine; medians of the rounds. Input comes from numpy_input_fn and from tf.data,
with a model_dir (checkpoints and summaries as by default) and without. "start" counts from the call
of `train` or `fit` to its end, "steady" is what a longer call costs more than a shorter one; "cpu"
is steps per second of CPU time, all threads. --cpu judges by that, for a machine that others use.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """
import json
import sys
import tempfile
import time

import numpy as np
import tensorflow as tf

STEPS, INPUTS = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.RandomState(0)
images = rng.rand(6000, INPUTS).astype(np.float32)
digits = rng.randint(0, 10, 6000)


def model_fn(features, labels, mode):
    net = tf.layers.dense(features['x'], 128, activation=tf.nn.relu)
    net = tf.layers.dense(net, 64, activation=tf.nn.relu)
    logits = tf.layers.dense(net, 10)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


INPUT_FN
estimator = tf.estimator.Estimator(model_fn, FOLDER)
estimator.train(train_input_fn, steps=100)
begin = time.time()
estimator.train(train_input_fn, steps=STEPS // 4)
short = time.time() - begin
begin, used = time.time(), time.process_time()
estimator.train(train_input_fn, steps=STEPS)
whole, used = time.time() - begin, time.process_time() - used
speed = {'start': STEPS / whole, 'steady': (STEPS - STEPS // 4) / (whole - short)}
print(json.dumps(dict(speed, cpu=STEPS / used)))
"""
INPUTS = {
    "numpy": """train_input_fn = tf.estimator.inputs.numpy_input_fn(
    {'x': images}, digits, batch_size=128, num_epochs=None, shuffle=True)
""",
    "tf.data": """def train_input_fn():
    dataset = tf.data.Dataset.from_tensor_slices(({'x': images}, digits))
    return dataset.shuffle(1000).repeat().batch(128).prefetch(8)


""",
}
FOLDERS = {"model_dir": "tempfile.mkdtemp()", "no model_dir": "None"}


def upgraded(text: str, folder: Path) -> tuple[Path, Path]:
    """A program and what the command makes of it."""
    before, after = folder / "before", folder / "after"
    before.mkdir(parents=True)
    (before / "program.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "migrate", "upgrade", "--to", "keras", "--no-cache"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([*command, "--out", after, before], check=False, capture_output=True, env=env)
    new = after / "program.py"
    if "keras.Model" not in (written := new.read_text(encoding="utf-8")):
        sys.exit(f"not upgraded to Keras:\n{written}")
    return before / "program.py", new


def measure(python: str, program: Path, options: argparse.Namespace) -> dict[str, float]:
    """One run in a process of its own."""
    env = {k: v for k, v in os.environ.items() if k not in ("TF_CONFIG", "PYTHONPATH")}
    env |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [python, str(program), str(options.steps), str(options.inputs)],
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> int:
    """Print a table; whether each ratio is at least 1."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tf1-python", default=os.environ.get("MIGRATE_TF1_PYTHON"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--inputs", type=int, default=784)
    parser.add_argument("--cpu", action="store_true")
    options = parser.parse_args()
    if not options.tf1_python:
        parser.error("--tf1-python or MIGRATE_TF1_PYTHON must name a Python with TensorFlow 1.15.5")
    print(f"{os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}", flush=True)
    kept = True
    with tempfile.TemporaryDirectory(prefix="keras-speed-") as folder:
        for number, (kind, place) in enumerate(itertools.product(INPUTS, FOLDERS)):
            text = PROGRAM.replace("INPUT_FN\n", INPUTS[kind]).replace("FOLDER", FOLDERS[place])
            before, after = upgraded(text, Path(folder) / str(number))
            runs: dict[str, list[dict[str, float]]] = {"1.15.5": [], "Keras": []}
            for _ in range(options.rounds):
                runs["1.15.5"].append(measure(options.tf1_python, before, options))
                runs["Keras"].append(measure(sys.executable, after, options))
            old, new = (
                {k: statistics.median(r[k] for r in found) for k in found[0]}
                for found in runs.values()
            )
            ratios = {k: new[k] / old[k] for k in old}
            judged = {k for k in ratios if (k == "cpu") == options.cpu}
            kept = kept and all(ratios[k] >= 1 for k in judged)
            for key, ratio in ratios.items():
                print(
                    f"{kind:8} {place:13} {key:7} Estimator.train {old[key]:6.0f} steps/s, "
                    f"fit {new[key]:6.0f}: {ratio:.2f}x",
                    flush=True,
                )
    print(f"at least 1.0 everywhere: {'kept' if kept else 'MISSED'}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
