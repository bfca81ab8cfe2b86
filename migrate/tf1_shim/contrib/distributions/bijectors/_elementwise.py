"""Bijectors of single numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.distributions._common import checked
from migrate.tf1_shim.contrib.distributions._numbers import softplus_inverse
from migrate.tf1_shim.contrib.distributions.bijectors._base import Bijector


class Identity(Bijector):
    """``y = x``."""

    def __init__(self, validate_args: bool = False, name: str = "identity") -> None:
        super().__init__(
            forward_min_event_ndims=0,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name,
        )

    def _forward(self, x: Any) -> Any:
        return x

    def _inverse(self, y: Any) -> Any:
        return y

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return tf.zeros([], y.dtype)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return tf.zeros([], x.dtype)


class PowerTransform(Bijector):
    """``y = (1 + power x) ** (1 / power)``; for power 0, ``y = exp(x)``.

    Args:
      power: A number that is not negative and known while the graph is built.
      validate_args: Whether to assert that the inputs are in the domain.
      name: Its name.

    Raises:
      ValueError: If the power is negative or not known.
    """

    def __init__(
        self, power: Any = 0.0, validate_args: bool = False, name: str = "power_transform"
    ) -> None:
        known = tf.get_static_value(tf.convert_to_tensor(power, name="power"))
        if known is None or known < 0:
            raise ValueError(f"power must be a constant that is not negative. Received: {power}")
        self._power = known
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def power(self) -> Any:
        """The power."""
        return self._power

    def _x(self, x: Any) -> Any:
        if not self.validate_args or self.power == 0.0:
            return x
        return checked(x, [tf.assert_non_negative(1.0 + self.power * x)])

    def _y(self, y: Any) -> Any:
        return checked(y, [tf.assert_positive(y)] if self.validate_args else [])

    def _forward(self, x: Any) -> Any:
        x = self._x(x)
        if self.power == 0.0:
            return tf.exp(x)
        return tf.exp(tf.log1p(x * self.power) / self.power)

    def _inverse(self, y: Any) -> Any:
        y = self._y(y)
        if self.power == 0.0:
            return tf.log(y)
        return tf.math.expm1(tf.log(y) * self.power) / self.power

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return (self.power - 1.0) * tf.log(self._y(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        x = self._x(x)
        if self.power == 0.0:
            return x
        return (1.0 / self.power - 1.0) * tf.log1p(x * self.power)


class Exp(PowerTransform):
    """``y = exp(x)``."""

    def __init__(self, validate_args: bool = False, name: str = "exp") -> None:
        super().__init__(validate_args=validate_args, name=name)


class Sigmoid(Bijector):
    """``y = 1 / (1 + exp(-x))``."""

    def __init__(self, validate_args: bool = False, name: str = "sigmoid") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return tf.sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        return tf.log(y) - tf.log1p(-y)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -tf.log(y) - tf.log1p(-y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -tf.nn.softplus(-x) - tf.nn.softplus(x)


class Softplus(Bijector):
    """``y = s log(1 + exp(x / s))``.

    Args:
      hinge_softness: s, not 0; by default 1.
      validate_args: Whether to assert that it is not 0.
      name: Its name.
    """

    def __init__(
        self, hinge_softness: Any = None, validate_args: bool = False, name: str = "softplus"
    ) -> None:
        if hinge_softness is not None:
            hinge_softness = tf.convert_to_tensor(hinge_softness, name="hinge_softness")
            if validate_args:
                zero = tf.zeros([], hinge_softness.dtype)
                hinge_softness = checked(
                    hinge_softness, [tf.assert_none_equal(zero, hinge_softness)]
                )
        self._hinge_softness = hinge_softness
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def hinge_softness(self) -> Any:
        """The softness, or None."""
        return self._hinge_softness

    def _softness(self, x: Any) -> Any:
        return 1.0 if self._hinge_softness is None else tf.cast(self._hinge_softness, x.dtype)

    def _forward(self, x: Any) -> Any:
        softness = self._softness(x)
        return softness * tf.nn.softplus(x / softness)

    def _inverse(self, y: Any) -> Any:
        softness = self._softness(y)
        return softness * softplus_inverse(y / softness)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -tf.log(-tf.math.expm1(-y / self._softness(y)))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -tf.nn.softplus(-x / self._softness(x))


class Softsign(Bijector):
    """``y = x / (1 + abs(x))``."""

    def __init__(self, validate_args: bool = False, name: str = "softsign") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _y(self, y: Any) -> Any:
        return checked(
            y, [tf.assert_less(tf.abs(y), tf.ones_like(y))] if self.validate_args else []
        )

    def _forward(self, x: Any) -> Any:
        return x / (1.0 + tf.abs(x))

    def _inverse(self, y: Any) -> Any:
        y = self._y(y)
        return y / (1.0 - tf.abs(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -2.0 * tf.log1p(tf.abs(x))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -2.0 * tf.log1p(-tf.abs(self._y(y)))


class AffineScalar(Bijector):
    """``y = scale x + shift``, for each number.

    Args:
      shift: A float tensor; None for 0.
      scale: A float tensor that is not 0; None for 1.
      validate_args: Whether to assert that the scale is not 0.
      name: Its name.
    """

    def __init__(
        self,
        shift: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        name: str = "affine_scalar",
    ) -> None:
        self._shift = None if shift is None else tf.convert_to_tensor(shift, name="shift")
        self._scale = None if scale is None else tf.convert_to_tensor(scale, name="scale")
        if validate_args and self._scale is not None:
            zero = tf.zeros([], self._scale.dtype)
            self._scale = checked(self._scale, [tf.assert_none_equal(self._scale, zero)])
        super().__init__(
            forward_min_event_ndims=0,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name,
        )

    @property
    def shift(self) -> Any:
        """The shift, or None."""
        return self._shift

    @property
    def scale(self) -> Any:
        """The scale, or None."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        y = tf.identity(x)
        y = y if self.scale is None else y * self.scale
        return y if self.shift is None else y + self.shift

    def _inverse(self, y: Any) -> Any:
        x = tf.identity(y)
        x = x if self.shift is None else x - self.shift
        return x if self.scale is None else x / self.scale

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self.scale is None:
            return tf.zeros([], x.dtype)
        return tf.log(tf.abs(self.scale))


class Gumbel(Bijector):
    """``y = exp(-exp(-(x - loc) / scale))``: the distribution function of Gumbel's distribution.

    Args:
      loc: The location.
      scale: The scale, positive.
      validate_args: Whether to assert that it is, and that outputs are from 0 to 1.
      name: Its name.
    """

    def __init__(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        validate_args: bool = False,
        name: str = "gumbel",
    ) -> None:
        self._loc = tf.convert_to_tensor(loc, name="loc")
        scale = tf.convert_to_tensor(scale, name="scale")
        self._scale = checked(scale, [tf.assert_positive(scale)] if validate_args else [])
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def loc(self) -> Any:
        """The location."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The scale."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        return tf.exp(-tf.exp(-(x - self.loc) / self.scale))

    def _inverse(self, y: Any) -> Any:
        return self.loc - self.scale * tf.log(-tf.log(y))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return tf.log(self.scale / (-tf.log(y) * y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        z = (x - self.loc) / self.scale
        return -z - tf.exp(-z) - tf.log(self.scale)


class Kumaraswamy(Bijector):
    """``y = (1 - (1 - x) ** (1 / b)) ** (1 / a)``, from uniform to Kumaraswamy's distribution.

    Args:
      concentration1: a, positive; by default 1.
      concentration0: b, positive; by default 1.
      validate_args: Whether to assert that both are.
      name: Its name.
    """

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        name: str = "kumaraswamy",
    ) -> None:
        both = []
        for value in (concentration1, concentration0):
            tensor = tf.convert_to_tensor(1.0 if value is None else value)
            both.append(checked(tensor, [tf.assert_positive(tensor)] if validate_args else []))
        self._concentration1, self._concentration0 = both
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def concentration1(self) -> Any:
        """The first exponent."""
        return self._concentration1

    @property
    def concentration0(self) -> Any:
        """The second exponent."""
        return self._concentration0

    def _forward(self, x: Any) -> Any:
        inner = tf.log1p(-tf.exp(tf.log1p(-x) / self.concentration0))
        return tf.exp(inner / self.concentration1)

    def _inverse(self, y: Any) -> Any:
        inner = tf.log1p(-tf.exp(self.concentration1 * tf.log(y)))
        return tf.exp(tf.log1p(-tf.exp(self.concentration0 * inner)))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        a, b = self.concentration1, self.concentration0
        rising = (a - 1) * tf.log(y)
        falling = (b - 1) * tf.log1p(-(y**a))
        return tf.log(a) + tf.log(b) + rising + falling


class AbsoluteValue(Bijector):
    """``y = abs(x)``, which has two inverses: ``(-y, y)``.

    Args:
      validate_args: Whether to assert that outputs are not negative.
      name: Its name.
    """

    def __init__(self, validate_args: bool = False, name: str = "absolute_value") -> None:
        super().__init__(
            forward_min_event_ndims=0,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name,
        )

    @property
    def _is_injective(self) -> bool:
        return False

    def _forward(self, x: Any) -> Any:
        return tf.abs(x)

    def _inverse(self, y: Any) -> Any:
        y = checked(y, [tf.assert_non_negative(y)] if self.validate_args else [])
        return -y, y

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        zero = tf.zeros([], y.dtype)
        return zero, zero


class Square(Bijector):
    """``y = x ** 2`` of numbers that are not negative."""

    def __init__(self, validate_args: bool = False, name: str = "square") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _valid(self, t: Any) -> Any:
        return checked(t, [tf.assert_non_negative(t)] if self.validate_args else [])

    def _forward(self, x: Any) -> Any:
        return tf.square(self._valid(x))

    def _inverse(self, y: Any) -> Any:
        return tf.sqrt(self._valid(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return np.log(2.0) + tf.log(self._valid(x))
