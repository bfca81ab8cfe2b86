"""Find out what a path is, and open it; which formats can be written."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from migrate.checkpoints.errors import CheckpointError, Usage
from migrate.checkpoints.formats.base import Reader, Tensor, Writer
from migrate.checkpoints.formats.bundle import INDEX, BundleReader

WRITTEN = {
    "tf1": "name-based V2 checkpoint, which TF 1.15 and 2.21 read",
    "tf2": "object-based TF 2 checkpoint",
    "h5": "Keras weights (.weights.h5)",
    "keras": "Keras model (.keras)",
    "npz": "NumPy arrays",
    "safetensors": "safetensors",
}
_SUFFIXES = {".h5": "h5", ".keras": "keras", ".npz": "npz", ".safetensors": "safetensors"}
_SHARD = re.compile(r"-(\d{5})-of-(\d{5})$")
_ALL_SHARDS = re.compile(r"-\?{5}-of-\d{5}$")  # how V1's files `checkpoint` name all of them
_PICKLES = (".pkl", ".pickle", ".pt", ".pth", ".joblib", ".ckpt.pkl", ".bin")
_MANY = 20
_DAMAGE = (ValueError, OverflowError, MemoryError, LookupError, TypeError, RecursionError)


def format_of(path: str) -> str:
    """The format that a path to be written asks for by its ending; ``tf1`` where it has none.

    Raises:
        Usage: an ending that none of the formats has.
    """
    lowered = path.lower()
    for suffix, name in _SUFFIXES.items():
        if lowered.endswith(suffix):
            return name
    if lowered.endswith((*_PICKLES, ".npy", ".pb", ".onnx", ".hdf5")):
        raise Usage(f"{path}: nothing with this ending is written; known: {', '.join(_SUFFIXES)}")
    return "tf1"


@contextmanager
def reading(path: str, *, names_only: bool = False) -> Iterator[Reader]:
    """Open a checkpoint of whatever kind.

    Raises:
        CheckpointError: it is none, it is damaged, or it can't be read here.
    """
    reader = open_checkpoint(path, names_only=names_only)
    try:
        yield reader
    finally:
        reader.close()


def open_checkpoint(path: str, *, names_only: bool = False) -> Reader:
    """Open a checkpoint of whatever kind; ``reading`` closes it again, too.

    With ``names_only`` data files of a V2 checkpoint may be missing: a note says so.
    """
    try:
        return _open(path, names_only)
    except CheckpointError:
        raise
    except OSError as error:
        raise CheckpointError(f"{error.filename or path}: {error.strerror or error}") from None
    except _DAMAGE as error:
        raise CheckpointError(f"{path}: damaged: {type(error).__name__}: {error}") from None


def _open(path: str, names_only: bool = False) -> Reader:
    if os.path.isdir(path):
        return _folder(path, names_only)
    path = _ALL_SHARDS.sub("", path)
    prefix = re.sub(r"(\.index|\.meta|\.data-\d{5}-of-\d{5})$", "", path)
    if prefix != path and not os.path.exists(prefix + INDEX):
        if path.endswith(".meta") and _v1_shards(prefix):
            return _v1(prefix)
        raise CheckpointError(f"{prefix}{INDEX}: No such file; without it {path} can't be read")
    if os.path.exists(prefix + INDEX):
        return _bundle(prefix, names_only)
    if os.path.isfile(path):
        return _file(path)
    if _v1_shards(path):
        return _v1(path)
    if glob.glob(glob.escape(path) + ".data-?????-of-?????"):
        raise CheckpointError(f"{path}{INDEX}: No such file; the data files beside need it")
    raise CheckpointError(f"{path}: no such file, and no checkpoint of that name")


def _bundle(prefix: str, names_only: bool = False) -> Reader:
    from migrate.checkpoints.formats.objects import GRAPH, ObjectReader

    inner = BundleReader(prefix, names_only=names_only)
    if inner.notes or GRAPH not in inner.tensors:
        return inner
    try:
        return ObjectReader(inner)
    except BaseException:
        inner.close()
        raise


def _folder(path: str, names_only: bool) -> Reader:
    if any(os.path.isfile(os.path.join(path, f"saved_model.{end}")) for end in ("pb", "pbtxt")):
        prefix = os.path.join(path, "variables", "variables")
        if not os.path.exists(prefix + INDEX):
            raise CheckpointError(f"{path}: a SavedModel without variables")
        return _bundle(prefix, names_only)
    latest = latest_checkpoint(path)
    if latest is not None:
        return _open(latest, names_only)
    found = sorted({name[: -len(INDEX)] for name in os.listdir(path) if name.endswith(INDEX)})
    if len(found) == 1:
        return _open(os.path.join(path, found[0]), names_only)
    if found:
        raise CheckpointError(
            f"{path}: {len(found)} checkpoints and no file `checkpoint` that names one: "
            f"{', '.join(found[:_MANY])}"
        )
    raise CheckpointError(f"{path}: no checkpoint and no SavedModel in this folder")


def latest_checkpoint(folder: str) -> str | None:
    """What the file ``checkpoint`` of a folder names, also where the folder has moved."""
    try:
        with open(os.path.join(folder, "checkpoint"), encoding="utf-8") as stream:
            text = stream.read(1 << 20)
    except (OSError, UnicodeDecodeError):
        return None
    match = re.search(r'^\s*model_checkpoint_path\s*:\s*"((?:[^"\\\n]|\\.)*)"', text, re.MULTILINE)
    if match is None:
        return None
    named = match[1].replace('\\"', '"').replace("\\\\", "\\")
    named = _ALL_SHARDS.sub("", named)
    tried = [os.path.join(folder, named), os.path.join(folder, re.split(r"[/\\]", named)[-1])]
    for prefix in tried:
        if os.path.exists(prefix + INDEX) or os.path.isfile(prefix) or _v1_shards(prefix):
            return prefix
    raise CheckpointError(
        f"{os.path.join(folder, 'checkpoint')} names {named!r}, which is neither there nor in "
        "this folder"
    )


def _v1_shards(prefix: str) -> list[str]:
    paths = glob.glob(glob.escape(prefix) + "-?????-of-?????")
    return sorted(path for path in paths if _SHARD.search(path))


def _v1(prefix: str) -> Reader:
    from migrate.checkpoints.formats.v1 import V1Reader

    shards = _v1_shards(prefix)
    counts = {int(match[2]) for path in shards if (match := _SHARD.search(path))}
    if len(counts) != 1 or len(shards) != counts.pop():
        raise CheckpointError(f"{prefix}: shards are missing; there are {', '.join(shards)}")
    return V1Reader(prefix, shards)


def _file(path: str) -> Reader:
    from migrate.checkpoints.formats import hdf5, sstable

    with open(path, "rb") as stream:
        head = stream.read(16)
        size = os.fstat(stream.fileno()).st_size
        stream.seek(max(0, size - len(sstable.MAGIC)))
        tail = stream.read()
    if not size:
        raise CheckpointError(f"{path}: an empty file")
    match = _SHARD.search(path)
    if tail == sstable.MAGIC:
        from migrate.checkpoints.formats.v1 import V1Reader

        return _v1(path[: match.start()]) if match else V1Reader(path, [path])
    if head.startswith(hdf5.SIGNATURE):
        return hdf5.Hdf5Reader(path)
    if head.startswith(b"PK"):
        return _archive(path)
    if head[:2] == b"\x80\x02" or head[:1] == b"\x80" or path.lower().endswith(_PICKLES):
        raise CheckpointError(
            f"{path}: a pickle, by content or ending; loading one can run any code, so pickles "
            "are never read. Save the arrays with numpy.savez where the pickle is trusted"
        )
    if head.startswith(b"\x93NUMPY"):
        raise CheckpointError(f"{path}: a single array; put it into an npz file with its name")
    if head[8:9] == b"{" or path.endswith(".safetensors"):
        from migrate.checkpoints.formats.safetensors import SafetensorsReader

        return SafetensorsReader(path)
    raise CheckpointError(f"{path}: no checkpoint that is known, or one that is damaged or cut off")


def _archive(path: str) -> Reader:
    from migrate.checkpoints.formats import keras_archive, npz

    with npz.opened(path) as archive:
        names = archive.namelist()
    if any(name.endswith("data.pkl") for name in names):
        raise CheckpointError(
            f"{path}: PyTorch's format, which holds a pickle; pickles are never read. Save the "
            "tensors as safetensors there"
        )
    if "config.json" in names or keras_archive.WEIGHTS in names:
        return keras_archive.KerasReader(path)
    return npz.NpzReader(path)


def new_writer(
    format_: str,
    path: str,
    tensors: list[Tensor],
    like: str | None,
    graph: bytes = b"",
    kept: Sequence[str] = (),
) -> Writer:
    """A writer for staged output at ``path``; ``like`` is a template where the format needs one.

    ``kept``: objects of a graph without a template that have no value in the file.
    """
    if format_ == "tf1":
        from migrate.checkpoints.formats.bundle import BundleWriter

        return BundleWriter(path)
    if format_ == "tf2":
        from migrate.checkpoints.formats.objects import ObjectWriter

        return ObjectWriter(path, tensors, graph, kept)
    if format_ == "npz":
        from migrate.checkpoints.formats.npz import NpzWriter

        return NpzWriter(path, tensors)
    if format_ == "safetensors":
        from migrate.checkpoints.formats.safetensors import SafetensorsWriter

        return SafetensorsWriter(path, tensors)
    if format_ == "h5":
        from migrate.checkpoints.formats.hdf5 import Hdf5Writer

        return Hdf5Writer(path, like)
    assert format_ == "keras"
    if like is None:
        raise Usage(
            "a .keras file holds a model, too: give one with --model module:callable, or a .keras "
            "file of the migrated program with --like"
        )
    from migrate.checkpoints.formats.keras_archive import KerasWriter

    return KerasWriter(path, like)
