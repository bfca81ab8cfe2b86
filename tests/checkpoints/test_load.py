"""`load_tf1_checkpoint`: native programs that read an old checkpoint."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .conftest import golden, io_of

pytestmark = [pytest.mark.tf2, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


def values(model: Any) -> list[np.ndarray]:
    return [np.asarray(v.numpy()).copy() for v in model.variables]


def test_into_a_keras_model() -> None:
    from migrate.checkpoints import load_tf1_checkpoint

    from . import models

    model = models.mlp()
    report = load_tf1_checkpoint(golden("mlp"), model)
    io = io_of("mlp")
    np.testing.assert_allclose(model(io["x"]), io["y"], rtol=2e-6, atol=5e-7)
    assert int(model.optimizer.iterations) == 3
    assert len(report.assigned) == 19
    assert [name.rpartition("/")[2] for name in report.kept] == ["learning_rate"]
    assert set(report.unused) == {"beta1_power", "beta2_power"}


def test_with_a_map(tmp_path: Path) -> None:
    from migrate.checkpoints import load_tf1_checkpoint

    from . import models

    cell = {"cell": "BasicLSTMCell", "path": "lstm/lstm_cell", "forget_bias": 1.0}
    names = {"rnn/basic_lstm_cell": cell}
    for given in (names, str(tmp_path / "migrate-names.json")):
        Path(tmp_path / "migrate-names.json").write_text(json.dumps(names))
        model = models.lstm()
        load_tf1_checkpoint(golden("basic_lstm"), model, names=given)
        io = io_of("basic_lstm")
        np.testing.assert_allclose(model(io["x"]), io["y"], rtol=2e-6, atol=5e-7)


def test_into_a_module_and_a_mapping() -> None:
    import tensorflow as tf

    from migrate.checkpoints import Usage, load_tf1_checkpoint

    from . import models

    module = models.Module()
    names = {f"dense{n}/kernel": f"dense/{place}" for place, n in enumerate(("", "_1", "_2"))}
    names |= {f"dense{n}/bias": f"bias.{place}" for place, n in enumerate(("", "_1", "_2"))}
    load_tf1_checkpoint(golden("mlp"), module, names={**names, "global_step": "steps"})
    io = io_of("mlp")
    np.testing.assert_allclose(module(io["x"]), io["y"], rtol=2e-6, atol=5e-7)
    mine = {"dense/bias": tf.Variable(tf.zeros(16))}
    load_tf1_checkpoint(golden("mlp"), mine, exclude=["kernel", "dense_"])
    assert np.array_equal(mine["dense/bias"].numpy(), module.bias[0].numpy())
    with pytest.raises(Usage, match="Received: int"):
        load_tf1_checkpoint(golden("mlp"), 3)
    with pytest.raises(Usage, match="no variables"):
        load_tf1_checkpoint(golden("mlp"), tf.Module())


def test_averages() -> None:
    from migrate.checkpoints import load_tf1_checkpoint

    from . import models

    model = models.mlp_other_names()
    load_tf1_checkpoint(golden("averages"), model, ema=True)
    io = io_of("averages")
    np.testing.assert_allclose(model(io["x"]), io["y"], rtol=2e-6, atol=5e-7)


def test_all_or_nothing(tmp_path: Path) -> None:
    """A checkpoint that doesn't fit, or is damaged at its end, changes no variable."""
    from migrate.checkpoints import CheckpointError, load_tf1_checkpoint

    from . import models

    model = models.contrib()
    before = values(model)
    with pytest.raises(CheckpointError, match="does not fit the model"):
        load_tf1_checkpoint(golden("mlp"), model)
    assert all(np.array_equal(a, b) for a, b in zip(before, values(model), strict=True))
    shutil.copytree(golden("mlp"), tmp_path / "mlp")
    data = tmp_path / "mlp" / "model.ckpt-3.data-00000-of-00001"
    raw = bytearray(data.read_bytes())
    raw[-1] ^= 1
    data.write_bytes(raw)
    model = models.mlp()
    before = values(model)
    with pytest.raises(CheckpointError, match="checksum"):
        load_tf1_checkpoint(str(tmp_path / "mlp"), model)
    assert all(np.array_equal(a, b) for a, b in zip(before, values(model), strict=True))
    report = load_tf1_checkpoint(golden("contrib"), models.mlp(), partial=True)
    assert report.kept


def test_import_is_light() -> None:
    """The package itself imports nothing heavy."""
    import subprocess
    import sys

    code = (
        "import sys; import migrate.checkpoints; from migrate.checkpoints import CheckpointError\n"
        "print([m for m in ('tensorflow', 'numpy', 'h5py', 'click') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
