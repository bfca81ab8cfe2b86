"""``.keras``: a zip of the model's configuration and its weights. Nothing in it is ever run."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats.base import PIECE, Content, Reader, Writer
from migrate.checkpoints.formats.bundle import sync
from migrate.checkpoints.formats.hdf5 import Hdf5Reader, Hdf5Writer
from migrate.checkpoints.formats.npz import READ_ERRORS, opened

if TYPE_CHECKING:
    from migrate.checkpoints.dtypes import Array

WEIGHTS = "model.weights.h5"
_CONFIG = ("metadata.json", "config.json")


def unpack(path: str, entry: str, target: str) -> None:
    """Copy an entry's bytes to a file, checked by its sum."""
    with opened(path) as archive:
        try:
            with archive.open(entry) as source, open(target, "wb") as stream:
                while data := source.read(PIECE):
                    stream.write(data)
        except KeyError:
            raise CheckpointError(
                f"{path}: it has no {entry}; weights in shards are not read here: save the model "
                "again with one file of weights"
            ) from None
        except READ_ERRORS as error:
            raise CheckpointError(f"{path}: damaged: {entry}: {error}") from None


def _check_json(archive: zipfile.ZipFile, path: str, entry: str) -> None:
    try:
        json.loads(archive.read(entry))
    except KeyError:
        raise CheckpointError(f"{path}: no .keras file: it has no {entry}") from None
    except (*READ_ERRORS, RecursionError) as error:
        raise CheckpointError(f"{path}: damaged: {entry}: {error}") from None


class KerasReader(Reader):
    """The weights of a ``.keras`` file; its configuration is checked to be JSON and not built."""

    format = "keras"
    words = "a Keras model"
    checksums = True

    def __init__(self, path: str) -> None:
        super().__init__(path)
        with opened(path) as archive:
            for entry in _CONFIG:
                _check_json(archive, path, entry)
        self._folder = tempfile.TemporaryDirectory(prefix="migrate-")
        try:
            weights = os.path.join(self._folder.name, WEIGHTS)
            unpack(path, WEIGHTS, weights)
            self._inner = Hdf5Reader(weights)
        except BaseException:
            self._folder.cleanup()
            raise
        self.tensors = self._inner.tensors
        self.aliases = self._inner.aliases

    def close(self) -> None:
        self._inner.close()
        self._folder.cleanup()

    def pieces(self, name: str) -> Iterator[bytes]:
        return self._inner.pieces(name)

    def strings(self, name: str) -> Array:
        return self._inner.strings(name)


class KerasWriter(Writer):
    """A template's archive with other weights."""

    def __init__(self, path: str, template: str) -> None:
        self._path, self._template = path, template
        self._weights = path + ".weights"
        blank = path + ".blank"
        unpack(template, WEIGHTS, blank)
        self._inner = Hdf5Writer(self._weights, blank)
        os.unlink(blank)

    def add(self, content: Content) -> None:
        self._inner.add(content)

    def finish(self) -> None:
        self._inner.finish()
        stream: BinaryIO
        with open(self._path, "wb") as stream:
            with opened(self._template) as old, zipfile.ZipFile(stream, "w") as new:
                for info in old.infolist():
                    if info.filename != WEIGHTS:
                        new.writestr(info, old.read(info))
                entry = zipfile.ZipInfo(WEIGHTS, (1980, 1, 1, 0, 0, 0))
                with (
                    open(self._weights, "rb") as source,
                    new.open(entry, "w", force_zip64=True) as into,
                ):
                    while data := source.read(PIECE):
                        into.write(data)
            sync(stream)
        os.unlink(self._weights)

    def close(self) -> None:
        self._inner.close()
