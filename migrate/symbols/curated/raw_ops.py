"""tf.raw_ops: ops whose definitions TF 2.21 no longer has."""

from __future__ import annotations

from migrate.symbols.curated.decisions import Decision, Lost

_EMBEDDINGS = ("ADAM", "Adadelta", "Adagrad", "FTRL", "Momentum", "ProximalAdagrad", "RMSProp")

DECISIONS: dict[str, Decision] = {
    "raw_ops.CompareAndBitpack": Lost("removed from the Python API"),
    **{
        f"raw_ops.{verb}TPUEmbedding{name}ParametersGradAccumDebug": Lost("removed")
        for verb in ("Load", "Retrieve")
        for name in _EMBEDDINGS
    },
}
