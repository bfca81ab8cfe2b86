"""Nothing half, nothing lost: killed runs, full disks, no rights, outputs that are there."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from migrate.checkpoints import opening, staging
from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats import bundle

from .conftest import Run, golden

FORMATS = ("tf1", "tf2", "npz", "safetensors")
MIGRATE = [sys.executable, "-m", "migrate", "checkpoint"]


def names_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def large(path: Path, megabytes: int = 96) -> str:
    """A checkpoint that takes a moment to write."""
    np.savez(path, **{f"t{n}": np.zeros(1 << 18, np.float32) for n in range(megabytes)})
    return str(path)


@pytest.mark.parametrize("to", FORMATS)
def test_output_that_is_there(to: str, run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("convert", golden("mlp"), out, "--to", to)
    before = {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path)}
    assert "--overwrite" in run("convert", golden("embedding"), out, "--to", to, code=2).output
    assert {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path)} == before
    run("convert", golden("embedding"), out, "--to", to, "--overwrite")
    assert names_in(tmp_path) == sorted(before)
    run("compare", golden("embedding"), out, *(["--partial"] if to == "tf2" else []), code=None)
    with opening.reading(str(out)) as reader:
        assert "embeddings" in reader.tensors


@pytest.mark.parametrize("to", FORMATS)
def test_damaged_source_leaves_nothing(to: str, run: Run, tmp_path: Path) -> None:
    """Damage in the last tensor is found when most is written; then nothing is there."""
    source = tmp_path / "in"
    source.mkdir()
    for path in Path(golden("mlp")).glob("model.ckpt-3.*"):
        shutil.copy(path, source)
    data = source / "model.ckpt-3.data-00000-of-00001"
    raw = bytearray(data.read_bytes())
    raw[-1] ^= 4
    data.write_bytes(raw)
    out = tmp_path / "below" / "deep" / "out"
    result = run("convert", source / "model.ckpt-3", out, "--to", to, code=3)
    assert "checksum" in result.output
    assert names_in(tmp_path) == sorted(["in", *(f"in/{p.name}" for p in source.iterdir())])
    out = tmp_path / "out"
    run("convert", golden("embedding"), out, "--to", to)
    before = {p: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()}
    run("convert", source / "model.ckpt-3", out, "--to", to, "--overwrite", code=3)
    assert {p: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()} == before


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("to", ["tf1", "npz"])
def test_killed(number: signal.Signals, to: str, tmp_path: Path) -> None:
    """At many moments: what loads is whole, and the next run removes what a killed one left."""
    source = large(tmp_path / "in.npz")
    folder = tmp_path / "out"
    folder.mkdir()
    killed = 0
    for wait in (0.0, 0.03, 0.1, 0.2):
        child = subprocess.Popen(
            [*MIGRATE, "convert", source, str(folder / "m"), "--to", to, "--overwrite"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        end = time.monotonic() + 60
        while child.poll() is None and not list(folder.glob(".m.*")) and time.monotonic() < end:
            time.sleep(0.002)
        time.sleep(wait)
        if child.poll() is None:
            child.send_signal(number)
            killed += 1
        child.wait(60)
        try:
            with opening.reading(str(folder / "m")) as reader:
                assert len(reader.tensors) == 96
                assert all(not reader.read(name).any() for name in list(reader.tensors)[:3])
        except CheckpointError:
            assert not staging.present(str(folder / "m"), to == "tf1")
        if number != signal.SIGKILL:
            assert not list(folder.glob(".m.*"))
    assert killed
    words = ["convert", source, str(folder / "m"), "--to", to, "--overwrite"]
    done = subprocess.run([*MIGRATE, *words], check=False, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert not list(folder.glob(".m.*"))


@pytest.mark.parametrize("call", range(5))
def test_stopped_while_replacing(
    call: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between any two renames: the old checkpoint or the new one is there, whole."""
    from migrate.checkpoints.convert import Conversion, Request

    out = str(tmp_path / "m")
    with Conversion(Request(golden("mlp"), out, "tf1")) as made:
        made.write(made.plan())
    calls = 0

    def stopped(real: Callable[..., None]) -> Callable[..., None]:
        def rename(*words: str) -> None:
            nonlocal calls
            if calls == call:
                calls += 1
                raise KeyboardInterrupt
            calls += 1
            real(*words)

        return rename

    with monkeypatch.context() as patched:
        patched.setattr(staging.os, "rename", stopped(os.rename))
        patched.setattr(staging.os, "replace", stopped(os.replace))
        with Conversion(Request(golden("embedding"), out, "tf1", overwrite=True)) as made:
            if call < 4:  # two files aside, two new ones in place
                with pytest.raises(KeyboardInterrupt):
                    made.write(made.plan())
            else:
                made.write(made.plan())
    with opening.reading(out) as reader:
        assert ("embeddings" in reader.tensors) == (call == 4)
        for name in reader.tensors:
            reader.read(name)
    assert names_in(tmp_path) == ["checkpoint", "m.data-00000-of-00001", "m.index"]


def test_next_run_gives_back(run: Run, tmp_path: Path) -> None:
    """A run that was killed while it replaced: the next one finds the old checkpoint aside."""
    run("convert", golden("mlp"), tmp_path / "m")
    aside = tmp_path / f".m.999999999-0123abcd{staging.TEMPORARY}" / f"old{staging.TEMPORARY}"
    aside.mkdir(parents=True)
    for path in tmp_path.glob("m.*"):
        path.rename(aside / path.name)
    text = run("convert", golden("embedding"), tmp_path / "m", code=2).output
    assert "is there already" in text
    assert "21 tensors" in run("verify", tmp_path / "m").output
    assert not list(tmp_path.glob(".m.*"))


def test_free_space_is_asked_for_first(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(staging.shutil, "disk_usage", lambda path: usage(10**9, 10**9 - 999, 999))
    monkeypatch.setattr(bundle, "BundleWriter", None)  # nothing gets that far
    result = run("convert", golden("mlp"), tmp_path / "a" / "out", code=3)
    assert "999 are free" in result.output
    assert names_in(tmp_path) == []


def test_disk_full_in_the_middle(tmp_path: Path) -> None:
    source = large(tmp_path / "in.npz", 12)
    folder = tmp_path / "out"
    folder.mkdir()

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 20, 8 << 20))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    done = subprocess.run([*MIGRATE, "convert", source, str(folder / "m")], preexec_fn=limit,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 3
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert names_in(folder) == []


def test_no_right_to_write(tmp_path: Path) -> None:
    """Root may write anywhere, so the run gives that right away."""
    folder = tmp_path / "mine"
    folder.mkdir()
    source = tmp_path / "in.npz"
    np.savez(source, a=np.zeros(3))
    folder.chmod(0o555)

    def drop() -> None:
        if os.getuid() == 0:  # prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE)
            assert ctypes.CDLL(None).prctl(24, 1, 0, 0, 0) == 0

    done = subprocess.run([*MIGRATE, "convert", str(source), str(folder / "m")], preexec_fn=drop,
                          capture_output=True, text=True, check=False)  # fmt: skip
    folder.chmod(0o755)
    assert done.returncode == 3, done.stderr
    assert "Permission denied" in done.stderr
    assert names_in(folder) == []


def test_output_is_input(run: Run, tmp_path: Path) -> None:
    for path in Path(golden("mlp")).glob("model.ckpt-3.*"):
        shutil.copy(path, tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path)}
    result = run("convert", tmp_path, tmp_path / "model.ckpt-3", "--overwrite", code=2)
    assert "is an input" in result.output
    assert {name: (tmp_path / name).read_bytes() for name in names_in(tmp_path)} == before


def test_verify_notices(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that loses a bit after writing: --verify fails, and nothing is left."""
    real = bundle.BundleWriter.finish

    def finish(self: bundle.BundleWriter) -> None:
        real(self)
        path = bundle.shard_name(self._prefix, 0, 1)
        raw = bytearray(Path(path).read_bytes())
        raw[5] ^= 1
        Path(path).write_bytes(raw)

    monkeypatch.setattr(bundle.BundleWriter, "finish", finish)
    assert run("convert", golden("mlp"), tmp_path / "m", "--verify", code=3)
    assert names_in(tmp_path) == []


def test_state_file(run: Run, tmp_path: Path) -> None:
    """The folder's `checkpoint` names the new one, as a Saver does; another's stays."""
    run("convert", golden("mlp"), tmp_path / "m")
    run("show", tmp_path)
    run("convert", golden("embedding"), tmp_path / "n")
    assert 'model_checkpoint_path: "m"' in (tmp_path / "checkpoint").read_text()


def test_memory_and_pieces(tmp_path: Path) -> None:
    """A checkpoint of 256 MB is converted within little more than what starting takes."""
    source = str(tmp_path / "in")
    writer = bundle.BundleWriter(source)
    from migrate.checkpoints.formats.base import Content, Tensor

    block = np.zeros(8 << 20, np.float32)
    for number in range(8):
        writer.add(Content(Tensor(f"t{number}", "float32", block.shape), make=lambda: block))
    writer.finish()
    writer.close()
    script = (
        "import resource, sys; from migrate.cli import cli\n"
        "try: cli(sys.argv[1:])\n"
        "except SystemExit: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks = []
    for words in (("list", source), ("convert", source, str(tmp_path / "out"), "-q")):
        done = subprocess.run([sys.executable, "-c", script, "checkpoint", *words],
                              capture_output=True, text=True, check=True)  # fmt: skip
        peaks.append(int(done.stdout.split()[-1]) / 1024)
    assert peaks[1] - peaks[0] < 40
