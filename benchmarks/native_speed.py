"""Training steps per second of native output against the original on TensorFlow 1.15.5.

    python benchmarks/native_speed.py [NAME ...] [--rounds 5] [--all] [--larger] [--cpu]
                                      [--json FILE]

Takes the session programs of fixtures/native that `migrate upgrade` brings to the native level
(--all: those too that are still marked pending), upgrades them anew, and lets original and result
take turns on one machine. Programs run unchanged: a training step is a `Session.run` that updates
variables by gradients, or the outermost `tf.function` (or eager) call that does. The time of a step
is the median from one such call to the next, the program's own work between them included; tracing,
graph building and evaluations fall out. The best round of each side counts. --cpu takes CPU time
(user + system, all threads) instead of the clock's: what to look at on a machine that is shared.

The fixtures are small: a step is 0.2 ms of which the call itself is most, on either side. --larger
takes those with sizes as in public code (784 inputs, batches of 128 ...), where the step is work.

Needs a Python 3.7 with TensorFlow 1.15.5 (or MIGRATE_TF1_PYTHON). A ratio above 1 means that the
result is faster. Exits with 1 where the median ratio is below 1.0 or the worst below 0.8.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

from migrate.parity.environment import find_tf1

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT / "scripts"))

import record_native_goldens as native  # noqa: E402

MEDIAN, WORST = 1.0, 0.8
FEWEST = 15  # intervals, for a median that means something

#: Runs in either interpreter: imports TensorFlow once and forks a child for each program.
WORKER = '''
import json, os, runpy, statistics, sys, time, traceback
import tensorflow as tf

STAMPS = []
CLOCK = time.process_time if "--cpu" in sys.argv else time.perf_counter


def stamp():
    STAMPS.append(CLOCK())


def watch_sessions():
    """Stamp the calls of Session.run and of callables that train."""
    from tensorflow.python.client.session import BaseSession
    seen = {}

    def trains(graph, fetches):
        fetched = []

        def walk(item):
            if isinstance(item, dict):
                item = list(item.values())
            if isinstance(item, (list, tuple)):
                for part in item:
                    walk(part)
            elif item is not None:
                fetched.append(item)
        walk(fetches)
        key = (id(graph), tuple(map(id, fetched)))
        if key not in seen:
            todo, known, updates, gradients = [], set(), False, False
            for item in fetched:
                element = graph.as_graph_element(getattr(item, "_as_graph_element", lambda: item)())
                todo.append(getattr(element, "op", element))
            while todo:
                op = todo.pop()
                if op in known:
                    continue
                known.add(op)
                updates |= "Apply" in op.type or op.type.startswith(("Assign", "Scatter"))
                gradients |= any(part.startswith("gradients") for part in op.name.split("/"))
                todo += [tensor.op for tensor in op.inputs] + list(op.control_inputs)
            seen[key] = (updates and gradients, fetched)
        return seen[key][0]

    run, make_callable = BaseSession.run, BaseSession.make_callable

    def watched_run(self, fetches, *args, **kwargs):
        if trains(self.graph, fetches):
            stamp()
        return run(self, fetches, *args, **kwargs)

    def watched_callable(self, fetches, *args, **kwargs):
        call, training = make_callable(self, fetches, *args, **kwargs), trains(self.graph, fetches)

        def watched(*args, **kwargs):
            if training:
                stamp()
            return call(*args, **kwargs)
        return watched

    BaseSession.run, BaseSession.make_callable = watched_run, watched_callable


def watch_functions():
    """Stamp the outermost calls of tf.functions that take gradients, and eager gradients."""
    function = type(tf.function(lambda: None))
    call, gradient = function.__call__, tf.GradientTape.gradient
    outermost, training = [], {}

    def watched_call(self, *args, **kwargs):
        if outermost:
            return call(self, *args, **kwargs)
        outermost.append(self)
        began = CLOCK()
        try:
            return call(self, *args, **kwargs)
        finally:
            outermost.pop()
            if id(self) in training:
                STAMPS.append(began)

    def watched_gradient(self, *args, **kwargs):
        if outermost:
            training[id(outermost[0])] = outermost[0]
        else:
            stamp()
        return gradient(self, *args, **kwargs)

    function.__call__, tf.GradientTape.gradient = watched_call, watched_gradient


def child(script, report):
    os.chdir(os.path.dirname(script))
    quiet = os.open(report + ".log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    sys.argv, error = [script], None
    sys.path.insert(0, os.path.dirname(script))
    try:
        (watch_sessions if tf.__version__.startswith("1.") else watch_functions)()
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        error = end.code
    except BaseException:
        error = traceback.format_exc()[-2000:]
    gaps = [after - before for before, after in zip(STAMPS, STAMPS[1:])]
    with open(report, "w") as stream:
        json.dump({"error": error, "gaps": len(gaps),
                   "step": statistics.median(gaps) if gaps else None}, stream)
        stream.flush()
    os._exit(0)


print("ready", flush=True)
for line in sys.stdin:
    script, report = json.loads(line)
    pid = os.fork()
    if pid == 0:
        child(script, report)
    os.waitpid(pid, 0)
    print("done", flush=True)
'''


class Worker:
    """An interpreter that has imported its TensorFlow and runs programs."""

    def __init__(self, python: str, folder: Path, *, cpu: bool) -> None:
        self.folder = folder
        folder.mkdir()
        environment = {
            key: value
            for key, value in os.environ.items()
            if key not in ("PYTHONPATH", "TF2_BEHAVIOR")
        }
        quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "MPLBACKEND": "Agg"}
        self.process = subprocess.Popen(
            [python, "-W", "ignore", "-c", WORKER, *(["--cpu"] if cpu else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**environment, **quiet},
            text=True,
        )
        self.answer("ready")

    def answer(self, expected: str) -> None:
        """Wait for a line of the worker."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        if line != expected:
            raise RuntimeError(f"the worker said {line!r}, not {expected!r}")

    def run(self, script: Path) -> tuple[float | None, int]:
        """Seconds of a step, and how many there were; raises RuntimeError if the program fails."""
        report = self.folder / "report.json"
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([str(script), str(report)]) + "\n")
        self.process.stdin.flush()
        self.answer("done")
        found = json.loads(report.read_text(encoding="utf-8"))
        if found["error"]:
            raise RuntimeError(str(found["error"]))
        return found["step"], found["gaps"]

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def measure(
    cases: list[native.Case], rounds: int, tf1: str, work: Path, *, larger: bool, cpu: bool
) -> dict[str, tuple[float, float]]:
    """Steps per second of each program that trains: the original's and the result's."""
    upgraded = native.upgrade(cases, work, larger=larger)
    found: dict[str, tuple[float, float]] = {}
    with (
        Worker(tf1, work / "tf1", cpu=cpu) as one,
        Worker(sys.executable, work / "tf2", cpu=cpu) as two,
    ):
        for case in cases:
            done = upgraded[case.name]
            if done.level != "native":
                print(f"{case.name:<24} not native", flush=True)
                continue
            before = native.script(work / "before" / case.name, case.entry)
            after = native.script(done.folder, case.entry)
            steps: list[tuple[float, float]] = []
            try:
                for _ in range(rounds):
                    (old, few), (new, fewer) = one.run(before), two.run(after)
                    if old is None or new is None or min(few, fewer) < FEWEST:
                        break
                    steps.append((old, new))
            except RuntimeError as error:
                print(f"{case.name:<24} failed: {error}", flush=True)
                continue
            if len(steps) < rounds:
                print(f"{case.name:<24} makes too few training steps", flush=True)
                continue
            old, new = (1 / min(column) for column in zip(*steps, strict=True))
            found[case.name] = old, new
            print(
                f"{case.name:<24} 1.15.5 {old:8.0f}  native {new:8.0f}  ratio {new / old:5.2f}",
                flush=True,
            )
    return found


def main() -> int:
    """Measure and print; 1 where the result is slower than it may be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--all", action="store_true", help="pending ones too")
    parser.add_argument("--larger", action="store_true", help="at the sizes of public code")
    parser.add_argument("--cpu", action="store_true", help="CPU seconds instead of the clock's")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--tf1-python", metavar="PYTHON")
    options = parser.parse_args()
    tf1 = find_tf1(options.tf1_python)
    if tf1 is None:
        parser.error("no Python with TensorFlow 1.15.5: set MIGRATE_TF1_PYTHON")
    cases = [
        case
        for case in native.cases()
        if case.level == "native"
        and (case.name in options.names if options.names else options.all or not case.pending)
        and (case.larger or not options.larger)
    ]
    with tempfile.TemporaryDirectory(prefix="native-speed-") as work:
        found = measure(
            cases, options.rounds, tf1.path, Path(work), larger=options.larger, cpu=options.cpu
        )
    if not found:
        print("nothing was measured")
        return 1
    ratios = {name: new / old for name, (old, new) in found.items()}
    median, worst = statistics.median(ratios.values()), min(ratios, key=lambda name: ratios[name])
    print(f"{len(ratios)} programs: median ratio {median:.2f}, worst {ratios[worst]:.2f} ({worst})")
    if options.json is not None:
        described = {
            name: {"before": old, "after": new, "ratio": new / old}
            for name, (old, new) in found.items()
        }
        options.json.write_text(json.dumps(described, indent=1) + "\n", encoding="utf-8")
    return 0 if median >= MEDIAN and ratios[worst] >= WORST else 1


if __name__ == "__main__":
    sys.exit(main())
