"""Damaged input: more than a thousand files, none crashes, none gives an output."""

from __future__ import annotations

import json
import os
import random
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from migrate.checkpoints.convert import Conversion, Request
from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats import bundle, crc, sstable
from migrate.checkpoints.opening import open_checkpoint, reading

from .conftest import Run, golden

Damage = Callable[[random.Random, bytearray], bytearray]
ROUNDS = 45


def flip(rng: random.Random, raw: bytearray) -> bytearray:
    raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
    return raw


def cut(rng: random.Random, raw: bytearray) -> bytearray:
    return raw[: rng.randrange(len(raw))]


def fill(rng: random.Random, raw: bytearray) -> bytearray:
    start = rng.randrange(len(raw))
    size = min(rng.randrange(1, 64), len(raw) - start)
    raw[start : start + size] = rng.choice((b"\0", b"\xff", b"\x80")) * size
    return raw


def drop(rng: random.Random, raw: bytearray) -> bytearray:
    start = rng.randrange(len(raw))
    del raw[start : start + rng.randrange(1, 32)]
    return raw


def insert(rng: random.Random, raw: bytearray) -> bytearray:
    start = rng.randrange(len(raw))
    raw[start:start] = rng.randbytes(rng.randrange(1, 32))
    return raw


DAMAGES: tuple[Damage, ...] = (flip, cut, fill, drop, insert)


def sources(folder: Path) -> dict[str, str]:
    """Checkpoints of every format, below a folder."""
    made = {}
    for name, path in (("v2", "dtypes"), ("sharded", "sharded"), ("v1", "dtypes_v1")):
        shutil.copytree(golden(path), folder / name)
        made[name] = str(folder / name / "model.ckpt")
    npz = str(folder / "a.npz")
    convert(made["v2"], npz)
    made["npz"] = npz
    made["keras"] = str(folder / "m.keras")
    archive(Path(made["keras"]))
    made["tf2"] = str(folder / "tf2" / "m")
    convert(golden("mlp"), made["tf2"], "tf2")
    return made


def archive(path: Path) -> None:
    """A .keras file without Keras."""
    import h5py

    weights = path.with_suffix(".h5")
    with h5py.File(weights, "w") as stream:
        stream["layers/dense/vars/0"] = np.arange(12.0, dtype=np.float32).reshape(3, 4)
        stream["layers/dense/vars/1"] = np.ones(4, np.float32)
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("metadata.json", "{}")
        made.writestr("config.json", json.dumps({"class_name": "Sequential"}))
        made.write(weights, "model.weights.h5")


def convert(source: str, out: str, to: str | None = None) -> None:
    with Conversion(Request(source, out, to or ("npz" if out.endswith("z") else "tf1"))) as made:
        made.write(made.plan())


def contents(path: str) -> dict[str, Any]:
    with reading(path) as reader:
        return {
            name: (t.dtype, t.shape, reader.read(name).tolist())
            for name, t in reader.tensors.items()
        }


def files_of(path: str) -> list[Path]:
    if os.path.isfile(path):
        return [Path(path)]
    folder = Path(path).parent
    return sorted(f for f in folder.glob(Path(path).name + "*") if f.stat().st_size)


@pytest.mark.parametrize("kind", ["v2", "sharded", "v1", "npz", "keras", "tf2"])
def test_damage(kind: str, tmp_path: Path) -> None:
    """Formats with checksums: whatever is damaged is an error, or did not matter at all."""
    rng = random.Random(kind)
    source = sources(tmp_path)[kind]
    whole = contents(source)
    out = tmp_path / "out" / "m"
    outputs = harmless = tried = 0
    for round_ in range(ROUNDS):
        for damage in DAMAGES:
            for path in files_of(source):
                before = path.read_bytes()
                after = bytes(damage(rng, bytearray(before)))
                if after == before:
                    continue
                path.write_bytes(after)
                tried += 1
                try:
                    convert(source, str(out))
                except CheckpointError:
                    assert not out.parent.exists(), (kind, round_, damage.__name__)
                else:
                    # Unused bytes: padding of a footer, a zip's dates and permissions.
                    outputs += 1
                    assert contents(str(out)) == whole, (kind, round_, damage.__name__, path.name)
                    harmless += 1
                    shutil.rmtree(out.parent)
                path.write_bytes(before)
    assert tried >= 200
    assert outputs == harmless
    assert harmless < tried / 10


def test_damage_without_checksums(tmp_path: Path) -> None:
    """HDF5 and safetensors can't tell a flipped bit in a value; none crashes, none is half."""
    rng = random.Random(5)
    safe = tmp_path / "a.safetensors"
    convert_to(golden("mlp"), safe, "safetensors")
    archive(tmp_path / "m.keras")
    tried = errors = 0
    for path, rounds in ((safe, 40), (tmp_path / "m.h5", 7)):
        before = path.read_bytes()
        names = set(contents(str(path)))
        for _ in range(rounds):
            for damage in DAMAGES:
                path.write_bytes(bytes(damage(rng, bytearray(before))))
                tried += 1
                out = tmp_path / "out" / "m"
                try:
                    convert(str(path), str(out))
                except CheckpointError:
                    errors += 1
                    assert not out.parent.exists()
                    continue
                assert len(contents(str(out))) <= len(names) + 1
                shutil.rmtree(out.parent)
            for size in (0, 1, 7, 8, 9, len(before) - 1):
                path.write_bytes(before[:size])
                tried += 1
                with pytest.raises(CheckpointError):
                    open_checkpoint(str(path)).close()
                errors += 1
                if path.suffix == ".h5":
                    break
        path.write_bytes(before)
    assert tried > 230
    assert errors > tried / 3


def convert_to(source: str, out: Path, to: str) -> None:
    with Conversion(Request(source, str(out), to)) as made:
        made.write(made.plan())


# -- valid checksums around nonsense -------------------------------------------------------


def entries(path: str) -> list[tuple[bytes, bytes]]:
    table = sstable.Table(path)
    found = list(table)
    table.close()
    return found


def rewrite(path: str, items: list[tuple[bytes, bytes]]) -> None:
    with open(path, "wb") as stream:
        sstable.write(stream, iter(items))


def test_index_with_right_checksums(tmp_path: Path) -> None:
    """An index whose sums are right says nonsense: sizes, shards, shapes, dtypes, names."""
    source = str(tmp_path / "m")
    convert(golden("mlp"), source)
    index, items = source + ".index", entries(source + ".index")
    rng = random.Random(7)
    whole = contents(source)
    tried = 0
    for _ in range(400):
        changed = [list(item) for item in items]
        place = rng.randrange(len(changed))
        value = changed[place][1]
        raw = DAMAGES[rng.randrange(5)](rng, bytearray(value or b"x"))
        changed[place][1] = bytes(raw)
        rewrite(index, [(k, v) for k, v in changed])
        out = tmp_path / "out" / "n"
        tried += 1
        try:
            convert(source, str(out))
        except CheckpointError:
            assert not out.parent.exists()
            continue
        assert contents(str(out)) == whole
        shutil.rmtree(out.parent)
    assert tried == 400


# -- what people have lying around ----------------------------------------------------------


def test_wrong_pairs(run: Run, tmp_path: Path) -> None:
    """Index and data of different checkpoints, missing shards, a missing index."""
    for name in ("mlp", "averages", "sharded"):
        shutil.copytree(golden(name), tmp_path / name)
    mlp = tmp_path / "mlp" / "model.ckpt-3"
    rule = {"match": "(dense.*|beta.*|global_step)", "to": r"\1", "transform": [{"multiply": 2}]}
    (tmp_path / "twice.json").write_text(json.dumps({"rules": [rule]}))
    run("convert", mlp, tmp_path / "twice" / "m", "--map", tmp_path / "twice.json")
    shutil.copy(tmp_path / "twice/m.data-00000-of-00001", f"{mlp}.data-00000-of-00001")
    assert "different checkpoints" in run("verify", mlp, code=3).output
    run("convert", mlp, tmp_path / "out" / "m", code=3)
    (tmp_path / "sharded" / "model.ckpt.data-00001-of-00003").unlink()
    assert "00001-of-00003" in run("convert", tmp_path / "sharded", tmp_path / "o", code=3).output
    (tmp_path / "averages" / "model.ckpt.index").unlink()
    text = run("convert", tmp_path / "averages" / "model.ckpt", tmp_path / "o", code=3).output
    assert ".index" in text
    shutil.copytree(golden("sharded_v1"), tmp_path / "v1")
    (tmp_path / "v1" / "model.ckpt-00002-of-00003").unlink()
    assert "shards are missing" in run("convert", tmp_path / "v1", tmp_path / "o", code=3).output
    shutil.copy(golden("dtypes_v1/model.ckpt"), tmp_path / "v1" / "model.ckpt-00002-of-00003")
    run("convert", tmp_path / "v1", tmp_path / "mixed", "--include", "on_", code=0)
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "o.index").exists()


def test_pickles(run: Run, tmp_path: Path) -> None:
    """A pickle that would leave a file behind is never loaded."""
    import pickle

    mark = tmp_path / "ran"

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (mark,))

    payload = pickle.dumps(Evil())
    (tmp_path / "a.pkl").write_bytes(payload)
    (tmp_path / "b.ckpt").write_bytes(payload)
    (tmp_path / "c.npz").write_bytes(payload)
    np.savez(tmp_path / "d.npz", a=np.array([Evil()], dtype=object))
    with zipfile.ZipFile(tmp_path / "e.pt", "w") as made:
        made.writestr("archive/data.pkl", payload)
    for name in ("a.pkl", "b.ckpt", "c.npz", "d.npz", "e.pt"):
        for command in (("list",), ("convert",)):
            more = [tmp_path / "out"] if command == ("convert",) else []
            result = run(*command, tmp_path / name, *more, code=3)
            assert "pickle" in result.output, (name, result.output)
    assert not mark.exists()
    assert not (tmp_path / "out.index").exists()


def test_bombs(tmp_path: Path) -> None:
    """Sizes that are only claimed take no memory."""
    head = json.dumps({"a": {"dtype": "F32", "shape": [1 << 40], "data_offsets": [0, 1 << 42]}})
    safe = struct.pack("<Q", len(head)) + head.encode()
    (tmp_path / "a.safetensors").write_bytes(safe)
    (tmp_path / "b.safetensors").write_bytes(struct.pack("<Q", 1 << 60) + b"{}")
    deep = "[" * 100_000
    (tmp_path / "c.safetensors").write_bytes(struct.pack("<Q", len(deep)) + deep.encode())
    with zipfile.ZipFile(tmp_path / "d.npz", "w") as made:
        shape = str((1 << 50,))
        text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
        made.writestr("a.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
    from migrate.checkpoints.formats import snappy, wire

    for path in sorted(tmp_path.iterdir()):
        with pytest.raises(CheckpointError):
            open_checkpoint(str(path)).close()
    with pytest.raises(CheckpointError):
        snappy.decompress(wire.encoded(1 << 40) + b"\0\0")


def test_snappy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kind of element; and a table of compressed blocks, as TensorFlow before 1.0 wrote."""
    from migrate.checkpoints.formats import wire
    from migrate.checkpoints.formats.snappy import decompress

    assert decompress(b"\x05\x10hello") == b"hello"
    assert decompress(b"\x08\x00a\x0d\x01") == b"a" * 8
    assert decompress(bytes([10, 0x04]) + b"ab" + bytes([0x01 | (4 << 2), 2])) == b"ababababab"
    assert decompress(bytes([6, 0x08]) + b"abc" + bytes([0x0A, 3, 0])) == b"abcabc"
    assert decompress(bytes([6, 0x08]) + b"abc" + bytes([0x0B, 3, 0, 0, 0])) == b"abcabc"

    def put(stream: Any, block: bytes) -> int:
        length = (len(block) - 1).to_bytes(2, "little")
        data = wire.encoded(len(block)) + bytes([61 << 2]) + length + block + b"\1"
        stream.write(data + crc.mask(crc.extend(0, data)).to_bytes(4, "little"))
        return len(data) - 1

    monkeypatch.setattr(sstable, "_put", put)
    convert(golden("mlp"), str(tmp_path / "m"))
    assert contents(str(tmp_path / "m")) == contents(golden("mlp"))


def test_bundle_refuses_names(tmp_path: Path) -> None:
    from migrate.checkpoints.formats.base import Content, Tensor

    writer = bundle.BundleWriter(str(tmp_path / "m"))
    one = np.zeros((), np.float32)
    for name in ("", "\0x"):
        with pytest.raises(CheckpointError):
            writer.add(Content(Tensor(name, "float32", ()), make=lambda: one))
    writer.add(Content(Tensor("a", "float32", ()), make=lambda: one))
    with pytest.raises(CheckpointError):
        writer.add(Content(Tensor("a", "float32", ()), make=lambda: one))
    with pytest.raises(CheckpointError):
        writer.add(Content(Tensor("b", "int32", ()), make=lambda: one))
    writer.close()
