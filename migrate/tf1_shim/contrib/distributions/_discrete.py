"""One of several classes as a vector, exactly or relaxed."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.distributions import bijectors
from migrate.tf1_shim.contrib.distributions._combined import TransformedDistribution
from migrate.tf1_shim.contrib.distributions._common import (
    NOT_REPARAMETERIZED,
    REPARAMETERIZED,
    Distribution,
    checked,
    logits_and_probs,
)
from migrate.tf1_shim.contrib.distributions._scalar import Logistic


class _OneOf(Distribution):
    """What the distributions over classes share: logits (…, num_classes)."""

    def _take(self, logits: Any, probs: Any, validate_args: bool) -> None:
        self._logits, self._probs = logits_and_probs(logits, probs, validate_args, several=True)
        self._logits.shape.with_rank_at_least(1)
        self._event_size = tf.shape(self._logits)[-1]

    @property
    def event_size(self) -> Any:
        """How many classes there are, an int32 scalar."""
        return self._event_size

    @property
    def logits(self) -> Any:
        """The log-probabilities, not normalized (…, num_classes)."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probabilities (…, num_classes)."""
        return self._probs

    def _batch_shape_tensor(self) -> Any:
        return tf.shape(self.logits)[:-1]

    def _batch_shape(self) -> Any:
        return self.logits.shape[:-1]

    def _event_shape_tensor(self) -> Any:
        return tf.shape(self.logits)[-1:]

    def _event_shape(self) -> Any:
        return self.logits.shape.with_rank_at_least(1)[-1:]

    def _alike(self, x: Any) -> tuple[Any, Any]:
        """The logits and x, both in the shape of their broadcast."""
        logits = tf.ones_like(x, dtype=self.logits.dtype) * self.logits
        return logits, tf.ones_like(logits, dtype=x.dtype) * x


class OneHotCategorical(_OneOf):
    """One class, as a vector with a one at its place.

    Args:
      logits: Log-probabilities, not normalized (…, num_classes); or None.
      probs: Probabilities (…, num_classes); or None. Exactly one of them is given.
      dtype: The type of the vectors.
      validate_args: Whether to assert that they are probabilities.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If not exactly one of logits and probs is given.
    """

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = tf.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "OneHotCategorical",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[logits, probs]) as scope:
            self._take(logits, probs, validate_args)
        super().__init__(
            dtype=dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=given,
            graph_parents=[self._logits, self._probs],
            name=scope,
        )

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = tf.concat([[n], tf.shape(self.logits)], 0)
        flat = tf.reshape(self.logits, [-1, self.event_size])
        drawn = tf.transpose(tf.multinomial(flat, n, seed=seed))
        return tf.reshape(tf.one_hot(drawn, self.event_size, dtype=self.dtype), shape)

    def _log_prob(self, x: Any) -> Any:
        logits, x = self._alike(tf.convert_to_tensor(x))
        shape = tf.shape(logits)[:-1]
        flat = tf.reshape(logits, [-1, self.event_size])
        labels = tf.cast(tf.reshape(x, [-1, self.event_size]), logits.dtype)
        losses = tf.nn.softmax_cross_entropy_with_logits_v2(
            labels=tf.stop_gradient(labels), logits=flat
        )
        return tf.reshape(-losses, shape)

    def _entropy(self) -> Any:
        return -tf.reduce_sum(tf.nn.log_softmax(self.logits) * self.probs, axis=-1)

    def _mode(self) -> Any:
        mode = tf.one_hot(tf.argmax(self.logits, axis=-1), self.event_size, dtype=self.dtype)
        mode.set_shape(self.logits.shape)
        return mode

    def _covariance(self) -> Any:
        p = self.probs
        products = -tf.matmul(p[..., None], p[..., None, :])
        return tf.matrix_set_diag(products, self._variance())

    def _variance(self) -> Any:
        return self.probs * (1.0 - self.probs)


@tf.distributions.RegisterKL(OneHotCategorical, OneHotCategorical)
def _kl_one_hot(a: Any, b: Any, name: str | None = None) -> Any:
    with tf.name_scope(name, "kl_categorical_categorical", values=[a.logits, b.logits]):
        apart = tf.nn.log_softmax(a.logits) - tf.nn.log_softmax(b.logits)
        return tf.reduce_sum(tf.nn.softmax(a.logits) * apart, axis=-1)


class ExpRelaxedOneHotCategorical(_OneOf):
    """The logarithm of `RelaxedOneHotCategorical`, which does not underflow.

    Args:
      temperature: A positive scalar; towards 0 the vectors become one-hot.
      logits: Log-probabilities, not normalized (…, num_classes); or None.
      probs: Probabilities (…, num_classes); or None. Exactly one of them is given.
      dtype: The type of the vectors; by default that of the parameters.
      validate_args: Whether to assert what the parameters must be.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If not exactly one of logits and probs is given.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExpRelaxedOneHotCategorical",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[logits, probs, temperature]) as scope:
            self._take(logits, probs, validate_args)
            dtype = self._logits.dtype if dtype is None else dtype
            temperature = tf.cast(temperature, self._logits.dtype)
            positive = [tf.assert_positive(temperature)] if validate_args else []
            self._temperature = tf.identity(checked(temperature, positive), name="temperature")
            self._temperature_2d = tf.reshape(self._temperature, [-1, 1])
        super().__init__(
            dtype=dtype,
            reparameterization_type=REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=given,
            graph_parents=[self._logits, self._probs, self._temperature],
            name=scope,
        )

    @property
    def temperature(self) -> Any:
        """The temperature."""
        return self._temperature

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = tf.concat([[n], tf.shape(self.logits)], 0)
        logits = tf.reshape(self.logits * tf.ones(shape, self.dtype), [-1, self.event_size])
        uniform = tf.random_uniform(
            tf.shape(logits),
            minval=np.finfo(self.dtype.as_numpy_dtype).tiny,
            maxval=1.0,
            dtype=self.dtype,
            seed=seed,
        )
        noisy = tf.div(-tf.log(-tf.log(uniform)) + logits, self._temperature_2d)
        return tf.reshape(tf.nn.log_softmax(noisy), shape)

    def _log_prob(self, x: Any) -> Any:
        if self.validate_args:
            total = tf.reduce_logsumexp(x, axis=[-1])
            near = tf.debugging.assert_near(total, tf.zeros_like(total), atol=1e-5)
            x = checked(x, [tf.assert_non_positive(x), near])
        logits, x = self._alike(tf.convert_to_tensor(x))
        shape = tf.shape(logits)[:-1]
        logits = tf.reshape(logits, [-1, self.event_size])
        x = tf.reshape(x, [-1, self.event_size])
        k = tf.cast(self.event_size, x.dtype)
        normalization = tf.lgamma(k) + (k - 1.0) * tf.log(self.temperature)
        inside = tf.reduce_sum(tf.nn.log_softmax(logits - x * self._temperature_2d), [-1])
        return tf.reshape(normalization + inside, shape)


class RelaxedOneHotCategorical(TransformedDistribution):
    """The Gumbel-softmax distribution over vectors of positive numbers that sum to one.

    After Maddison et al. (https://arxiv.org/abs/1611.00712) and Jang et al.
    (https://arxiv.org/abs/1611.01144).

    Args:
      temperature: A positive scalar; towards 0 the vectors become one-hot.
      logits: Log-probabilities, not normalized (…, num_classes); or None.
      probs: Probabilities (…, num_classes); or None. Exactly one of them is given.
      dtype: The type of the vectors; by default that of the parameters.
      validate_args: Whether to assert what the parameters must be.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If not exactly one of logits and probs is given.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedOneHotCategorical",
    ) -> None:
        given = dict(locals())
        relaxed = ExpRelaxedOneHotCategorical(
            temperature, logits, probs, dtype, validate_args, allow_nan_stats
        )
        super().__init__(relaxed, bijectors.Exp(), name=name)
        self._parameters = given

    @property
    def temperature(self) -> Any:
        """The temperature."""
        return self.distribution.temperature

    @property
    def logits(self) -> Any:
        """The log-probabilities, not normalized (…, num_classes)."""
        return self.distribution.logits

    @property
    def probs(self) -> Any:
        """The probabilities (…, num_classes)."""
        return self.distribution.probs

    @property
    def event_size(self) -> Any:
        """How many classes there are."""
        return self.distribution.event_size


class RelaxedBernoulli(TransformedDistribution):
    """A number from 0 to 1 that is near to 0 or 1 for small temperatures.

    Args:
      temperature: Positive.
      logits: The log-odds of 1; or None.
      probs: Its probability; or None. Exactly one of them is given.
      validate_args: Whether to assert what the parameters must be.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If not exactly one of logits and probs is given.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedBernoulli",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[logits, probs, temperature]) as scope:
            self._logits, self._probs = logits_and_probs(logits, probs, validate_args)
            temperature = tf.convert_to_tensor(temperature, dtype=self._logits.dtype)
            positive = [tf.assert_positive(temperature)] if validate_args else []
            self._temperature = tf.identity(checked(temperature, positive), name="temperature")
            base = Logistic(
                self._logits / self._temperature,
                1.0 / self._temperature,
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
            )
        super().__init__(
            base, bijectors.Sigmoid(validate_args), validate_args=validate_args, name=scope
        )
        self._parameters = given

    @property
    def temperature(self) -> Any:
        """The temperature."""
        return self._temperature

    @property
    def logits(self) -> Any:
        """The log-odds of 1."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The probability of 1."""
        return self._probs
