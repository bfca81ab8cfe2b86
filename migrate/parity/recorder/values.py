# -*- coding: utf-8 -*-
"""Values as arrays, and structures of them."""

from __future__ import absolute_import, division, print_function

import numpy as np

try:
    STRING_TYPES = (basestring,)
except NameError:
    STRING_TYPES = (str,)
ARRAY_LIMIT = 4096  # elements of a fetched or returned array that is kept ...


def is_scalar(value):
    return isinstance(value, (np.generic, float, int)) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    )


def flatten(structure):
    """Leaves of nested lists, tuples and dicts, the order of ``Session.run``'s fetches."""
    if isinstance(structure, dict):
        return [leaf for key in structure for leaf in flatten(structure[key])]
    if isinstance(structure, (list, tuple)) and not hasattr(structure, "dense_shape"):
        return [leaf for item in structure for leaf in flatten(item)]
    return [structure]


def pairs(structure, values):
    """Leaves of fetches beside the values that ``Session.run`` returned for them."""
    if isinstance(structure, dict):
        return [pair for key in structure for pair in pairs(structure[key], values[key])]
    if isinstance(structure, (list, tuple)) and not hasattr(structure, "dense_shape"):
        return [pair for item, value in zip(structure, values) for pair in pairs(item, value)]
    return [(structure, values)]


def expanded(feeds):
    """Pairs of a feed dict; a structure as key, such as an LSTM's state, is taken apart."""
    found = []
    stack = list(feeds.items())
    while stack:
        key, value = stack.pop()
        if isinstance(key, (tuple, list)) and isinstance(value, (tuple, list)):
            stack.extend(zip(key, value))
        else:
            found.append((key, value))
    return found


def one_ulp(value, generator):
    """``value`` with every element moved to the next number up or down."""
    up = generator.randint(0, 2, size=value.shape).astype(bool)
    dtype = value.dtype
    return np.where(
        up, np.nextafter(value, dtype.type(np.inf)), np.nextafter(value, dtype.type(-np.inf))
    ).astype(dtype)


def as_array(value):
    """A NumPy array that can be saved without pickle."""
    if hasattr(value, "numpy"):
        value = value.numpy()
    if hasattr(value, "values") and hasattr(value, "indices"):
        value = value.values
    array = np.asarray(value)
    if array.dtype == object:
        items = [
            item if isinstance(item, bytes) else str(item).encode("utf-8") for item in array.flat
        ]
        if not items:
            return np.zeros(array.shape, dtype="S1")
        return np.array(items, dtype="S").reshape(array.shape)
    if array.dtype.kind == "V" or str(array.dtype) in ("bfloat16",):
        return array.astype(np.float32)
    return array


def dense(value, shape):
    """A gradient as a dense array of the variable's shape; repeated rows are summed."""
    if not isinstance(value, list):
        return value
    values, indices = value
    total = np.zeros([shape[0]] + list(values.shape[1:]), values.dtype)
    np.add.at(total, indices, values)
    return total


def total(value):
    """The value of a loss that may be a list of tensors or one with axes."""
    if isinstance(value, list):
        return sum(total(item) for item in value)
    array = as_array(value)
    return array if array.ndim == 0 else array.sum()
