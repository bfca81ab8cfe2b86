"""TF 1.15.5 → converted → TF 1.15.5: every dtype, bit for bit, through every format."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from migrate.checkpoints.opening import reading
from migrate.parity.environment import find_tf1

from .conftest import Run, golden

SCRIPT = Path(__file__).with_name("read_in_tf1.py")
NOT_IN_SAFETENSORS = "^(string|complex128)/"
SOURCES = {
    "dtypes": "dtypes/model.ckpt",
    "sharded": "sharded",
    "tables": "tables",
    "mlp": "mlp",
    "partitioned": "partitioned",
}


def chains(run: Run, folder: Path) -> list[list[str]]:
    """Pairs of an original and of what came back, each through another format."""
    pairs = []
    for name, path in SOURCES.items():
        source = golden(path)
        with reading(source) as reader:
            prefix = reader.path
        exclude = ["--exclude", NOT_IN_SAFETENSORS + "|^words-keys"]
        for middle, to, more in (
            ("direct", "tf1", []),
            ("object", "tf2", []),
            ("a.npz", "npz", []),
            ("a.safetensors", "safetensors", exclude),
        ):
            one, two = folder / name / middle, folder / name / f"{middle}.back"
            run("convert", source, one, "--to", to, "--verify", *more)
            counter = ["--exclude", "^save_counter$"] if to == "tf2" else []
            run("convert", one, two, "--to", "tf1", "--verify", *counter)
            left = prefix
            if more:
                left = str(folder / name / f"{middle}.part")
                run("convert", source, left, "--to", "tf1", *more)
            pairs.append([left, str(two)])
    return pairs


@pytest.mark.tf1
def test_through_every_format_and_back(run: Run, tmp_path: Path) -> None:
    tf1 = find_tf1()
    if tf1 is None:
        pytest.skip("no TensorFlow 1.15")
    pairs = chains(run, tmp_path)
    for name in ("dtypes_v1", "sharded_v1"):
        source = golden("dtypes_v1/model.ckpt" if name == "dtypes_v1" else name)
        out = tmp_path / name
        run("convert", source, out, "--to", "tf1", "--verify")
        if name == "dtypes_v1":
            pairs.append([source, str(out)])
    nudged = tmp_path / "nudged"
    run("convert", golden("mlp"), nudged, "--to", "tf1", "--map", _nudge(tmp_path))
    pairs.append([golden("mlp/model.ckpt-3"), str(nudged)])
    (tmp_path / "pairs.json").write_text(json.dumps(pairs))
    done = subprocess.run(
        [tf1.path, str(SCRIPT), str(tmp_path / "pairs.json")],
        capture_output=True, text=True, check=True, timeout=300, cwd=tmp_path,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )  # fmt: skip
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
    found = json.loads(line[6:])
    *results, negative = found
    assert [result["differing"] for result in results] == [[]] * len(results)
    assert len(results[0]["names"]) == 57
    assert negative["differing"] == ["dense/bias"]


def _nudge(folder: Path) -> Path:
    """A map that changes one variable: the check must see it."""
    path = folder / "nudge.json"
    add = {"path": "dense/bias", "transform": [{"add": 1e-6}]}
    slots = {f"dense/bias/{slot}": f"dense/bias/{slot}" for slot in ("Adam", "Adam_1")}
    path.write_text(json.dumps({"dense/bias": add, **slots}))
    return path


def test_values_without_tensorflow() -> None:
    """What TF 1.15.5 was given stands in the files, V1 and V2 alike."""
    for path in ("dtypes/model.ckpt", "dtypes_v1/model.ckpt"):
        with reading(golden(path)) as reader:
            names = {name.partition("/")[0] for name in reader.tensors}
            assert len(names) == (19 if path.startswith("dtypes/") else 16)
            for name in names:
                matrix = reader.read(f"{name}/matrix")
                assert matrix.shape == (2, 3)
                assert reader.read(f"{name}/empty").shape == (0,)
                scalar = reader.read(f"{name}/scalar")
                assert scalar.shape == ()
                assert scalar[()] == matrix[0, 0]
                assert reader.tensors[f"{name}/matrix"].dtype == name
            values = np.abs(np.random.RandomState(3).randint(-100, 100, size=(2, 3)) * 1.37)
            assert np.array_equal(reader.read("bool/matrix"), values > 60)
            assert np.array_equal(reader.read("uint16/matrix"), values.astype(np.uint16))
            texts = [b"", b"a" * 300, "é".encode(), b"\0x", b"ends\0", b"c"]
            assert reader.read("string/matrix").reshape(-1).tolist() == texts


@pytest.mark.parametrize("kind", ["sharded", "sharded_v1"])
def test_sharded_and_partitioned(kind: str) -> None:
    with reading(golden(kind)) as reader, np.load(golden(f"{kind}/values.npz")) as values:
        parts = [values[f"p/w/part_{part}"] for part in range(3)]
        assert reader.shards == 3  # type: ignore[attr-defined]
        assert reader.tensors["p/w"].slices == 3
        assert np.array_equal(reader.read("p/w"), np.concatenate(parts))
        for name in ("on_0", "on_1", "zeros", "global_step"):
            assert np.array_equal(reader.read(name), values[name])


@pytest.mark.tf2
def test_tensorflow_2_reads_it(run: Run, tmp_path: Path) -> None:
    """What is written here is what TF 2.21's own reader takes, and what it writes is read here."""
    import tensorflow as tf

    out = tmp_path / "out"
    run("convert", golden("dtypes/model.ckpt"), out, "--verify")
    reader = tf.train.load_checkpoint(str(out))
    with reading(str(out)) as mine:
        assert set(reader.get_variable_to_shape_map()) == set(mine.tensors)
        for name, tensor in mine.tensors.items():
            if not tensor.dtype.startswith("q"):
                value = np.asarray(reader.get_tensor(name))
                assert value.tolist() == mine.read(name).tolist()
    tf.raw_ops.SaveV2(
        prefix=str(tmp_path / "theirs"), tensor_names=["a/b", "ä"], shape_and_slices=["", ""],
        tensors=[tf.range(5), tf.constant([b"x", b""])],
    )  # fmt: skip
    with reading(str(tmp_path / "theirs")) as mine:
        assert mine.read("a/b").tolist() == [0, 1, 2, 3, 4]
        assert mine.read("ä").tolist() == [b"x", b""]
    run("convert", golden("mlp"), tmp_path / "o", "--to", "tf2")
    tree = tf.Module()
    tree.dense = tf.Module()
    tree.dense.kernel = tf.Variable(tf.zeros([8, 16]))
    tf.train.Checkpoint(tree).restore(str(tmp_path / "o")).assert_existing_objects_matched()
    with reading(golden("mlp")) as old:
        assert np.array_equal(tree.dense.kernel.numpy(), old.read("dense/kernel"))


def test_safetensors_library_agrees(run: Run, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    out = tmp_path / "out.safetensors"
    run("convert", golden("mlp"), out, "--verify")
    theirs = load_file(out)
    with reading(golden("mlp")) as reader:
        assert set(theirs) == set(reader.tensors)
        for name, value in theirs.items():
            assert value.tobytes() == reader.read(name).tobytes()
    save_file(
        {"a": np.arange(6).reshape(2, 3), "b": np.ones(2, np.float16)}, tmp_path / "t.safetensors"
    )
    with reading(str(tmp_path / "t.safetensors")) as reader:
        assert reader.read("a").tolist() == [[0, 1, 2], [3, 4, 5]]
        assert reader.tensors["b"].dtype == "float16"
