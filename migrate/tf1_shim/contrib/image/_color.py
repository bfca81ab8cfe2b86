"""Hue, saturation and value changed in the YIQ colour space."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

#: From RGB to YIQ (FCC NTSC), and back; the second is not exactly the inverse of the first.
TO_YIQ = ((0.299, 0.587, 0.114), (0.596, -0.274, -0.322), (0.211, -0.523, 0.312))
FROM_YIQ = (
    (1.0, 0.95617069, 0.62143257),
    (1.0, -0.2726886, -0.64681324),
    (1.0, -1.103744, 1.70062309),
)


def adjust_hsv_in_yiq(
    image: Any,
    delta_hue: Any = 0,
    scale_saturation: Any = 1,
    scale_value: Any = 1,
    name: str | None = None,
) -> Any:
    """Turn the hue and scale saturation and value, by one matrix product in YIQ space.

    Args:
      image: RGB (…, 3): floats, or integers that are scaled to 0 to 1 and back.
      delta_hue: By how much the hue is turned, in radians.
      scale_saturation: What the saturation is multiplied by.
      scale_value: What the value is multiplied by.
      name: The name scope; by default "adjust_hsv_in_yiq".

    Returns:
      Images of the same type and shape.
    """
    with tf.name_scope(name, "adjust_hsv_in_yiq", [image]):
        image = tf.convert_to_tensor(image, name="image")
        floats = tf.image.convert_image_dtype(image, tf.float32)
        hue, saturation, value = (
            tf.cast(x, tf.float32) for x in (delta_hue, scale_saturation, scale_value)
        )
        u = value * saturation * tf.cos(hue)
        w = value * saturation * tf.sin(hue)
        zero = tf.zeros_like(u)
        change = tf.stack(
            [
                tf.stack([value * tf.ones_like(u), zero, zero]),
                tf.stack([zero, u, -w]),
                tf.stack([zero, w, u]),
            ]
        )
        matrix = tf.matmul(tf.constant(FROM_YIQ), tf.matmul(change, tf.constant(TO_YIQ)))
        altered = tf.tensordot(floats, matrix, [[-1], [1]])
        altered.set_shape(image.shape)
        return tf.image.convert_image_dtype(altered, image.dtype)


def random_hsv_in_yiq(
    image: Any,
    max_delta_hue: float = 0,
    lower_saturation: float = 1,
    upper_saturation: float = 1,
    lower_value: float = 1,
    upper_value: float = 1,
    seed: int | None = None,
) -> Any:
    """`adjust_hsv_in_yiq` by random amounts, drawn uniformly.

    Args:
      image: RGB (…, 3).
      max_delta_hue: The hue is turned by up to this, either way, in radians.
      lower_saturation: The least factor of the saturation.
      upper_saturation: The largest.
      lower_value: The least factor of the value.
      upper_value: The largest.
      seed: The seed of the operations.

    Returns:
      Images of the same type and shape.

    Raises:
      ValueError: If a bound is negative or a lower one exceeds its upper one.
    """
    if max_delta_hue < 0:
        raise ValueError(f"max_delta_hue must not be negative. Received: {max_delta_hue}")
    for name, low, high in (
        ("saturation", lower_saturation, upper_saturation),
        ("value", lower_value, upper_value),
    ):
        if low < 0:
            raise ValueError(f"lower_{name} must not be negative. Received: {low}")
        if low > high:
            raise ValueError(f"lower_{name} must not exceed upper_{name}: {low} > {high}")

    def between(low: float, high: float) -> Any:
        return low if low == high else tf.random_uniform([], low, high, seed=seed)

    hue = between(-max_delta_hue, max_delta_hue) if max_delta_hue else 0
    saturation = between(lower_saturation, upper_saturation)
    return adjust_hsv_in_yiq(image, hue, saturation, between(lower_value, upper_value))
