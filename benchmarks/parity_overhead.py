"""What recording costs: a loop of 1,000 training steps with and without it.

    python benchmarks/parity_overhead.py [--steps 1000] [--repeat 5] [--json FILE]

Runs four loops (sessions on TF 1.15 if it is found, sessions, tf.function and eager on TF 2)
with ``"recording": false`` and ``true`` in turn, both with the same redirected randomness, and
prints the ratio of the times that the loop itself took. Imports and start-up are excluded; "whole
run" includes the recording's own work at the end. Exits with 1 if a ratio exceeds 1.3.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

from migrate.parity.environment import find_tf1, find_tf2
from migrate.parity.harness import Harness, Options, Program

BUDGET = 1.3
PROGRAMS = {
    "session": """
import sys, time, numpy as np, tensorflow as tf
if not tf.__version__.startswith("1."):
    tf = tf.compat.v1
    tf.disable_v2_behavior()
steps = int(sys.argv[1])
random = np.random.RandomState(0)
inputs, targets = random.randn(64, 64).astype("f"), random.randint(0, 10, 64)
x = tf.placeholder(tf.float32, [None, 64])
y = tf.placeholder(tf.int64, [None])
w1 = tf.get_variable("w1", [64, 128])
w2 = tf.get_variable("w2", [128, 10])
logits = tf.matmul(tf.nn.relu(tf.matmul(x, w1)), w2)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
train = tf.train.AdamOptimizer(0.001).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run([loss, train], {x: inputs, y: targets})
    began = time.perf_counter() if hasattr(time, "perf_counter") else time.time()
    for _ in range(steps):
        session.run([loss, train], {x: inputs, y: targets})
    print("LOOP %.6f" % (time.perf_counter() - began))
""",
    "function": """
import sys, time, numpy as np, tensorflow as tf
steps = int(sys.argv[1])
random = np.random.RandomState(0)
inputs = tf.constant(random.randn(64, 64).astype("f"))
targets = tf.constant(random.randint(0, 10, 64))
w1 = tf.Variable(tf.random.normal([64, 128], stddev=0.1))
w2 = tf.Variable(tf.random.normal([128, 10], stddev=0.1))
optimizer = tf.compat.v1.train.AdamOptimizer(0.001)
def train_step(x, y):
    with tf.GradientTape() as tape:
        logits = tf.matmul(tf.nn.relu(tf.matmul(x, w1)), w2)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
        loss = tf.reduce_mean(losses)
    optimizer.apply_gradients(zip(tape.gradient(loss, [w1, w2]), [w1, w2]))
    return loss
if sys.argv[2] == "graph":
    train_step = tf.function(train_step)
train_step(inputs, targets)
began = time.perf_counter()
for _ in range(steps):
    train_step(inputs, targets)
print("LOOP %.6f" % (time.perf_counter() - began))
""",
}
LOOPS = [
    ("sessions, TF 1", "tf1", "session", ()),
    ("sessions, TF 2", "tf2", "session", ()),
    ("tf.function, TF 2", "tf2", "function", ("graph",)),
    ("eager, TF 2", "tf2", "function", ("eager",)),
]


def main() -> int:
    """Measure, print a table, compare with the budget."""
    parser = argparse.ArgumentParser(description="What recording costs.")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    tf1, tf2 = find_tf1(), find_tf2()
    rows: list[dict[str, Any]] = []
    with Harness(Options(), tf1=tf1.path if tf1 else None, tf2=tf2.path) as harness:
        folder = Path(harness.folder.name) / "programs"
        folder.mkdir()
        for name, source in PROGRAMS.items():
            (folder / f"{name}.py").write_text(source, encoding="utf-8")
        for label, side, name, extra in LOOPS:
            if side == "tf1" and tf1 is None:
                print(f"{label:<20} not run: no Python with TensorFlow 1.15")
                continue
            program = Program(str(folder / f"{name}.py"), (str(options.steps), *extra))
            rows.append(_measure(harness, label, side, program, options.repeat))
            print("{label:<20} plain {plain:7.1f} ms  recorded {recorded:7.1f} ms  ratio "
                  "{ratio:.2f}  whole run {whole:.2f}".format(**rows[-1]), flush=True)  # fmt: skip
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    worst = max(row["ratio"] for row in rows)
    print(f"worst ratio {worst:.2f}, budget {BUDGET}")
    return int(worst > BUDGET)


def _measure(
    harness: Harness, label: str, side: str, program: Program, repeat: int
) -> dict[str, Any]:
    """Alternate plain and recorded runs; the medians cancel what else the machine does."""
    loops: dict[bool, list[float]] = {True: [], False: []}
    whole: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(repeat):
        for recording in (False, True):
            found = harness.run_program(side, program, recording=recording)
            if found.ending.get("code"):
                raise SystemExit(f"{label}: {found.ending.get('error')}")
            loops[recording].append(float(found.stdout.split("LOOP")[1].split()[0]))
            whole[recording].append(float(found.record["seconds"]))
    plain, recorded = statistics.median(loops[False]), statistics.median(loops[True])
    return {
        "label": label,
        "plain": 1000 * plain,
        "recorded": 1000 * recorded,
        "ratio": recorded / plain,
        "whole": statistics.median(whole[True]) / statistics.median(whole[False]),
    }


if __name__ == "__main__":
    sys.exit(main())
