"""SavedModels and frozen graphs of TF 1.15.5 in TF 2.21: same signatures, same outputs."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from migrate.checkpoints.errors import CheckpointError, Usage
from migrate.checkpoints.graphs import inspecting

from .conftest import Run, golden, io_of
from .test_fuzz import DAMAGES

KINDS = [
    f"saved_{k}_{v}" for k in ("plain", "table", "control", "stateful") for v in ("ref", "resource")
]
MODELS = f"{Path(__file__).with_name('models.py')}:"


def sides(name: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    import tensorflow as tf

    io = io_of(name)
    feeds = {key[3:]: tf.constant(value) for key, value in io.items() if key.startswith("in:")}
    return feeds, {key[4:]: value for key, value in io.items() if key.startswith("out:")}


def check(model: Any, name: str) -> None:
    """Both signatures have their keys, and compute what TF 1.15.5 computed."""
    feeds, expected = sides(name)
    assert sorted(model.signatures) == ["scores", "serving_default"]
    found = model.signatures["serving_default"](**feeds)
    assert sorted(found) == sorted(expected)
    for key, value in expected.items():
        np.testing.assert_allclose(found[key].numpy(), value, rtol=2e-6, atol=1e-6)
    _, keywords = model.signatures["scores"].structured_input_signature
    assert sorted(keywords) == ["inputs"]
    assert sorted(model.signatures["scores"].structured_outputs) == ["scores"]


@pytest.mark.tf2
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", KINDS)
def test_as_functions(name: str, tmp_path: Path) -> None:
    """Loaded, with variables; and saved again and loaded again."""
    import tensorflow as tf

    from migrate.checkpoints import load_saved_model

    model = load_saved_model(golden(f"{name}/export"))
    check(model, name)
    names = {variable.name.removesuffix(":0") for variable in model.variables}
    assert {"w", "b"} <= names
    tf.saved_model.save(model, str(tmp_path / "new"), signatures=dict(model.signatures))
    if "stateful" not in name:  # its counter has gone on
        check(tf.saved_model.load(str(tmp_path / "new")), name)


@pytest.mark.tf2
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_references_count() -> None:
    """A signature that assigns counts on from call to call, as TF 1's session does."""
    from migrate.checkpoints import load_saved_model

    feeds, expected = sides("saved_stateful_ref")
    model = load_saved_model(golden("saved_stateful_ref/export"))
    call = model.signatures["serving_default"]
    start = float(next(v for v in model.variables if v.name == "count:0").numpy())
    step = float(feeds["x"].numpy().sum())
    for turn in (1, 2):
        np.testing.assert_allclose(call(**feeds)["count"].numpy(), start + turn * step, rtol=1e-5)
    assert float(expected["count"]) == pytest.approx(step, rel=1e-5)


@pytest.mark.tf2
def test_frozen_graph() -> None:
    from migrate.checkpoints import load_graph

    feeds, expected = sides("saved_plain_ref")
    path = golden("saved_plain_ref/frozen.pb")
    function = load_graph(path, ["x"], {"answer": "y:0"})
    np.testing.assert_allclose(function(x=feeds["x"])["answer"], expected["y"], rtol=1e-6)
    with pytest.raises(Usage, match="no tensor"):
        load_graph(path, ["x"], ["nothing"])
    with pytest.raises(Usage, match="inputs and outputs"):
        load_graph(path, [], ["y"])


@pytest.mark.tf2
def test_export(run: Run, tmp_path: Path) -> None:
    """The command, in a process of its own; it writes whole folders or none."""
    import tensorflow as tf

    out = tmp_path / "new"
    text = run("savedmodel", "export", golden("saved_table_ref/export"), out).output
    assert "scores, serving_default" in text
    check(tf.saved_model.load(str(out)), "saved_table_ref")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert "is there already" in run("savedmodel", "export", golden("saved_plain_ref/export"), out,
                                     code=2).output  # fmt: skip
    frozen = golden("saved_plain_ref/frozen.pb")
    run("savedmodel", "export", frozen, tmp_path / "f", "--input", "x:0", "--output", "y=y:0",
        "--signature", "predict")  # fmt: skip
    feeds, expected = sides("saved_plain_ref")
    loaded = tf.saved_model.load(str(tmp_path / "f"))
    assert list(loaded.signatures) == ["predict"]
    np.testing.assert_allclose(loaded.signatures["predict"](**feeds)["y"], expected["y"], rtol=1e-6)


def test_export_needs(run: Run, tmp_path: Path) -> None:
    """What can be told without TensorFlow is told before it starts."""
    run("savedmodel", "export", golden("saved_plain_ref/export"), tmp_path / "o", "--input", "x:0",
        code=2)  # fmt: skip
    run("savedmodel", "export", tmp_path / "nothing", tmp_path / "o", code=3)
    assert list(tmp_path.iterdir()) == []


def test_show(run: Run) -> None:
    text = run("savedmodel", "show", golden("saved_table_ref/export")).output
    assert "written by TensorFlow 1.15.5" in text
    assert "serving_default  inputs   words   string[?]" in text
    record = json.loads(
        run("savedmodel", "show", golden("saved_table_ref/export"), "--format", "json").output
    )
    assert record[0]["tags"] == ["serve"]
    assert record[0]["signatures"]["scores"]["inputs"] == {"inputs": "float32[?, 3]"}
    assert record[0]["variables"] == 2
    assert record[0]["lost"] == {}
    run("savedmodel", "show", golden("mlp/model.ckpt-3.meta"))


def test_ops_table() -> None:
    """The list of ops, against what is known of some of them."""
    table = inspecting.states()
    assert table["MatMul"] == table["VariableV2"] == table["NoOp"] == "kernel"
    assert table["CompareAndBitpack"] == table["Resampler"] == "gone"
    assert table["BoostedTreesPredict"] == "no-kernel"
    assert len(table) > 1900


@pytest.mark.tf2
def test_ops_table_and_tensorflow() -> None:
    """Every op of 2.21's public list is in the table as one that it has."""
    import tensorflow as tf

    if not tf.__version__.startswith("2.21"):
        pytest.skip("the table is of 2.21")
    table = inspecting.states()
    public = [name for name in dir(tf.raw_ops) if name[0].isupper()]
    assert [name for name in public if table.get(name, "gone") == "gone"] == []
    gone = [name for name, state in table.items() if state == "gone"]
    assert set(gone).isdisjoint(public)
    assert len(gone) > 50


@pytest.mark.tf2
def test_lost_ops(run: Run, tmp_path: Path) -> None:
    """Ops that are gone, without kernels or of nobody are named with their nodes."""
    import tensorflow as tf

    graph = tf.compat.v1.GraphDef()
    for name, op in (
        ("a", "Placeholder"),
        ("b", "Resampler"),
        ("c", "Resampler"),
        ("d", "BoostedTreesPredict"),
        ("e", "MyCompanysOp"),
        ("f", "inner"),
    ):
        graph.node.add(name=name, op=op)  # fmt: skip
    made = graph.library.function.add()
    made.signature.name = "inner"
    made.node_def.add(name="g", op="Rpc")
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.SerializeToString())
    text = run("savedmodel", "ops", path, code=1).output
    assert "Resampler: not in TF 2.21; b, c" in text
    assert "BoostedTreesPredict: in TF 2.21 without a kernel for CPUs" in text
    assert "MyCompanysOp: no op of TF 1.15.5" in text
    assert "Rpc: not in TF 2.21; g" in text
    assert "inner" not in text
    found = json.loads(run("savedmodel", "ops", path, "--format", "json", code=1).output)
    assert {item["op"] for item in found} == {
        "Resampler",
        "BoostedTreesPredict",
        "MyCompanysOp",
        "Rpc",
    }
    from migrate.checkpoints import load_graph

    with pytest.raises(CheckpointError, match="Resampler"):
        load_graph(str(path), ["a"], ["b"])
    run("savedmodel", "ops", golden("saved_control_ref/export"))


@pytest.mark.parametrize(
    "name", ["saved_table_ref/export/saved_model.pb", "saved_plain_ref/frozen.pb"]
)
def test_damaged_graphs(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)
    before = Path(golden(name)).read_bytes()
    path = tmp_path / Path(name).name
    refused = 0
    for _ in range(60):
        for damage in DAMAGES:
            path.write_bytes(bytes(damage(rng, bytearray(before))))
            try:
                inspecting.inspect(str(path))
            except CheckpointError:
                refused += 1
    assert refused > 50


@pytest.mark.tf2
def test_damaged_export(run: Run, tmp_path: Path) -> None:
    """Variables that are damaged: an error, and no folder."""
    shutil.copytree(golden("saved_plain_ref/export"), tmp_path / "in")
    data = tmp_path / "in" / "variables" / "variables.data-00000-of-00001"
    raw = bytearray(data.read_bytes())
    raw[3] ^= 1
    data.write_bytes(raw)
    run("savedmodel", "export", tmp_path / "in", tmp_path / "out", code=3)
    assert not (tmp_path / "out").exists()


def test_variables_are_a_checkpoint(run: Run, tmp_path: Path) -> None:
    run("convert", golden("saved_plain_ref/export"), tmp_path / "v.npz", "--verify")
    with np.load(tmp_path / "v.npz") as stored:
        assert stored["w"].shape == (3, 2)
        assert stored["b"].tolist() == [1.0, 1.0]


@pytest.mark.tf2
@pytest.mark.usefixtures("in_process")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_variables_into_a_model(run: Run, tmp_path: Path) -> None:
    """A SavedModel's variables in a migrated model give the SavedModel's outputs."""
    from . import models

    names = tmp_path / "migrate-names.json"
    names.write_text(json.dumps({"w": "dense/kernel", "b": "dense/bias"}))
    out = tmp_path / "new.weights.h5"
    run("convert", golden("saved_plain_ref/export"), out, "--map", names, "--model",
        MODELS + "one_layer")  # fmt: skip
    model = models.one_layer()
    model.load_weights(out)
    feeds, expected = sides("saved_plain_ref")
    np.testing.assert_allclose(model(feeds["x"]), expected["y"], rtol=1e-6, atol=1e-7)
