"""A bundle: what one run of a program left, as ``record.json`` and ``arrays.npz``.

No pickle in either direction. ``record.json`` holds versions, seeds, flags and the description of
every array; ``arrays.npz`` holds the arrays:

=============================  ==================================================================
``v/LABEL/NAME``               a variable; LABEL is the number of training steps done, or ``end``
``gradient/SITE/NAME``         the gradient of the first step, dense
``series/I/values``, ``steps`` scalars in order of appearance, described by ``record["series"][I]``
``array/KIND/NAME/N``          the first small arrays fetched or returned
``envelope/...``               how far 1-ulp changes of the initial weights move each of the above
``file/PATH``                  bytes of a file that the program wrote
``original/...``               the original's MetaGraph and the feeds of its first calls
=============================  ==================================================================
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from migrate.parity.errors import ParityError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]

SCHEMA = 1
RECORD = "record.json"
ARRAYS = "arrays.npz"
STDOUT = "stdout.txt"


@dataclass(frozen=True)
class Series:
    """Values of one scalar in the order of their appearance."""

    key: str
    kind: str
    label: str
    values: Array
    steps: Array


@dataclass(frozen=True)
class Variable:
    """A variable as its program declared it; ``shape`` is None where it is not known."""

    name: str
    shape: tuple[int | None, ...] | None
    dtype: str
    trainable: bool
    order: int


@dataclass
class Bundle:
    """One recorded run."""

    record: dict[str, Any]
    arrays: dict[str, Array] = field(default_factory=dict)
    stdout: str = ""

    @property
    def steps(self) -> int:
        """The number of training steps."""
        return int(self.record.get("steps", 0))

    @property
    def ending(self) -> dict[str, Any]:
        """How the program ended: ``kind``, ``code`` and, for an exception, ``error``."""
        ending: dict[str, Any] = self.record.get("exit", {})
        return ending

    @property
    def variables(self) -> list[Variable]:
        """Declared variables in order of creation."""
        return [
            Variable(
                item["name"],
                None if item["shape"] is None else tuple(item["shape"]),
                item["dtype"],
                bool(item["trainable"]),
                int(item["order"]),
            )
            for item in sorted(self.record.get("variables", []), key=lambda item: item["order"])
        ]

    @property
    def slots(self) -> dict[str, tuple[str, str]]:
        """Optimizer slots: name → (name of the variable, name of the slot)."""
        return {name: (pair[0], pair[1]) for name, pair in self.record.get("slots", {}).items()}

    def snapshot(self, label: str) -> dict[str, Array]:
        """Variables by name after ``label`` training steps (``"end"``: at the end)."""
        return self.prefixed(f"v/{label}/")

    def prefixed(self, prefix: str) -> dict[str, Array]:
        """Arrays whose key begins with ``prefix``, by the rest of the key."""
        return {
            key[len(prefix) :]: value
            for key, value in self.arrays.items()
            if key.startswith(prefix)
        }

    def series(self) -> Iterator[Series]:
        """Recorded scalars in order of first appearance."""
        for place, item in enumerate(self.record.get("series", [])):
            yield Series(
                item["key"],
                item["kind"],
                item["label"],
                self.arrays[f"series/{place}/values"],
                self.arrays[f"series/{place}/steps"],
            )

    def gradients(self) -> dict[tuple[int, str], Array]:
        """First-step gradients by (site, variable)."""
        return {
            (int(site), name): self.arrays[f"gradient/{site}/{name}"]
            for site, name in self.record.get("gradients", [])
        }

    def files(self) -> dict[str, bytes]:
        """Files that the program wrote, by path relative to its working directory."""
        return {path: value.tobytes() for path, value in self.prefixed("file/").items()}


def read(folder: Path) -> Bundle:
    """Read a bundle.

    Raises:
        ParityError: the folder is no bundle, or one of another schema.
    """
    import numpy as np

    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        with np.load(folder / ARRAYS, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise ParityError(
            f"{folder} is no bundle: {error}. Record one with `migrate parity record`."
        ) from error
    if record.get("schema") != SCHEMA:
        raise ParityError(
            f"{folder} has schema {record.get('schema')!r}, this version reads {SCHEMA}: "
            "record it again with `migrate parity record`."
        )
    stdout = folder / STDOUT
    text = stdout.read_text(encoding="utf-8", errors="replace") if stdout.exists() else ""
    return Bundle(record, arrays, text)


def write(bundle: Bundle, folder: Path) -> None:
    """Write a bundle; the same values give the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    write_arrays(bundle.arrays, folder / ARRAYS)
    text = json.dumps(bundle.record, indent=1, sort_keys=True)
    (folder / RECORD).write_text(text + "\n", encoding="utf-8")
    (folder / STDOUT).write_text(bundle.stdout, encoding="utf-8")


def write_arrays(arrays: Mapping[str, Array | np.generic], path: Path) -> None:
    """Write a compressed npz whose bytes depend on the values alone.

    Raises:
        ValueError: an array holds Python objects.
    """
    import numpy as np

    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for key in sorted(arrays):
            stream = io.BytesIO()
            np.lib.format.write_array(stream, np.asarray(arrays[key]), allow_pickle=False)
            info = zipfile.ZipInfo(f"{key}.npy", (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, stream.getvalue())
