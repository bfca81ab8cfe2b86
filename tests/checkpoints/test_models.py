"""Checkpoints of TF 1.15.5 in Keras models that compute the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .conftest import Run, golden, io_of

pytestmark = [
    pytest.mark.tf2,
    pytest.mark.usefixtures("in_process"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
MODELS = f"{Path(__file__).with_name('models.py')}:"


def cell(kind: str, scope: str, to: str, **more: Any) -> dict[str, Any]:
    return {"cell": kind, "match": scope, "to": to, **more}


def lstm(kind: str, scope: str, **more: Any) -> list[dict[str, Any]]:
    return [cell(kind, f"rnn/{scope}", "lstm/lstm_cell", **more)]


# TF 1 program -> model, rules, tensors that are no business of the model
CASES: dict[str, tuple[str, list[dict[str, Any]], tuple[str, ...]]] = {
    "mlp": ("mlp", [], ()),
    "convnet": ("convnet", [], ()),
    "contrib": ("contrib", [], ()),
    "low_level": (
        "low_level",
        [
            {"match": "model/W1", "to": "hidden/kernel", "transform": ["transpose"]},
            {"match": "model/b1", "to": "hidden/bias", "transform": [{"squeeze": [0]}]},
            {"match": "model/W2", "split": {"axis": 1, "sizes": [2, -1]},
             "to": ["left/kernel", "right/kernel"]},
        ],
        (),
    ),
    "embedding": ("embedding", [], ()),
    "partitioned": ("partitioned", [], ()),
    "basic_lstm": ("basic_lstm", lstm("BasicLSTMCell", "basic_lstm_cell", forget_bias=1.0), ()),
    "lstm_block": ("lstm", lstm("LSTMBlockCell", "lstm_cell", forget_bias=0.5), ()),
    "stacked_lstm": (
        "stacked_lstm",
        [
            cell("LSTMCell", "rnn/multi_rnn_cell/cell_0/lstm_cell", "first/lstm_cell",
                 forget_bias=1.0),
            cell("LSTMCell", r"(.*)/cell_1/lstm_cell", "second/lstm_cell", forget_bias=1.0),
        ],
        (),
    ),
    "gru": ("gru", [cell("GRUCell", "rnn/gru_cell", "gru/gru_cell")], ()),
    "gru_block": ("gru_before", [cell("GRUBlockCellV2", "rnn/gru_cell", "gru/gru_cell")], ()),
    "cudnn_gru": (
        "cudnn_gru",
        [cell("CudnnCompatibleGRUCell", "rnn/cudnn_compatible_gru_cell", "gru/gru_cell")],
        (),
    ),
    "cudnn_lstm": ("lstm", lstm("CudnnCompatibleLSTMCell", "cudnn_compatible_lstm_cell"), ()),
    "basic_rnn": (
        "basic_rnn",
        [cell("BasicRNNCell", "rnn/basic_rnn_cell", "rnn/simple_rnn_cell")],
        (),
    ),
}  # fmt: skip


def options_of(name: str, tmp_path: Path) -> list[str]:
    model, rules, _ = CASES[name]
    words = ["--model", MODELS + model]
    if rules:
        path = tmp_path / "rules.json"
        path.write_text(json.dumps({"version": 1, "rules": rules}))
        words += ["--map", str(path)]
    return words


@pytest.mark.parametrize("name", CASES)
def test_outputs(name: str, run: Run, tmp_path: Path) -> None:
    from . import models

    out = tmp_path / "new.weights.h5"
    run("convert", golden(name), out, "--verify", *options_of(name, tmp_path))
    model = getattr(models, CASES[name][0])()
    model.load_weights(out)
    io = io_of(name)
    np.testing.assert_allclose(np.asarray(model(io["x"])), io["y"], rtol=2e-6, atol=5e-7)


@pytest.mark.parametrize("name", ["mlp", "basic_lstm"])
def test_other_formats(name: str, run: Run, tmp_path: Path) -> None:
    """A .keras file and an object-based checkpoint hold the same model."""
    import keras
    import tensorflow as tf

    from . import models

    io = io_of(name)
    archive, prefix = tmp_path / "new.keras", tmp_path / "new"
    run("convert", golden(name), archive, "--verify", *options_of(name, tmp_path))
    run("convert", golden(name), prefix, "--to", "tf2", "--verify", *options_of(name, tmp_path))
    loaded = keras.models.load_model(archive, safe_mode=True)
    np.testing.assert_allclose(np.asarray(loaded(io["x"])), io["y"], rtol=2e-6, atol=5e-7)
    model = getattr(models, CASES[name][0])()
    tf.train.Checkpoint(model=model).restore(str(prefix)).assert_consumed()
    np.testing.assert_allclose(np.asarray(model(io["x"])), io["y"], rtol=2e-6, atol=5e-7)
    assert int(model.optimizer.iterations) == int(loaded.optimizer.iterations) == 3


def test_module(run: Run, tmp_path: Path) -> None:
    """A tf.Module, whose variables have no names, by a map of attribute paths."""
    import tensorflow as tf

    from . import models

    names = {}
    for place, layer in enumerate(("dense", "dense_1", "dense_2")):
        names[f"{layer}/kernel"] = f"dense.{place}"
        names[f"{layer}/bias"] = {"path": f"bias/{place}"}
    names["global_step"] = "steps"
    path = tmp_path / "migrate-names.json"
    path.write_text(json.dumps(names))
    out = tmp_path / "new"
    words = ["--to", "tf2", "--model", MODELS + "Module", "--map", path]
    run("convert", golden("mlp"), out, "--verify", *words)
    module = models.Module()
    tf.train.Checkpoint(model=module).restore(str(out)).assert_consumed()
    io = io_of("mlp")
    np.testing.assert_allclose(module(io["x"]), io["y"], rtol=2e-6, atol=5e-7)
    assert int(module.steps) == 3


def test_own_checkpoint(run: Run, tmp_path: Path) -> None:
    """A callable may give a tf.train.Checkpoint; then its parts are the target."""
    from . import models

    out = tmp_path / "new"
    run("convert", golden("mlp"), out, "--to", "tf2", "--model", MODELS + "checkpoint", "--verify")
    restored = models.checkpoint()
    restored.restore(str(out)).assert_consumed()
    io = io_of("mlp")
    np.testing.assert_allclose(np.asarray(restored.net(io["x"])), io["y"], rtol=2e-6, atol=5e-7)
    assert int(restored.opt.iterations) == 3


@pytest.mark.parametrize("kind", ["objects", "weights.h5"])
def test_tf_keras_of_tf1(kind: str, run: Run, tmp_path: Path) -> None:
    """What tf.keras of 1.15.5 saved, object-based and as HDF5; slots are in the first."""
    from . import models

    model = models.after_keras() if kind == "objects" else models.after_keras_bare()
    name = "after_keras" if kind == "objects" else "after_keras_bare"
    out = tmp_path / "new.weights.h5"
    run("convert", golden(f"keras_weights/{kind}"), out, "--model", MODELS + name, "--verify")
    model.load_weights(out)
    io = io_of("keras_weights")
    np.testing.assert_allclose(np.asarray(model(io["x"])), io["y"], rtol=2e-6, atol=5e-7)
    if kind == "objects":
        from migrate.checkpoints.opening import reading

        assert int(model.optimizer.iterations) == 3
        with reading(golden("keras_weights/objects")) as reader:
            slot = reader.read("layer_with_weights-2/kernel/.OPTIMIZER_SLOT/optimizer/v")
        ends = "_kernel_velocity"
        velocities = [v for v in model.optimizer.variables if v.path.endswith(ends)]
        found = [v for v in velocities if tuple(v.shape) == slot.shape]
        assert len(found) == 1
        assert np.array_equal(found[0].numpy(), slot)
        assert slot.any()


def test_averages(run: Run, tmp_path: Path) -> None:
    from . import models

    out = tmp_path / "new.weights.h5"
    run("convert", golden("averages"), out, "--ema", "--model", MODELS + "mlp_other_names")
    model = models.mlp_other_names()
    model.load_weights(out)
    io = io_of("averages")
    np.testing.assert_allclose(np.asarray(model(io["x"])), io["y"], rtol=2e-6, atol=5e-7)
    raw = tmp_path / "raw.weights.h5"
    run("convert", golden("averages"), raw, "--model", MODELS + "mlp_other_names")
    model.load_weights(raw)
    assert np.abs(np.asarray(model(io["x"])) - io["y"]).max() > 0.1


@pytest.mark.parametrize(
    "name", ["mlp", "convnet", "embedding", "partitioned", "basic_lstm", "gru", "basic_rnn"]
)
def test_training_goes_on(name: str, run: Run, tmp_path: Path) -> None:
    """Slots and counts arrive: a step in Keras gives what TF 1.15.5's fourth step gave.

    Adam, RMSProp (centered, with momentum), Adagrad; slots of transformed weights, too.
    """
    import tensorflow as tf

    from . import models

    out = tmp_path / "new.weights.h5"
    run("convert", golden(name), out, *options_of(name, tmp_path))
    model = getattr(models, CASES[name][0])()
    model.load_weights(out)
    io = io_of(name)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(io["x"], training=False) - 1.0))
    gradients = [tf.convert_to_tensor(g) for g in tape.gradient(loss, model.trainable_variables)]
    model.optimizer.apply(gradients, model.trainable_variables)
    found = np.asarray(model(io["x"], training=False))
    np.testing.assert_allclose(found, io["y_next"], rtol=5e-6, atol=2e-6)
    assert np.abs(io["y_next"] - io["y"]).max() > 1e-3


def _tensor(name: str, tensor: str) -> np.ndarray:
    from migrate.checkpoints.opening import reading

    with reading(golden(name)) as reader:
        return reader.read(tensor)


@pytest.mark.parametrize(
    "name", ["mlp", "low_level", "basic_lstm", "gru", "cudnn_gru", "basic_rnn", "partitioned"]
)
def test_there_and_back(name: str, run: Run, tmp_path: Path) -> None:
    """Through the map to Keras, and backwards through it to TF 1: bit-equal but for forget_bias."""
    new = tmp_path / "new.weights.h5"
    words = options_of(name, tmp_path)
    run("convert", golden(name), new, *words)
    back = tmp_path / "back" / "model.ckpt"
    if "--map" not in words:
        written = tmp_path / "map.json"
        run("convert", golden(name), new, *words, "--dry-run", "--write-map", written)
        words += ["--map", str(written)]
    run("convert", new, back, *words, "--like", golden(name), "--to", "tf1", "--verify")
    result = json.loads(run("compare", golden(name), back, "--format", "json", code=None).output)
    allowed = 1e-7 if name == "basic_lstm" else 0.0
    for row in result["tensors"]:
        if "bias" in row["name"] and name == "basic_lstm":
            assert row["max_abs"] <= allowed, row
        elif name == "cudnn_gru" and "hidden_projection/bias" in row["name"]:
            assert row["status"] == "equal", row
        else:
            assert row["status"] == "equal", row


def test_names_of_variables(run: Run, tmp_path: Path) -> None:
    """Keras' files number their arrays; with the model they get the variables' names."""
    new, npz = tmp_path / "new.weights.h5", tmp_path / "named.npz"
    run("convert", golden("mlp"), new, "--model", MODELS + "mlp")
    run("convert", new, npz, "--model", MODELS + "mlp")
    with np.load(npz, allow_pickle=False) as stored:
        assert np.array_equal(stored["sequential/dense/kernel"], _tensor("mlp", "dense/kernel"))
        assert int(stored["adam/iteration"]) == 3
        assert len(stored.files) == 20
    words = ["--model", MODELS + "mlp", "--like", golden("mlp")]
    text = run("convert", golden("mlp"), tmp_path / "x.keras", *words, code=2).output
    assert "both describe the target" in text


def test_object_based_into_keras(run: Run, tmp_path: Path) -> None:
    """A TF 2 checkpoint with its variables' names in a .weights.h5, and in another TF 2 one."""
    from . import models

    run("convert", golden("mlp"), tmp_path / "o", "--to", "tf2", "--model", MODELS + "mlp")
    run("convert", tmp_path / "o", tmp_path / "new.weights.h5", "--model", MODELS + "mlp")
    model = models.mlp()
    model.load_weights(tmp_path / "new.weights.h5")
    io = io_of("mlp")
    np.testing.assert_allclose(np.asarray(model(io["x"])), io["y"], rtol=2e-6, atol=5e-7)
    assert int(model.optimizer.iterations) == 3
    run("compare", golden("mlp"), tmp_path / "o")
