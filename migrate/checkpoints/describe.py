"""What is in a checkpoint, and in single tensors of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from migrate.checkpoints import dtypes
from migrate.checkpoints.formats.base import Reader
from migrate.checkpoints.maps.roles import roles
from migrate.checkpoints.tables import columns, size_of
from migrate.parity.compare import show


def overview(reader: Reader) -> dict[str, Any]:
    """Format, sizes, dtypes, optimizers' slots."""
    found = roles(reader.tensors)
    kinds = Counter(role.kind for role in found.values())
    slots = Counter(role.slot for role in found.values() if role.kind == "slot")
    largest = max(reader.tensors.values(), key=lambda tensor: tensor.nbytes, default=None)
    record: dict[str, Any] = {
        "path": reader.path,
        "format": reader.words,
        "tensors": len(reader.tensors),
        "bytes": reader.total,
        "checksums": reader.checksums,
        "shards": getattr(reader, "shards", 1),
        "kinds": dict(sorted(kinds.items())),
        "dtypes": dict(sorted(Counter(t.dtype for t in reader.tensors.values()).items())),
        "slots": dict(sorted(slots.items())),
    }
    if largest is not None:
        record["largest"] = largest.name
        record["largest_bytes"] = max(largest.nbytes, 0)
    for name, role in found.items():
        if role.kind == "step" and not reader.tensors[name].shape:
            record["global_step"] = int(reader.read(name))
    return record


def overview_text(record: dict[str, Any]) -> Iterator[str]:
    """The overview for people."""
    rows = [["path", record["path"]], ["format", record["format"]]]
    rows.append(["tensors", f"{record['tensors']}, {size_of(record['bytes'])}"])
    if record["shards"] > 1:
        rows.append(["shards", str(record["shards"])])
    rows += [
        [key, ", ".join(f"{name} {count}" for name, count in record[key].items())]
        for key in ("kinds", "dtypes", "slots")
        if record[key]
    ]
    if "largest" in record:
        rows.append(["largest", f"{record['largest']}, {size_of(record['largest_bytes'])}"])
    if "global_step" in record:
        rows.append(["global_step", str(record["global_step"])])
    rows.append(["checksums", "yes" if record["checksums"] else "none in this format"])
    yield from columns(rows)


def tensor(reader: Reader, name: str, values: int) -> dict[str, Any]:
    """Form, range and first values of a tensor."""
    import numpy as np

    described = reader[name]
    record: dict[str, Any] = {
        "name": name,
        "dtype": described.dtype,
        "shape": list(described.shape),
        "kind": roles(reader.tensors)[name].kind,
    }
    if described.dtype not in (*dtypes.SIZES, dtypes.STRING):
        return record
    array = reader.read(name)
    first = array.reshape(-1)[:values]
    record["values"] = [show(value) for value in first]
    if described.dtype != dtypes.STRING and array.size and array.dtype.kind != "c":
        wide = array.astype(np.float64)
        finite = wide[np.isfinite(wide)]
        record["not_finite"] = int(wide.size - finite.size)
        if finite.size:
            record["min"], record["max"] = float(finite.min()), float(finite.max())
            record["mean"], record["std"] = float(finite.mean()), float(finite.std())
    return record


def tensors_text(records: list[dict[str, Any]]) -> Iterator[str]:
    """Tensors for people."""
    for place, record in enumerate(records):
        rows = [["name", record["name"]], ["form", f"{record['dtype']}{record['shape']}"]]
        if record["kind"] != "variable":
            rows.append(["kind", record["kind"]])
        if "min" in record:
            rows.append(["range", f"{record['min']:.6g} … {record['max']:.6g}"])
            rows.append(["mean, std", f"{record['mean']:.6g}, {record['std']:.6g}"])
        if record.get("not_finite"):
            rows.append(["NaN, inf", str(record["not_finite"])])
        if "values" in record:
            rows.append(["values", ", ".join(record["values"])])
        if place:
            yield "\n"
        yield from columns(rows)
