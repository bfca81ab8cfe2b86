"""``tf.contrib.distributions.bijectors``: invertible functions with their volumes."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.distributions.bijectors._base import Bijector
from migrate.tf1_shim.contrib.distributions.bijectors._elementwise import (
    AbsoluteValue,
    AffineScalar,
    Exp,
    Gumbel,
    Identity,
    Kumaraswamy,
    PowerTransform,
    Sigmoid,
    Softplus,
    Softsign,
    Square,
)
from migrate.tf1_shim.contrib.distributions.bijectors._flows import (
    BatchNormalization,
    MaskedAutoregressiveFlow,
    RealNVP,
    masked_autoregressive_default_template,
    masked_dense,
    real_nvp_default_template,
)
from migrate.tf1_shim.contrib.distributions.bijectors._structure import (
    Affine,
    AffineLinearOperator,
    Chain,
    FillTriangular,
    Inline,
    Invert,
    Permute,
    Reshape,
    ScaleTriL,
    SoftmaxCentered,
    TransformDiagonal,
)

__all__ = [
    "AbsoluteValue",
    "Affine",
    "AffineLinearOperator",
    "AffineScalar",
    "BatchNormalization",
    "Bijector",
    "Chain",
    "Exp",
    "FillTriangular",
    "Gumbel",
    "Identity",
    "Inline",
    "Invert",
    "Kumaraswamy",
    "MaskedAutoregressiveFlow",
    "Permute",
    "PowerTransform",
    "RealNVP",
    "Reshape",
    "ScaleTriL",
    "Sigmoid",
    "SoftmaxCentered",
    "Softplus",
    "Softsign",
    "Square",
    "TransformDiagonal",
    "masked_autoregressive_default_template",
    "masked_dense",
    "real_nvp_default_template",
]

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.distributions.bijectors",
    dict.fromkeys(
        (
            "CholeskyOuterProduct",
            "ConditionalBijector",
            "MatrixInverseTriL",
            "Ordered",
            "SinhArcsinh",
        ),
        "it is not in the shim: write it as a subclass of bijectors.Bijector, or use TensorFlow "
        "Probability, which needs tf_keras beside TF 2.21",
    ),
)
