"""``tf.contrib.saved_model``: reading SavedModels without loading them."""

from __future__ import annotations

from typing import Any

from migrate.tf1_shim import _lazy

__all__ = ["get_signature_def_by_key", "reader"]

_KERAS = (
    "Keras 3 writes and reads no SavedModel of TF1's kind: use model.save('name.keras') and "
    "tf.keras.models.load_model, model.export(folder) to serve it, and "
    "tf.saved_model.loader.load for one that TF1 wrote"
)

__getattr__ = _lazy.attributes(
    __name__,
    ("reader",),
    "tf.contrib.saved_model",
    {"load_keras_model": _KERAS, "save_keras_model": _KERAS},
)


def get_signature_def_by_key(meta_graph_def: Any, signature_def_key: str) -> Any:
    """A signature of a meta graph.

    Args:
      meta_graph_def: A ``MetaGraphDef``.
      signature_def_key: The signature's name.

    Returns:
      A ``SignatureDef``.

    Raises:
      ValueError: If there is none of that name.
    """
    if signature_def_key not in meta_graph_def.signature_def:
        raise ValueError(
            f"No SignatureDef with key {signature_def_key!r} found in MetaGraphDef; there are "
            f"{sorted(meta_graph_def.signature_def)}"
        )
    return meta_graph_def.signature_def[signature_def_key]
