"""Distributions whose parameters are made positive by a function."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.distributions._scalar import Chi2, InverseGamma


def _softplus(*values: Any) -> list[Any]:
    return [tf.nn.softplus(value) for value in values]


class NormalWithSoftplusScale(tf.distributions.Normal):
    """``Normal(loc, softplus(scale))``: see there."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NormalWithSoftplusScale",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[scale]) as scope:
            super().__init__(loc, *_softplus(scale), validate_args, allow_nan_stats, name=scope)
        self._parameters = given


class LaplaceWithSoftplusScale(tf.distributions.Laplace):
    """``Laplace(loc, softplus(scale))``: see there."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "LaplaceWithSoftplusScale",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[loc, scale]) as scope:
            super().__init__(loc, *_softplus(scale), validate_args, allow_nan_stats, name=scope)
        self._parameters = given


class ExponentialWithSoftplusRate(tf.distributions.Exponential):
    """``Exponential(softplus(rate))``: see there."""

    def __init__(
        self,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExponentialWithSoftplusRate",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[rate]) as scope:
            super().__init__(*_softplus(rate), validate_args, allow_nan_stats, name=scope)
        self._parameters = given


class GammaWithSoftplusConcentrationRate(tf.distributions.Gamma):
    """``Gamma(softplus(concentration), softplus(rate))``: see there."""

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "GammaWithSoftplusConcentrationRate",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[concentration, rate]) as scope:
            both = _softplus(concentration, rate)
            super().__init__(*both, validate_args, allow_nan_stats, name=scope)
        self._parameters = given


class BetaWithSoftplusConcentration(tf.distributions.Beta):
    """``Beta(softplus(concentration1), softplus(concentration0))``: see there."""

    def __init__(
        self,
        concentration1: Any,
        concentration0: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "BetaWithSoftplusConcentration",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[concentration1, concentration0]) as scope:
            both = _softplus(concentration1, concentration0)
            super().__init__(*both, validate_args, allow_nan_stats, name=scope)
        self._parameters = given


class InverseGammaWithSoftplusConcentrationRate(InverseGamma):
    """``InverseGamma(softplus(concentration), softplus(rate))``: see there."""

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGammaWithSoftplusConcentrationRate",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[concentration, rate]) as scope:
            a, b = _softplus(concentration, rate)
            super().__init__(a, b, validate_args, allow_nan_stats, name=scope)
        self._parameters = given


class StudentTWithAbsDfSoftplusScale(tf.distributions.StudentT):
    """``StudentT(floor(abs(df)), loc, softplus(scale))``: see there."""

    def __init__(
        self,
        df: Any,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentTWithAbsDfSoftplusScale",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[df, scale]) as scope:
            df = tf.floor(tf.abs(df))
            super().__init__(df, loc, *_softplus(scale), validate_args, allow_nan_stats, name=scope)
        self._parameters = given


class Chi2WithAbsDf(Chi2):
    """``Chi2(floor(abs(df)))``: see there."""

    def __init__(
        self,
        df: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Chi2WithAbsDf",
    ) -> None:
        given = dict(locals())
        with tf.name_scope(name, values=[df]) as scope:
            super().__init__(tf.floor(tf.abs(df)), validate_args, allow_nan_stats, name=scope)
        self._parameters = given
