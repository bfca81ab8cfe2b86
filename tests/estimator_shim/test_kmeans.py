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


ENDS = """
import sys
import numpy as np, tensorflow.compat.v1 as tf
from migrate import estimator_shim as estimator
tf.disable_v2_behavior()
points = np.random.RandomState(0).randn(30, 3).astype(np.float32)
for number, size in enumerate((30, 10)):
    def inputs():
        data = tf.data.Dataset.from_tensor_slices(points).batch(size)
        return {"x": data.make_one_shot_iterator().get_next()}, None
    for kind in (estimator.experimental.KMeans, estimator.contrib.learn.KMeansClustering):
        k = kind(3, f"{sys.argv[1]}/{kind.__module__}{number}")
        (k.fit if hasattr(k, "fit") else k.train)(input_fn=inputs)
        found = k.predict_cluster_idx if hasattr(k, "fit") else k.predict_cluster_index
        print(k.get_variable_value("global_step"), len(list(found(input_fn=inputs))))
"""


@pytest.mark.tf2
def test_the_batch_that_isnt_there_is_a_step(tf2_python: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [tf2_python, "-c", ENDS, str(tmp_path)],
        capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    # As 1.15.5: the starting centers take a batch, the end of the batches is counted; contrib's
    # predict takes one batch of what has no queue.
    assert done.stdout.split("\n")[:4] == ["1 30", "1 30", "3 30", "3 10"], done.stderr
