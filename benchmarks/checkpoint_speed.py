"""`migrate checkpoint` on a synthetic checkpoint: speed against `cp`, and peak memory.

    python benchmarks/checkpoint_speed.py [--megabytes N] [--rounds N] [--folder DIR]

The checkpoint has `--megabytes` MB in tensors of 4 MB and one of a quarter of it. Wall-clock times
of whole commands with their start, against `cp` of the same files and against `cp` followed by
`sync` of the copies: what is converted is on the disk before it gets its name. Every round runs all
contenders in turn; ratios are medians of the rounds'. The promise holds against either.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import common
import numpy as np

from migrate.checkpoints.formats.base import Content, Tensor
from migrate.checkpoints.formats.bundle import BundleWriter, shard_name

LIMIT_SPEED = 0.5
LIMIT_MEMORY = 300.0
FORMATS = ("tf1", "tf2", "npz", "safetensors")
STEP = 4 << 20


def synthetic(prefix: str, megabytes: int) -> tuple[int, int]:
    """Write a checkpoint; its bytes and those of its largest tensor."""
    total = megabytes * 1_000_000
    largest = total // 4
    random = np.random.default_rng(0)
    block = random.standard_normal(STEP // 4).astype(np.float32)
    big = np.resize(block, (largest // 1024, 256))
    writer = BundleWriter(prefix)
    writer.add(Content(Tensor("embedding", "float32", big.shape), make=lambda: big))
    written = big.nbytes
    for number in range((total - big.nbytes) // STEP):
        block[0] = number
        tensor = Tensor(f"layer_{number:04}/kernel", "float32", (block.size // 1024, 1024))
        writer.add(Content(tensor, make=lambda: block.reshape(-1, 1024)))
        written += block.nbytes
    writer.finish()
    writer.close()
    return written, big.nbytes


def timed(words: list[str]) -> tuple[float, float]:
    """Seconds and peak MB of a command."""
    start = time.perf_counter()
    found = common.cost(words)
    return time.perf_counter() - start, found.peak / 1024 * 1.048576


def copied(prefix: str, folder: Path) -> tuple[float, float]:
    """Seconds of cp of the same files, and of cp with sync of the copies."""
    files = [shard_name(prefix, 0, 1), f"{prefix}.index"]
    start = time.perf_counter()
    subprocess.run(["cp", *files, str(folder)], check=True)
    plain = time.perf_counter() - start
    copies = [str(folder / os.path.basename(path)) for path in files]
    subprocess.run(["sync", *copies], check=True)
    return plain, time.perf_counter() - start


def contenders(prefix: str, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Commands by name."""
    transposed = folder.parent / "map.json"
    transposed.write_text(
        '{"rules": [{"match": ".*", "to": "\\\\g<0>", "transform": ["transpose"]}]}'
    )
    for name in FORMATS:
        words = common.migrate("checkpoint", "convert", prefix, folder / "out", "--to", name, "-q")
        yield name, [str(word) for word in words]
    words = common.migrate("checkpoint", "convert", prefix, folder / "out", "-q")
    yield "tf1 transposed", [str(word) for word in (*words, "--map", transposed)]
    yield "tf1 --verify", [str(word) for word in (*words, "--verify")]


def main() -> int:
    """Measure, print, 1 where a promise is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where to write; default: a temporary folder")
    options = parser.parse_args()
    kept = True
    with tempfile.TemporaryDirectory(prefix="benchmark-", dir=options.folder) as tmp:
        folder = Path(tmp) / "out"
        prefix = str(Path(tmp) / "model.ckpt")
        # In a process of its own: a child's peak begins with what its parent holds.
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            total, largest = pool.apply(synthetic, (prefix, options.megabytes))
        print(f"{total / 1e6:,.0f} MB, the largest tensor {largest / 1e6:,.0f} MB")
        seconds: dict[str, list[float]] = {}
        ratios: dict[str, dict[str, list[float]]] = {}
        peaks: dict[str, float] = {}
        listing = common.migrate("checkpoint", "list", prefix)
        for _ in range(options.rounds):
            folder.mkdir()
            plain, synced = copied(prefix, folder)
            shutil.rmtree(folder)
            seconds.setdefault("cp", []).append(plain)
            seconds.setdefault("cp and sync", []).append(synced)
            for name, words in contenders(prefix, folder):
                folder.mkdir()
                took, peak = timed(words)
                shutil.rmtree(folder)
                seconds.setdefault(name, []).append(took)
                found = ratios.setdefault(name, {"cp": [], "cp and sync": []})
                found["cp"].append(plain / took)
                found["cp and sync"].append(synced / took)
                peaks[name] = max(peaks.get(name, 0.0), peak)
            took, peak = timed([str(word) for word in listing])
            seconds.setdefault("list", []).append(took)
            peaks["list"] = max(peaks.get("list", 0.0), peak)
        for name, values in seconds.items():
            more = f", peak {peaks[name]:.0f} MB" if name in peaks else ""
            print(f"{name}: {common.median(values):.2f} s{more}")
        for name in FORMATS:
            for what, found in ratios[name].items():
                ratio = common.median(found)
                title = f"{what} / convert to {name}"
                kept &= common.verdict(title, ratio, LIMIT_SPEED, at_least=True)
        limit = largest / 1e6 + LIMIT_MEMORY
        for name, peak in peaks.items():
            kept &= common.verdict(f"peak of {name}, MB", peak, limit, at_least=False)
        print(f"of which NumPy and the command by themselves: {peaks['list']:.0f} MB")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
