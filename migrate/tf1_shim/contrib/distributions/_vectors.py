"""Distributions of vectors that are a linear function of independent numbers."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.distributions._common import REPARAMETERIZED, Distribution, checked


def _optional(value: Any, name: str) -> Any:
    return None if value is None else tf.convert_to_tensor(value, name=name)


def is_diagonal(scale: Any) -> bool:
    """Whether an operator is known to be diagonal."""
    kinds = (
        tf.linalg.LinearOperatorIdentity,
        tf.linalg.LinearOperatorScaledIdentity,
        tf.linalg.LinearOperatorDiag,
    )
    return isinstance(scale, kinds)


def diagonal(loc: Any, scale_diag: Any, multiplier: Any, size: Any = None) -> Any:
    """The operator of a diagonal, a multiple of the identity, or their sum.

    Args:
      loc: The location, for the size if nothing else tells it.
      scale_diag: The diagonal (…, size) or None.
      multiplier: What the identity is multiplied by (…) or None.
      size: The size if it is known from elsewhere.

    Returns:
      A ``tf.linalg.LinearOperator``.

    Raises:
      ValueError: If nothing tells the size.
    """
    loc = _optional(loc, "loc")
    scale_diag = _optional(scale_diag, "scale_diag")
    multiplier = _optional(multiplier, "scale_identity_multiplier")
    if scale_diag is not None:
        if multiplier is not None:
            scale_diag += multiplier[..., tf.newaxis]
        return tf.linalg.LinearOperatorDiag(
            diag=scale_diag, is_non_singular=True, is_self_adjoint=True
        )
    if loc is None and size is None:
        raise ValueError("Cannot tell the size of the event: give loc or scale_diag")
    if size is None:
        known = loc.shape.as_list()[-1] if loc.shape.rank is not None else None
        size = tf.shape(loc)[-1] if known is None else known
    if multiplier is None:
        return tf.linalg.LinearOperatorIdentity(
            num_rows=size,
            dtype=loc.dtype.base_dtype,
            is_self_adjoint=True,
            is_positive_definite=True,
        )
    return tf.linalg.LinearOperatorScaledIdentity(
        num_rows=size, multiplier=multiplier, is_non_singular=True, is_self_adjoint=True
    )


def regular(scale: Any, validate_args: bool, value: Any) -> Any:
    """A value that is only there once an operator was asserted not to be singular, if asked for."""
    if not validate_args:
        return value
    try:
        return checked(value, [scale.assert_non_singular()])
    except NotImplementedError:
        # Some operators cannot tell.
        return value


def _known(tensor: Any) -> Any:
    value = tf.get_static_value(tensor)
    return tensor if value is None else value


class _Linear(Distribution):
    """``loc + scale @ x`` with independent x of a distribution of numbers.

    Subclasses say how x is distributed, by `_of` and by its mean and variance.
    """

    _base: Any = None
    _base_mean = 0.0
    _base_variance = 1.0

    def __init__(
        self,
        given: dict[str, Any],
        loc: Any,
        scale: Any,
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
    ) -> None:
        if not scale.dtype.is_floating:
            raise TypeError(f"scale must be a float. Received: {scale.dtype!r}")
        with tf.name_scope(name) as scope:
            self._loc = _optional(loc, "loc")
            self._scale = scale
            size = _known(scale.range_dimension_tensor())
            batch = _known(scale.batch_shape_tensor())
            if self._loc is not None:
                own = self._loc.shape[-1:].as_list()[0] if self._loc.shape.rank else None
                if own not in (None, 1) and isinstance(size, int | float) and own != size:
                    raise ValueError(f"scale has size {size} and loc has size {own}")
                loc_batch = _known(tf.shape(self._loc)[:-1])
                batch = _known(tf.broadcast_dynamic_shape(batch, loc_batch))
            self._batch, self._size = batch, size
            self._unit = type(self)._base(tf.zeros([], scale.dtype), tf.ones([], scale.dtype))
        super().__init__(
            dtype=scale.dtype,
            reparameterization_type=REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=given,
            graph_parents=[] if self._loc is None else [self._loc],
            name=scope,
        )

    @property
    def loc(self) -> Any:
        """The location (…, size), or None."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The matrix, a ``tf.linalg.LinearOperator``."""
        return self._scale

    @property
    def distribution(self) -> Any:
        """How the numbers are distributed that the vectors are made of."""
        return self._unit

    def _batch_shape_tensor(self) -> Any:
        return tf.convert_to_tensor(self._batch, tf.int32)

    def _batch_shape(self) -> Any:
        shape = self._scale.batch_shape
        if self._loc is not None:
            shape = tf.broadcast_static_shape(shape, self._loc.shape[:-1])
        return shape

    def _event_shape_tensor(self) -> Any:
        return tf.reshape(tf.convert_to_tensor(self._size, tf.int32), [1])

    def _event_shape(self) -> Any:
        return tf.TensorShape([self._scale.domain_dimension])

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = tf.concat([[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        x = self._unit.sample(sample_shape=shape, seed=seed)
        y = self.scale.matvec(regular(self.scale, self.validate_args, x))
        return y if self.loc is None else y + self.loc

    def _log_prob(self, y: Any) -> Any:
        y = regular(self.scale, self.validate_args, tf.convert_to_tensor(y, dtype=self.dtype))
        x = self.scale.solvevec(y if self.loc is None else y - self.loc)
        inside = tf.reduce_sum(self._unit.log_prob(x), -1)
        return inside - self.scale.log_abs_determinant()

    def _entropy(self) -> Any:
        size = tf.cast(self._size, self.dtype)
        found = self._unit.entropy() * size + self.scale.log_abs_determinant()
        return found + tf.zeros(self.batch_shape_tensor(), self.dtype)

    def _whole(self, value: Any) -> Any:
        shape = tf.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        return value + tf.zeros(shape, self.dtype)

    def _mean(self) -> Any:
        mean = tf.zeros([], self.dtype) if self.loc is None else tf.identity(self.loc)
        if self._base_mean:
            ones = tf.ones(self.event_shape_tensor(), self.dtype)
            mean = mean + self.scale.matvec(ones) * self._base_mean
        return self._whole(mean)

    def _mode(self) -> Any:
        return self._whole(tf.zeros([], self.dtype) if self.loc is None else self.loc)

    def _covariance(self) -> Any:
        if is_diagonal(self.scale):
            return tf.matrix_diag(self._base_variance * tf.square(self.scale.diag_part()))
        return self._base_variance * self.scale.matmul(self.scale.to_dense(), adjoint_arg=True)

    def _variance(self) -> Any:
        if is_diagonal(self.scale):
            return self._base_variance * tf.square(self.scale.diag_part())
        return tf.matrix_diag_part(self._covariance())

    def _stddev(self) -> Any:
        return tf.sqrt(self._variance())


class MultivariateNormalLinearOperator(_Linear):
    """The multivariate normal distribution with covariance ``scale @ scale.T``.

    Args:
      loc: The mean (…, size); None for 0.
      scale: A ``tf.linalg.LinearOperator`` (…, size, size).
      validate_args: Whether to assert that the scale is not singular.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If there is no scale, or the sizes differ.
      TypeError: If the scale is not of floats.
    """

    _base = tf.distributions.Normal

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        if scale is None:
            raise ValueError("scale is missing: give a tf.linalg.LinearOperator")
        super().__init__(dict(locals()), loc, scale, validate_args, allow_nan_stats, name)


class MultivariateNormalDiag(MultivariateNormalLinearOperator):
    """The multivariate normal distribution with independent entries.

    Args:
      loc: The mean (…, size); None for 0.
      scale_diag: The standard deviations (…, size); None for 1, or for the multiplier alone.
      scale_identity_multiplier: One number (…) added to all standard deviations, or None.
      validate_args: Whether to assert that no standard deviation is 0.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If none of loc and scale_diag tells the size.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as scope:
            scale = diagonal(loc, scale_diag, scale_identity_multiplier)
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = given


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """``MultivariateNormalDiag(loc, softplus(scale_diag))``: see there."""

    def __init__(
        self,
        loc: Any,
        scale_diag: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagWithSoftplusScale",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[scale_diag]) as scope:
            positive = tf.nn.softplus(scale_diag)
            super().__init__(
                loc,
                positive,
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = given


class MultivariateNormalTriL(MultivariateNormalLinearOperator):
    """The multivariate normal distribution with a Cholesky factor of its covariance.

    Args:
      loc: The mean (…, size); None for 0.
      scale_tril: The lower triangular factor (…, size, size), with a positive diagonal; what is
        above the diagonal does not count. None for the identity.
      validate_args: Whether to assert that the scale is not singular.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If neither is given.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_tril: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalTriL",
    ) -> None:
        given = dict(locals())
        if loc is None and scale_tril is None:
            raise ValueError("Give loc, scale_tril or both")
        with tf.name_scope(name, values=[loc, scale_tril]) as scope:
            if scale_tril is None:
                scale = diagonal(loc, None, None)
            else:
                scale = tf.linalg.LinearOperatorLowerTriangular(
                    tf.convert_to_tensor(scale_tril, name="scale_tril"), is_non_singular=True
                )
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = given


class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """The multivariate normal distribution with a covariance matrix.

    Args:
      loc: The mean (…, size); None for 0.
      covariance_matrix: The covariance (…, size, size), positive definite; None for the identity.
      validate_args: Whether to assert that it is symmetric and its factor not singular.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If neither is given.
    """

    def __init__(
        self,
        loc: Any = None,
        covariance_matrix: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalFullCovariance",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[loc, covariance_matrix]) as scope:
            factor = None
            if covariance_matrix is not None:
                matrix = tf.convert_to_tensor(covariance_matrix, name="covariance_matrix")
                if validate_args:
                    flipped = tf.matrix_transpose(matrix)
                    matrix = checked(
                        matrix,
                        [tf.debugging.assert_near(matrix, flipped, message="not symmetric")],
                    )
                factor = tf.cholesky(matrix)
            super().__init__(loc, factor, validate_args, allow_nan_stats, scope)
        self._parameters = given


class MultivariateNormalDiagPlusLowRank(MultivariateNormalLinearOperator):
    """The multivariate normal distribution with ``scale = D + V diag(d) V.T``.

    Args:
      loc: The mean (…, size); None for 0.
      scale_diag: The diagonal of D (…, size); None for 1, or for the multiplier alone.
      scale_identity_multiplier: One number (…) added to the diagonal of D, or None.
      scale_perturb_factor: V (…, size, rank); None for no perturbation.
      scale_perturb_diag: d (…, rank); None for 1.
      validate_args: Whether to assert that the scale is not singular.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If nothing tells the size, or there is a d without a V.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagPlusLowRank",
    ) -> None:
        given = dict(locals())
        if scale_perturb_diag is not None and scale_perturb_factor is None:
            raise ValueError("scale_perturb_diag needs scale_perturb_factor")
        with tf.name_scope(name) as scope:
            factor = _optional(scale_perturb_factor, "scale_perturb_factor")
            size = None if factor is None else factor.shape.as_list()[-2]
            scale = diagonal(loc, scale_diag, scale_identity_multiplier, size)
            if factor is not None:
                scale = tf.linalg.LinearOperatorLowRankUpdate(
                    scale,
                    u=factor,
                    diag_update=_optional(scale_perturb_diag, "scale_perturb_diag"),
                    is_diag_update_positive=scale_perturb_diag is None,
                    is_non_singular=True,
                    is_self_adjoint=True,
                    is_positive_definite=True,
                    is_square=True,
                )
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = given


class VectorLaplaceDiag(_Linear):
    """Vectors of independent Laplace distributions.

    Args:
      loc: The mean (…, size); None for 0.
      scale_diag: The scales (…, size); None for 1, or for the multiplier alone.
      scale_identity_multiplier: One number (…) added to all scales, or None.
      validate_args: Whether to assert that the scale is not singular.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If none of loc and scale_diag tells the size.
    """

    _base = tf.distributions.Laplace
    _base_variance = 2.0

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorLaplaceDiag",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as scope:
            scale = diagonal(loc, scale_diag, scale_identity_multiplier)
        super().__init__(given, loc, scale, validate_args, allow_nan_stats, scope)


def _unit_exponential(_: Any, one: Any) -> Any:
    return tf.distributions.Exponential(rate=one)


class VectorExponentialDiag(_Linear):
    """Vectors of independent exponential distributions, scaled and moved.

    Args:
      loc: The least value (…, size); None for 0.
      scale_diag: The scales (…, size); None for 1, or for the multiplier alone.
      scale_identity_multiplier: One number (…) added to all scales, or None.
      validate_args: Whether to assert that the scale is not singular.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If none of loc and scale_diag tells the size.
    """

    _base = staticmethod(_unit_exponential)
    _base_mean = 1.0

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorExponentialDiag",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as scope:
            scale = diagonal(loc, scale_diag, scale_identity_multiplier)
        super().__init__(given, loc, scale, validate_args, allow_nan_stats, scope)


def _frobenius(x: Any) -> Any:
    return tf.reduce_sum(tf.square(x), axis=[-2, -1])


@tf.distributions.RegisterKL(MultivariateNormalLinearOperator, MultivariateNormalLinearOperator)
def _kl_normal(a: Any, b: Any, name: str | None = None) -> Any:
    with tf.name_scope(name, "kl_mvn"):
        if is_diagonal(a.scale) and is_diagonal(b.scale):
            ratio = (a.stddev() / b.stddev())[..., tf.newaxis]
        else:
            ratio = b.scale.solve(a.scale.to_dense())
        apart = b.scale.solve((b.mean() - a.mean())[..., tf.newaxis])
        volumes = b.scale.log_abs_determinant() - a.scale.log_abs_determinant()
        size = tf.cast(a.scale.domain_dimension_tensor(), a.dtype)
        kl = volumes + 0.5 * (-size + _frobenius(ratio) + _frobenius(apart))
        kl.set_shape(tf.broadcast_static_shape(a.batch_shape, b.batch_shape))
        return kl
