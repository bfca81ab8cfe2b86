"""Connected components and greedy matching, whose kernels TF 2 lacks, made of public operations."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import tensorflow.compat.v1 as tf

BipartiteMatch = namedtuple(
    "BipartiteMatch", ["row_to_col_match_indices", "col_to_row_match_indices"]
)


def connected_components(images: Any) -> Any:
    """Number the connected regions of equal values that are not zero.

    Neighbours are those above, below, left and right. Here each pixel begins with its own number,
    takes the least of its neighbours and jumps to the number's number, until nothing changes.

    Args:
      images: (height, width) or (batch, height, width), of numbers, bools or strings. Zero, False
        and the empty string are the background.

    Returns:
      int64 of the same shape: 0 for the background, and from 1 on in the order in which the
      components come up row by row; no number occurs in two images.

    Raises:
      TypeError: If the rank is neither 2 nor 3.
    """
    with tf.name_scope("connected_components"):
        whole = tf.convert_to_tensor(images, name="images")
        if whole.shape.rank not in (2, 3):
            raise TypeError(
                "images must have rank 2 (height, width) or 3 (batch, height, width). Received: "
                f"{whole.shape}"
            )
        batch = whole[None] if whole.shape.rank == 2 else whole
        zero = tf.zeros([], batch.dtype)
        front = tf.not_equal(batch, zero)
        shape = tf.shape(batch)
        size = tf.size(batch)
        # The background has the number after the last pixel, so that it never is the least.
        start = tf.where(front, tf.reshape(tf.range(size), shape), tf.fill(shape, size))
        down = tf.equal(batch[:, 1:], batch[:, :-1]) & front[:, 1:]
        across = tf.equal(batch[:, :, 1:], batch[:, :, :-1]) & front[:, :, 1:]

        def least(ids: Any) -> Any:
            for axis, same in ((1, down), (2, across)):
                first, second = _ends(ids, axis)
                lower = tf.where(same, tf.minimum(first, second), tf.fill(tf.shape(same), size))
                for edge in ([1, 0], [0, 1]):
                    paddings = [edge if n == axis else [0, 0] for n in range(3)]
                    ids = tf.minimum(
                        ids,
                        tf.raw_ops.PadV2(input=lower, paddings=paddings, constant_values=size),
                    )
            table = tf.concat([tf.reshape(ids, [-1]), [size]], 0)
            return tf.gather(table, ids)

        _, ids = tf.while_loop(
            lambda before, now: tf.reduce_any(tf.not_equal(before, now)),
            lambda _, now: (now, least(now)),
            (start, least(start)),
            back_prop=False,
        )
        # A component's number is its first pixel: count the first pixels up to it.
        own = tf.cast(tf.equal(ids, start) & front, tf.int64)
        rank = tf.concat([tf.cumsum(tf.reshape(own, [-1])), [0]], 0)
        found = tf.gather(rank, ids)
        return found[0] if whole.shape.rank == 2 else found


def _ends(ids: Any, axis: int) -> tuple[Any, Any]:
    return (ids[:, :-1], ids[:, 1:]) if axis == 1 else (ids[:, :, :-1], ids[:, :, 1:])


def bipartite_match(
    distance_mat: Any, num_valid_rows: Any, top_k: int = -1, name: str = "bipartite_match"
) -> BipartiteMatch:
    """Match rows with columns, greedily by the least distance.

    Of equal distances the one in the upper row, then in the left column, is taken first; TF 1.15
    promised no order for them.

    Args:
      distance_mat: float32 (rows, columns).
      num_valid_rows: A float scalar: only so many of the first rows are matched; all if negative.
      top_k: How many matches at most; all if not positive.
      name: The name scope.

    Returns:
      A `BipartiteMatch` of int32 (rows) and (columns): the column of each row and the row of each
      column, -1 where there is none.

    Raises:
      tf.errors.InvalidArgumentError: If there are less rows than `num_valid_rows`.
    """
    with tf.name_scope(name):
        distances = tf.convert_to_tensor(distance_mat, tf.float32)
        distances.shape.assert_has_rank(2)
        shape = tf.shape(distances)
        rows, columns = shape[0], shape[1]
        valid = tf.cast(tf.reshape(num_valid_rows, []), tf.int32)
        check = tf.assert_less_equal(
            valid, rows, message="distance_mat has less rows than num_valid_rows"
        )
        with tf.control_dependencies([check]):
            valid = tf.where(tf.less(valid, 0), rows, valid)
        most = tf.minimum(valid, columns)
        if top_k > 0:
            most = tf.minimum(most, top_k)

        def step(i: Any, of_row: Any, of_column: Any) -> tuple[Any, Any, Any]:
            free = tf.logical_and(
                tf.logical_and(of_row < 0, tf.range(rows) < valid)[:, None],
                (of_column < 0)[None, :],
            )
            masked = tf.where(free, distances, tf.fill(shape, float("inf")))
            flat = tf.argmin(tf.reshape(masked, [-1]), output_type=tf.int32)
            row, column = flat // columns, flat % columns
            of_row = tf.where(tf.equal(tf.range(rows), row), tf.fill([rows], column), of_row)
            of_column = tf.where(
                tf.equal(tf.range(columns), column), tf.fill([columns], row), of_column
            )
            return i + 1, of_row, of_column

        _, of_row, of_column = tf.while_loop(
            lambda i, *_: i < most,
            step,
            (0, tf.fill([rows], -1), tf.fill([columns], -1)),
            back_prop=False,
        )
        return BipartiteMatch(of_row, of_column)
