"""Reads an HDF5 file in a process of its own: the HDF5 library can crash on a damaged one.

Started by its path with the file's; answers the names of tensors on standard input with frames on
standard output: a length, then so many bytes; length 0 ends a tensor, -1 announces an error.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from typing import Any

PIECE = 4 << 20


def main() -> None:
    """Describe the file, then serve."""
    # Started by its path, this file's neighbours would stand for libraries of their names.
    sys.path.remove(os.path.dirname(os.path.abspath(__file__)))
    import h5py
    import numpy as np

    out = sys.stdout.buffer

    def frame(data: bytes) -> None:
        out.write(struct.pack("<q", len(data)))
        out.write(data)

    def error(message: str) -> None:
        data = message.encode("utf-8", "replace")[:2000]
        out.write(struct.pack("<qq", -1, len(data)) + data)
        out.flush()

    found: dict[str, Any] = {}
    names: dict[str, str] = {}

    def visit(path: str, item: Any) -> None:
        if isinstance(item, h5py.Group):
            name = item.attrs.get("name")
            if isinstance(name, str):
                names[path] = name
            return
        if item.shape is None or item.id.get_create_plist().get_external_count():
            raise ValueError(f"{path}: a dataset without values of its own")
        label = item.attrs.get("dtype")
        label = label if isinstance(label, str) else None
        string = h5py.check_string_dtype(item.dtype) is not None
        if not string and item.dtype.hasobject:
            raise ValueError(f"{path}: {item.dtype} is no tensor")
        found[path] = {
            "shape": list(item.shape),
            "dtype": "string" if string else item.dtype.str,
            "label": label,
            "stored": int(item.id.get_storage_size()),
            "plain": item.chunks is None,
        }

    try:
        stream = h5py.File(sys.argv[1], "r")
        stream.visititems(visit)
        attributes = {}
        for key, value in stream.attrs.items():
            attributes[key] = value.decode() if isinstance(value, bytes) else str(value)
    except Exception as wrong:
        error(f"{type(wrong).__name__}: {wrong}")
        return
    frame(json.dumps({"tensors": found, "names": names, "attributes": attributes}).encode())
    out.flush()
    for line in sys.stdin.buffer:
        try:
            item = stream[json.loads(line)]
            if h5py.check_string_dtype(item.dtype) is not None:
                for text in np.asarray(item[()], object).reshape(-1):
                    frame(b"s" + (text if isinstance(text, bytes) else str(text).encode("utf-8")))
                out.write(struct.pack("<q", 0))
                out.flush()
                continue
            little = item.dtype.newbyteorder("<")
            if item.ndim == 0 or not item.size:
                data = np.asarray(item[()]).astype(little).tobytes()
                if data:
                    frame(data)
            else:
                rows = max(1, PIECE * len(item) // max(item.nbytes, 1))
                for place in range(0, len(item), rows):
                    block = np.ascontiguousarray(item[place : place + rows].astype(little))
                    raw = block.reshape(-1).view(np.uint8)
                    for start in range(0, len(raw), PIECE):
                        frame(raw[start : start + PIECE].tobytes())
            out.write(struct.pack("<q", 0))
            out.flush()
        except Exception as wrong:
            error(f"{type(wrong).__name__}: {wrong}")
            return


if __name__ == "__main__":
    main()
