"""Bijectors of bijectors, of vectors and of shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.distributions._common import checked
from migrate.tf1_shim.contrib.distributions._numbers import (
    fill_triangular,
    fill_triangular_inverse,
)
from migrate.tf1_shim.contrib.distributions._vectors import diagonal, regular
from migrate.tf1_shim.contrib.distributions.bijectors._base import Bijector


def _least_rank(pairs: Sequence[tuple[int, int]]) -> int:
    """The least rank that events must have for bijectors (in, out) one after the other."""
    least = reached = 0
    for before, after in pairs:
        if reached < before:
            least += before - reached
        reached = max(before, reached) - (before - after)
    return least


class Chain(Bijector):
    """Bijectors one after the other: ``Chain([f, g])(x) = f(g(x))``.

    Args:
      bijectors: The bijectors; by default none.
      validate_args: Whether to check the inputs when they are used.
      name: Its name; by default made of theirs.

    Raises:
      NotImplementedError: If one is not injective.
      ValueError: If their types differ.
    """

    def __init__(
        self,
        bijectors: Sequence[Any] | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        parts = self._bijectors = () if bijectors is None else bijectors
        for part in parts:
            if not part._is_injective:
                raise NotImplementedError(f"{part.name} is not injective and cannot be chained")
        types = {part.dtype for part in parts} - {None}
        if len(types) > 1:
            raise ValueError(f"the bijectors' types differ: {sorted(map(str, types))}")
        there = [(p.forward_min_event_ndims, p.inverse_min_event_ndims) for p in reversed(parts)]
        back = [(p.inverse_min_event_ndims, p.forward_min_event_ndims) for p in parts]
        super().__init__(
            graph_parents=[tensor for part in parts for tensor in part.graph_parents],
            forward_min_event_ndims=_least_rank(there),
            inverse_min_event_ndims=_least_rank(back),
            is_constant_jacobian=all(part.is_constant_jacobian for part in parts),
            validate_args=validate_args,
            dtype=types.pop() if types else None,
            name=name
            or ("_of_".join(["chain", *(p.name for p in parts)]) if parts else "identity"),
        )

    @property
    def bijectors(self) -> Sequence[Any]:
        """The bijectors, the last one to be applied first."""
        return self._bijectors

    def _passed(self, what: str, shape: Any, parts: Any) -> Any:
        for part in parts:
            shape = getattr(part, what)(shape)
        return shape

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self._passed("forward_event_shape", input_shape, reversed(self.bijectors))

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return self._passed("forward_event_shape_tensor", input_shape, reversed(self.bijectors))

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self._passed("inverse_event_shape", output_shape, self.bijectors)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return self._passed("inverse_event_shape_tensor", output_shape, self.bijectors)

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        for part in reversed(self.bijectors):
            x = part.forward(x, **kwargs.get(part.name, {}))
        return x

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        for part in self.bijectors:
            y = part.inverse(y, **kwargs.get(part.name, {}))
        return y

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        total, ndims = tf.zeros([], y.dtype), self.inverse_min_event_ndims
        for part in self.bijectors:
            own = kwargs.get(part.name, {})
            total += part.inverse_log_det_jacobian(y, event_ndims=ndims, **own)
            ndims += part.forward_min_event_ndims - part.inverse_min_event_ndims
            y = part.inverse(y, **own)
        return total

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        total, ndims = tf.zeros([], x.dtype), self.forward_min_event_ndims
        for part in reversed(self.bijectors):
            own = kwargs.get(part.name, {})
            total += part.forward_log_det_jacobian(x, event_ndims=ndims, **own)
            ndims += part.inverse_min_event_ndims - part.forward_min_event_ndims
            x = part.forward(x, **own)
        return total


class Invert(Bijector):
    """The inverse of a bijector.

    Args:
      bijector: The bijector.
      validate_args: Whether to check the inputs when they are used.
      name: Its name; by default "invert" and the bijector's.

    Raises:
      NotImplementedError: If it is not injective.
    """

    def __init__(self, bijector: Any, validate_args: bool = False, name: str | None = None) -> None:
        if not bijector._is_injective:
            raise NotImplementedError(f"{bijector.name} is not injective and has no inverse")
        self._bijector = bijector
        super().__init__(
            graph_parents=bijector.graph_parents,
            forward_min_event_ndims=bijector.inverse_min_event_ndims,
            inverse_min_event_ndims=bijector.forward_min_event_ndims,
            is_constant_jacobian=bijector.is_constant_jacobian,
            validate_args=validate_args,
            dtype=bijector.dtype,
            name=name or "_".join(["invert", bijector.name]),
        )

    @property
    def bijector(self) -> Any:
        """The bijector that is inverted."""
        return self._bijector

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self.bijector._inverse_event_shape(input_shape)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return self.bijector._inverse_event_shape_tensor(input_shape)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self.bijector._forward_event_shape(output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return self.bijector._forward_event_shape_tensor(output_shape)

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        return self.bijector.inverse(x, **kwargs)

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        return self.bijector.forward(y, **kwargs)

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        ndims = self.bijector.forward_min_event_ndims
        return self.bijector.forward_log_det_jacobian(y, event_ndims=ndims, **kwargs)

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        ndims = self.bijector.inverse_min_event_ndims
        return self.bijector.inverse_log_det_jacobian(x, event_ndims=ndims, **kwargs)


class Inline(Bijector):
    """A bijector made of functions.

    Args:
      forward_fn: The function; None if there is none.
      inverse_fn: Its inverse.
      inverse_log_det_jacobian_fn: The log-determinant of the inverse's Jacobian.
      forward_log_det_jacobian_fn: The log-determinant of the Jacobian.
      forward_event_shape_fn: From the input's event shape to the output's; by default the same.
      forward_event_shape_tensor_fn: The same for tensors.
      inverse_event_shape_fn: From the output's event shape to the input's.
      inverse_event_shape_tensor_fn: The same for tensors.
      is_constant_jacobian: Whether the Jacobian does not depend on the input.
      validate_args: Whether to check the inputs when they are used.
      forward_min_event_ndims: The least rank of the input's events.
      inverse_min_event_ndims: The least rank of the output's events.
      name: Its name.
    """

    def __init__(
        self,
        forward_fn: Callable[..., Any] | None = None,
        inverse_fn: Callable[..., Any] | None = None,
        inverse_log_det_jacobian_fn: Callable[..., Any] | None = None,
        forward_log_det_jacobian_fn: Callable[..., Any] | None = None,
        forward_event_shape_fn: Callable[..., Any] | None = None,
        forward_event_shape_tensor_fn: Callable[..., Any] | None = None,
        inverse_event_shape_fn: Callable[..., Any] | None = None,
        inverse_event_shape_tensor_fn: Callable[..., Any] | None = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str = "inline",
    ) -> None:
        super().__init__(
            forward_min_event_ndims=forward_min_event_ndims,
            inverse_min_event_ndims=inverse_min_event_ndims,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name,
        )
        for what, function in (
            ("_forward", forward_fn),
            ("_inverse", inverse_fn),
            ("_inverse_log_det_jacobian", inverse_log_det_jacobian_fn),
            ("_forward_log_det_jacobian", forward_log_det_jacobian_fn),
            ("_forward_event_shape", forward_event_shape_fn),
            ("_forward_event_shape_tensor", forward_event_shape_tensor_fn),
            ("_inverse_event_shape", inverse_event_shape_fn),
            ("_inverse_event_shape_tensor", inverse_event_shape_tensor_fn),
        ):
            if function is not None:
                setattr(self, what, function)


class Permute(Bijector):
    """The last dimension in another order.

    Args:
      permutation: The place in the input of each entry of the output, integers (size).
      validate_args: Whether to assert that it is a permutation, if it is not known yet.
      name: Its name; by default "permute".

    Raises:
      TypeError: If it is not of integers.
      ValueError: If it is known and no permutation.
    """

    def __init__(
        self, permutation: Any, validate_args: bool = False, name: str | None = None
    ) -> None:
        permutation = tf.convert_to_tensor(permutation, name="permutation")
        if not permutation.dtype.is_integer:
            raise TypeError(f"permutation must be of integers. Received: {permutation.dtype!r}")
        known = tf.get_static_value(permutation)
        if known is not None and set(known) != set(np.arange(known.size)):
            raise ValueError(f"each place must occur exactly once. Received: {list(known)}")
        if known is None and validate_args:
            places = tf.range(tf.size(permutation, out_type=permutation.dtype))
            permutation = checked(permutation, [tf.assert_equal(tf.sort(permutation), places)])
        self._permutation = permutation
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name or "permute",
        )

    @property
    def permutation(self) -> Any:
        """The permutation."""
        return self._permutation

    def _forward(self, x: Any) -> Any:
        return tf.gather(x, self.permutation, axis=-1)

    def _inverse(self, y: Any) -> Any:
        return tf.gather(y, tf.invert_permutation(self.permutation), axis=-1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return tf.zeros([], y.dtype)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return tf.zeros([], x.dtype)


class Reshape(Bijector):
    """Events of another shape.

    Args:
      event_shape_out: The output's event shape, known while the graph is built; one may be -1.
      event_shape_in: The input's.
      validate_args: Kept for the others.
      name: Its name; by default "reshape".

    Raises:
      ValueError: If a shape is not known or no shape.
    """

    def __init__(
        self,
        event_shape_out: Any,
        event_shape_in: Any = (-1,),
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        shapes = []
        for shape in (event_shape_in, event_shape_out):
            known = tf.get_static_value(tf.convert_to_tensor(shape, tf.int32))
            if known is None or known.ndim != 1 or sum(known == -1) > 1 or any(known < -1):
                raise ValueError(f"an event shape has positive sizes and at most one -1: {shape}")
            shapes.append([int(size) for size in known])
        self._shape_in, self._shape_out = shapes
        super().__init__(
            forward_min_event_ndims=0,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name or "reshape",
        )

    def _shaped(self, x: Any, before: list[int], after: list[int]) -> Any:
        rank = x.shape.rank
        if rank is not None:
            event = x.shape.as_list()[rank - len(before) :] if before else []
            pairs = zip(event, before, strict=True)
            if any(None not in (e, b) and b >= 0 and e != b for e, b in pairs):
                raise ValueError(f"the event {event} does not match {before}")
        outer = tf.shape(x)[: tf.rank(x) - len(before)]
        return tf.reshape(x, tf.concat([outer, tf.constant(after, tf.int32)], 0))

    def _forward(self, x: Any) -> Any:
        return self._shaped(x, self._shape_in, self._shape_out)

    def _inverse(self, y: Any) -> Any:
        return self._shaped(y, self._shape_out, self._shape_in)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return tf.zeros([], y.dtype)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return tf.zeros([], x.dtype)

    @staticmethod
    def _known(size: Any, shape: list[Any]) -> Any:
        if -1 in shape:
            rest = int(np.prod([s for s in shape if s >= 0]))
            shape = [(None if size is None else size // rest) if s == -1 else s for s in shape]
        return tf.TensorShape(shape)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self._known(input_shape.num_elements(), self._shape_out)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self._known(output_shape.num_elements(), self._shape_in)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return tf.shape(tf.reshape(tf.zeros(input_shape), self._shape_out))

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return tf.shape(tf.reshape(tf.zeros(output_shape), self._shape_in))


class SoftmaxCentered(Bijector):
    """``y = softmax([x, 0])``: one more number, and their sum is one."""

    def __init__(self, validate_args: bool = False, name: str = "softmax_centered") -> None:
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    @staticmethod
    def _longer(shape: Any, by: int) -> Any:
        size = shape.as_list()[-1] if shape.rank else None
        return tf.TensorShape([None if size is None else size + by]) if shape.rank else shape

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self._longer(input_shape, 1)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return input_shape[-1:] + 1

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        size = output_shape.as_list()[-1] if output_shape.rank else None
        if size is not None and size <= 1:
            raise ValueError(f"output_shape[-1] = {size} <= 1")
        return self._longer(output_shape, -1)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return output_shape[-1:] - 1

    def _forward(self, x: Any) -> Any:
        return tf.nn.softmax(tf.concat([x, tf.zeros_like(x[..., :1])], -1))

    def _inverse(self, y: Any) -> Any:
        x = tf.log(y)
        return x[..., :-1] - x[..., -1:]

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -tf.reduce_sum(tf.log(y), axis=-1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        normalization = tf.nn.softplus(tf.reduce_logsumexp(x, axis=-1, keepdims=True))
        inside = tf.reduce_sum(x - normalization, axis=-1, keepdims=True)
        return tf.squeeze(inside - normalization, axis=-1)


class FillTriangular(Bijector):
    """Triangular matrices from vectors: see `fill_triangular`.

    Args:
      upper: Whether the upper triangle is filled.
      validate_args: Kept for the others.
      name: Its name.
    """

    def __init__(
        self, upper: bool = False, validate_args: bool = False, name: str = "fill_triangular"
    ) -> None:
        self._upper = upper
        super().__init__(
            forward_min_event_ndims=1,
            inverse_min_event_ndims=2,
            validate_args=validate_args,
            name=name,
        )

    def _forward(self, x: Any) -> Any:
        return fill_triangular(x, upper=self._upper)

    def _inverse(self, y: Any) -> Any:
        return fill_triangular_inverse(y, upper=self._upper)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return tf.zeros_like(x[..., 0])

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return tf.zeros_like(y[..., 0, 0])

    def _forward_event_shape(self, input_shape: Any) -> Any:
        size = input_shape.as_list()[-1]
        n = None if size is None else int(np.sqrt(0.25 + 2 * size) - 0.5)
        return input_shape[:-1].concatenate([n, n])

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        n = output_shape.as_list()[-1]
        return output_shape[:-2].concatenate([None if n is None else n * (n + 1) // 2])

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        size = tf.cast(input_shape[-1], tf.float32)
        n = tf.cast(tf.sqrt(0.25 + 2.0 * size), tf.int32)
        return tf.concat([input_shape[:-1], [n, n]], 0)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        n = output_shape[-1]
        return tf.concat([output_shape[:-2], [n * (n + 1) // 2]], 0)


class TransformDiagonal(Bijector):
    """A bijector on the diagonal of matrices; the rest stays.

    Args:
      diag_bijector: The bijector of the diagonal.
      validate_args: Kept for the others.
      name: Its name.
    """

    def __init__(
        self, diag_bijector: Any, validate_args: bool = False, name: str = "transform_diagonal"
    ) -> None:
        self._diag_bijector = diag_bijector
        super().__init__(
            forward_min_event_ndims=2,
            inverse_min_event_ndims=2,
            is_constant_jacobian=diag_bijector.is_constant_jacobian,
            validate_args=validate_args,
            name=name,
        )

    def _forward(self, x: Any) -> Any:
        return tf.matrix_set_diag(x, self._diag_bijector.forward(tf.matrix_diag_part(x)))

    def _inverse(self, y: Any) -> Any:
        return tf.matrix_set_diag(y, self._diag_bijector.inverse(tf.matrix_diag_part(y)))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        diagonal_part = tf.matrix_diag_part(x)
        return self._diag_bijector.forward_log_det_jacobian(diagonal_part, event_ndims=1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        diagonal_part = tf.matrix_diag_part(y)
        return self._diag_bijector.inverse_log_det_jacobian(diagonal_part, event_ndims=1)


class AffineLinearOperator(Bijector):
    """``y = scale @ x + shift`` with an operator.

    Args:
      shift: (…, size); None for 0.
      scale: A ``tf.linalg.LinearOperator``; None for the identity.
      validate_args: Whether to require and assert that it is not singular.
      name: Its name.

    Raises:
      TypeError: If the types differ or the scale is no operator.
      ValueError: If the scale may be singular.
    """

    def __init__(
        self,
        shift: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        name: str = "affine_linear_operator",
    ) -> None:
        self._shift = None if shift is None else tf.convert_to_tensor(shift, name="shift")
        if scale is not None:
            if not isinstance(scale, tf.linalg.LinearOperator):
                raise TypeError(f"scale must be a tf.linalg.LinearOperator. Received: {scale}")
            if self._shift is not None and self._shift.dtype.base_dtype != scale.dtype.base_dtype:
                raise TypeError(f"shift is {self._shift.dtype}, but scale is {scale.dtype}")
            if validate_args and not scale.is_non_singular:
                raise ValueError("scale must be known not to be singular")
        self._scale = scale
        known = scale if scale is not None else self._shift
        super().__init__(
            forward_min_event_ndims=1,
            graph_parents=[] if self._shift is None else [self._shift],
            is_constant_jacobian=True,
            dtype=tf.float32 if known is None else known.dtype.base_dtype,
            validate_args=validate_args,
            name=name,
        )

    @property
    def shift(self) -> Any:
        """The shift, or None."""
        return self._shift

    @property
    def scale(self) -> Any:
        """The operator, or None."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        if self.scale is not None:
            x = self.scale.matvec(regular(self.scale, self.validate_args, x))
        y = x
        return y if self.shift is None else y + self.shift

    def _inverse(self, y: Any) -> Any:
        x = y if self.shift is None else y - self.shift
        return x if self.scale is None else self.scale.solvevec(x)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self.scale is None:
            return tf.zeros([], x.dtype)
        return regular(self.scale, self.validate_args, self.scale.log_abs_determinant())


class Affine(AffineLinearOperator):
    """``y = (c I + D + L + V diag(d) V.T) @ x + shift``.

    Args:
      shift: (…, size); None for 0.
      scale_identity_multiplier: c (…); by default 1 if there is no D, no L and no V.
      scale_diag: D (…, size); None for none.
      scale_tril: L (…, size, size), lower triangular; None for none.
      scale_perturb_factor: V (…, size, rank); None for none.
      scale_perturb_diag: d (…, rank); None for 1.
      validate_args: Whether to assert that the matrix is not singular.
      name: Its name.

    Raises:
      ValueError: If there is a d without a V, or nothing tells the size.
      TypeError: If the types differ.
    """

    def __init__(
        self,
        shift: Any = None,
        scale_identity_multiplier: Any = None,
        scale_diag: Any = None,
        scale_tril: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        name: str = "affine",
    ) -> None:
        if scale_perturb_diag is not None and scale_perturb_factor is None:
            raise ValueError("scale_perturb_diag needs scale_perturb_factor")
        shift = None if shift is None else tf.convert_to_tensor(shift, name="shift")
        self._multiplier = None
        factor = scale_perturb_factor
        if scale_diag is None and scale_tril is None and factor is None:
            dtype = tf.float32 if shift is None else shift.dtype.base_dtype
            given = 1.0 if scale_identity_multiplier is None else scale_identity_multiplier
            self._multiplier = tf.convert_to_tensor(
                given, dtype=None if tf.is_tensor(given) else dtype
            )
            super().__init__(shift, None, validate_args, name)
            self._dtype = self._multiplier.dtype.base_dtype
            return
        if scale_tril is not None:
            tril = tf.matrix_band_part(tf.convert_to_tensor(scale_tril), -1, 0)
            on_diagonal = tf.matrix_diag_part(tril)
            if scale_diag is not None:
                on_diagonal += scale_diag
            if scale_identity_multiplier is not None:
                on_diagonal += tf.convert_to_tensor(scale_identity_multiplier)[..., tf.newaxis]
            scale = tf.linalg.LinearOperatorLowerTriangular(
                tf.matrix_set_diag(tril, on_diagonal), is_non_singular=True
            )
        else:
            factor = None if factor is None else tf.convert_to_tensor(factor)
            size = None if factor is None else factor.shape.as_list()[-2]
            scale = diagonal(shift, scale_diag, scale_identity_multiplier, size)
        if factor is not None:
            update = scale_perturb_diag
            scale = tf.linalg.LinearOperatorLowRankUpdate(
                scale,
                u=factor,
                diag_update=None if update is None else tf.convert_to_tensor(update),
                is_diag_update_positive=update is None,
                is_non_singular=True,
                is_self_adjoint=True,
                is_positive_definite=True,
                is_square=True,
            )
        super().__init__(shift, scale, validate_args, name)

    @property
    def scale(self) -> Any:
        """The operator, or the multiplier if there is nothing else."""
        return self._scale if self._multiplier is None else self._multiplier

    def _forward(self, x: Any) -> Any:
        if self._multiplier is None:
            return super()._forward(x)
        y = x * self._multiplier
        return y if self.shift is None else y + self.shift

    def _inverse(self, y: Any) -> Any:
        if self._multiplier is None:
            return super()._inverse(y)
        return (y if self.shift is None else y - self.shift) / self._multiplier

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self._multiplier is None:
            return super()._forward_log_det_jacobian(x)
        size = tf.cast(tf.shape(x)[-1], self._multiplier.dtype)
        return tf.log(tf.abs(self._multiplier)) * size


class ScaleTriL(Chain):
    """Lower triangular matrices with a positive diagonal from vectors.

    Args:
      diag_bijector: What makes the diagonal positive; by default softplus.
      diag_shift: What is added to the diagonal; by default 1e-5. None for nothing.
      validate_args: Kept for the others.
      name: Its name.
    """

    def __init__(
        self,
        diag_bijector: Any = None,
        diag_shift: Any = 1e-5,
        validate_args: bool = False,
        name: str = "scale_tril",
    ) -> None:
        # The bijectors of numbers stand in a module that needs this one's base only.
        from migrate.tf1_shim.contrib.distributions.bijectors import _elementwise

        if diag_bijector is None:
            diag_bijector = _elementwise.Softplus(validate_args=validate_args)
        if diag_shift is not None:
            shift = _elementwise.AffineScalar(shift=diag_shift)
            diag_bijector = Chain([shift, diag_bijector])
        super().__init__(
            [TransformDiagonal(diag_bijector=diag_bijector), FillTriangular()],
            validate_args=validate_args,
            name=name,
        )
