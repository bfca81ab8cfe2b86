"""Originals on TF 1.15.5 against what the tool makes of them on TF 2.21: `corpus.py run`."""

from __future__ import annotations

import collections
import functools
import gzip
import hashlib
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus_trees import PROJECT

SHORT = 20
#: The same edit on both sides, before anything runs.
LOOP_NAME = (
    r"(?:num_|n_|max_|train(?:ing)?_|total_)*"
    r"(?:epochs?|steps?|iters?|iterations?|episodes?|batches|training_steps)(?:_num|_count|_size)?"
)
LOOPS = [
    (re.compile(rf"(?im)^(\s*(?:self\.)?{LOOP_NAME}\s*=\s*)([\d_]+)(?=\s*(?:#.*)?$)"), SHORT),
    (re.compile(r"(?i)(\bx?range\(\s*(?:\d\s*,\s*)?)(\d{3,})(?=(?:\s*[-+]\s*\d+)?\s*\))"), SHORT),
    (
        re.compile(rf"(?i)(DEFINE_integer\(\s*['\"]{LOOP_NAME}['\"]\s*,\s*)(\d+)"),
        SHORT,
    ),
    (re.compile(r"(?im)^(\s*display_(?:step|every)\s*=\s*)(\d+)(?=\s*(?:#.*)?$)"), 5),
    (re.compile(r"(?i)(\bepochs\s*=\s*)(\d+)(?=\s*[,)])"), 2),
]
EPOCHS = re.compile(r"(?i)epoch")
READ_MNIST = re.compile(r"(read_data_sets\(\s*)(['\"])[^'\"]*\2")
TIMING = re.compile(
    r"(?i)\b(time|sec(ond)?s?|elapsed|duration|examples/sec|eta|took)\b|\d\d:\d\d:\d\d"
)
VOLATILE = re.compile(r"0x[0-9a-f]+|/tmp/\S+|\d{4}-\d\d-\d\d")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])|\b(?:nan|inf)\b")
RUNS = re.compile(r"\.run\(|Session\(|__main__|\.fit\(|enable_eager|\.eval\(|print")
TOLERANCE = 1e-3

LAUNCHER = '''\
"""Runs a script with reproducible random ops, without a display and without a network."""
import os, runpy, sys, types
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import matplotlib
except ImportError:
    try:
        from unittest import mock
    except ImportError:
        mock = None
    class Stub(mock.MagicMock):
        __path__ = []
        __all__ = []
        def __iter__(self):
            return iter([mock.MagicMock(), mock.MagicMock()])
    for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.cm", "matplotlib.animation",
                 "matplotlib.gridspec", "matplotlib.image", "mpl_toolkits",
                 "mpl_toolkits.mplot3d", "matplotlib.colors", "pylab"):
        sys.modules[name] = Stub(name=name)
    sys.modules["matplotlib"].pyplot = sys.modules["matplotlib.pyplot"]
    figure = (mock.MagicMock(), Stub(name="axes"))
    sys.modules["matplotlib.pyplot"].subplots = lambda *a, **k: figure
import numpy as np
def shown(cls, name):
    plain = getattr(cls, name)
    def method(self, *args, **kwargs):
        for arg in args:
            if isinstance(arg, str):
                print("plotted", arg)
                continue
            try:
                numbers = np.asarray(arg, dtype=float)
            except Exception:
                continue
            if numbers.size:
                print("plotted", np.mean(numbers), np.std(numbers))
        return plain(self, *args, **kwargs)
    setattr(cls, name, method)
try:
    from matplotlib.axes import Axes
    for name in ("plot", "scatter", "imshow", "text", "bar", "hist", "contourf", "set_title"):
        shown(Axes, name)
except ImportError:
    pass
import tensorflow as tf
import randomness
randomness.seed_generators(0)
plain_seed = np.random.seed
# MNIST's reader asks for a seed that nobody knows
np.random.seed = lambda seed=None: plain_seed(0 if seed is None else seed)
randomness.install(tf)
script = sys.argv[1]
with open(script, "rb") as file:
    text = file.read()
if tf.__version__.startswith("1."):
    # `import tensorflow.a.b as c` finds b on 1.15.5 only once something else has imported it
    if b"tensorflow.examples.tutorials" in text:
        import tensorflow.examples.tutorials.mnist.input_data
        sys.modules["tensorflow_core.examples"].tutorials = sys.modules[
            "tensorflow.examples.tutorials"]
    if b"tensorflow.contrib.eager" in text:
        tf.contrib.eager
sys.argv = sys.argv[1:]
sys.path[0] = os.path.dirname(os.path.abspath(script))
runpy.run_path(script, run_name="__main__")
'''


@dataclass
class Outcome:
    """How one program did on one TensorFlow."""

    status: str  # "ok", "failed", "timeout"
    stdout: str = ""
    error: str = ""
    seconds: float = 0.0


def run(
    root: Path,
    trees: list[tuple[str, Path]],
    python1: str,
    timeout: float,
    limit: int,
    match: str,
    level: str,
    results_folder: Path,
) -> int:
    """Run what runs on TF 1.15.5 on both sides; write a table."""
    results_folder.mkdir(parents=True, exist_ok=True)
    mnist = _synthetic_mnist(root / "mnist")
    rows = _earlier_results(results_folder)
    fresh: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="corpus-") as tmp:
        launcher = _write_launcher(Path(tmp))
        for name, tree in trees:
            if not tree.is_dir():
                print(f"{name}: not fetched")
                continue
            before, after = Path(tmp) / "before" / tree.name, Path(tmp) / "after" / tree.name
            _copy_with_edits(tree, before, mnist)
            _upgrade(before, after, level)
            candidates = [
                p
                for p in sorted(before.rglob("*.py"))
                if match in str(p.relative_to(before)) and _is_program(p)
            ]
            for script in candidates[: limit or None]:
                relative = script.relative_to(before)
                row = _compare_program(
                    name, relative, before, after, launcher, python1, timeout, root / "results"
                )
                rows[f"{name} {relative}"] = row
                fresh.append(row)
                print(
                    f"{name} {relative}: {row['verdict']}"
                    + (f" ({row['detail']})" if row["detail"] else ""),
                    flush=True,
                )
                _write_results(results_folder, rows)
            shutil.rmtree(before, ignore_errors=True)
            shutil.rmtree(after, ignore_errors=True)
    summary = collections.Counter(row["verdict"] for row in fresh)
    print(", ".join(f"{count} {verdict}" for verdict, count in summary.most_common()))
    print(f"{results_folder / 'run.md'}")
    return 0


def _compare_program(
    name: str,
    relative: Path,
    before: Path,
    after: Path,
    launcher: Path,
    python1: str,
    timeout: float,
    results: Path,
) -> dict[str, Any]:
    row: dict[str, Any] = {"repository": name, "program": str(relative), "detail": ""}
    one = _original(before, relative, launcher, python1, timeout, results / "tf1")
    row["seconds_1"] = round(one.seconds, 1)
    if one.status != "ok":
        row["verdict"], row["detail"] = f"{one.status} on 1.15.5", one.error
        return row
    numbers = _numbers(one.stdout)
    row["numbers"] = len(numbers)
    two = _execute(sys.executable, after, relative, launcher, timeout)
    row["seconds_2"] = round(two.seconds, 1)
    row["level"] = _level(after / relative)
    if two.status != "ok":
        row["verdict"], row["detail"] = f"{two.status} on 2.21", two.error
        return row
    if not numbers:
        row["verdict"] = "runs, prints no numbers"
        return row
    row["verdict"], row["detail"], row["worst"] = _verdict(numbers, _numbers(two.stdout))
    return row


def _verdict(one: list[float], two: list[float]) -> tuple[str, str, float | None]:
    if len(one) != len(two):
        return "differs", f"{len(one)} numbers against {len(two)}", None
    worst, where = 0.0, 0
    for i, (a, b) in enumerate(zip(one, two, strict=True)):
        if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
            error = 0.0 if a == b or (math.isnan(a) and math.isnan(b)) else math.inf
        else:
            error = abs(a - b) / max(1.0, abs(a))
        if error > worst:
            worst, where = error, i
    if worst > TOLERANCE:
        return "differs", f"number {where + 1}: {one[where]:g} against {two[where]:g}", worst
    return "same", "", worst


def _numbers(stdout: str) -> list[float]:
    found = []
    for line in stdout.splitlines():
        if not TIMING.search(line):
            found += [float(m) for m in NUMBER.findall(VOLATILE.sub("", line))]
    return found


def _level(path: Path) -> str:
    text = path.read_text(encoding="utf-8", errors="replace")
    return "compat" if re.search(r"compat\.v1|tf1_shim|estimator_shim", text) else "native"


def _is_program(path: Path) -> bool:
    text = path.read_text(encoding="utf-8", errors="replace")
    return "tensorflow" in text and RUNS.search(text) is not None


def _original(
    before: Path, relative: Path, launcher: Path, python1: str, timeout: float, cache: Path
) -> Outcome:
    """The run on TF 1.15.5, remembered by the text of the folder's files."""
    digest = hashlib.sha256(LAUNCHER.encode())
    for path in sorted((before / relative).parent.glob("*.py")):
        digest.update(path.read_bytes())
    digest.update((launcher.parent / "randomness.py").read_bytes())
    digest.update(f"{relative} {timeout} {os.environ.get('CORPUS_PACKAGES_1', '')}".encode())
    stored = cache / f"{digest.hexdigest()[:24]}.json"
    if stored.exists():
        return Outcome(**json.loads(stored.read_text()))
    found = _execute(python1, before, relative, launcher, timeout)
    cache.mkdir(parents=True, exist_ok=True)
    stored.write_text(json.dumps(vars(found)))
    return found


def _execute(python: str, tree: Path, relative: Path, launcher: Path, timeout: float) -> Outcome:
    script = tree / relative
    dead = "http://127.0.0.1:9"
    extra = os.environ.get("CORPUS_PACKAGES_1" if python != sys.executable else "CORPUS_PACKAGES_2")
    env = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "",
        "MPLBACKEND": "Agg",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONPATH": os.pathsep.join([str(PROJECT), str(tree), *([extra] if extra else [])]),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "http_proxy": dead,
        "https_proxy": dead,
        "HOME": str(tree.parent),
        "TMPDIR": str(tree.parent),
    }
    start = time.perf_counter()
    process = subprocess.Popen(
        [python, str(launcher), str(script)],
        cwd=script.parent,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return Outcome("timeout", seconds=timeout)
    seconds = time.perf_counter() - start
    stdout, stderr = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    if process.returncode:
        lines = [line for line in stderr.strip().splitlines() if line.strip()]
        errors = [x for x in lines if re.match(r"[\w.]*(Error|Exception|Exit|Interrupt)\b", x)]
        last = (errors or lines or [f"exit status {process.returncode}"])[-1]
        return Outcome("failed", stdout, last[:200], seconds)
    return Outcome("ok", stdout, "", seconds)


def _copy_with_edits(tree: Path, to: Path, mnist: Path) -> None:
    shutil.copytree(tree, to, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    for path in to.rglob("*.py"):
        if path.is_symlink():
            continue
        old = path.read_bytes()
        new = shorten(old.decode("utf-8", "surrogateescape"), mnist)
        path.write_bytes(new.encode("utf-8", "surrogateescape"))


def shorten(text: str, mnist: Path) -> str:
    """Fewer rounds, and MNIST from our own files."""
    # Python 3.7 and 3.11 hash strings differently, whatever PYTHONHASHSEED says.
    text = text.replace("list(set(", "sorted(set(")
    for pattern, most in LOOPS:
        text = pattern.sub(functools.partial(_at_most, most=most), text)
    return READ_MNIST.sub(lambda m: f"{m[1]}{m[2]}{mnist}{m[2]}", text)


def _at_most(match: re.Match[str], most: int) -> str:
    if EPOCHS.search(match[1]):
        most = min(most, 3)
    return match[1] + str(min(int(match[2].replace("_", "")), most))


def _upgrade(before: Path, after: Path, level: str) -> None:
    from migrate.engine import runner
    from migrate.engine.options import Options

    shutil.copytree(before, after, symlinks=True)
    options = Options(root=str(before), cache=False, level=level)  # type: ignore[arg-type]
    for result in runner.upgrade([str(before)], options):
        if result.after is not None:
            (after / result.path).write_bytes(result.after)


def _write_launcher(folder: Path) -> Path:
    shutil.copy(PROJECT / "migrate" / "parity" / "randomness.py", folder)
    launcher = folder / "launcher.py"
    launcher.write_text(LAUNCHER)
    return launcher


def _synthetic_mnist(folder: Path) -> Path:
    """6,000 + 1,000 pictures of ten blurred patterns, in the format of the four files of MNIST."""
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.RandomState(1)
    patterns = rng.uniform(0, 255, size=(10, 7, 7)).repeat(4, axis=1).repeat(4, axis=2)
    for prefix, count in (("train", 6000), ("t10k", 1000)):
        labels = rng.randint(10, size=count).astype(np.uint8)
        noise = rng.uniform(0, 255, size=(count, 28, 28))
        images = (0.7 * patterns[labels] + 0.3 * noise).astype(np.uint8)
        images_path = folder / f"{prefix}-images-idx3-ubyte.gz"
        if not images_path.exists():
            header = struct.pack(">IIII", 2051, count, 28, 28)
            images_path.write_bytes(gzip.compress(header + images.tobytes(), mtime=0))
            labels_path = folder / f"{prefix}-labels-idx1-ubyte.gz"
            header = struct.pack(">II", 2049, count)
            labels_path.write_bytes(gzip.compress(header + labels.tobytes(), mtime=0))
    return folder


def _earlier_results(folder: Path) -> dict[str, dict[str, Any]]:
    stored = folder / "run.json"
    rows = json.loads(stored.read_text(encoding="utf-8")) if stored.exists() else []
    return {f"{row['repository']} {row['program']}": row for row in rows}


def _write_results(folder: Path, found: dict[str, dict[str, Any]]) -> None:
    rows = [found[key] for key in sorted(found)]
    (folder / "run.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    summary = collections.Counter(row["verdict"] for row in rows)
    lines = ["# Corpus programs, TF 1.15.5 against the upgraded ones on TF 2.21", ""]
    lines += [f"- {count} {verdict}" for verdict, count in summary.most_common()]
    lines += ["", "| program | verdict | level | worst | detail |", "|---|---|---|---|---|"]
    for row in rows:
        worst = row.get("worst")
        lines.append(
            f"| {row['repository']} {row['program']} | {row['verdict']} | {row.get('level', '')} "
            f"| {'' if worst is None else f'{worst:.1e}'} | {row['detail'].replace('|', '/')} |"
        )
    (folder / "run.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
