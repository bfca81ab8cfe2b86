"""``tf.contrib.util``: conversions of tensors, and the operations of a graph."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["constant_value", "make_ndarray", "make_tensor_proto", "ops_used_by_graph_def"]

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.util",
    {
        "loader": "use tf.load_op_library",
        "stripped_op_list_for_graph": "TF 2 has no public list of all operations; "
        "ops_used_by_graph_def gives their names",
    },
)

constant_value = tf.get_static_value
make_ndarray = tf.make_ndarray
make_tensor_proto = tf.make_tensor_proto


def ops_used_by_graph_def(graph_def: Any) -> list[str]:
    """The types of the operations of a graph and of the functions that it calls.

    Args:
      graph_def: A ``GraphDef``.

    Returns:
      The types, in no order, without the names of the functions.
    """
    functions = {function.signature.name: function for function in graph_def.library.function}
    used: set[str] = set()
    waiting = [node.op for node in graph_def.node]
    while waiting:
        kind = waiting.pop()
        if kind not in used:
            used.add(kind)
            if kind in functions:
                waiting += [node.op for node in functions[kind].node_def]
    return [kind for kind in used if kind not in functions]
