"""What a new checkpoint has to hold: read from a file of the new program, or asked of its model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from migrate.checkpoints.errors import CheckpointError, Usage
from migrate.checkpoints.formats.base import Reader, Tensor
from migrate.checkpoints.formats.objects import ObjectReader
from migrate.checkpoints.maps.plan import Target
from migrate.checkpoints.opening import reading

if TYPE_CHECKING:
    from migrate.checkpoints.dtypes import Array

_CHILD = Path(__file__).with_name("model_child.py")
_PATIENCE = 1800.0
_LINES = 15


@contextmanager
def of_file(path: str) -> Iterator[Target]:
    """A target like a file that the new program wrote."""
    with reading(path) as reader:
        if isinstance(reader, ObjectReader):
            reader.load_graph()
        yield Target(reader, os.path.basename(path))


@contextmanager
def of_model(spec: str, format_: str) -> Iterator[tuple[Target, str]]:
    """A target for MODULE:CALLABLE, and the template that its program wrote.

    The user's code runs in a process of its own, so that neither TensorFlow nor the model's weights
    are in this one.
    """
    with tempfile.TemporaryDirectory(prefix="migrate-model-") as folder:
        found = described(spec, format_, folder)
        template = found["template"]
        with of_file(template) as target:
            target.words = spec
            target.spellings = found["names"]
            order = found.get("order") or list(found["names"])
            _sort(target, [str(name) for name in order])
            yield target, template


def _sort(target: Target, order: list[str]) -> None:
    """Bring the tensors into the order in which the model makes them."""
    rank = {name: number for number, name in enumerate(order)}

    def place(name: str) -> int:
        return min(rank.get(spelling, len(rank)) for spelling in target.names(name))

    tensors: dict[str, Tensor] = target.reader.tensors
    target.reader.tensors = {name: tensors[name] for name in sorted(tensors, key=place)}


def described(spec: str, format_: str, folder: str) -> dict[str, Any]:
    environment = {"TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow", **os.environ}
    environment.setdefault("CUDA_VISIBLE_DEVICES", "")
    try:
        done = subprocess.run(
            [sys.executable, str(_CHILD), spec, format_, folder],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, env=environment,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CheckpointError(f"{spec} did not come to an end") from None
    if done.returncode:
        text = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Usage(f"{spec}: the model could not be made:\n  " + "\n  ".join(text[-_LINES:]))
    with open(os.path.join(folder, "target.json"), encoding="utf-8") as stream:
        found: dict[str, Any] = json.load(stream)
    return found


class Renamed(Reader):
    """A reader under the names that its program has for its variables."""

    def __init__(self, inner: Reader, names: dict[str, str]) -> None:
        super().__init__(inner.path)
        self.format, self.words, self.checksums = inner.format, inner.words, inner.checksums
        self._inner = inner
        self._names: dict[str, str] = {}
        taken = [names.get(name, name) for name in inner.tensors]
        for name, tensor in inner.tensors.items():
            new = names.get(name, name)
            if taken.count(new) > 1:
                new = name
            self._names[new] = name
            if new != name:
                self.aliases[new] = name
            self.tensors[new] = Tensor(
                new, tensor.dtype, tensor.shape, tensor.nbytes, tensor.slices
            )

    def pieces(self, name: str) -> Iterator[bytes]:
        self[name]
        return self._inner.pieces(self._names[name])

    def strings(self, name: str) -> Array:
        self[name]
        return self._inner.strings(self._names[name])
