"""The optimizers' kernels, for variables of both kinds."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["cast", "is_resource", "kernel"]


def is_resource(var: Any) -> bool:
    """Whether a variable is a resource variable."""
    return getattr(var, "handle", None) is not None


def cast(value: Any, var: Any) -> Any:
    """A number or tensor in a variable's dtype."""
    return tf.cast(value, var.dtype.base_dtype)


def kernel(name: str, var: Any, slots: dict[str, Any], **kwargs: Any) -> Any:
    """Run ``ApplyNAME`` or ``ResourceApplyNAME`` of ``tf.raw_ops``.

    Args:
      name: The kernel's name, such as "Adam".
      var: The variable.
      slots: The optimizer's variables by the kernel's names.
      **kwargs: The kernel's other inputs and attributes.

    Returns:
      The operation.
    """
    sparse = "Sparse" if "indices" in kwargs else ""
    if not is_resource(var):
        return getattr(tf.raw_ops, f"{sparse}Apply{name}")(var=var, **slots, **kwargs).op
    handles = {key: slot.handle for key, slot in slots.items()}
    return getattr(tf.raw_ops, f"Resource{sparse}Apply{name}")(var=var.handle, **handles, **kwargs)
