"""``slim.model_analyzer``: how large the operations and variables of a model are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from migrate.tf1_shim import _lazy

__all__ = ["analyze_ops", "analyze_vars", "tensor_description"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.model_analyzer")

_RULE = "-" * 9


def tensor_description(var: Any) -> str:
    """The dtype and the shape of a tensor, such as "(float32 1x8x8x1024)".

    Args:
      var: A tensor or a variable.

    Returns:
      The description; an unknown size is written as "?".
    """
    sizes = "x".join("?" if size is None else str(size) for size in var.shape.as_list())
    return f"({var.dtype.name} {sizes})"


def analyze_ops(graph: Any, print_info: bool = False) -> int:
    """The number of elements of all outputs of a graph's operations.

    Args:
      graph: The graph.
      print_info: Whether to print a line for each operation.

    Returns:
      The number; an output of unknown size counts as 0.
    """
    if print_info:
        print(_RULE, "Operations: name -> (type shapes) [size]", _RULE, sep="\n")
    total = 0
    for op in graph.get_operations():
        # A scalar and an unknown rank have no description, as in TF1.
        shapes = [tensor_description(out) for out in op.outputs if out.shape.rank]
        size = sum(out.shape.num_elements() or 0 for out in op.outputs)
        if print_info:
            print(op.name, "\t->", ", ".join(shapes), f"[{size}]")
        total += size
    return total


def analyze_vars(variables: Iterable[Any], print_info: bool = False) -> tuple[int, int]:
    """The number of elements, and of bytes, of variables.

    Args:
      variables: The variables, such as ``tf.trainable_variables()``.
      print_info: Whether to print a line for each, and the sums.

    Returns:
      (elements, bytes); a variable of unknown size counts as 0.
    """
    if print_info:
        print(_RULE, "Variables: name (type shape) [size]", _RULE, sep="\n")
    total = total_bytes = 0
    for var in variables:
        size = var.shape.num_elements() or 0
        total += size
        total_bytes += size * var.dtype.size
        if print_info:
            described = tensor_description(var)
            print(var.name, described, f"[{size}, bytes: {size * var.dtype.size}]")
    if print_info:
        print(f"Total size of variables: {total}")
        print(f"Total bytes of variables: {total_bytes}")
    return total, total_bytes
