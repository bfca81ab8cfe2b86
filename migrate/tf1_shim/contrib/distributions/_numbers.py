"""Functions beside the distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf


def softplus_inverse(x: Any, name: str | None = None) -> Any:
    """``log(exp(x) - 1)`` without overflow or cancellation.

    Args:
      x: A float tensor of positive numbers.
      name: The name scope; by default "softplus_inverse".

    Returns:
      A tensor of the same type and shape.
    """
    with tf.name_scope(name, "softplus_inverse", values=[x]):
        x = tf.convert_to_tensor(x, name="x")
        threshold = np.log(np.finfo(x.dtype.as_numpy_dtype).eps) + 2.0
        small, large = tf.less(x, np.exp(threshold)), tf.greater(x, -threshold)
        # Near 0 it is log(x), for large x it is x: there the formula would give inf or NaN.
        safe = tf.where(tf.logical_or(small, large), tf.ones_like(x), x)
        between = safe + tf.log(-tf.math.expm1(-safe))
        logarithm = tf.log(tf.where(small, x, tf.ones_like(x)))
        return tf.where(small, logarithm, tf.where(large, x, between))


def fill_triangular(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """Triangular matrices from vectors, filled clockwise in a spiral.

    ``fill_triangular([1, 2, 3, 4, 5, 6])`` is ``[[4, 0, 0], [6, 5, 0], [3, 2, 1]]``.

    Args:
      x: (…, n (n + 1) / 2).
      upper: Whether to fill the upper triangle.
      name: The name scope; by default "fill_triangular".

    Returns:
      (…, n, n).

    Raises:
      ValueError: If there is no such n.
    """
    with tf.name_scope(name, "fill_triangular", values=[x]):
        x = tf.convert_to_tensor(x, name="x")
        size = x.shape.with_rank_at_least(1).as_list()[-1]
        if size is None:
            n: Any = tf.cast(tf.sqrt(0.25 + tf.cast(2 * tf.shape(x)[-1], tf.float32)), tf.int32)
            ends = [None, None]
        else:
            root = np.sqrt(0.25 + 2.0 * size) - 0.5
            if root != np.floor(root):
                raise ValueError(f"{size} numbers do not fill a triangle")
            n = int(root)
            ends = [n, n]
        turned = tf.reverse(x[..., n:] if upper else x, axis=[-1])
        parts = [x, turned] if upper else [x[..., n:], turned]
        square = tf.reshape(tf.concat(parts, -1), tf.concat([tf.shape(x)[:-1], [n, n]], 0))
        square.set_shape(x.shape[:-1].concatenate(ends))
        return tf.matrix_band_part(square, 0 if upper else -1, -1 if upper else 0)


def fill_triangular_inverse(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """The vectors that `fill_triangular` makes triangular matrices of.

    Args:
      x: (…, n, n).
      upper: Whether the upper triangle is filled.
      name: The name scope; by default "fill_triangular_inverse".

    Returns:
      (…, n (n + 1) / 2).
    """
    with tf.name_scope(name, "fill_triangular_inverse", values=[x]):
        x = tf.convert_to_tensor(x, name="x")
        known = x.shape.with_rank_at_least(2).as_list()[-1]
        n = tf.shape(x)[-1] if known is None else known
        m = n * (n + 1) // 2
        first = x[..., 0, :] if upper else tf.reverse(x[..., -1, :], axis=[-1])
        rest = x[..., 1:, :] if upper else x[..., :-1, :]
        # One of both is zero in each place: the rest, and the rest turned by half a turn.
        both = rest + tf.reverse(rest, axis=[-1, -2])
        flat = tf.reshape(both, tf.concat([tf.shape(x)[:-2], [n * (n - 1)]], 0))
        found = tf.concat([first, flat[..., : m - n]], -1)
        found.set_shape(x.shape[:-2].concatenate([None if known is None else m]))
        return found


def tridiag(below: Any = None, diag: Any = None, above: Any = None, name: str | None = None) -> Any:
    """Matrices with up to three diagonals.

    Args:
      below: The diagonal below (…, n - 1), or None.
      diag: The diagonal (…, n), or None.
      above: The diagonal above (…, n - 1), or None.
      name: The name scope; by default "tridiag".

    Returns:
      (…, n, n).

    Raises:
      ValueError: If all are None.
    """
    with tf.name_scope(name, "tridiag", [below, diag, above]):
        parts = []
        for offset, values in ((-1, below), (0, diag), (1, above)):
            if values is not None:
                parts.append(tf.linalg.diag(tf.convert_to_tensor(values), k=offset))
        if not parts:
            raise ValueError("Give below, diag or above")
        return tf.add_n(parts)


def matrix_diag_transform(matrix: Any, transform: Any = None, name: str | None = None) -> Any:
    """Matrices whose diagonal is passed through a function.

    Args:
      matrix: (…, n, n).
      transform: A function of a tensor that keeps its shape; None for none.
      name: The name scope; by default "matrix_diag_transform".

    Returns:
      (…, n, n).
    """
    with tf.name_scope(name, "matrix_diag_transform", [matrix]):
        matrix = tf.convert_to_tensor(matrix, name="matrix")
        if transform is None:
            return matrix
        return tf.matrix_set_diag(matrix, transform(tf.matrix_diag_part(matrix)))


def reduce_weighted_logsumexp(
    logx: Any,
    w: Any = None,
    axis: Any = None,
    keep_dims: bool = False,
    return_sign: bool = False,
    name: str | None = None,
) -> Any:
    """``log(abs(sum(w * exp(logx))))`` without overflow.

    Args:
      logx: A float tensor.
      w: Weights of its shape, which may be negative; None for 1.
      axis: What to sum over; by default everything.
      keep_dims: Whether the dimensions stay, with size 1.
      return_sign: Whether to return the sign of the sum as well.
      name: The name scope; by default "reduce_weighted_logsumexp".

    Returns:
      The logarithm, or it and the sign.
    """
    with tf.name_scope(name, "reduce_weighted_logsumexp", [logx, w]):
        logx = tf.convert_to_tensor(logx, name="logx")
        if w is None:
            found = tf.reduce_logsumexp(logx, axis=axis, keepdims=keep_dims)
            return (found, tf.ones_like(found)) if return_sign else found
        w = tf.convert_to_tensor(w, dtype=logx.dtype, name="w")
        magnitudes = logx + tf.log(tf.abs(w))
        most = tf.stop_gradient(tf.reduce_max(magnitudes, axis=axis, keepdims=True))
        most = tf.where(tf.math.is_inf(most), tf.zeros_like(most), most)
        total = tf.reduce_sum(tf.sign(w) * tf.exp(magnitudes - most), axis=axis, keepdims=keep_dims)
        most = most if keep_dims else tf.reshape(most, tf.shape(total))
        sign = tf.sign(total)
        found = most + tf.log(sign * total)
        return (found, sign) if return_sign else found


def percentile(
    x: Any,
    q: Any,
    axis: Any = None,
    interpolation: str | None = None,
    keep_dims: bool = False,
    validate_args: bool = False,
    name: str | None = None,
) -> Any:
    """The value that a percentage of the values does not exceed.

    Args:
      x: A tensor.
      q: The percentage, a scalar from 0 to 100.
      axis: The dimensions to look along; by default all.
      interpolation: Which of two values if it lies between them: "lower", "higher" or "nearest",
        the default.
      keep_dims: Whether the dimensions stay, with size 1.
      validate_args: Whether to assert that the percentage is one.
      name: The name scope; by default "percentile".

    Returns:
      A tensor of the type of `x`.

    Raises:
      ValueError: If the interpolation is another one.
    """
    kind = interpolation or "nearest"
    if kind not in ("lower", "higher", "nearest"):
        raise ValueError(f"interpolation must be lower, higher or nearest. Received: {kind!r}")
    with tf.name_scope(name or "percentile", values=[x, q]):
        x = tf.convert_to_tensor(x, name="x")
        q = tf.cast(q, tf.float64, name="q")
        if validate_args:
            inside = [tf.assert_greater_equal(q, tf.zeros_like(q))]
            inside.append(tf.assert_less_equal(q, 100.0 * tf.ones_like(q)))
            with tf.control_dependencies(inside):
                q = tf.identity(q)
        rank = x.shape.rank
        axes = list(range(rank)) if axis is None else [int(a) % rank for a in np.ravel(axis)]
        kept = [a for a in range(rank) if a not in axes]
        shape = tf.shape(x)
        front = tf.gather(shape, kept) if kept else tf.constant([], tf.int32)
        flat = tf.reshape(tf.transpose(x, kept + axes), tf.concat([front, [-1]], 0))
        count = tf.shape(flat)[-1]
        at = (tf.cast(count, tf.float64) - 1) * (1.0 - q / 100.0)
        # Counted from the largest value down.
        index = {"lower": tf.ceil, "higher": tf.floor, "nearest": tf.round}[kind](at)
        index = tf.clip_by_value(tf.cast(index, tf.int32), 0, count - 1)
        ordered, _ = tf.nn.top_k(flat, k=count, sorted=True)
        found = ordered[..., index]
        found.set_shape([x.shape.as_list()[a] for a in kept])
        for a in sorted(axes) if keep_dims else []:
            found = tf.expand_dims(found, a)
        return found
