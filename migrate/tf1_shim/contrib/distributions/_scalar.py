"""Distributions of numbers that ``tf.distributions`` lacks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.distributions._common import (
    NOT_REPARAMETERIZED,
    REPARAMETERIZED,
    Distribution,
    Scalar,
    checked,
    logits_and_probs,
    new_seed,
    parameter,
    parameters,
    whole,
)


class _LocationScale(Scalar):
    """What the distributions with a location and a scale share."""

    _batch_parameters = ("loc", "scale")

    def __init__(
        self, given: dict[str, Any], loc: Any, scale: Any, validate: bool, nan: bool, name: str
    ) -> None:
        with tf.name_scope(name, values=[loc, scale]) as scope:
            self._loc, self._scale = parameters(("loc", loc, False), ("scale", scale, validate))
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=REPARAMETERIZED,
            validate_args=validate,
            allow_nan_stats=nan,
            parameters=given,
            graph_parents=[self._loc, self._scale],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return dict.fromkeys(("loc", "scale"), tf.convert_to_tensor(sample_shape, tf.int32))

    @property
    def loc(self) -> Any:
        """The location."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The scale."""
        return self._scale

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _mode(self) -> Any:
        return self.loc * tf.ones_like(self.scale)


class Logistic(_LocationScale):
    """The logistic distribution: ``cdf(x) = sigmoid((x - loc) / scale)``.

    Args:
      loc: The mean, a float tensor.
      scale: The scale, positive, of a shape that can be broadcast with it.
      validate_args: Whether to assert that the scale is positive.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.
    """

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Logistic",
    ) -> None:
        super().__init__(dict(locals()), loc, scale, validate_args, allow_nan_stats, name)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        uniform = tf.random_uniform(
            tf.concat([[n], self.batch_shape_tensor()], 0),
            minval=np.finfo(self.dtype.as_numpy_dtype).tiny,
            maxval=1.0,
            dtype=self.dtype,
            seed=seed,
        )
        return (tf.log(uniform) - tf.log1p(-uniform)) * self.scale + self.loc

    def _log_prob(self, x: Any) -> Any:
        z = self._z(x)
        return -z - 2.0 * tf.nn.softplus(-z) - tf.log(self.scale)

    def _log_cdf(self, x: Any) -> Any:
        return -tf.nn.softplus(-self._z(x))

    def _cdf(self, x: Any) -> Any:
        return tf.sigmoid(self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return -tf.nn.softplus(self._z(x))

    def _survival_function(self, x: Any) -> Any:
        return tf.sigmoid(-self._z(x))

    def _entropy(self) -> Any:
        return 2 + tf.log(self.scale * tf.ones_like(self.loc))

    def _mean(self) -> Any:
        return self.loc * tf.ones_like(self.scale)

    def _stddev(self) -> Any:
        return self.scale * tf.ones_like(self.loc) * math.pi / math.sqrt(3)


class Cauchy(_LocationScale):
    """The Cauchy distribution; it has no mean and no variance: they are NaN, or raise.

    Args:
      loc: The mode and median, a float tensor.
      scale: The half width at half maximum, positive.
      validate_args: Whether to assert that the scale is positive.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.
    """

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Cauchy",
    ) -> None:
        super().__init__(dict(locals()), loc, scale, validate_args, allow_nan_stats, name)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = tf.concat([[n], self.batch_shape_tensor()], 0)
        return self._quantile(tf.random_uniform(shape, dtype=self.dtype, seed=seed))

    def _log_prob(self, x: Any) -> Any:
        return -tf.log1p(tf.square(self._z(x))) - (np.log(np.pi) + tf.log(self.scale))

    def _cdf(self, x: Any) -> Any:
        return tf.atan(self._z(x)) / np.pi + 0.5

    def _log_cdf(self, x: Any) -> Any:
        return tf.log1p(2 / np.pi * tf.atan(self._z(x))) - np.log(2)

    def _entropy(self) -> Any:
        return (np.log(4 * np.pi) + tf.log(self.scale)) * tf.ones_like(self.loc)

    def _quantile(self, p: Any) -> Any:
        return self.loc + self.scale * tf.tan(np.pi * (p - 0.5))

    def _undefined(self, what: str) -> Any:
        if not self.allow_nan_stats:
            raise ValueError(f"the {what} of a Cauchy distribution is undefined")
        return tf.fill(self.batch_shape_tensor(), tf.constant(float("nan"), self.dtype))

    def _mean(self) -> Any:
        return self._undefined("mean")

    def _stddev(self) -> Any:
        return self._undefined("stddev")


class HalfNormal(Scalar):
    """The absolute value of a normal distribution around 0.

    Args:
      scale: The standard deviation of the normal distribution, positive.
      validate_args: Whether to assert that it is positive.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.
    """

    _batch_parameters = ("scale",)

    def __init__(
        self,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "HalfNormal",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[scale]) as scope:
            self._scale = parameter(scale, "scale", validate_args)
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=given,
            graph_parents=[self._scale],
            name=scope,
        )

    @property
    def scale(self) -> Any:
        """The standard deviation of the normal distribution."""
        return self._scale

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = tf.concat([[n], self.batch_shape_tensor()], 0)
        return tf.abs(tf.random_normal(shape, dtype=self.dtype, seed=seed) * self.scale)

    def _prob(self, x: Any) -> Any:
        density = np.sqrt(2) / self.scale / np.sqrt(np.pi) * tf.exp(-0.5 * (x / self.scale) ** 2)
        return density * tf.cast(x >= 0, self.dtype)

    def _cdf(self, x: Any) -> Any:
        return tf.erf(tf.nn.relu(x) / self.scale / np.sqrt(2.0))

    def _entropy(self) -> Any:
        return 0.5 * tf.log(np.pi * self.scale**2.0 / 2.0) + 0.5

    def _mean(self) -> Any:
        return self.scale * np.sqrt(2.0) / np.sqrt(np.pi)

    def _quantile(self, p: Any) -> Any:
        return np.sqrt(2.0) * self.scale * tf.math.erfinv(p)

    def _mode(self) -> Any:
        return tf.zeros(self.batch_shape_tensor(), self.dtype)

    def _variance(self) -> Any:
        return self.scale**2.0 * (1.0 - 2.0 / np.pi)


class InverseGamma(Scalar):
    """One over a gamma distribution: ``pdf(x) ~ x ** (-concentration - 1) * exp(-rate / x)``.

    Args:
      concentration: Positive.
      rate: Positive (in later terms, the scale).
      validate_args: Whether to assert that both are positive.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.
    """

    _batch_parameters = ("concentration", "rate")

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGamma",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[concentration, rate]) as scope:
            self._concentration, self._rate = parameters(
                ("concentration", concentration, validate_args), ("rate", rate, validate_args)
            )
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=given,
            graph_parents=[self._concentration, self._rate],
            name=scope,
        )

    @property
    def concentration(self) -> Any:
        """The concentration."""
        return self._concentration

    @property
    def rate(self) -> Any:
        """The rate."""
        return self._rate

    def _valid(self, x: Any) -> Any:
        return checked(x, [tf.assert_positive(x)] if self.validate_args else [])

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return 1.0 / tf.random_gamma(
            [n], alpha=self.concentration, beta=self.rate, dtype=self.dtype, seed=seed
        )

    def _log_prob(self, x: Any) -> Any:
        x = self._valid(x)
        shape = -(1.0 + self.concentration) * tf.log(x) - self.rate / x
        return shape - (tf.lgamma(self.concentration) - self.concentration * tf.log(self.rate))

    def _cdf(self, x: Any) -> Any:
        return tf.igammac(self.concentration, self.rate / self._valid(x))

    def _entropy(self) -> Any:
        a = self.concentration
        return a + tf.log(self.rate) + tf.lgamma(a) - (1.0 + a) * tf.digamma(a)

    def _mean(self) -> Any:
        mean = self.rate / (self.concentration - 1.0)
        return self._nan_unless(self.concentration > 1.0, mean, "mean")

    def _variance(self) -> Any:
        a = self.concentration
        variance = tf.square(self.rate) / tf.squared_difference(a, 1.0) / (a - 2.0)
        return self._nan_unless(a > 2.0, variance, "variance")

    def _mode(self) -> Any:
        return self.rate / (1.0 + self.concentration)


class Poisson(Scalar):
    """The Poisson distribution of counts.

    Args:
      rate: The mean, positive; or None.
      log_rate: Its logarithm; or None. Exactly one of them is given.
      validate_args: Whether to assert that the rate is positive and counts are whole.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If not exactly one of them is given.
      TypeError: If it is no float.
    """

    _batch_parameters = ("rate",)

    def __init__(
        self,
        rate: Any = None,
        log_rate: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Poisson",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[rate]) as scope:
            if (rate is None) == (log_rate is None):
                raise ValueError("Pass either rate or log_rate, not both and not none")
            tensor = tf.convert_to_tensor(rate if log_rate is None else log_rate)
            if not tensor.dtype.is_floating:
                raise TypeError(f"the rate must be a float. Received: {tensor.dtype!r}")
            if log_rate is None:
                self._rate = parameter(tensor, "rate", validate_args)
                self._log_rate = tf.log(tensor, name="log_rate")
            else:
                self._rate, self._log_rate = tf.exp(tensor, name="rate"), tensor
        super().__init__(
            dtype=self._rate.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=given,
            graph_parents=[self._rate],
            name=scope,
        )

    @property
    def rate(self) -> Any:
        """The mean."""
        return self._rate

    @property
    def log_rate(self) -> Any:
        """The logarithm of the mean."""
        return self._log_rate

    def _log_prob(self, x: Any) -> Any:
        x = whole(x, self.validate_args)
        return x * self.log_rate - tf.lgamma(1.0 + x) - self.rate

    def _log_cdf(self, x: Any) -> Any:
        return tf.log(self.cdf(x))

    def _cdf(self, x: Any) -> Any:
        return tf.igammac(1.0 + whole(x, self.validate_args), self.rate)

    def _mean(self) -> Any:
        return tf.identity(self.rate)

    def _variance(self) -> Any:
        return tf.identity(self.rate)

    def _mode(self) -> Any:
        return tf.floor(self.rate)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return tf.random_poisson(self.rate, [n], dtype=self.dtype, seed=seed)


class _Chances(Scalar):
    """What the distributions with log-odds and probabilities share."""

    def __init__(
        self, given: dict[str, Any], logits: Any, probs: Any, validate: bool, nan: bool, name: str
    ) -> None:
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate,
            allow_nan_stats=nan,
            parameters=given,
            graph_parents=[self._logits, self._probs],
            name=name,
        )

    @property
    def logits(self) -> Any:
        """The log-odds."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probability of success."""
        return self._probs


class Geometric(_Chances):
    """How many failures come before the first success.

    Args:
      logits: The log-odds of a success; or None.
      probs: Its probability; or None. Exactly one of them is given.
      validate_args: Whether to assert that it is a probability and counts are whole.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If not exactly one of them is given.
    """

    _batch_parameters = ("probs",)

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Geometric",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[logits, probs]) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, validate_args)
            self._probs = parameter(self._probs, "probs", validate_args)
        super().__init__(given, logits, probs, validate_args, allow_nan_stats, scope)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        uniform = tf.random_uniform(
            tf.concat([[n], tf.shape(self.probs)], 0),
            minval=np.finfo(self.dtype.as_numpy_dtype).tiny,
            maxval=1.0,
            seed=seed,
            dtype=self.dtype,
        )
        return tf.floor(tf.log(uniform) / tf.log1p(-self.probs))

    def _counts(self, x: Any) -> Any:
        x = whole(x, True) if self.validate_args else tf.floor(x)
        return x * tf.ones_like(self.probs)

    def _cdf(self, x: Any) -> Any:
        x = self._counts(x)
        return tf.where(
            x < 0.0, tf.zeros_like(x), -tf.math.expm1((1.0 + x) * tf.log1p(-self.probs))
        )

    def _log_prob(self, x: Any) -> Any:
        x = self._counts(x)
        probs = self.probs * tf.ones_like(x)
        # No failure costs nothing even where success is certain.
        failing = tf.where(tf.equal(x, 0.0), tf.zeros_like(probs), probs)
        return x * tf.log1p(-failing) + tf.log(probs)

    def _entropy(self) -> Any:
        probs = self.probs
        if self.validate_args:
            one = tf.ones([], probs.dtype)
            probs = checked(
                probs, [tf.assert_less(probs, one, message="Entropy is undefined for probs = 1")]
            )
        return tf.nn.softplus(self.logits) / probs - self.logits

    def _mean(self) -> Any:
        return tf.exp(-self.logits)

    def _variance(self) -> Any:
        return self._mean() / self.probs

    def _mode(self) -> Any:
        return tf.zeros(self.batch_shape_tensor(), dtype=self.dtype)


class Binomial(_Chances):
    """How many of a number of trials succeed. As in TF 1.15, it cannot be sampled.

    Args:
      total_count: The number of trials, a float tensor of whole numbers.
      logits: The log-odds of a success; or None.
      probs: Its probability; or None. Exactly one of them is given.
      validate_args: Whether to assert what they must be.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If not exactly one of logits and probs is given.
    """

    _batch_parameters = ("total_count", "probs")

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Binomial",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[total_count, logits, probs]) as scope:
            self._total_count = whole(total_count, validate_args)
            self._logits, self._probs = logits_and_probs(logits, probs, validate_args)
        super().__init__(given, logits, probs, validate_args, allow_nan_stats, scope)

    @property
    def total_count(self) -> Any:
        """The number of trials."""
        return self._total_count

    def _counts(self, counts: Any) -> Any:
        if not self.validate_args:
            return counts
        most = tf.assert_less_equal(counts, self.total_count, message="more counts than trials")
        return checked(whole(counts, True), [most])

    def _log_prob(self, counts: Any) -> Any:
        counts = self._counts(counts)
        missed = self.total_count - counts
        chance = counts * tf.log(self.probs) + missed * tf.log1p(-self.probs)
        ways = tf.lgamma(1.0 + missed) + tf.lgamma(1.0 + counts) - tf.lgamma(1.0 + self.total_count)
        return chance - ways

    def _prob(self, counts: Any) -> Any:
        return tf.exp(self._log_prob(counts))

    def _cdf(self, counts: Any) -> Any:
        counts = self._counts(counts)
        probs = self.probs + tf.zeros_like(counts)
        counts = counts + tf.zeros_like(probs)
        missed = self.total_count - counts
        ones = tf.ones_like(missed)
        all_of_them = tf.equal(missed, 0.0)
        safe = tf.where(all_of_them, ones, missed)
        return tf.where(all_of_them, ones, tf.betainc(safe, counts + 1, 1 - probs))

    def _mean(self) -> Any:
        return self.total_count * self.probs

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self.probs)

    def _mode(self) -> Any:
        return tf.floor((1.0 + self.total_count) * self.probs)


class NegativeBinomial(_Chances):
    """How many successes come before a number of failures.

    Args:
      total_count: The number of failures, positive, not necessarily whole.
      logits: The log-odds of a success; or None.
      probs: Its probability; or None. Exactly one of them is given.
      validate_args: Whether to assert what they must be.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If not exactly one of logits and probs is given.
    """

    _batch_parameters = ("total_count", "probs")

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NegativeBinomial",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[total_count, logits, probs]) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, validate_args)
            self._total_count = parameter(total_count, "total_count", validate_args)
        super().__init__(given, logits, probs, validate_args, allow_nan_stats, scope)

    @property
    def total_count(self) -> Any:
        """The number of failures."""
        return self._total_count

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        rate = tf.random_gamma(
            [n], alpha=self.total_count, beta=tf.exp(-self.logits), dtype=self.dtype, seed=seed
        )
        return tf.random_poisson(rate, [], dtype=self.dtype, seed=new_seed(seed, "negative_binom"))

    def _cdf(self, x: Any) -> Any:
        x = whole(x, self.validate_args)
        return tf.betainc(self.total_count, 1.0 + x, tf.sigmoid(-self.logits))

    def _log_prob(self, x: Any) -> Any:
        x = whole(x, self.validate_args)
        n = self.total_count
        chance = n * tf.log_sigmoid(-self.logits) + x * tf.log_sigmoid(self.logits)
        return chance - (-tf.lgamma(n + x) + tf.lgamma(1.0 + x) + tf.lgamma(n))

    def _mean(self) -> Any:
        return self.total_count * tf.exp(self.logits)

    def _mode(self) -> Any:
        fewer = tf.maximum(self.total_count - 1.0, tf.zeros_like(self.total_count))
        return tf.floor(fewer * tf.exp(self.logits))

    def _variance(self) -> Any:
        return self._mean() / tf.sigmoid(-self.logits)


class Chi2(tf.distributions.Gamma):
    """The chi-squared distribution.

    Args:
      df: The degrees of freedom, positive floats.
      validate_args: Whether to assert that they are positive.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.
    """

    def __init__(
        self,
        df: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Chi2",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[df]) as scope:
            self._df = parameter(df, "df", validate_args)
            super().__init__(
                concentration=0.5 * self._df,
                rate=tf.constant(0.5, self._df.dtype),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = given

    @property
    def df(self) -> Any:
        """The degrees of freedom."""
        return self._df


class _Fixed(Distribution):
    """What `Deterministic` and `VectorDeterministic` share."""

    def __init__(
        self,
        given: dict[str, Any],
        loc: Any,
        atol: Any,
        rtol: Any,
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
    ) -> None:
        with tf.name_scope(name, values=[loc, atol, rtol]) as scope:
            self._loc = tf.convert_to_tensor(loc, name="loc")
            tolerances = [
                tf.convert_to_tensor(0 if tol is None else tol, dtype=self._loc.dtype)
                for tol in (atol, rtol)
            ]
            if validate_args:
                tolerances = [checked(t, [tf.assert_non_negative(t)]) for t in tolerances]
            self._atol, self._rtol = tolerances
            self._slack = self._atol
            if rtol is not None:
                self._slack = self._atol + self._rtol * tf.abs(self._loc)
        super().__init__(
            dtype=self._loc.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=given,
            graph_parents=[self._loc],
            name=scope,
        )

    @property
    def loc(self) -> Any:
        """The value."""
        return self._loc

    @property
    def atol(self) -> Any:
        """How far from it still counts as it."""
        return self._atol

    @property
    def rtol(self) -> Any:
        """The same, relative to it."""
        return self._rtol

    def _entropy(self) -> Any:
        return tf.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _mean(self) -> Any:
        return tf.identity(self.loc)

    def _variance(self) -> Any:
        return tf.zeros_like(self.loc)

    def _mode(self) -> Any:
        return self.mean()

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        multiples = tf.concat([[n], tf.ones_like(tf.shape(self.loc))], 0)
        return tf.tile(self.loc[tf.newaxis], multiples)


class Deterministic(_Fixed):
    """Always the same number.

    Args:
      loc: The number, a tensor.
      atol: How far from it still has probability 1; by default 0.
      rtol: The same, relative to it; by default 0.
      validate_args: Whether to assert that the tolerances are not negative.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.
    """

    def __init__(
        self,
        loc: Any,
        atol: Any = None,
        rtol: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Deterministic",
    ) -> None:
        super().__init__(dict(locals()), loc, atol, rtol, validate_args, allow_nan_stats, name)

    def _batch_shape_tensor(self) -> Any:
        return tf.shape(self.loc)

    def _batch_shape(self) -> Any:
        return self.loc.shape

    def _event_shape_tensor(self) -> Any:
        return tf.constant([], tf.int32)

    def _event_shape(self) -> Any:
        return tf.TensorShape([])

    def _prob(self, x: Any) -> Any:
        return tf.cast(tf.abs(x - self.loc) <= self._slack, dtype=self.dtype)

    def _cdf(self, x: Any) -> Any:
        return tf.cast(x >= self.loc - self._slack, dtype=self.dtype)


class VectorDeterministic(_Fixed):
    """Always the same vector.

    Args:
      loc: The vectors (…, size).
      atol: How far from them each entry may be; by default 0.
      rtol: The same, relative to it; by default 0.
      validate_args: Whether to assert that the tolerances are not negative.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.
    """

    def __init__(
        self,
        loc: Any,
        atol: Any = None,
        rtol: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorDeterministic",
    ) -> None:
        super().__init__(dict(locals()), loc, atol, rtol, validate_args, allow_nan_stats, name)

    def _batch_shape_tensor(self) -> Any:
        return tf.shape(self.loc)[:-1]

    def _batch_shape(self) -> Any:
        return self.loc.shape[:-1]

    def _event_shape_tensor(self) -> Any:
        return tf.shape(self.loc)[-1:]

    def _event_shape(self) -> Any:
        return self.loc.shape[-1:]

    def _prob(self, x: Any) -> Any:
        near = tf.reduce_all(tf.abs(x - self.loc) <= self._slack, axis=-1)
        return tf.cast(near, dtype=self.dtype)
