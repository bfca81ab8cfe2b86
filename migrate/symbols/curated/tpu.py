"""``tf.tpu``: what is in compat.v1 and would give other numbers."""

from __future__ import annotations

from migrate.symbols.curated.decisions import Decision, Ported

DECISIONS: dict[str, Decision] = {
    # A TPUEstimator runs on a strategy now, which sums up gradients itself: this would do it again.
    "tpu.CrossShardOptimizer": Ported(
        "migrate.estimator_shim.contrib.tpu",
        "on a TPU's strategy compat.v1's would sum gradients up twice",
        "tf.distribute.TPUStrategy",
    ),
}
