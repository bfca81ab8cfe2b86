"""Distributions made of other distributions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.distributions._common import (
    NOT_REPARAMETERIZED,
    Distribution,
    checked,
    new_seed,
)
from migrate.tf1_shim.contrib.distributions.bijectors import Identity


class Independent(Distribution):
    """The last dimensions of a distribution's batch taken as one event.

    Args:
      distribution: The distribution.
      reinterpreted_batch_ndims: How many of the last batch dimensions; by default all but the
        first.
      validate_args: Kept for `copy`.
      name: The name scope; by default "Independent" and the distribution's name.

    Raises:
      ValueError: If there are not so many batch dimensions, or their number is unknown.
    """

    def __init__(
        self,
        distribution: Any,
        reinterpreted_batch_ndims: int | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name or "Independent" + distribution.name) as scope:
            rank = distribution.batch_shape.rank
            if rank is None:
                raise ValueError("the number of the distribution's batch dimensions is unknown")
            if reinterpreted_batch_ndims is None:
                reinterpreted_batch_ndims = max(0, rank - 1)
            number = int(tf.get_static_value(tf.convert_to_tensor(reinterpreted_batch_ndims)))
            if number > rank:
                raise ValueError(
                    f"reinterpreted_batch_ndims({number}) exceeds the {rank} batch dimensions"
                )
        self._distribution, self._number, self._batch_rank = distribution, number, rank - number
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=given,
            graph_parents=list(distribution._graph_parents),
            name=scope,
        )

    @property
    def distribution(self) -> Any:
        """The distribution."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self) -> int:
        """How many batch dimensions are part of the event."""
        return self._number

    def _batch_shape_tensor(self) -> Any:
        return self.distribution.batch_shape_tensor()[: self._batch_rank]

    def _batch_shape(self) -> Any:
        return self.distribution.batch_shape[: self._batch_rank]

    def _event_shape_tensor(self) -> Any:
        inner = self.distribution.batch_shape_tensor()[self._batch_rank :]
        return tf.concat([inner, self.distribution.event_shape_tensor()], 0)

    def _event_shape(self) -> Any:
        inner = self.distribution.batch_shape[self._batch_rank :]
        return inner.concatenate(self.distribution.event_shape)

    def _sum(self, value: Any) -> Any:
        return tf.reduce_sum(value, axis=[-1 - i for i in range(self._number)])

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return self.distribution.sample(sample_shape=n, seed=seed)

    def _log_prob(self, x: Any) -> Any:
        return self._sum(self.distribution.log_prob(x))

    def _entropy(self) -> Any:
        return self._sum(self.distribution.entropy())

    def _mean(self) -> Any:
        return self.distribution.mean()

    def _variance(self) -> Any:
        return self.distribution.variance()

    def _stddev(self) -> Any:
        return self.distribution.stddev()

    def _mode(self) -> Any:
        return self.distribution.mode()


@tf.distributions.RegisterKL(Independent, Independent)
def _kl_independent(a: Any, b: Any, name: str = "kl_independent") -> Any:
    p, q = a.distribution, b.distribution
    if not a.event_shape.is_compatible_with(b.event_shape):
        raise ValueError(f"Event shapes do not match: {a.event_shape} and {b.event_shape}")
    if a.reinterpreted_batch_ndims != b.reinterpreted_batch_ndims:
        raise NotImplementedError("KL between Independents with different events inside")
    kl = tf.distributions.kl_divergence(p, q, name=name)
    return tf.reduce_sum(kl, axis=[-1 - i for i in range(a.reinterpreted_batch_ndims)])


class TransformedDistribution(Distribution):
    """A distribution of ``bijector(x)`` for x of another distribution.

    Args:
      distribution: How x is distributed.
      bijector: The function; by default the identity.
      batch_shape: A batch shape for a distribution that has none.
      event_shape: An event shape for a distribution of numbers.
      validate_args: Kept for `copy`.
      name: The name scope; by default made of the names of both.

    Raises:
      ValueError: If a shape is given for a distribution that has one.
    """

    def __init__(
        self,
        distribution: Any,
        bijector: Any = None,
        batch_shape: Any = None,
        event_shape: Any = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        given = dict(locals())
        name = name or ("" if bijector is None else bijector.name) + distribution.name
        with tf.name_scope(name, values=[event_shape, batch_shape]) as scope:
            self._bijector = Identity(validate_args) if bijector is None else bijector
            self._own_batch = self._override(batch_shape, distribution.batch_shape, "batch_shape")
            self._own_event = self._override(event_shape, distribution.event_shape, "event_shape")
            # With a batch of its own the distribution puts that first, behind the event's draws.
            self._rotate = bool(self._own_event) and distribution.batch_shape.rank != 0
        self._distribution = distribution
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=given,
            graph_parents=list(distribution._graph_parents),
            name=scope,
        )

    @staticmethod
    def _override(shape: Any, there: Any, what: str) -> list[int]:
        if shape is None:
            return []
        known = tf.get_static_value(tf.convert_to_tensor(shape, tf.int32))
        if known is None or known.ndim != 1:
            raise ValueError(f"{what} must be a vector that is known. Received: {shape}")
        if known.size and there.rank != 0:
            raise ValueError(f"{what}={list(known)} is given, but the distribution has {there}")
        if any(known <= 0):
            raise ValueError(f"{what} must be positive. Received: {list(known)}")
        return [int(size) for size in known]

    @property
    def distribution(self) -> Any:
        """How the input of the bijector is distributed."""
        return self._distribution

    @property
    def bijector(self) -> Any:
        """The function."""
        return self._bijector

    def _inner_event_shape(self) -> Any:
        return tf.TensorShape(self._own_event) if self._own_event else self.distribution.event_shape

    def _event_shape_tensor(self) -> Any:
        inner = self._own_event or self.distribution.event_shape_tensor()
        return self.bijector.forward_event_shape_tensor(inner)

    def _event_shape(self) -> Any:
        return self.bijector.forward_event_shape(self._inner_event_shape())

    def _batch_shape_tensor(self) -> Any:
        own = self._own_batch or self.distribution.batch_shape_tensor()
        return tf.convert_to_tensor(own, tf.int32)

    def _batch_shape(self) -> Any:
        return tf.TensorShape(self._own_batch) if self._own_batch else self.distribution.batch_shape

    def _turn(self, x: Any, by: int) -> Any:
        """Move dimensions from the front to the end; the other way round for negative numbers."""
        if not self._rotate:
            return x
        rank = tf.rank(x)
        split = by if by >= 0 else rank + by
        return tf.transpose(x, tf.concat([tf.range(split, rank), tf.range(0, split)], 0))

    def _call_sample_n(self, sample_shape: Any, seed: Any, name: str, **kwargs: Any) -> Any:
        with self._name_scope(name, values=[sample_shape]):
            sample_shape = tf.convert_to_tensor(sample_shape, tf.int32, name="sample_shape")
            sample_shape, n = self._expand_sample_shape_to_vector(sample_shape, "sample_shape")
            inner: list[Any] = [*self._own_batch, *self._own_event]
            drawn = tf.stack([*inner, n] if self._rotate else [n, *inner])
            x = self.distribution.sample(sample_shape=drawn, seed=seed)
            if self._rotate:
                # event, n, batch: the event goes to the end.
                x = self._turn(x, len(self._own_event))
            shape = tf.concat([sample_shape, tf.shape(x)[1:]], 0)
            y = self.bijector.forward(tf.reshape(x, shape), **kwargs)
            return self._set_sample_static_shape(y, sample_shape)

    def _event_ndims(self) -> int:
        rank = self.event_shape.rank
        if rank is None:
            raise ValueError("the rank of the event must be known")
        return int(rank)

    def _over_event(self, value: Any, reduce: Any) -> Any:
        if not self._own_event:
            return value
        number = len(self._own_event)
        axes = range(number) if self._rotate else range(-number, 0)
        return reduce(value, axis=list(axes))

    def _inside(self, x: Any) -> Any:
        return self._turn(x, -len(self._own_event))

    def _log_prob(self, y: Any) -> Any:
        y = tf.convert_to_tensor(y)
        x = self.bijector.inverse(y)
        ildj = self.bijector.inverse_log_det_jacobian(y, event_ndims=self._event_ndims())
        fibers = zip(x, ildj, strict=True) if isinstance(x, tuple) else [(x, ildj)]
        found = [
            self._over_event(self.distribution.log_prob(self._inside(part)), tf.reduce_sum)
            + tf.cast(volume, self.dtype)
            for part, volume in fibers
        ]
        return found[0] if len(found) == 1 else tf.reduce_logsumexp(tf.stack(found), axis=0)

    def _prob(self, y: Any) -> Any:
        y = tf.convert_to_tensor(y)
        x = self.bijector.inverse(y)
        ildj = self.bijector.inverse_log_det_jacobian(y, event_ndims=self._event_ndims())
        fibers = zip(x, ildj, strict=True) if isinstance(x, tuple) else [(x, ildj)]
        return sum(
            self._over_event(self.distribution.prob(self._inside(part)), tf.reduce_prod)
            * tf.exp(tf.cast(volume, self.dtype))
            for part, volume in fibers
        )

    def _through(self, what: str, y: Any) -> Any:
        if self._own_event:
            raise NotImplementedError(f"{what} is not implemented when overriding event_shape")
        if not self.bijector._is_injective:
            raise NotImplementedError(f"{what} needs a bijector that is injective")
        return getattr(self.distribution, what)(self.bijector.inverse(y))

    def _log_cdf(self, y: Any) -> Any:
        return self._through("log_cdf", y)

    def _cdf(self, y: Any) -> Any:
        return self._through("cdf", y)

    def _log_survival_function(self, y: Any) -> Any:
        return self._through("log_survival_function", y)

    def _survival_function(self, y: Any) -> Any:
        return self._through("survival_function", y)

    def _quantile(self, value: Any) -> Any:
        if self._own_event or not self.bijector._is_injective:
            raise NotImplementedError("quantile needs an injective bijector and an own event")
        return self.bijector.forward(self.distribution.quantile(value))

    def _entropy(self) -> Any:
        if not self.bijector.is_constant_jacobian or not self.bijector._is_injective:
            raise NotImplementedError(
                "entropy is only known for injective bijectors with a constant Jacobian"
            )
        entropy = self.distribution.entropy()
        if self._own_event:
            entropy *= tf.cast(int(np.prod(self._own_event)), entropy.dtype)
        if self._own_batch:
            entropy = entropy + tf.zeros(self._own_batch, entropy.dtype)
        shape = tf.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        somewhere = tf.zeros(shape, self.dtype)
        ildj = self.bijector.inverse_log_det_jacobian(somewhere, event_ndims=self._event_ndims())
        entropy -= tf.cast(ildj, entropy.dtype)
        entropy.set_shape(self.batch_shape)
        return entropy


class Mixture(Distribution):
    """A mixture of distributions that may be of different classes.

    Args:
      cat: A `Categorical` over the components.
      components: Distributions of the same type, event shape and batch shape.
      validate_args: Whether to assert that the batch shapes agree.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      use_static_graph: Whether each component draws all samples, so that no operation depends on
        how many it gets.
      name: The name scope.

    Raises:
      TypeError: If they are of other classes or types.
      ValueError: If there are none or not as many as classes.
    """

    def __init__(
        self,
        cat: Any,
        components: Sequence[Any],
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        use_static_graph: bool = False,
        name: str = "Mixture",
    ) -> None:
        given = dict(locals())
        if not isinstance(cat, tf.distributions.Categorical):
            raise TypeError(f"cat must be a Categorical. Received: {cat}")
        if not components:
            raise ValueError("components must be a list of distributions, not empty")
        if not isinstance(components, (list, tuple)):
            raise TypeError(f"components must be a list or tuple. Received: {components}")
        if not all(isinstance(part, Distribution) for part in components):
            raise TypeError(f"components must be distributions. Received: {components}")
        if len({part.dtype for part in components}) > 1:
            raise TypeError(f"components differ in type: {[part.dtype for part in components]}")
        event, batch = components[0].event_shape, cat.batch_shape
        for part in components:
            event, batch = event.merge_with(part.event_shape), batch.merge_with(part.batch_shape)
        if event.rank is None:
            raise ValueError("the rank of the components' events is unknown")
        with tf.name_scope(name, values=[cat.logits]) as scope:
            classes = tf.get_static_value(cat.event_size)
            if classes is None or int(classes) != len(components):
                raise ValueError(f"cat has {classes} classes for {len(components)} components")
            self._checks = []
            if validate_args:
                wanted = cat.batch_shape_tensor()
                self._checks = [
                    tf.assert_equal(wanted, part.batch_shape_tensor(), message="batch shapes")
                    for part in components
                ]
        self._cat, self._components = cat, list(components)
        self._static_event, self._static_batch = event, batch
        self._use_static_graph = use_static_graph
        super().__init__(
            dtype=components[0].dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=given,
            graph_parents=[p for part in [cat, *components] for p in part._graph_parents],
            name=scope,
        )

    @property
    def cat(self) -> Any:
        """The distribution over the components."""
        return self._cat

    @property
    def components(self) -> list[Any]:
        """The components."""
        return self._components

    @property
    def num_components(self) -> int:
        """How many there are."""
        return len(self._components)

    def _batch_shape_tensor(self) -> Any:
        return self._cat.batch_shape_tensor()

    def _batch_shape(self) -> Any:
        return self._static_batch

    def _event_shape_tensor(self) -> Any:
        return self._components[0].event_shape_tensor()

    def _event_shape(self) -> Any:
        return self._static_event

    def _chances(self, log: bool) -> list[Any]:
        softmax = tf.nn.log_softmax if log else tf.nn.softmax
        chances = softmax(checked(self.cat.logits, self._checks))
        return list(tf.unstack(chances, num=self.num_components, axis=-1))

    def _weights(self) -> list[Any]:
        """The chances with a dimension of one for each of the event's."""
        found = self._chances(log=False)
        for _ in range(self.event_shape.rank):
            found = [tf.expand_dims(chance, -1) for chance in found]
        return found

    def _mean(self) -> Any:
        means = [part.mean() for part in self.components]
        return tf.add_n([c * m for c, m in zip(self._weights(), means, strict=True)])

    def _stddev(self) -> Any:
        means = tf.stack([part.mean() for part in self.components], -1)
        deviations = tf.stack([part.stddev() for part in self.components], -1)
        chances = tf.stack(self._weights(), -1) * tf.ones_like(means)
        mean = tf.reduce_sum(chances * means, -1)
        squares = tf.reduce_sum(chances * (tf.square(deviations) + tf.square(means)), -1)
        return tf.sqrt(squares - tf.square(mean))

    def _mixed(self, values: list[Any]) -> Any:
        parts = [c + v for c, v in zip(self._chances(log=True), values, strict=True)]
        return tf.reduce_logsumexp(tf.stack(parts, 0), [0])

    def _log_prob(self, x: Any) -> Any:
        x = tf.convert_to_tensor(x, name="x")
        return self._mixed([part.log_prob(x) for part in self.components])

    def _log_cdf(self, x: Any) -> Any:
        x = tf.convert_to_tensor(x, name="x")
        return self._mixed([part.log_cdf(x) for part in self.components])

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        if self._use_static_graph:
            return self._sample_all(n, seed)
        with tf.control_dependencies(self._checks):
            chosen = self.cat.sample(n, seed=seed)
        size = tf.size(chosen)
        batch_size = tf.reduce_prod(self.batch_shape_tensor())
        # Which sample and which member of the batch each component has to draw.
        places = tf.reshape(tf.range(size), tf.shape(chosen))
        members = tf.reshape(tf.tile(tf.range(batch_size), [n]), tf.shape(chosen))
        places = tf.dynamic_partition(places, chosen, self.num_components)
        members = tf.dynamic_partition(members, chosen, self.num_components)
        drawn = []
        for component, own, member in zip(self.components, places, members, strict=True):
            count = tf.size(own)
            seed = new_seed(seed, "mixture")
            flat = tf.concat([[count * batch_size], self.event_shape_tensor()], 0)
            values = tf.reshape(component.sample(count, seed=seed), flat)
            drawn.append(tf.gather(values, batch_size * tf.range(count) + member))
        shape = tf.concat([tf.shape(chosen), self.event_shape_tensor()], 0)
        mixed = tf.reshape(tf.dynamic_stitch(places, drawn), shape)
        mixed.set_shape(chosen.shape.concatenate(self.event_shape))
        return mixed

    def _sample_all(self, n: Any, seed: int | None) -> Any:
        chosen = self.cat.sample(n, seed=seed)
        drawn = []
        for component in self.components:
            seed = new_seed(seed, "mixture")
            drawn.append(component.sample(n, seed=seed))
        mask = tf.one_hot(chosen, self.num_components, dtype=self.dtype)
        for _ in range(self.event_shape.rank):
            mask = tf.expand_dims(mask, -1)
        axis = -1 - self.event_shape.rank
        return tf.reduce_sum(tf.stack(drawn, axis) * mask, axis=axis)

    def entropy_lower_bound(self, name: str = "entropy_lower_bound") -> Any:
        """The mean of the components' entropies, which the mixture's is not below.

        Args:
          name: The name scope.

        Returns:
          A tensor of the batch's shape.
        """
        with self._name_scope(name, values=[self.cat.logits]):
            entropies = [part.entropy() for part in self.components]
            chances = self._chances(log=False)
            return tf.add_n([c * e for c, e in zip(chances, entropies, strict=True)])


class MixtureSameFamily(Distribution):
    """A mixture whose components are the last dimension of one distribution's batch.

    Args:
      mixture_distribution: A `Categorical` (…) or without a batch.
      components_distribution: A distribution with batch (…, num_components).
      validate_args: Kept for `copy`.
      allow_nan_stats: Whether undefined statistics are NaN; else they raise.
      name: The name scope.

    Raises:
      ValueError: If the batches do not go together.
    """

    def __init__(
        self,
        mixture_distribution: Any,
        components_distribution: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MixtureSameFamily",
    ) -> None:
        given = dict(locals())
        mixture, components = mixture_distribution, components_distribution
        with tf.name_scope(name) as scope:
            if not mixture.dtype.is_integer:
                raise ValueError(f"mixture_distribution must be over integers: {mixture.dtype}")
            if mixture.event_shape.rank not in (None, 0):
                raise ValueError("mixture_distribution must be over numbers")
            own, other = mixture.batch_shape, components.batch_shape.with_rank_at_least(1)[:-1]
            if own.rank != 0 and not own.is_compatible_with(other):
                raise ValueError(f"mixture batch {own} does not go with components batch {other}")
            there = components.batch_shape.as_list()[-1]
            wanted = mixture.logits.shape.with_rank_at_least(1).as_list()[-1]
            if None not in (there, wanted) and there != wanted:
                raise ValueError(f"{wanted} mixture components, but {there} in the batch")
            self._number = tf.shape(mixture.logits)[-1] if wanted is None else wanted
        self._mixture, self._parts = mixture, components
        super().__init__(
            dtype=components.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=given,
            graph_parents=[*mixture._graph_parents, *components._graph_parents],
            name=scope,
        )

    @property
    def mixture_distribution(self) -> Any:
        """The distribution over the components."""
        return self._mixture

    @property
    def components_distribution(self) -> Any:
        """The components."""
        return self._parts

    def _batch_shape_tensor(self) -> Any:
        return self._parts.batch_shape_tensor()[:-1]

    def _batch_shape(self) -> Any:
        return self._parts.batch_shape.with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self) -> Any:
        return self._parts.event_shape_tensor()

    def _event_shape(self) -> Any:
        return self._parts.event_shape

    def _padded(self, chances: Any, more: int = 0) -> Any:
        """Chances (…, k) as (…, k, 1 …), broadcast with batch and event."""
        if self._mixture.batch_shape.rank == 0:
            for _ in range(self.batch_shape.rank):
                chances = tf.expand_dims(chances, -2)
        for _ in range(self.event_shape.rank + more):
            chances = tf.expand_dims(chances, -1)
        return chances

    def _apart(self, x: Any) -> Any:
        """x with a dimension of one before the event's, for the components."""
        return tf.expand_dims(x, -1 - self.event_shape.rank)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        # As in TF 1.15 the seed is not used: both draw with seeds of their own.
        x = self._parts.sample(n)
        mask = self._padded(tf.one_hot(self._mixture.sample(n), self._number, dtype=x.dtype))
        return tf.reduce_sum(x * mask, axis=-1 - self.event_shape.rank)

    def _mixed(self, values: Any) -> Any:
        chances = tf.nn.log_softmax(self._mixture.logits, axis=-1)
        return tf.reduce_logsumexp(values + chances, axis=-1)

    def _log_prob(self, x: Any) -> Any:
        return self._mixed(self._parts.log_prob(self._apart(x)))

    def _log_cdf(self, x: Any) -> Any:
        return self._mixed(self._parts.log_cdf(self._apart(x)))

    def _average(self, value: Any) -> Any:
        chances = self._padded(self._mixture.probs)
        return tf.reduce_sum(chances * value, axis=-1 - self.event_shape.rank)

    def _mean(self) -> Any:
        return self._average(self._parts.mean())

    def _variance(self) -> Any:
        apart = tf.squared_difference(self._parts.mean(), self._apart(self._mean()))
        return self._average(self._parts.variance()) + self._average(apart)

    def _covariance(self) -> Any:
        if self.event_shape.rank != 1:
            raise NotImplementedError("covariance is only there for vectors")
        chances = self._padded(self._mixture.probs, 1)
        apart = self._parts.mean() - self._apart(self._mean())
        outer = apart[..., tf.newaxis, :] * apart[..., tf.newaxis]
        return tf.reduce_sum(chances * (self._parts.covariance() + outer), axis=-3)


class QuantizedDistribution(Distribution):
    """A distribution rounded up to whole numbers, and clipped.

    Args:
      distribution: The distribution of floats.
      low: The least value; None for none.
      high: The largest; None for none.
      validate_args: Whether to assert that the values are whole.
      name: The name scope.
    """

    def __init__(
        self,
        distribution: Any,
        low: Any = None,
        high: Any = None,
        validate_args: bool = False,
        name: str = "QuantizedDistribution",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[low, high]) as scope:
            self._dist = distribution
            self._low, self._high = (
                None if end is None else tf.convert_to_tensor(end, dtype=distribution.dtype)
                for end in (low, high)
            )
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=given,
            graph_parents=list(distribution._graph_parents),
            name=scope,
        )

    @property
    def distribution(self) -> Any:
        """The distribution that is rounded."""
        return self._dist

    @property
    def low(self) -> Any:
        """The least value, or None."""
        return self._low

    @property
    def high(self) -> Any:
        """The largest value, or None."""
        return self._high

    def _batch_shape_tensor(self) -> Any:
        return self.distribution.batch_shape_tensor()

    def _batch_shape(self) -> Any:
        return self.distribution.batch_shape

    def _event_shape_tensor(self) -> Any:
        return self.distribution.event_shape_tensor()

    def _event_shape(self) -> Any:
        return self.distribution.event_shape

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        found = tf.ceil(self.distribution.sample(n, seed=seed))
        if self._low is not None:
            found = tf.maximum(found, self._low)
        return found if self._high is None else tf.minimum(found, self._high)

    def _whole(self, value: Any) -> Any:
        value = tf.convert_to_tensor(value)
        if not self.validate_args:
            return value
        return checked(value, [tf.assert_equal(value, tf.floor(value), message="not whole")])

    def _log_prob(self, y: Any) -> Any:
        y = self._whole(y)
        try:
            above, above_less = self.log_survival_function(y), self.log_survival_function(y - 1)
        except NotImplementedError:
            return _log_difference(self.log_cdf(y), self.log_cdf(y - 1))
        below, below_less = self.log_cdf(y), self.log_cdf(y - 1)
        upper = above < below
        return _log_difference(
            tf.where(upper, above_less, below), tf.where(upper, above, below_less)
        )

    def _prob(self, y: Any) -> Any:
        y = self._whole(y)
        try:
            above, above_less = self.survival_function(y), self.survival_function(y - 1)
        except NotImplementedError:
            return self.cdf(y) - self.cdf(y - 1)
        below, below_less = self.cdf(y), self.cdf(y - 1)
        return tf.where(above < below, above_less - above, below - below_less)

    def _clipped(self, found: Any, j: Any, under: float, over: float) -> Any:
        """What is known below the least and from the largest value on."""
        j = j + tf.zeros_like(found)
        if self._low is not None:
            found = tf.where(j < self._low, under * tf.ones_like(found), found)
        if self._high is not None:
            found = tf.where(j >= self._high, over * tf.ones_like(found), found)
        return found

    def _log_cdf(self, y: Any) -> Any:
        j = tf.floor(y)
        return self._clipped(self.distribution.log_cdf(j), j, -np.inf, 0.0)

    def _cdf(self, y: Any) -> Any:
        j = tf.floor(y)
        return self._clipped(self.distribution.cdf(j), j, 0.0, 1.0)

    def _log_survival_function(self, y: Any) -> Any:
        j = tf.ceil(y)
        return self._clipped(self.distribution.log_survival_function(j), j, 0.0, -np.inf)

    def _survival_function(self, y: Any) -> Any:
        j = tf.ceil(y)
        return self._clipped(self.distribution.survival_function(j), j, 1.0, 0.0)


def _log_difference(big: Any, small: Any) -> Any:
    """``log(exp(big) - exp(small))``."""
    return tf.log(1.0 - tf.exp(small - big)) + big
