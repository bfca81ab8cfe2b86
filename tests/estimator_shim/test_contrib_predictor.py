"""contrib.learn's Estimators whose head has no name: a predictor of one, and its export.

What is compared with was printed by the same steps on TF 1.15.5.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tensorflow")

import numpy as np

from migrate import estimator_shim
from migrate.estimator_shim.contrib import learn
from migrate.estimator_shim.contrib.learn.utils import input_fn_utils
from migrate.tf1_shim.contrib import layers, predictor

pytestmark = pytest.mark.tf2
X = np.arange(8, dtype=np.float32).reshape(8, 1)
SEEN = [[0.45707768201828003, 0.5429223775863647], [0.2796538770198822, 0.7203461527824402]]


def test_predictor_and_export(tmp_path: Path) -> None:
    import tensorflow.compat.v1 as tf

    def input_fn() -> Any:
        return {"x": tf.constant(X)}, tf.constant((X > 3).astype(np.int64))

    def serving_input_fn() -> Any:
        x = tf.placeholder(tf.float32, [None, 1], name="x")
        return input_fn_utils.InputFnOps({"x": x}, None, {"x": x})

    est = learn.LinearClassifier(
        [layers.real_valued_column("x")],
        model_dir=str(tmp_path / "model"),
        optimizer=tf.train.GradientDescentOptimizer(0.1),
    )
    est.fit(input_fn=input_fn, steps=3)
    found = predictor.from_contrib_estimator(est, serving_input_fn)
    seen = found({"x": [[1.0], [5.0]]})
    assert sorted(seen) == ["classes", "probabilities"]
    assert seen["classes"].tolist() == [[b"0", b"1"]] * 2
    assert seen["probabilities"] == pytest.approx(np.array(SEEN), rel=1e-5)
    with pytest.raises(ValueError, match="unexpected keys"):
        found({"y": [[1.0]]})
    with pytest.raises(ValueError, match="string"):  # as on 1.15.5: serialized examples
        est.export_savedmodel(str(tmp_path / "export"), serving_input_fn)
    core = estimator_shim.LinearClassifier([tf.feature_column.numeric_column("x")])
    with pytest.raises(TypeError, match="from_estimator"):
        predictor.from_contrib_estimator(core, serving_input_fn)
