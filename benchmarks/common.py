"""What the benchmarks share: one tree of files for all contenders, CPU time of child processes.

Every figure is a ratio of contenders in the same run on the same files, medians of ``--rounds``.
Times are user + system time of the child and of its children (``os.wait4``), so that what else the
machine does shifts little.
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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
FIXTURES = PROJECT / "fixtures" / "programs"
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "PYTHONHASHSEED": "0"}


@dataclass(frozen=True)
class Cost:
    """What one child process took."""

    cpu: float  # seconds, user + system
    peak: int  # KiB
    stdout: str


@dataclass(frozen=True)
class Tree:
    """The files of a run."""

    path: Path
    files: int
    lines: int


def parser(doc: str | None, lines: int = 60_000) -> argparse.ArgumentParser:
    """The options that all benchmarks have."""
    made = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    made.add_argument(
        "--tree",
        type=Path,
        default=os.environ.get("MIGRATE_CORPUS"),
        help="Python files to take, such as those of scripts/corpus.py fetch; default: the folder "
        "that MIGRATE_CORPUS names, else the fixture programs",
    )
    made.add_argument("--lines", type=int, default=lines, help="take about so many lines")
    made.add_argument("--rounds", type=int, default=3)
    return made


@contextmanager
def tree(source: Path | None, lines: int) -> Iterator[Tree]:
    """A copy of about ``lines`` lines of Python files; repeated where the source holds fewer."""
    origin = source or FIXTURES
    files = _by_turns(origin)
    if not files:
        sys.exit(f"no Python files in {origin}")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as tmp:
        count = total = 0
        for turn in itertools.count():
            for path in files:
                if total >= lines:
                    break
                data = path.read_bytes()
                to = Path(tmp) / "tree" / f"turn{turn}" / path.relative_to(origin)
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(data)
                count, total = count + 1, total + data.count(b"\n")
            if total >= lines:
                break
        print(f"{count:,} files, {total:,} lines from {origin}")
        yield Tree(Path(tmp) / "tree", count, total)


def _by_turns(origin: Path) -> list[Path]:
    """The files, one of each folder below the origin in turn, so that a part is a fair sample."""
    folders: dict[str, list[Path]] = {}
    for path in sorted(origin.rglob("*.py")):
        if path.is_file() and not path.is_symlink():
            folders.setdefault(path.relative_to(origin).parts[0], []).append(path)
    turns = itertools.zip_longest(*folders.values())
    return [path for turn in turns for path in turn if path is not None]


def environment() -> dict[str, str]:
    """A child's environment; compiled modules are kept, as they are where users run the tool."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **QUIET, "PYTHONPATH": str(PROJECT)}


def cost(command: Sequence[str | Path], ok: Sequence[int] = (0,), cwd: Path = PROJECT) -> Cost:
    """Run a command; what it took."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=cwd,
            env=environment(),
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode not in ok:
            sys.exit(f"{command}: exit {child.returncode}\n{err.read().decode()[-3000:]}")
        text = out.read().decode("utf-8", "replace")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, text)


def median(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)


def migrate(*words: str | Path) -> list[str | Path]:
    """The command under test, in one process and without its cache."""
    return [sys.executable, "-m", "migrate", *words]


def verdict(name: str, ratio: float, limit: float, *, at_least: bool) -> bool:
    """Print a ratio with the promise it must keep."""
    kept = ratio >= limit if at_least else ratio <= limit
    promise = f"{'at least' if at_least else 'at most'} {limit:g}"
    print(f"{name}: {ratio:.2f} ({promise}: {'kept' if kept else 'MISSED'})")
    return kept


# -- the peer ----------------------------------------------------------------------------

# Runs tf_upgrade_v2 file by file, since one crash of it ends a run over a tree. Only the work on
# the files is timed: neither importing TensorFlow nor building the tables counts against it.
PEER = """
import contextlib, io, json, os, sys, time
from tensorflow.tools.compatibility import ast_edits, tf_upgrade_v2
root, out = sys.argv[1:]
upgrader = ast_edits.ASTCodeUpgrader(tf_upgrade_v2.TFAPIChangeSpec(True, False))
crashed, emptied, lines, seconds = [], [], 0, 0.0
for folder, _, names in sorted(os.walk(root)):
    for name in sorted(names):
        path = os.path.join(folder, name)
        size = open(path, "rb").read().count(b"\\n")
        target = os.path.join(out, "out.py")
        start = time.process_time()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                upgrader.process_file(path, target)
        except Exception as error:
            crashed.append((os.path.relpath(path, root), type(error).__name__))
            continue
        finally:
            spent = time.process_time() - start
        if size and not os.path.getsize(target):
            emptied.append(os.path.relpath(path, root))
            continue
        seconds += spent
        lines += size
print(json.dumps([lines, seconds, crashed, emptied]))
"""


@dataclass(frozen=True)
class Peer:
    """What tf_upgrade_v2 did; files that it crashed on or emptied count in neither figure."""

    lines: int
    seconds: float
    crashed: list[tuple[str, str]]
    emptied: list[str]


def peer(path: Path) -> Peer:
    """One run of tf_upgrade_v2 over the tree."""
    with tempfile.TemporaryDirectory() as out:
        ran = cost([sys.executable, "-c", PEER, path, out])
    lines, seconds, crashed, emptied = json.loads(ran.stdout.splitlines()[-1])
    return Peer(lines, seconds, [tuple(c) for c in crashed], emptied)


def describe(found: Peer) -> None:
    """What the peer could not do, since its speed leaves it out."""
    print(
        f"tf_upgrade_v2 (without its import of TensorFlow): crashed on {len(found.crashed)} files, "
        f"emptied {len(found.emptied)}; both left out of its figures"
    )
    for name, error in found.crashed[:5]:
        print(f"  crashed: {name} ({error})")
    for name in found.emptied[:5]:
        print(f"  emptied: {name}")
