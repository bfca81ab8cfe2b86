"""``tf.contrib.distributions``: distributions, transformations of them, and functions beside.

Those that TF 2 kept are the classes of ``tf.compat.v1.distributions``; the others are subclasses
of its ``Distribution``, so `kl_divergence`, ``RegisterKL`` and own subclasses work as in TF1.
TensorFlow Probability is not used: at TF 2.21 it needs tf_keras.
"""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.distributions import bijectors
from migrate.tf1_shim.contrib.distributions._combined import (
    Independent,
    Mixture,
    MixtureSameFamily,
    QuantizedDistribution,
    TransformedDistribution,
)
from migrate.tf1_shim.contrib.distributions._discrete import (
    ExpRelaxedOneHotCategorical,
    OneHotCategorical,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
)
from migrate.tf1_shim.contrib.distributions._numbers import (
    fill_triangular,
    fill_triangular_inverse,
    matrix_diag_transform,
    percentile,
    reduce_weighted_logsumexp,
    softplus_inverse,
    tridiag,
)
from migrate.tf1_shim.contrib.distributions._positive import (
    BetaWithSoftplusConcentration,
    Chi2WithAbsDf,
    ExponentialWithSoftplusRate,
    GammaWithSoftplusConcentrationRate,
    InverseGammaWithSoftplusConcentrationRate,
    LaplaceWithSoftplusScale,
    NormalWithSoftplusScale,
    StudentTWithAbsDfSoftplusScale,
)
from migrate.tf1_shim.contrib.distributions._scalar import (
    Binomial,
    Cauchy,
    Chi2,
    Deterministic,
    Geometric,
    HalfNormal,
    InverseGamma,
    Logistic,
    NegativeBinomial,
    Poisson,
    VectorDeterministic,
)
from migrate.tf1_shim.contrib.distributions._vectors import (
    MultivariateNormalDiag,
    MultivariateNormalDiagPlusLowRank,
    MultivariateNormalDiagWithSoftplusScale,
    MultivariateNormalFullCovariance,
    MultivariateNormalTriL,
    VectorExponentialDiag,
    VectorLaplaceDiag,
)

__all__ = [
    "FULLY_REPARAMETERIZED",
    "NOT_REPARAMETERIZED",
    "Bernoulli",
    "Beta",
    "BetaWithSoftplusConcentration",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "Chi2WithAbsDf",
    "Deterministic",
    "Dirichlet",
    "DirichletMultinomial",
    "Distribution",
    "ExpRelaxedOneHotCategorical",
    "Exponential",
    "ExponentialWithSoftplusRate",
    "Gamma",
    "GammaWithSoftplusConcentrationRate",
    "Geometric",
    "HalfNormal",
    "Independent",
    "InverseGamma",
    "InverseGammaWithSoftplusConcentrationRate",
    "Laplace",
    "LaplaceWithSoftplusScale",
    "Logistic",
    "Mixture",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormalDiag",
    "MultivariateNormalDiagPlusLowRank",
    "MultivariateNormalDiagWithSoftplusScale",
    "MultivariateNormalFullCovariance",
    "MultivariateNormalTriL",
    "NegativeBinomial",
    "Normal",
    "NormalWithSoftplusScale",
    "OneHotCategorical",
    "Poisson",
    "QuantizedDistribution",
    "RegisterKL",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReparameterizationType",
    "StudentT",
    "StudentTWithAbsDfSoftplusScale",
    "TransformedDistribution",
    "Uniform",
    "VectorDeterministic",
    "VectorExponentialDiag",
    "VectorLaplaceDiag",
    "bijectors",
    "fill_triangular",
    "fill_triangular_inverse",
    "kl_divergence",
    "matrix_diag_transform",
    "percentile",
    "reduce_weighted_logsumexp",
    "softplus_inverse",
    "tridiag",
]

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.distributions",
    dict.fromkeys(
        (
            "Autoregressive",
            "BatchReshape",
            "ConditionalDistribution",
            "ConditionalTransformedDistribution",
            "Kumaraswamy",
            "PoissonLogNormalQuadratureCompound",
            "SeedStream",
            "SinhArcsinh",
            "VectorDiffeomixture",
            "VectorSinhArcsinhDiag",
            "WishartCholesky",
            "WishartFull",
            "assign_log_moving_mean_exp",
            "assign_moving_mean_variance",
            "auto_correlation",
            "estimator_head_distribution_regression",
            "moving_mean_variance",
            "normal_conjugates_known_scale_posterior",
            "normal_conjugates_known_scale_predictive",
            "quadrature_scheme_lognormal_gauss_hermite",
            "quadrature_scheme_lognormal_quantiles",
            "quadrature_scheme_softmaxnormal_gauss_hermite",
            "quadrature_scheme_softmaxnormal_quantiles",
        ),
        "it is not in the shim: write it as a subclass of Distribution, or use TensorFlow "
        "Probability, which needs tf_keras beside TF 2.21",
    ),
)

Bernoulli = tf.distributions.Bernoulli
Beta = tf.distributions.Beta
Categorical = tf.distributions.Categorical
Dirichlet = tf.distributions.Dirichlet
DirichletMultinomial = tf.distributions.DirichletMultinomial
Distribution = tf.distributions.Distribution
Exponential = tf.distributions.Exponential
FULLY_REPARAMETERIZED = tf.distributions.FULLY_REPARAMETERIZED
Gamma = tf.distributions.Gamma
Laplace = tf.distributions.Laplace
Multinomial = tf.distributions.Multinomial
NOT_REPARAMETERIZED = tf.distributions.NOT_REPARAMETERIZED
Normal = tf.distributions.Normal
RegisterKL = tf.distributions.RegisterKL
ReparameterizationType = tf.distributions.ReparameterizationType
StudentT = tf.distributions.StudentT
Uniform = tf.distributions.Uniform
kl_divergence = tf.distributions.kl_divergence
