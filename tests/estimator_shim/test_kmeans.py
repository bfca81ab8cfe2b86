"""Mini-batches: 1.15.5 counts points before or after the batch, as threads have it; here before."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

CODE = """
import numpy as np, tensorflow as tf, sys
from migrate import estimator_shim as estimator
points = np.random.RandomState(0).randn(200, 3).astype(np.float32)
start = points[:4]
k = estimator.experimental.KMeans(4, sys.argv[1], initial_clusters=start)
k.train(lambda: tf.constant(points), steps=3)
centers, seen = start.astype(float), np.ones(4)
for _ in range(3):
    ids = ((points[:, None] - centers) ** 2).sum(-1).argmin(1)
    added = np.bincount(ids, minlength=4)
    sums = np.stack([points[ids == i].sum(0) for i in range(4)])
    centers = centers + (sums - added[:, None] * centers) / (seen + added)[:, None]
    seen += added
np.testing.assert_allclose(k.cluster_centers(), centers, rtol=1e-5)
np.testing.assert_array_equal(k.get_variable_value("Variable"), seen)
try:
    estimator.experimental.KMeans(2, mini_batch_steps_per_iteration=2)
except NotImplementedError as e:
    assert "mini_batch_steps_per_iteration" in str(e)
    print("done")
"""


@pytest.mark.tf2
def test_mini_batches_move_centers_by_their_share(tf2_python: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [tf2_python, "-c", CODE, str(tmp_path / "k")],
        capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "done", done.stderr
