"""Warping by dense flows and by control points, and the splines between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

#: What keeps roots and logarithms away from zero.
EPSILON = 1e-10


def _bilinear(grid: Any, points: Any) -> Any:
    """Values of a grid (batch, height, width, channels) at points (batch, n, 2) of (y, x)."""
    shape = tf.shape(grid)
    batch, height, width, channels = (shape[i] for i in range(4))
    large = [
        tf.assert_greater_equal(shape[axis], 2, message=f"Grid {name} must be at least 2.")
        for axis, name in ((1, "height"), (2, "width"))
    ]
    with tf.control_dependencies(large):
        queries = tf.unstack(points, axis=2)
    floors, alphas = [], []
    for axis, query in enumerate(queries):
        last = tf.cast(shape[axis + 1] - 2, points.dtype)
        floor = tf.minimum(tf.maximum(tf.constant(0.0, points.dtype), tf.floor(query)), last)
        floors.append(tf.cast(floor, tf.int32))
        alpha = tf.cast(query - floor, grid.dtype)
        zero, one = tf.constant(0.0, grid.dtype), tf.constant(1.0, grid.dtype)
        alphas.append(tf.expand_dims(tf.minimum(tf.maximum(zero, alpha), one), 2))
    flat = tf.reshape(grid, [batch * height * width, channels])
    offsets = tf.reshape(tf.range(batch) * height * width, [batch, 1])

    def at(y: Any, x: Any) -> Any:
        found = tf.gather(flat, offsets + y * width + x)
        return tf.reshape(found, [batch, tf.shape(points)[1], channels])

    y, x = floors
    top_left, top_right = at(y, x), at(y, x + 1)
    bottom_left, bottom_right = at(y + 1, x), at(y + 1, x + 1)
    top = alphas[1] * (top_right - top_left) + top_left
    bottom = alphas[1] * (bottom_right - bottom_left) + bottom_left
    return alphas[0] * (bottom - top) + top


def dense_image_warp(image: Any, flow: Any, name: str = "dense_image_warp") -> Any:
    """Take each pixel from where a flow points back to, bilinearly.

    The output at (b, j, i) is the image at ``(b, j - flow[b, j, i, 0], i - flow[b, j, i, 1])``;
    places outside of the image are clamped to its border.

    Args:
      image: A float tensor (batch, height, width, channels), at least 2 high and wide.
      flow: A float tensor (batch, height, width, 2), of (y, x).
      name: The name scope.

    Returns:
      (batch, height, width, channels), of the image's type, differentiable by both.

    Raises:
      ValueError: If the image's rank is known and not 4.
      tf.errors.InvalidArgumentError: If the image is too small.
    """
    with tf.name_scope(name):
        image, flow = tf.convert_to_tensor(image), tf.convert_to_tensor(flow)
        image.shape.assert_has_rank(4)
        shape = tf.shape(image)
        batch, height, width, channels = (shape[i] for i in range(4))
        x, y = tf.meshgrid(tf.range(width), tf.range(height))
        grid = tf.cast(tf.stack([y, x], axis=2), flow.dtype)
        points = tf.reshape(tf.expand_dims(grid, 0) - flow, [batch, height * width, 2])
        return tf.reshape(_bilinear(image, points), [batch, height, width, channels])


def _phi(r: Any, order: int) -> Any:
    """The radial basis function of squared distances."""
    floor = tf.maximum(r, EPSILON)
    if order == 1:
        return tf.sqrt(floor)
    if order == 2:
        return 0.5 * r * tf.log(floor)
    if order == 4:
        return 0.5 * tf.square(r) * tf.log(floor)
    if order % 2 == 0:
        return 0.5 * tf.pow(floor, 0.5 * order) * tf.log(floor)
    return tf.pow(floor, 0.5 * order)


def _squared_distances(x: Any, y: Any) -> Any:
    """(batch, n, m) from points (batch, n, d) and (batch, m, d)."""
    x_norm = tf.expand_dims(tf.reduce_sum(tf.square(x), 2), 2)
    y_norm = tf.expand_dims(tf.reduce_sum(tf.square(y), 2), 1)
    return x_norm - 2 * tf.matmul(x, y, adjoint_b=True) + y_norm


def _own_squared_distances(x: Any) -> Any:
    products = tf.matmul(x, x, adjoint_b=True)
    norm = tf.expand_dims(tf.matrix_diag_part(products), 2)
    return norm - 2 * products + tf.transpose(norm, [0, 2, 1])


def interpolate_spline(
    train_points: Any,
    train_values: Any,
    query_points: Any,
    order: int,
    regularization_weight: float = 0.0,
    name: str = "interpolate_spline",
) -> Any:
    """Interpolate between scattered points with a polyharmonic spline and a linear term.

    Args:
      train_points: A float tensor (batch, n, d) with d known.
      train_values: A float tensor (batch, n, k) with k known.
      query_points: A float tensor (batch, m, d).
      order: The order of the spline: 1 is linear, 2 the thin plate.
      regularization_weight: How much the smoothness of the spline counts against the distance
        from the values; 0 goes through them.
      name: The name scope.

    Returns:
      (batch, m, k), differentiable by all three.

    Raises:
      ValueError: If d or k is unknown.
    """
    with tf.name_scope(name):
        points = tf.convert_to_tensor(train_points)
        values = tf.convert_to_tensor(train_values)
        queries = tf.convert_to_tensor(query_points)
        d, k = points.shape.as_list()[-1], values.shape.as_list()[-1]
        if d is None or k is None:
            raise ValueError(
                "the last dimensions of train_points and train_values must be known. Received: "
                f"{points.shape} and {values.shape}"
            )
        shape = tf.shape(points)
        batch, n = shape[0], shape[1]
        # Solve for the weights of the basis and the linear term, orthogonal to each other.
        basis = _phi(_own_squared_distances(points), order)
        if regularization_weight > 0:
            basis += regularization_weight * tf.expand_dims(tf.eye(n, dtype=points.dtype), 0)
        linear = tf.concat([points, tf.ones_like(points[..., :1])], 2)
        left = tf.concat([basis, tf.transpose(linear, [0, 2, 1])], 1)
        right = tf.concat([linear, tf.zeros([batch, d + 1, d + 1], points.dtype)], 1)
        wanted = tf.concat([values, tf.zeros([batch, d + 1, k], points.dtype)], 1)
        solution = tf.matrix_solve(tf.concat([left, right], 2), wanted)
        near = tf.matmul(_phi(_squared_distances(queries, points), order), solution[:, :n])
        padded = tf.concat([queries, tf.ones_like(queries[..., :1], points.dtype)], 2)
        return near + tf.matmul(padded, solution[:, n:])


def _border(height: int, width: int, between: int) -> np.ndarray:
    """Equally spaced points on the border (n, 2): the corners and some between them."""
    ys, xs = np.meshgrid(
        np.linspace(0, height - 1, between + 2),
        np.linspace(0, width - 1, between + 2),
        indexing="ij",
    )
    outer = (xs == 0) | (xs == width - 1) | (ys == 0) | (ys == height - 1)
    return np.stack([ys[outer], xs[outer]], axis=-1)


def sparse_image_warp(
    image: Any,
    source_control_point_locations: Any,
    dest_control_point_locations: Any,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str = "sparse_image_warp",
) -> tuple[Any, Any]:
    """Warp an image so that control points move from here to there.

    Args:
      image: A float tensor (batch, height, width, channels) of known shape but for the channels.
      source_control_point_locations: (batch, n, 2), of (y, x).
      dest_control_point_locations: (batch, n, 2).
      interpolation_order: The order of the spline: see `interpolate_spline`.
      regularization_weight: Of the spline.
      num_boundary_points: How many points of each edge are held, counting one of its corners;
        0 holds none.
      name: The name scope.

    Returns:
      The image and the flow (batch, height, width, 2).

    Raises:
      ValueError: If the image's shape is not known.
    """
    image = tf.convert_to_tensor(image)
    source = tf.convert_to_tensor(source_control_point_locations)
    dest = tf.convert_to_tensor(dest_control_point_locations)
    moves = dest - source
    with tf.name_scope(name):
        batch, height, width = image.shape.as_list()[:3]
        if None in (batch, height, width):
            raise ValueError(f"the image's shape must be known. Received: {image.shape}")
        ys, xs = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
        grid = np.stack([ys, xs], -1).reshape(1, height * width, 2)
        grid = tf.constant(np.tile(grid, [batch, 1, 1]).astype(np.float64), image.dtype)
        if num_boundary_points > 0:
            border = _border(height, width, num_boundary_points - 1)
            border = np.tile(border[None], [batch, 1, 1])
            dest = tf.concat([dest, tf.constant(border, dest.dtype)], 1)
            moves = tf.concat([moves, tf.constant(np.zeros_like(border), moves.dtype)], 1)
        flows = interpolate_spline(dest, moves, grid, interpolation_order, regularization_weight)
        flows = tf.reshape(flows, [batch, height, width, 2])
        return dense_image_warp(image, flows), flows
