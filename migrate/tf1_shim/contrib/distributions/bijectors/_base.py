"""The base class of the bijectors."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf


class Bijector:
    """An invertible, differentiable function of tensors, with the volume it changes.

    A subclass overrides some of `_forward`, `_inverse`, `_forward_log_det_jacobian` and
    `_inverse_log_det_jacobian`; of the last two one is enough. They see events of the least rank:
    the log-determinants have the dimensions before it. Results are remembered: the inverse of
    what `forward` returned is its very argument.

    Args:
      graph_parents: Tensors that the bijector depends on.
      is_constant_jacobian: Whether the Jacobian does not depend on the input.
      validate_args: Whether to check the inputs when they are used.
      dtype: The type of the inputs; None for any.
      forward_min_event_ndims: The least rank of the input's events.
      inverse_min_event_ndims: The least rank of the output's events; one of both is enough.
      name: Its name; by default from its class.

    Raises:
      ValueError: If both ranks are missing, or one is negative.
      TypeError: If a rank is no integer.
    """

    def __init__(
        self,
        graph_parents: list[Any] | None = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        dtype: Any = None,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str | None = None,
    ) -> None:
        self._graph_parents = graph_parents or []
        given = [n for n in (forward_min_event_ndims, inverse_min_event_ndims) if n is not None]
        if not given:
            raise ValueError("Give forward_min_event_ndims or inverse_min_event_ndims")
        for number in given:
            if not isinstance(number, int):
                raise TypeError(f"min_event_ndims must be an int. Received: {number!r}")
            if number < 0:
                raise ValueError(f"min_event_ndims must not be negative. Received: {number}")
        self._forward_min_event_ndims, self._inverse_min_event_ndims = given[0], given[-1]
        self._is_constant_jacobian = is_constant_jacobian
        self._validate_args = validate_args
        self._dtype = dtype
        snake = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", type(self).__name__.lstrip("_"))
        self._name = name or re.sub("([a-z0-9])([A-Z])", r"\1_\2", snake).lower()
        # By id; the tensors are kept along, so that no other one gets the id.
        self._of_x: dict[Any, tuple[Any, Any]] = {}
        self._of_y: dict[Any, tuple[Any, Any]] = {}
        self._volumes: dict[Any, tuple[Any, Any]] = {}

    @property
    def graph_parents(self) -> list[Any]:
        """Tensors that the bijector depends on."""
        return self._graph_parents

    @property
    def forward_min_event_ndims(self) -> int:
        """The least rank of the input's events."""
        return self._forward_min_event_ndims

    @property
    def inverse_min_event_ndims(self) -> int:
        """The least rank of the output's events."""
        return self._inverse_min_event_ndims

    @property
    def is_constant_jacobian(self) -> bool:
        """Whether the Jacobian does not depend on the input."""
        return self._is_constant_jacobian

    @property
    def _is_injective(self) -> bool:
        """Whether there is one input for each output; if not, `inverse` gives a tuple."""
        return True

    @property
    def validate_args(self) -> bool:
        """Whether the inputs are checked when they are used."""
        return self._validate_args

    @property
    def dtype(self) -> Any:
        """The type of the inputs, or None for any."""
        return self._dtype

    @property
    def name(self) -> str:
        """The bijector's name."""
        return self._name

    @contextlib.contextmanager
    def _name_scope(self, name: str | None = None, values: Any = None) -> Iterator[Any]:
        with tf.name_scope(self.name), tf.name_scope(name, values=values or []) as scope:
            yield scope

    # Shapes.

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return input_shape

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return input_shape

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return output_shape

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return output_shape

    def forward_event_shape_tensor(
        self, input_shape: Any, name: str = "forward_event_shape_tensor"
    ) -> Any:
        """The output's event shape for an input's, as int32 tensors."""
        with self._name_scope(name, [input_shape]):
            return self._forward_event_shape_tensor(tf.convert_to_tensor(input_shape, tf.int32))

    def forward_event_shape(self, input_shape: Any) -> Any:
        """The output's event shape for an input's, as far as it is known."""
        return self._forward_event_shape(tf.TensorShape(input_shape))

    def inverse_event_shape_tensor(
        self, output_shape: Any, name: str = "inverse_event_shape_tensor"
    ) -> Any:
        """The input's event shape for an output's, as int32 tensors."""
        with self._name_scope(name, [output_shape]):
            return self._inverse_event_shape_tensor(tf.convert_to_tensor(output_shape, tf.int32))

    def inverse_event_shape(self, output_shape: Any) -> Any:
        """The input's event shape for an output's, as far as it is known."""
        return self._inverse_event_shape(tf.TensorShape(output_shape))

    # The function and its inverse.

    def _forward(self, x: Any) -> Any:
        raise NotImplementedError("forward not implemented.")

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError("inverse not implemented")

    def _converted(self, value: Any, name: str) -> Any:
        value = tf.convert_to_tensor(value, name=name)
        if self.dtype is not None and tf.as_dtype(self.dtype).base_dtype != value.dtype.base_dtype:
            raise TypeError(f"Input had dtype {value.dtype} but expected {self.dtype}.")
        return value

    def _remembered(
        self, value: Any, there: Any, back: Any, compute: Callable[..., Any], kwargs: Any
    ) -> Any:
        key = (id(value), repr(sorted(kwargs.items())))
        if not self._is_injective:
            return compute(value, **kwargs)
        if key not in there:
            found = compute(value, **kwargs)
            there[key] = (value, found)
            back.setdefault((id(found), key[1]), (found, value))
        return there[key][1]

    def forward(self, x: Any, name: str = "forward", **kwargs: Any) -> Any:
        """The function.

        Args:
          x: The input.
          name: The name scope.
          **kwargs: What the subclass's `_forward` takes beside it.

        Returns:
          The output.

        Raises:
          TypeError: If the input has another type.
          NotImplementedError: If the subclass does not say.
        """
        with self._name_scope(name, [x]):
            x = self._converted(x, "x")
            return self._remembered(x, self._of_x, self._of_y, self._forward, kwargs)

    def inverse(self, y: Any, name: str = "inverse", **kwargs: Any) -> Any:
        """The inverse function.

        Args:
          y: The output.
          name: The name scope.
          **kwargs: What the subclass's `_inverse` takes beside it.

        Returns:
          The input; if the bijector is not injective, a tuple of the inputs.

        Raises:
          TypeError: If the output has another type.
          NotImplementedError: If the subclass does not say.
        """
        with self._name_scope(name, [y]):
            y = self._converted(y, "y")
            return self._remembered(y, self._of_y, self._of_x, self._inverse, kwargs)

    # Volumes.

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        raise NotImplementedError("inverse_log_det_jacobian not implemented.")

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        raise NotImplementedError("forward_log_det_jacobian not implemented.")

    def _over_event(self, value: Any, volume: Any, least: int, event_ndims: Any) -> Any:
        """A volume for events of the least rank, summed over events of a higher one."""
        number = event_ndims
        if not isinstance(number, int):
            number = tf.get_static_value(tf.convert_to_tensor(event_ndims))
        if number is None:
            raise ValueError("event_ndims must be known")
        number = int(number)
        if number < least:
            raise ValueError(f"event_ndims ({number}) must be at least {least}")
        if number == least:
            return volume
        rank = tf.rank(value)
        shape = tf.shape(value)[rank - number : rank - least]
        spread = tf.ones(shape, volume.dtype) * volume
        total = tf.reduce_sum(spread, axis=[-1 - i for i in range(number - least)])
        if value.shape.rank is not None and volume.shape.rank is not None:
            known = value.shape[value.shape.rank - number : value.shape.rank - least]
            full = tf.broadcast_static_shape(volume.shape, known)
            total.set_shape(full[: full.rank - (number - least)])
        return total

    def inverse_log_det_jacobian(
        self, y: Any, event_ndims: Any, name: str = "inverse_log_det_jacobian", **kwargs: Any
    ) -> Any:
        """The logarithm of the determinant of the inverse's Jacobian.

        Args:
          y: The output.
          event_ndims: The rank of its events, at least `inverse_min_event_ndims`.
          name: The name scope.
          **kwargs: What the subclass takes beside it.

        Returns:
          A tensor of the shape before the event; a tuple if the bijector is not injective.

        Raises:
          ValueError: If `event_ndims` is too small.
          NotImplementedError: If the subclass does not say.
        """
        with self._name_scope(name, [y]):
            y = self._converted(y, "y")
            if not self._is_injective:
                volumes = self._inverse_log_det_jacobian(y, **kwargs)
                least = self.inverse_min_event_ndims
                return tuple(self._over_event(y, v, least, event_ndims) for v in volumes)
            key = ("y", id(y), event_ndims if isinstance(event_ndims, int) else None)
            if key[2] is not None and key in self._volumes and not kwargs:
                return self._volumes[key][1]
            try:
                volume = self._inverse_log_det_jacobian(y, **kwargs)
                found = self._over_event(y, volume, self.inverse_min_event_ndims, event_ndims)
            except NotImplementedError as error:
                try:
                    x = self.inverse(y, **kwargs)
                    volume = -self._forward_log_det_jacobian(x, **kwargs)
                except NotImplementedError:
                    raise error from None
                least = self.forward_min_event_ndims
                rank = event_ndims - self.inverse_min_event_ndims + least
                found = self._over_event(x, volume, least, rank)
            self._volumes[key] = (y, found)
            return found

    def forward_log_det_jacobian(
        self, x: Any, event_ndims: Any, name: str = "forward_log_det_jacobian", **kwargs: Any
    ) -> Any:
        """The logarithm of the determinant of the Jacobian.

        Args:
          x: The input.
          event_ndims: The rank of its events, at least `forward_min_event_ndims`.
          name: The name scope.
          **kwargs: What the subclass takes beside it.

        Returns:
          A tensor of the shape before the event.

        Raises:
          ValueError: If `event_ndims` is too small.
          NotImplementedError: If the subclass does not say, or the bijector is not injective.
        """
        if not self._is_injective:
            raise NotImplementedError("a function that is not injective has no such determinant")
        with self._name_scope(name, [x]):
            x = self._converted(x, "x")
            try:
                volume = self._forward_log_det_jacobian(x, **kwargs)
                return self._over_event(x, volume, self.forward_min_event_ndims, event_ndims)
            except NotImplementedError as error:
                try:
                    y = self.forward(x, **kwargs)
                    volume = -self._inverse_log_det_jacobian(y, **kwargs)
                except NotImplementedError:
                    raise error from None
                least = self.inverse_min_event_ndims
                rank = event_ndims - self.forward_min_event_ndims + least
                return self._over_event(y, volume, least, rank)
