"""Projective transforms of images, as eight numbers or 3x3 matrices."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

#: What the kernel takes.
DTYPES = (tf.uint8, tf.int32, tf.int64, tf.float16, tf.float32, tf.float64)


def _batch(images: Any) -> Any:
    """Images as (batch, height, width, channels).

    Raises:
      TypeError: If they have another type or rank.
    """
    if images.dtype.base_dtype not in DTYPES:
        raise TypeError(f"Invalid dtype {images.dtype}: images must be one of {DTYPES}")
    rank = images.shape.rank
    if rank is None:
        raise TypeError("the rank of images must be known while the graph is built")
    if rank == 2:
        return images[None, :, :, None]
    if rank == 3:
        return images[None]
    if rank == 4:
        return images
    raise TypeError(f"images must have rank 2, 3 or 4. Received: {images.shape}")


def _rows(values: Any, name: str) -> Any:
    """Transforms or translations with a first dimension for the images."""
    if values.shape.rank not in (1, 2):
        raise TypeError(f"{name} must have rank 1 or 2. Received: {values.shape}")
    return values[None] if values.shape.rank == 1 else values


def transform(
    images: Any,
    transforms: Any,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Apply projective transforms to images.

    The output point (x, y) is taken from the input point
    ``((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k)`` with ``k = c0 x + c1 y + 1``; points
    outside of the input are 0. Gradients flow to the images, not to the transforms.

    Args:
      images: (height, width), (height, width, channels) or (batch, height, width, channels):
        uint8, int32, int64, float16, float32 or float64.
      transforms: ``[a0, a1, a2, b0, b1, b2, c0, c1]``, (8), (1, 8) for all images or (batch, 8).
      interpolation: "NEAREST" or "BILINEAR".
      output_shape: (2), the height and width of the output; by default those of the input.
      name: The name scope; by default "transform".

    Returns:
      Images of the same type and rank.

    Raises:
      TypeError: If the images' type or a rank is not one of these.
      ValueError: If `output_shape` is not a pair.
    """
    with tf.name_scope(name, "transform"):
        whole = tf.convert_to_tensor(images, name="images")
        transforms = tf.convert_to_tensor(transforms, name="transforms", dtype=tf.float32)
        batch = _batch(whole)
        if output_shape is None:
            output_shape = tf.shape(batch)[1:3]
            known = tf.get_static_value(output_shape)
            output_shape = output_shape if known is None else known
        output_shape = tf.convert_to_tensor(output_shape, tf.int32, name="output_shape")
        if not output_shape.shape.is_compatible_with([2]):
            raise ValueError(
                f"output_shape must be the new height and width. Received: {output_shape}"
            )
        output = tf.raw_ops.ImageProjectiveTransformV2(
            images=batch,
            transforms=_rows(transforms, "transforms"),
            output_shape=output_shape,
            interpolation=interpolation.upper(),
        )
        if whole.shape.rank == 2:
            return output[0, :, :, 0]
        return output[0] if whole.shape.rank == 3 else output


def rotate(
    images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Any:
    """Rotate images about their centres, counterclockwise.

    Args:
      images: As in `transform`.
      angles: In radians: a scalar, or (batch).
      interpolation: "NEAREST" or "BILINEAR".
      name: The name scope; by default "rotate".

    Returns:
      Images of the same type and shape; what comes from outside is 0.

    Raises:
      TypeError: If the images' type or a rank is not one of those.
    """
    with tf.name_scope(name, "rotate"):
        images = tf.convert_to_tensor(images)
        sizes = tf.shape(_batch(images))
        height, width = (tf.cast(sizes[axis], tf.float32)[None] for axis in (1, 2))
        found = angles_to_projective_transforms(angles, height, width)
        return transform(images, found, interpolation=interpolation)


def translate(
    images: Any, translations: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Any:
    """Move images.

    Args:
      images: As in `transform`.
      translations: ``[dx, dy]``, (2) or (batch, 2): to the right and down, in pixels.
      interpolation: "NEAREST" or "BILINEAR".
      name: The name scope; by default "translate".

    Returns:
      Images of the same type and shape; what comes from outside is 0.

    Raises:
      TypeError: If the images' type or a rank is not one of those.
    """
    with tf.name_scope(name, "translate"):
        found = translations_to_projective_transforms(translations)
        return transform(images, found, interpolation=interpolation)


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: str | None = None
) -> Any:
    """The transforms that rotate by angles about the image's centre.

    Args:
      angles: In radians: a scalar, or (batch).
      image_height: A float32 scalar or (1).
      image_width: A float32 scalar or (1).
      name: The name scope; by default "angles_to_projective_transforms".

    Returns:
      float32 (batch, 8): see `transform`.

    Raises:
      TypeError: If the angles' rank is neither 0 nor 1.
    """
    with tf.name_scope(name, "angles_to_projective_transforms"):
        angles = tf.convert_to_tensor(angles, name="angles", dtype=tf.float32)
        if angles.shape.rank not in (0, 1):
            raise TypeError(f"angles must have rank 0 or 1. Received: {angles.shape}")
        angles = angles[None] if angles.shape.rank == 0 else angles
        cos, sin = tf.cos(angles), tf.sin(angles)
        right, down = image_width - 1, image_height - 1
        x = (right - (cos * right - sin * down)) / 2.0
        y = (down - (sin * right + cos * down)) / 2.0
        zeros = tf.zeros((tf.shape(angles)[0], 2), tf.float32)
        columns = [part[:, None] for part in (cos, -sin, x, sin, cos, y)]
        return tf.concat([*columns, zeros], axis=1)


def translations_to_projective_transforms(translations: Any, name: str | None = None) -> Any:
    """The transforms that move images.

    Args:
      translations: ``[dx, dy]``, (2) or (batch, 2), float32.
      name: The name scope; by default "translations_to_projective_transforms".

    Returns:
      float32 (batch, 8): see `transform`.

    Raises:
      TypeError: If the rank is neither 1 nor 2.
    """
    with tf.name_scope(name, "translations_to_projective_transforms"):
        moves = tf.convert_to_tensor(translations, name="translations", dtype=tf.float32)
        moves = _rows(moves, "translations")
        one = tf.ones_like(moves[:, :1])
        zero = tf.zeros_like(one)
        x, y = -moves[:, 0, None], -moves[:, 1, None]
        return tf.concat([one, zero, x, zero, one, y, zero, zero], axis=1)


def compose_transforms(*transforms: Any) -> Any:
    """One transform for several: the output is taken through the first one first.

    Args:
      *transforms: Each (8) or (batch, 8).

    Returns:
      (batch, 8).

    Raises:
      AssertionError: If there are none.
    """
    if not transforms:
        raise AssertionError("compose_transforms needs at least one transform")
    with tf.name_scope("compose_transforms"):
        composed = flat_transforms_to_matrices(transforms[0])
        for part in transforms[1:]:
            composed = tf.matmul(composed, flat_transforms_to_matrices(part))
        return matrices_to_flat_transforms(composed)


def flat_transforms_to_matrices(transforms: Any) -> Any:
    """Transforms as 3x3 matrices, with a last entry of one.

    Args:
      transforms: (8) or (batch, 8), float32.

    Returns:
      (batch, 3, 3).

    Raises:
      ValueError: If the rank is neither.
    """
    with tf.name_scope("flat_transforms_to_matrices"):
        transforms = tf.convert_to_tensor(transforms, name="transforms")
        if transforms.shape.rank not in (1, 2):
            raise ValueError(f"transforms must have rank 1 or 2. Received: {transforms.shape}")
        flat = tf.reshape(transforms, [-1, 8])
        ones = tf.ones([tf.shape(flat)[0], 1])
        return tf.reshape(tf.concat([flat, ones], axis=1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: Any) -> Any:
    """3x3 matrices as transforms, divided by their last entry.

    Args:
      transform_matrices: (3, 3) or (batch, 3, 3).

    Returns:
      (batch, 8).

    Raises:
      ValueError: If the rank is neither.
    """
    with tf.name_scope("matrices_to_flat_transforms"):
        matrices = tf.convert_to_tensor(transform_matrices, name="transform_matrices")
        if matrices.shape.rank not in (2, 3):
            raise ValueError(f"matrices must have rank 2 or 3. Received: {matrices.shape}")
        flat = tf.reshape(matrices, [-1, 9])
        flat /= flat[:, 8:9]
        return flat[:, :8]
