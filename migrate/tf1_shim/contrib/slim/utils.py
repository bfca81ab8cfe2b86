"""``slim.utils``: aliases of tensors, and sizes."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.layers.utils import (
    append_tensor_alias,
    append_tensor_aliases,
    channel_dimension,
    collect_named_outputs,
    constant_value,
    convert_collection_to_dict,
    first_dimension,
    gather_tensors_aliases,
    get_tensor_aliases,
    get_variable_collections,
    last_dimension,
    n_positive_integers,
    smart_cond,
    static_cond,
    two_element_tuple,
)

__all__ = [
    "append_tensor_alias",
    "append_tensor_aliases",
    "channel_dimension",
    "collect_named_outputs",
    "constant_value",
    "convert_collection_to_dict",
    "first_dimension",
    "gather_tensors_aliases",
    "get_tensor_aliases",
    "get_variable_collections",
    "last_dimension",
    "n_positive_integers",
    "smart_cond",
    "static_cond",
    "two_element_tuple",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.utils")
