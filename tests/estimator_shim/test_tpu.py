"""`TPUEstimator` with ``use_tpu=True``: without a TPU, and on CPUs that stand in for its cores."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tensorflow")

from migrate import estimator_shim

pytestmark = pytest.mark.tf2


@pytest.mark.parametrize("call", ["train", "evaluate", "predict"])
def test_no_tpu(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TPU_NAME", raising=False)

    def model_fn(features: Any, labels: Any, mode: str, params: Any) -> None:
        raise AssertionError("must not be called")

    def input_fn(params: Any) -> Any:
        raise AssertionError("must not be called")

    est = estimator_shim.tpu.TPUEstimator(
        model_fn,
        config=estimator_shim.tpu.RunConfig(model_dir=str(tmp_path)),
        use_tpu=True,
        train_batch_size=8,
        eval_batch_size=8,
        predict_batch_size=8,
    )
    run = {
        "train": lambda: est.train(input_fn, steps=1),
        "evaluate": lambda: est.evaluate(input_fn, steps=1, checkpoint_path=str(tmp_path / "x")),
        "predict": lambda: next(est.predict(input_fn, checkpoint_path=str(tmp_path / "x"))),
    }[call]
    with pytest.raises(RuntimeError, match=r"found no TPU: none is named.*use_tpu=False"):
        run()


@pytest.mark.slow
def test_cores(tf2_python: str) -> None:
    """Two cores train, evaluate and predict as one device does with the whole batch."""
    program = Path(__file__).with_name("tpu_cores.py")
    done = subprocess.run(
        [tf2_python, str(program)], capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout.splitlines()[-1])
    for name in ("adam", "own", "sum"):
        one, two = found[name]
        assert two["sizes"] == {"train": [4, 4], "eval": [4, 4], "infer": [4, 4]}
        assert one["names"] == two["names"]
        for key in ("w", "predictions", "mae", "loss"):
            assert two[key] == pytest.approx(one[key], rel=1e-4, abs=1e-5), (name, key)
        assert one["counted"] == two["counted"] == 24.0
        assert two["step"] == one["step"] == 5
        assert len(two["predictions"]) == 11
        assert [parts for _, parts in two["host_calls"]] == [2] * 5
    assert "multiple of the TPU's 2 cores" in found["odd"]
    assert "drop_remainder" in found["partial"]
    assert "TPUEstimatorSpec" in found["spec"]
    assert found["plain"].startswith("ValueError: tf.compat.v1.tpu.CrossShardOptimizer would sum")
    assert found["axis"].startswith("NotImplementedError: TPUEstimator(batch_axis=...)")
    assert "num_shards must be None or 2" in found["num_shards"]
    every = "experimental_host_call_every_n_steps"
    assert found[every].startswith(f"NotImplementedError: TPUConfig({every}=...)")
