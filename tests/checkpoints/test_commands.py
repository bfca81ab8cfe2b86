"""list, show, compare, verify: what they print, their exit codes, what they import."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.opening import reading

from .conftest import Run, golden

MODELS = f"{Path(__file__).with_name('models.py')}:"


def test_list(run: Run) -> None:
    text = run("list", golden("mlp")).output
    assert "dense/kernel/Adam_1" in text
    assert "slot Adam_1 of dense/kernel" in text
    assert text.endswith("21 tensors, 5.6 kB: a V2 checkpoint\n")
    assert "in 3 parts" in run("list", golden("partitioned")).output
    assert ", 3 shards" in run("list", golden("sharded")).output
    assert "lookup table" in run("list", golden("tables")).output
    found = json.loads(run("list", golden("mlp"), "--match", "bias$", "--format", "json").output)
    assert [item["name"] for item in found["tensors"]] == [
        "dense/bias", "dense_1/bias", "dense_2/bias"
    ]  # fmt: skip
    assert found["tensors"][0] == {
        "name": "dense/bias", "dtype": "float32", "shape": [16], "bytes": 64, "slices": 0,
        "variable": None, "kind": "variable", "of": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    "path", ["mlp", "mlp/model.ckpt-3", "mlp/model.ckpt-3.index", "mlp/model.ckpt-3.meta",
             "mlp/model.ckpt-3.data-00000-of-00001"],
)  # fmt: skip
def test_spellings_of_a_checkpoint(path: str, run: Run) -> None:
    assert "21 tensors" in run("list", golden(path)).output


def test_a_folder_that_has_moved(run: Run, tmp_path: Path) -> None:
    """The file `checkpoint` has an absolute path of another machine."""
    shutil.copytree(golden("mlp"), tmp_path / "moved")
    state = tmp_path / "moved" / "checkpoint"
    state.write_text('model_checkpoint_path: "/home/else/run/model.ckpt-3"\n')
    assert "21 tensors" in run("list", tmp_path / "moved").output
    state.write_text('model_checkpoint_path: "/home/else/run/model.ckpt-9"\n')
    assert "model.ckpt-9" in run("list", tmp_path / "moved", code=3).output
    state.unlink()
    assert "21 tensors" in run("list", tmp_path / "moved").output
    for path in (tmp_path / "moved").glob("model.ckpt-3.[id]*"):
        shutil.copy(path, str(path).replace("-3.", "-4."))
    assert "model.ckpt-3, model.ckpt-4" in run("list", tmp_path / "moved", code=3).output


def test_list_without_data(run: Run, tmp_path: Path) -> None:
    """An index by itself still says what there was; the exit code says that it is not all."""
    shutil.copy(golden("mlp/model.ckpt-3.index"), tmp_path)
    text = run("list", tmp_path, code=3).output
    assert "21 tensors" in text
    assert "data-00000-of-00001" in text
    run("show", tmp_path, code=3)


def test_show(run: Run) -> None:
    text = run("show", golden("mlp")).output
    assert "global_step  3" in text
    assert "Adam 6, Adam_1 6" in text
    record = json.loads(run("show", golden("mlp"), "--format", "json").output)
    assert record["kinds"] == {"power": 2, "slot": 12, "step": 1, "variable": 6}
    with reading(golden("mlp")) as reader:
        value = reader.read("dense/bias")
    found = json.loads(run("show", golden("mlp"), "dense/bias", "--format", "json").output)[0]
    assert found["min"] == float(value.min())
    assert found["values"] == [f"{v:.9g}" for v in value[:6]]
    assert found["not_finite"] == 0
    text = run("show", golden("dtypes/model.ckpt"), "--match", "scalar$").output
    assert "string[]" in text
    assert "did you mean 'dense/bias'" in run("show", golden("mlp"), "dense/bia", code=3).output


def test_compare(run: Run, tmp_path: Path) -> None:
    with reading(golden("mlp")) as reader:
        values = {name: reader.read(name) for name in reader.tensors}
    values["dense/kernel"] = values["dense/kernel"].copy()
    values["dense/kernel"][2, 3] += 0.5
    values["dense_1/bias"] = values["dense_1/bias"] * np.float32(1 + 1e-6)
    values["dense_1/kernel"] = values["dense_1/kernel"][:4]
    values["dense_2/bias"] = values["dense_2/bias"].astype(np.float64)
    values["dense_2/kernel"] = np.where(values["dense_2/kernel"] > 9, 0, np.nan).astype(np.float32)
    values["new"] = values.pop("global_step")
    np.savez(tmp_path / "b.npz", **values)
    assert (
        run("compare", golden("mlp"), golden("mlp")).output
        == "21 tensors: 21 equal, 0 different.\n"
    )
    record = json.loads(run("compare", golden("mlp"), tmp_path / "b.npz", "--format", "json",
                            code=1).output)  # fmt: skip
    rows = {row["name"]: row for row in record["tensors"]}
    kernel = rows["dense/kernel"]
    assert kernel["status"] == "differs"
    assert kernel["mismatched"] == 1
    assert kernel["size"] == 128
    assert kernel["max_abs"] == pytest.approx(0.5, rel=1e-6)
    assert kernel["worst"]["index"] == [2, 3]
    assert rows["dense_1/bias"]["max_rel"] < 2e-6
    assert rows["dense_1/kernel"]["status"] == "shape"
    assert rows["dense_2/bias"]["status"] == "dtype"
    assert rows["dense_2/kernel"]["max_abs"] == "inf"
    assert rows["global_step"]["status"] == "missing"
    assert rows["new"]["status"] == "extra"
    assert record["different"] == 7
    text = run("compare", golden("mlp"), tmp_path / "b.npz", "--rtol", "1e-5", code=1).output
    assert "dense_1/bias" not in text
    assert "1 within rtol 1e-05" in text
    page = tmp_path / "page.html"
    run("compare", golden("mlp"), tmp_path / "b.npz", "--format", "html", "--output", page, code=1)
    html = page.read_text()
    assert '<td class="name">dense/kernel</td><td class="bad">differs</td>' in html
    assert "default-src 'none'" in html
    assert html.count("<tr>") == 23


def test_compare_escapes(run: Run, tmp_path: Path) -> None:
    """Names come from files: no terminal and no page acts on them."""
    np.savez(tmp_path / "a.npz", **{"<b>\x1b[2J": np.zeros(1)})
    np.savez(tmp_path / "b.npz", **{"<b>\x1b[2J": np.ones(1)})
    text = run("compare", tmp_path / "a.npz", tmp_path / "b.npz", code=1).output
    assert "\x1b" not in text
    assert "<b>\\x1b[2J" in text
    html = run("compare", tmp_path / "a.npz", tmp_path / "b.npz", "--format", "html", code=1).output
    assert "<b>" not in html
    assert "&lt;b&gt;" in html


@pytest.mark.tf2
@pytest.mark.usefixtures("in_process")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_compare_and_verify_through_a_model(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "new.weights.h5"
    run("convert", golden("mlp"), out, "--model", MODELS + "mlp")
    words = ["--model", MODELS + "mlp"]
    assert "0 different" in run("compare", golden("mlp"), out, *words).output
    assert "0 different" in run("verify", out, "--against", golden("mlp"), *words).output
    import h5py

    with h5py.File(out, "r+") as stream:
        stream["layers/dense/vars/1"][3] += 1e-7
    run("verify", out, "--against", golden("mlp"), *words, code=1)
    run("compare", golden("mlp"), out, *words, "--atol", "1e-5")
    assert "layers/dense/vars/1" in run("compare", golden("mlp"), out, *words, code=1).output


def test_verify(run: Run, tmp_path: Path) -> None:
    text = run("verify", golden("dtypes/model.ckpt")).output
    assert "57 tensors" in text
    assert "checksums agree" in text
    run("verify", golden("mlp"), "--ema", code=2)
    run("verify", tmp_path / "nothing", code=3)


def test_without_tensorflow(tmp_path: Path) -> None:
    """Reading, comparing and converting import neither TensorFlow nor Keras; list is quick."""
    script = (
        "import sys\nfrom migrate.cli import cli\n"
        "try: cli(sys.argv[1:])\n"
        "except SystemExit as error: assert not error.code, error.code\n"
        "print([m for m in ('tensorflow', 'keras', 'h5py', 'libcst') if m in sys.modules])"
    )
    for words in (
        ("list", golden("mlp")),
        ("verify", golden("mlp")),
        ("convert", golden("mlp"), str(tmp_path / "m"), "--to", "tf2", "--verify"),
        ("compare", golden("mlp"), golden("mlp")),
        ("savedmodel", "show", golden("saved_table_ref/export")),
        ("--help",),
    ):
        done = subprocess.run([sys.executable, "-c", script, "checkpoint", *words],
                              capture_output=True, text=True, check=True)  # fmt: skip
        assert done.stdout.splitlines()[-1] == "[]", words


def test_usage(run: Run, tmp_path: Path) -> None:
    assert "nothing with this ending" in run("convert", golden("mlp"), tmp_path / "a.pkl",
                                             code=2).output  # fmt: skip
    run("convert", golden("mlp"), tmp_path / "a.npz", "--map", tmp_path / "no.json", code=2)
    run("convert", golden("mlp"), tmp_path / "a.npz", "--to", "onnx", code=2)
    run("convert", golden("mlp"), tmp_path / "a.npz", "--model", "m:f", code=2)
    run("convert", golden("mlp"), tmp_path / "a.npz", "--model", "m:f", "--like", "x", code=2)
    run("nothing", code=2)
    text = run("convert", golden("dtypes/model.ckpt"), tmp_path / "a.safetensors", code=3).output
    assert "--exclude" in text
    run("convert", golden("mlp"), tmp_path, code=2)
    assert list(tmp_path.iterdir()) == []


def test_messages_say_what_to_install(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setitem(sys.modules, "google_crc32c", None)
    text = run("verify", golden("mlp"), code=3).output
    assert "pip install 'tf1-migrate[checkpoints]'" in text


def test_pipe_that_closes(tmp_path: Path) -> None:
    command = f"'{sys.executable}' -m migrate checkpoint list '{golden('mlp')}' | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True,
                          env=os.environ)  # fmt: skip
    assert done.stderr == ""


def test_closed_readers(tmp_path: Path) -> None:
    """A reader that is closed and a name that isn't there."""
    with reading(golden("mlp")) as reader, pytest.raises(CheckpointError, match="has no tensor"):
        reader.read("nothing")
