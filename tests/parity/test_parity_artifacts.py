"""Files that programs write, and the formats that are read without TensorFlow."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest

from migrate.parity import artifacts, wire
from migrate.parity.tolerances import Tolerances


def field(number: int, kind: int, body: bytes) -> bytes:
    """A field of a protocol buffer; numbers below 16."""
    head = bytes([number << 3 | kind])
    return head + (bytes([len(body)]) if kind == 2 else b"") + body


def event(step: int, tag: str, value: float, *, tensor: bool = False) -> bytes:
    """A record of an event file."""
    if tensor:
        content = field(1, 0, b"\x01") + field(4, 2, struct.pack("<f", value))
        body = field(1, 2, tag.encode()) + field(8, 2, content)
    else:
        body = field(1, 2, tag.encode()) + field(2, 5, struct.pack("<f", value))
    data = field(2, 0, bytes([step])) + field(5, 2, field(1, 2, body))
    return struct.pack("<QI", len(data), 0) + data + b"\0\0\0\0"


def npy(values: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.asarray(values))
    return stream.getvalue()


def png(pixels: np.ndarray, kind: int = 0) -> bytes:
    """A greyscale PNG; ``kind`` is the filter of each row: 0 none, 1 sub, 2 up."""
    height, width = pixels.shape
    rows, above = b"", np.zeros(width, np.uint8)
    for row in pixels:
        left = np.concatenate([[0], row[:-1]]).astype(np.uint8)
        coded = {0: row, 1: row - left, 2: row - above}[kind].astype(np.uint8)
        rows += bytes([kind]) + coded.tobytes()
        above = row

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )  # fmt: skip


def differ(before: dict[str, bytes], after: dict[str, bytes]) -> artifacts.Checked:
    return artifacts.compare_files(before, after, Tolerances())


def test_scalars_of_both_event_formats() -> None:
    data = event(1, "loss", 0.5) + event(2, "loss", 0.25, tensor=True)
    found = wire.event_scalars(data)
    assert (found["loss"].steps, found["loss"].values) == ([1, 2], [0.5, 0.25])


def test_event_file_that_is_cut_off_gives_what_it_holds() -> None:
    data = event(1, "loss", 0.5) + event(2, "loss", 0.25)[:-3]
    assert wire.event_scalars(data)["loss"].steps == [1]


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x05ab", b"\x0f"])
def test_broken_messages_are_errors(data: bytes) -> None:
    with pytest.raises(wire.WireError):
        list(wire.fields(data))


def test_summaries_compare_by_tag_and_step() -> None:
    name = "logs/events.out.tfevents.1"
    other = "logs/events.out.tfevents.2"
    assert differ({name: event(1, "loss", 0.5)}, {other: event(1, "loss", 0.5)}).difference is None
    for wrong in (event(1, "loss", 0.6), event(2, "loss", 0.5), event(1, "cost", 0.5), b""):
        assert differ({name: event(1, "loss", 0.5)}, {other: wrong}).difference is not None
    speed = {name: event(1, "global_step/sec", 9.0)}
    assert differ(speed, {}).difference is None  # no two runs have the same


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_png_pixels(kind: int) -> None:
    pixels = np.arange(20, dtype=np.uint8).reshape(4, 5) * 7
    assert artifacts.image(".png", png(pixels, kind))[..., 0].tolist() == pixels.tolist()


def test_images_are_compared_by_their_pixels() -> None:
    pixels = np.arange(20, dtype=np.uint8).reshape(4, 5)
    same = differ({"a.png": png(pixels)}, {"a.png": png(pixels, 1)})
    assert same.difference is None
    assert same.compared == [("a.png", 0.0)]
    pixels[2, 3] += 1
    found = differ({"a.png": png(pixels - 0)}, {"a.png": png(np.zeros((4, 5), np.uint8))})
    assert found.difference is not None


def test_arrays_and_text() -> None:
    assert differ({"a.npy": npy([1.0])}, {"a.npy": npy([1.0 + 1e-15])}).difference is None
    assert differ({"a.npy": npy([1.0])}, {"a.npy": npy([1.1])}).difference is not None
    assert differ({"a.json": b'{"x": 1.0}'}, {"a.json": b'{\n"x": 1.0\n}'}).difference is None
    assert differ({"a.json": b'{"x": 1.0}'}, {"a.json": b'{"x": 1.5}'}).difference is not None
    assert differ({"a.csv": b"1,2.5"}, {"a.csv": b"1,2.6"}).difference is not None


def test_a_file_that_is_not_written_is_a_difference_and_an_extra_one_a_note() -> None:
    assert differ({"a.txt": b"x"}, {}).difference is not None
    extra = differ({}, {"a.txt": b"x"})
    assert extra.difference is None
    assert "migrated program only" in extra.notes[0]


def test_unknown_formats_are_not_claimed_to_agree() -> None:
    checked = differ({"a.bin": b"1"}, {"a.bin": b"2"})
    assert checked.difference is None
    assert checked.compared == []
    assert "not compared" in checked.notes[0]


def test_signatures_of_saved_models() -> None:
    def model(dtype: int) -> bytes:
        shape = field(2, 2, field(1, 0, b"\x03"))
        info = field(1, 2, b"x:0") + field(2, 0, bytes([dtype])) + field(3, 2, shape)
        inputs = field(1, 2, field(1, 2, b"x") + field(2, 2, info))
        return field(2, 2, field(5, 2, field(1, 2, b"serve") + field(2, 2, inputs)))

    assert wire.signatures(model(1)) == {"serve": {"inputs": {"x": "float32[3]"}, "outputs": {}}}
    path = "export/saved_model.pb"
    assert differ({path: model(1)}, {path: model(1) + b"\x08\x01"}).difference is None
    found = differ({path: model(1)}, {path: model(2)}).difference
    assert found is not None
    assert found.rows == [("inputs x", "float32[3]", "float64[3]")]


def test_checkpoints_in_order_of_their_step() -> None:
    shards = ["m-10.data-00000-of-00001", "m-9.data-00000-of-00002", "m-9.data-00001-of-00002"]
    files = dict.fromkeys(["m-9.index", "m-10.index", "a.txt", *shards], b"")
    assert artifacts.checkpoints_of(files) == ["m-9", "m-10"]


def test_checkpoints_that_are_not_whole_are_left_out() -> None:
    files = dict.fromkeys(["m-9.index", "m-9.data-00000-of-00002", "m-10.index"], b"")
    assert artifacts.checkpoints_of(files) == []


def test_exports_are_found_under_any_time() -> None:
    first = {"export/1500000000/a.txt": b"1\n", "export/1500000009/a.txt": b"2\n"}
    second = {"export/1600000000/a.txt": b"1\n", "export/1600000001/a.txt": b"2\n"}
    assert differ(first, second).difference is None
    del second["export/1600000001/a.txt"]
    found = differ(first, second).difference
    assert found is not None
    assert "does not write it" in found.reason


def test_the_graph_of_a_saved_model_as_text_is_not_compared_and_that_is_said() -> None:
    before, after = {"e/saved_model.pbtxt": b"a: 1\n"}, {"e/saved_model.pbtxt": b"b: 2\n"}
    checked = differ(before, after)
    assert checked.difference is None
    assert checked.notes == ["e/saved_model.pbtxt: not compared, a graph that is written as text"]
    assert differ(before, {}).difference is not None  # but it has to be there
