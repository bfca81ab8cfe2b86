"""`TPUEstimator` with ``use_tpu=True`` says that there is no TPU here, and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tensorflow")

from migrate import estimator_shim

pytestmark = pytest.mark.tf2


@pytest.mark.parametrize("call", ["train", "evaluate", "predict"])
def test_no_tpu(call: str, tmp_path: Path) -> None:
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
    with pytest.raises(NotImplementedError, match=r"use_tpu=False.*tf\.distribute\.TPUStrategy"):
        run()
