"""Where ``tf.compat.v1.X`` of 2.21 is not what X was, beyond what the signatures say."""

# ruff: noqa: SIM905
from __future__ import annotations

KERAS = "Keras 3 in place of TF 1.15's Keras"

DRIFT: dict[str, str] = {
    "data.Dataset": "shuffle with a graph seed alone, or fused with repeat, has another order",
    "data.experimental.shuffle_and_repeat": "another order for a seed",
    "digamma": "digamma(0) is nan, was inf",
    "math.digamma": "digamma(0) is nan, was inf",
    "random.set_random_seed": "ops without a seed of their own draw another stream",
    "set_random_seed": "ops without a seed of their own draw another stream",
}

# the signatures differ, callers see nothing
FINE = frozenset(
    """
    Operation RaggedTensor Tensor autograph.experimental.set_loop_options
    """.split()
)


def drift(name: str) -> tuple[str, str] | None:
    """What is known better than the signatures tell; None: they decide."""
    if name == "keras" or name.startswith("keras."):
        return "drift", KERAS
    if DRIFT.get(name):
        return "drift", DRIFT[name]
    if name in FINE or name.startswith(("flags.", "app.flags.")):  # absl, whatever its release
        return "ok", ""
    return None
