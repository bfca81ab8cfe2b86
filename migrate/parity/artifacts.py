"""Programs that don't end in a number are compared by what they wrote.

Arrays (npy, npz), images (png, pgm, ppm), text (json, csv, txt, …), event files and the signatures
of SavedModels by their content; anything else by its bytes. Checkpoints have a rung of their own.
"""

from __future__ import annotations

import io
import json
import re
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from migrate.parity import compare, wire
from migrate.parity.compare import Difference
from migrate.parity.tolerances import Tolerances, scale_of

if TYPE_CHECKING:
    from migrate.parity.bundle import Array, Bundle

TEXT = {".txt", ".csv", ".tsv", ".log", ".md", ".pbtxt", ".html", ".yaml", ".yml", ".svg"}
CHECKPOINT = re.compile(
    r"(^|/)checkpoint$|\.index$|\.data-\d{5}-of-\d{5}$|\.meta$|\.weights\.h5$|\.keras$"
    r"|(^|/)(variables|assets)/|fingerprint\.pb$|(^|/)graph\.pbtxt$|keras_metadata\.pb$"
)
EVENTS = re.compile(r"(^|/)events\.out\.tfevents\.")
#: A file of an Estimator's export: the folder, the time, the rest.
EXPORT = re.compile(r"(.*/|)(\d{10})/(.*)", re.DOTALL)
TIMED_TAG = re.compile(r"(steps_per_sec|_sec|/sec|per_second|time)$", re.IGNORECASE)


@dataclass
class Checked:
    """What comparing files gave."""

    compared: list[tuple[str, float]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    difference: Difference | None = None


def compare_files(
    before: dict[str, bytes],
    after: dict[str, bytes],
    tolerances: Tolerances,
    original: Bundle | None = None,
) -> Checked:
    """Compare the files of two runs; stops at the first that differs."""
    checked = Checked()
    checked.difference = _events(before, after, tolerances, checked)
    if checked.difference is not None:
        return checked
    first = {path: data for path, data in _by_number(before).items() if _is_plain(path)}
    second = {path: data for path, data in _by_number(after).items() if _is_plain(path)}
    for path in sorted(first):
        if path not in second:
            if path.endswith("saved_model.pb"):
                checked.difference = Difference(path, "the migrated program does not write it")
            else:
                checked.difference = Difference(
                    path, "the migrated program does not write it",
                    rows=[("files", str(len(first)), str(len(second)))],
                )  # fmt: skip
            return checked
        checked.difference = _file(path, first[path], second[path], tolerances, checked)
        if checked.difference is not None:
            return checked
    extra = sorted(set(second) - set(first))
    if extra:
        checked.notes.append("written by the migrated program only: " + ", ".join(extra[:5]))
    return checked


def _by_number(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files, folders of exports named by their number: Estimators name them by the time."""
    seen: dict[str, list[str]] = {}
    found = {}
    for path in sorted(files):
        match = EXPORT.match(path)
        if match is None:
            found[path] = files[path]
            continue
        parent, time, rest = match.groups()
        times = seen.setdefault(parent, [])
        if time not in times:
            times.append(time)
        found[f"{parent}export-{times.index(time) + 1}/{rest}"] = files[path]
    return found


def _is_plain(path: str) -> bool:
    return not CHECKPOINT.search(path) and not EVENTS.search(path)


def _file(
    path: str, first: bytes, second: bytes, tolerances: Tolerances, checked: Checked
) -> Difference | None:
    if first == second:
        checked.compared.append((path, 0.0))
        return None
    suffix = PurePosixPath(path).suffix.lower()
    try:
        if path.endswith("saved_model.pb"):
            return _signatures(path, first, second, checked)
        if path.endswith("saved_model.pbtxt"):  # nor is the graph of one in bytes
            checked.notes.append(f"{path}: not compared, a graph that is written as text")
            return None
        if suffix in (".npy", ".npz"):
            return _arrays(path, _load(suffix, first), _load(suffix, second), tolerances, checked)
        if suffix in (".png", ".pgm", ".ppm"):
            return _arrays(
                path, {"": image(suffix, first)}, {"": image(suffix, second)}, tolerances, checked
            )
        if suffix == ".json":
            one = json.dumps(json.loads(first), indent=0, sort_keys=True)
            other = json.dumps(json.loads(second), indent=0, sort_keys=True)
            return _text(path, one, other, tolerances, checked)
        if suffix in TEXT:
            return _text(path, first.decode("utf-8"), second.decode("utf-8"), tolerances, checked)
    except (ValueError, struct.error, zlib.error, UnicodeDecodeError) as error:
        checked.notes.append(f"{path}: not compared, {error}")
        return None
    checked.notes.append(f"{path}: not compared, bytes differ and the format is not known")
    return None


def _text(
    path: str, first: str, second: str, tolerances: Tolerances, checked: Checked
) -> Difference | None:
    result = compare.texts(path, first, second, tolerances.printed)
    if result.difference is None:
        checked.compared.append((path, result.worst))
    return result.difference


def _load(suffix: str, data: bytes) -> dict[str, Array]:
    import numpy as np

    loaded: Any = np.load(io.BytesIO(data), allow_pickle=False)
    if suffix == ".npy":
        return {"": loaded}
    return {key: loaded[key] for key in loaded.files}


def _arrays(
    path: str,
    first: dict[str, Array],
    second: dict[str, Array],
    tolerances: Tolerances,
    checked: Checked,
) -> Difference | None:
    import numpy as np

    for key, one in first.items():
        what = f"{path}:{key}" if key else path
        if key not in second:
            return Difference(what, "the migrated program does not write it")
        allowed = 0.0
        if compare.is_float(one) and one.size:
            finite = np.abs(one[np.isfinite(one)])
            size = float(finite.max()) if finite.size else 0.0
            allowed = tolerances.free * scale_of(str(one.dtype)) * size
        difference = compare.arrays(what, one, second[key], allowed)
        if difference is not None:
            return difference
        checked.compared.append((what, compare.measure(one, second[key]).max_rel))
    return None


def _signatures(path: str, first: bytes, second: bytes, checked: Checked) -> Difference | None:
    one, other = wire.signatures(first), wire.signatures(second)
    for name, sides in one.items():
        if name not in other:
            return Difference(f"{path}: signature {name}", "missing")
        for side, tensors in sides.items():
            given = other[name][side]
            if tensors != given:
                rows = [
                    (f"{side} {key}", tensors.get(key, "—"), given.get(key, "—"))
                    for key in sorted(set(tensors) | set(given))
                    if tensors.get(key) != given.get(key)
                ]
                return Difference(
                    f"{path}: signature {name}", f"other {side}", mismatched=len(rows),
                    total=len(tensors), rows=rows,
                )  # fmt: skip
    checked.compared.append((path, 0.0))
    return None


def _events(
    before: dict[str, bytes],
    after: dict[str, bytes],
    tolerances: Tolerances,
    checked: Checked,
) -> Difference | None:
    first, second = summaries(before), summaries(after)
    if not first:
        return None
    if not second:
        return Difference("summaries", "the migrated program writes none")
    for tag, one in sorted(first.items()):
        other = second.get(tag)
        if other is None:
            return Difference(f"summary {tag}", "the migrated program does not write it")
        if one.steps != other.steps:
            rows = [("steps", str(one.steps[:8]), str(other.steps[:8]))]
            return Difference(f"summary {tag}", "written at other steps", rows=rows)
        import numpy as np

        a, b = np.array(one.values), np.array(other.values)
        with np.errstate(all="ignore"):
            allowed = np.nan_to_num(np.abs(a) * tolerances.free)
        difference = compare.arrays(f"summary {tag}", a, b, allowed)
        if difference is not None:
            return difference
        checked.compared.append((f"summary {tag}", compare.measure(a, b).max_rel))
    return None


def summaries(files: dict[str, bytes]) -> dict[str, wire.Scalars]:
    """Scalars of all event files by folder and tag, in order of their steps; none of the clock."""
    found: dict[str, wire.Scalars] = {}
    for path in sorted(files):
        if not EVENTS.search(path):
            continue
        folder = str(PurePosixPath(path).parent)
        prefix = "" if folder == "." else f"{folder}:"
        for tag, scalars in wire.event_scalars(files[path]).items():
            place = found.setdefault(prefix + tag, wire.Scalars())
            place.steps += scalars.steps
            place.values += scalars.values
    return {tag: one for tag, one in found.items() if not TIMED_TAG.search(tag)}


# -- images --------


def image(suffix: str, data: bytes) -> Array:
    """Pixels of a png, pgm or ppm: (height, width, channels).

    Raises:
        ValueError: a form of the format that is not read here (interlaced, fewer than 8 bits …).
    """
    return _png(data) if suffix == ".png" else _netpbm(data)


def _png(data: bytes) -> Array:
    import numpy as np

    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG signature")
    place, packed, header = 8, b"", b""
    while place + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, place)
        body = data[place + 8 : place + 8 + size]
        if kind == b"IHDR":
            header = body
        elif kind == b"IDAT":
            packed += body
        place += 12 + size
    width, height, bits, colour, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    if interlaced or bits not in (8, 16):
        raise ValueError(f"a PNG of {bits} bits, interlaced={bool(interlaced)}, is not read")
    unit = channels * bits // 8
    rows = _unfilter(zlib.decompress(packed), width * unit, height, unit)
    dtype = ">u2" if bits == 16 else "u1"
    pixels = np.frombuffer(rows, dtype=dtype).reshape(height, width, channels)
    return pixels.astype(np.int64)


def _unfilter(raw: bytes, stride: int, height: int, unit: int) -> bytes:
    """Undo the filters of PNG, section 9.2 of the specification."""
    rows = bytearray()
    above = bytearray(stride)
    for number in range(height):
        start = number * (stride + 1)
        kind, row = raw[start], bytearray(raw[start + 1 : start + 1 + stride])
        for place in range(stride):
            left = row[place - unit] if place >= unit else 0
            corner = above[place - unit] if place >= unit else 0
            up = above[place]
            if kind == 1:
                row[place] = (row[place] + left) & 255
            elif kind == 2:
                row[place] = (row[place] + up) & 255
            elif kind == 3:
                row[place] = (row[place] + (left + up) // 2) & 255
            elif kind == 4:
                row[place] = (row[place] + _paeth(left, up, corner)) & 255
        rows += row
        above = row
    return bytes(rows)


def _paeth(left: int, up: int, corner: int) -> int:
    estimate = left + up - corner
    distances = (abs(estimate - left), abs(estimate - up), abs(estimate - corner))
    return (left, up, corner)[distances.index(min(distances))]


def _netpbm(data: bytes) -> Array:
    import numpy as np

    match = re.match(rb"P([56])(?:\s+#[^\n]*)?\s+(\d+)\s+(\d+)\s+(\d+)\s", data)
    if match is None:
        raise ValueError("no binary PGM or PPM")
    channels = 1 if match[1] == b"5" else 3
    dtype = ">u2" if int(match[4]) > 255 else "u1"
    pixels = np.frombuffer(data[match.end() :], dtype=dtype)
    return pixels.reshape(int(match[3]), int(match[2]), channels).astype(np.int64)


def checkpoints_of(files: dict[str, bytes]) -> list[str]:
    """Prefixes of the checkpoints (V2 format) among files, in order of their step.

    One whose data is not all there, because a file of it was too large to be kept, is left out.
    """

    def step(prefix: str) -> tuple[int, str]:
        number = re.search(r"-(\d+)$", prefix)
        return (int(number[1]) if number else -1, prefix)

    def whole(prefix: str) -> bool:
        shards = re.compile(re.escape(prefix) + r"\.data-\d+-of-(\d+)")
        found = [match for path in files if (match := shards.fullmatch(path))]
        return bool(found) and len(found) == int(found[0][1])

    indices = (path[: -len(".index")] for path in files if path.endswith(".index"))
    prefixes = [prefix for prefix in indices if whole(prefix)]
    return sorted((p for p in prefixes if not p.endswith("variables/variables")), key=step)
