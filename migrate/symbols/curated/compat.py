"""Where ``tf.compat.v1.X`` of 2.21 is not what X was, beyond what the signatures say."""

from __future__ import annotations

KERAS = "Keras 3 in place of TF 1.15's Keras"

DRIFT: dict[str, str] = {
    "tpu.bfloat16_scope": "",
}

# signatures differ, callers see nothing
FINE = frozenset(
    """
    Operation Tensor
    """.split()
)


def drift(name: str) -> tuple[str, str] | None:
    """What is known better than the signatures tell; None: they decide."""
    if name == "keras" or name.startswith("keras."):
        return "drift", KERAS
    if DRIFT.get(name):
        return "drift", DRIFT[name]
    if name in FINE:
        return "ok", ""
    return None
