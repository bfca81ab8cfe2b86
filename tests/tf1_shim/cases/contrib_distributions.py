"""tf.contrib.distributions: densities, statistics, samples, divergences, bijectors."""

import numpy as np


def _data(*shape):
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


STATISTICS = ("mean", "variance", "stddev", "mode", "entropy", "covariance")
FUNCTIONS = ("prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival_function")


def _tried(call):
    """What a call gives, or the class of the error: not every method is there for every one."""
    try:
        return call()
    except (NotImplementedError, ValueError) as error:
        return type(error).__name__


def _described(tf, by, named, samples=True):
    """What each distribution says of itself and of x, and the gradients of it all."""
    out = {"_inputs": by}
    for key, (dist, x) in named.items():
        out[key + ":shapes"] = [str(dist.batch_shape), str(dist.event_shape), dist.dtype.name]
        out[key + ":batch"] = dist.batch_shape_tensor()
        out[key + ":event"] = dist.event_shape_tensor()
        for name in STATISTICS:
            found = _tried(getattr(dist, name))
            out[f"{key}:{name}"] = found if isinstance(found, str) else tf.cast(found, tf.float32)
        x = tf.constant(x, dist.dtype)
        for name in FUNCTIONS:
            out[f"{key}:{name}"] = _tried(lambda: getattr(dist, name)(x))  # noqa: B023 - at once
        out[key + ":reparameterized"] = "FULLY" in str(dist.reparameterization_type)
        if samples:
            # The operations that draw from some distributions have no gradients.
            kept = tf.identity if out[key + ":reparameterized"] else tf.stop_gradient
            out[key + ":sample"] = kept(dist.sample(3, seed=5))
            out[key + ":samples"] = kept(dist.sample([2, 2], seed=6))
    return out


def numbers(tf, shim):
    ds = shim.contrib.distributions
    loc, scale = tf.constant([0.5, -1.0]), tf.constant([[1.5], [0.7]])
    x = [[0.3, 2.0], [1.2, 0.1]]
    return _described(
        tf,
        [loc, scale],
        {
            "normal": (ds.Normal(loc, scale), x),
            "logistic": (ds.Logistic(loc, scale), x),
            "logistic_named": (ds.Logistic(0.0, 2.0, validate_args=True, name="own"), 0.7),
            "cauchy": (ds.Cauchy(loc, scale), x),
            "laplace": (ds.Laplace(loc, scale), x),
            "half": (ds.HalfNormal(scale), x),
            "uniform": (ds.Uniform(loc - 1.0, scale + 2.0), x),
            "student": (ds.StudentT(3.0, loc, scale), x),
        },
    )


def positive(tf, shim):
    ds = shim.contrib.distributions
    a, b = tf.constant([0.5, 3.5]), tf.constant([[1.5], [0.7]])
    x = [[0.3, 2.0], [1.2, 0.1]]
    return _described(
        tf,
        [a, b],
        {
            "gamma": (ds.Gamma(a, b), x),
            "inverse_gamma": (ds.InverseGamma(a, b), x),
            "inverse_gamma_checked": (ds.InverseGamma(3.0, 2.0, validate_args=True), 0.7),
            "chi2": (ds.Chi2(a), [0.3, 2.0]),
            "beta": (ds.Beta(a, b), [[0.3, 0.9], [0.2, 0.1]]),
            "exponential": (ds.Exponential(b), x),
        },
    )


def counts(tf, shim):
    ds = shim.contrib.distributions
    logits, probs = tf.constant([0.5, -1.0]), tf.constant([[0.3], [0.8]])
    x = [[0.0, 2.0], [1.0, 3.0]]
    out = _described(
        tf,
        [logits, probs],
        {
            "poisson": (ds.Poisson(tf.constant([0.5, 4.0])), x),
            "poisson_log": (ds.Poisson(log_rate=tf.constant([0.1, 1.0]), validate_args=True), x),
            "geometric": (ds.Geometric(logits=logits), x),
            "geometric_probs": (ds.Geometric(probs=probs, validate_args=True), x),
            "negative": (ds.NegativeBinomial(3.0, logits=logits), x),
            "negative_probs": (ds.NegativeBinomial(tf.constant([2.0, 5.0]), probs=probs), x),
            "bernoulli": (ds.Bernoulli(probs=probs), [[0], [1]]),
            "categorical": (ds.Categorical(logits=tf.constant(_data(2, 3))), [0, 2]),
        },
    )
    binomial = {
        "binomial": (ds.Binomial(4.0, logits=logits), x),
        "binomial_probs": (ds.Binomial(tf.constant([3.0, 5.0]), probs=probs), x),
    }
    out.update(_described(tf, [logits, probs], binomial, samples=False))
    return out


def fixed(tf, shim):
    ds = shim.contrib.distributions
    loc = tf.constant([1.0, 2.0])
    return _described(
        tf,
        [loc],
        {
            "number": (ds.Deterministic(loc), [1.0, 2.5]),
            "near": (ds.Deterministic(loc, atol=0.1, rtol=0.3, validate_args=True), [1.3, 2.5]),
            "vector": (ds.VectorDeterministic(loc, rtol=0.2), [[1.1, 2.1], [1.0, 9.0]]),
        },
    )


def made_positive(tf, shim):
    ds = shim.contrib.distributions
    a, b = tf.constant([0.5, 2.5]), tf.constant([[1.5], [-0.7]])
    x = [[0.3, 0.9], [0.2, 0.1]]
    return _described(
        tf,
        [a, b],
        {
            "normal": (ds.NormalWithSoftplusScale(a, b), x),
            "laplace": (ds.LaplaceWithSoftplusScale(a, b), x),
            "exponential": (ds.ExponentialWithSoftplusRate(a), x),
            "gamma": (ds.GammaWithSoftplusConcentrationRate(a, b), x),
            "beta": (ds.BetaWithSoftplusConcentration(a, b), x),
            "inverse": (ds.InverseGammaWithSoftplusConcentrationRate(a, b), x),
            "student": (ds.StudentTWithAbsDfSoftplusScale(a * 3.0, a, b), x),
            "chi2": (ds.Chi2WithAbsDf(a * 3.0), [0.3, 0.9]),
        },
    )


def vectors(tf, shim):
    ds = shim.contrib.distributions
    loc = tf.constant(_data(2, 3))
    diag = tf.constant([0.5, 1.5, -2.0])
    root = np.tril(_data(3, 3)) + 2.0 * np.eye(3, dtype=np.float32)
    tril = tf.constant(root)
    covariance = tf.constant(root.dot(root.T) + 5.0 * np.eye(3, dtype=np.float32))
    x = _data(2, 3) * 0.5
    return _described(
        tf,
        [loc, diag, tril, covariance],
        {
            "diag": (ds.MultivariateNormalDiag(loc, diag), x),
            "diag_only": (ds.MultivariateNormalDiag(scale_diag=diag), x),
            "diag_loc": (ds.MultivariateNormalDiag(loc), x),
            "diag_batch": (ds.MultivariateNormalDiag([0.0, 1.0, 2.0], tf.exp(loc)), x),
            "multiple": (ds.MultivariateNormalDiag(loc, None, tf.constant([0.5, 2.0])), x),
            "both": (ds.MultivariateNormalDiag(loc, diag, tf.constant(3.0), name="own"), x),
            "softplus": (ds.MultivariateNormalDiagWithSoftplusScale(loc, diag), x),
            "tril": (ds.MultivariateNormalTriL(loc, tril), x),
            "tril_batch": (ds.MultivariateNormalTriL(scale_tril=tf.stack([tril, 2.0 * tril])), x),
            "tril_loc": (ds.MultivariateNormalTriL(loc), x),
            "full": (ds.MultivariateNormalFullCovariance(loc, covariance), x),
            "laplace": (ds.VectorLaplaceDiag(loc, diag), x),
            "exponential": (ds.VectorExponentialDiag(loc - 5.0, tf.abs(diag)), x),
        },
    )


def low_rank(tf, shim):
    ds = shim.contrib.distributions
    loc = tf.constant(_data(2, 3))
    factor = tf.constant(_data(3, 2))
    diag = tf.constant([1.5, 1.5, 2.0])
    plus = ds.MultivariateNormalDiagPlusLowRank
    return _described(
        tf,
        [loc, factor, diag],
        {
            "factor": (plus(loc, diag, scale_perturb_factor=factor), _data(2, 3)),
            "update": (plus(loc, diag, None, factor, tf.constant([0.5, 2.0])), _data(2, 3)),
            "none": (plus(loc, diag), _data(2, 3)),
        },
    )


def divergences(tf, shim):
    ds = shim.contrib.distributions
    kl = ds.kl_divergence
    loc, other = tf.constant(_data(2, 3)), tf.constant(_data(3, 2).T)
    root = tf.constant(np.tril(_data(3, 3)) + 2.0 * np.eye(3, dtype=np.float32))
    diag = tf.constant([0.5, 1.5, 2.0])
    a, b = ds.MultivariateNormalDiag(loc, diag), ds.MultivariateNormalTriL(other, root)

    class Own(ds.Normal):
        pass

    @ds.RegisterKL(Own, Own)
    def _kl_own(p, q, name=None):
        return p.loc - q.loc

    return {
        "_inputs": [loc, other, root, diag],
        "diagonal": kl(a, ds.MultivariateNormalDiag(other)),
        "mixed": kl(a, b),
        "back": kl(b, a),
        "normal": kl(ds.Normal(loc, 1.5), ds.Normal(other, 0.5)),
        "independent": kl(
            ds.Independent(ds.Normal(loc, 1.5), 1), ds.Independent(ds.Normal(other, 0.5), 1)
        ),
        "one_hot": kl(ds.OneHotCategorical(loc), ds.OneHotCategorical(other)),
        "categorical": kl(ds.Categorical(loc), ds.Categorical(other)),
        "bernoulli": kl(ds.Bernoulli(loc), ds.Bernoulli(other)),
        "own": kl(Own(loc, 1.0), Own(other, 1.0)),
        "cross": ds.Normal(loc, 1.5).cross_entropy(ds.Normal(other, 0.5)),
        "method": a.kl_divergence(b),
    }


def one_hot(tf, shim):
    ds = shim.contrib.distributions
    logits = tf.constant(_data(2, 3))
    probs = tf.nn.softmax(logits)
    hot = [[0, 1, 0], [1, 0, 0]]
    soft = np.array([[0.2, 0.5, 0.3], [0.9, 0.05, 0.05]], np.float32)
    return _described(
        tf,
        [logits],
        {
            "exact": (ds.OneHotCategorical(logits), hot),
            "exact_probs": (ds.OneHotCategorical(probs=probs, dtype=tf.float32), hot),
            "exact_three": (ds.OneHotCategorical(tf.constant(_data(2, 2, 3))), hot),
            "exact_one": (ds.OneHotCategorical([0.1, 0.2, 0.4]), hot),
            "relaxed": (ds.RelaxedOneHotCategorical(0.7, logits), soft),
            "relaxed_probs": (ds.RelaxedOneHotCategorical(tf.constant(2.0), probs=probs), soft),
            "exp": (ds.ExpRelaxedOneHotCategorical(0.7, logits), np.log(soft)),
            "bernoulli": (ds.RelaxedBernoulli(0.5, logits), soft),
            "bernoulli_probs": (ds.RelaxedBernoulli(tf.constant(1.5), probs=probs), soft),
        },
    )


def combined(tf, shim):
    ds = shim.contrib.distributions
    loc = tf.constant(_data(2, 3))
    scale = tf.constant([0.5, 1.5, 2.0])
    chances = tf.constant(_data(3, 2).T)
    x = _data(2, 3) * 0.5
    two = tf.constant(_data(2, 2))
    cat = ds.Categorical(two)
    vector = ds.MultivariateNormalDiag(tf.constant(_data(2, 3, 4)), tf.ones([4]))
    return _described(
        tf,
        [loc, scale, chances, two],
        {
            "independent": (ds.Independent(ds.Normal(loc, scale), 1), x),
            "independent_all": (ds.Independent(ds.Bernoulli(loc), 2, name="own"), [[0, 1, 1]] * 2),
            "independent_default": (ds.Independent(ds.Gamma(tf.exp(loc), scale)), np.abs(x)),
            "mixture": (
                ds.Mixture(cat, [ds.Normal(two[0], [1.0, 1.0]), ds.Laplace(two[1], [0.5, 2.0])]),
                x[:, 0],
            ),
            "mixture_vectors": (
                ds.Mixture(
                    cat,
                    [
                        ds.MultivariateNormalDiag(loc, tf.exp(loc)),
                        ds.MultivariateNormalDiag(-loc, tf.ones([2, 3])),
                    ],
                ),
                x,
            ),
            "mixture_static": (
                ds.Mixture(
                    cat,
                    [ds.Normal(two[0], [1.0, 1.0]), ds.Normal(two[1], [0.5, 0.1])],
                    use_static_graph=True,
                ),
                x[:, 0],
            ),
            "quantized": (ds.QuantizedDistribution(ds.Normal(loc, scale)), np.round(x)),
            "quantized_ends": (
                ds.QuantizedDistribution(ds.Logistic(loc, scale), low=-1.0, high=2.0),
                np.round(x) + 1.0,
            ),
            "same": (ds.MixtureSameFamily(ds.Categorical(chances), ds.Normal(loc, scale)), x[:, 0]),
            "same_one": (
                ds.MixtureSameFamily(ds.Categorical([0.1, 0.5, 0.3]), ds.Normal(loc, scale)),
                x[:, 0],
            ),
            "same_vectors": (ds.MixtureSameFamily(ds.Categorical(chances), vector), _data(2, 4)),
        },
    )


def mixture_bound(tf, shim):
    ds = shim.contrib.distributions
    two = tf.constant(_data(2, 2))
    parts = [ds.Normal(two[0], 1.0), ds.Normal(two[1], 0.5)]
    mixture = ds.Mixture(ds.Categorical(two), parts)
    return {"bound": mixture.entropy_lower_bound(), "count": mixture.num_components}


def transformed(tf, shim):
    ds = shim.contrib.distributions
    b = ds.bijectors
    loc = tf.constant(_data(2, 3))
    x = np.array([[0.2, 0.5, 0.3], [0.9, 0.05, 0.05]], np.float32)
    lognormal = ds.TransformedDistribution(ds.Normal(loc, 1.5), b.Exp(), name="log_normal")
    tril = tf.constant(np.tril(_data(3, 3)) + 2.0 * np.eye(3, dtype=np.float32))
    return _described(
        tf,
        [loc, tril],
        {
            "lognormal": (lognormal, x),
            "chain": (
                ds.TransformedDistribution(
                    ds.Normal(0.0, 1.0),
                    b.Chain([b.Sigmoid(), b.AffineScalar(tf.constant(0.5), tf.constant(2.0))]),
                ),
                x,
            ),
            "vector": (
                ds.TransformedDistribution(
                    ds.Normal(0.0, 1.0), b.Affine([1.0, 2.0, 3.0], scale_tril=tril), event_shape=[3]
                ),
                x,
            ),
            "vector_batch": (
                ds.TransformedDistribution(
                    ds.Normal(0.0, 1.0), b.Exp(), batch_shape=[2], event_shape=[3]
                ),
                x,
            ),
            "rotated": (
                ds.TransformedDistribution(
                    ds.Normal([0.0, 1.0], 1.0),
                    b.Affine(scale_diag=tf.constant([1.0, 2.0, 3.0])),
                    event_shape=[3],
                ),
                x,
            ),
            "inverse": (ds.TransformedDistribution(ds.Gamma(2.0, 1.0), b.Invert(b.Exp())), x),
            "identity": (ds.TransformedDistribution(ds.Normal(loc, 1.0)), x),
        },
    )


def _bijected(tf, named):
    """There and back, with volumes: what came from `forward` is not fed to `inverse`."""
    out = {"_inputs": []}
    for key, (make, x, rank, inverse_rank) in named.items():
        there, back = make(), make()
        x = tf.constant(x, name="in_" + key)
        y = there.forward(x)
        again = tf.stop_gradient(y) + 0.0
        out[key + ":forward"] = y
        out[key + ":inverse"] = back.inverse(again)
        out[key + ":remembered"] = there.inverse(y) is x
        out[key + ":volume"] = make().forward_log_det_jacobian(x, event_ndims=rank)
        out[key + ":inverse_volume"] = back.inverse_log_det_jacobian(
            again, event_ndims=inverse_rank
        )
        event = x.shape[x.shape.ndims - rank :]
        out[key + ":shape"] = str(there.forward_event_shape(event))
        out[key + ":shape_tensor"] = there.forward_event_shape_tensor(event.as_list())
        out[key + ":constant"] = [
            there.is_constant_jacobian,
            there.forward_min_event_ndims,
            there.inverse_min_event_ndims,
            there.name,
        ]
        out["_inputs"].append(x)
    return out


def bijectors(tf, shim):
    b = shim.contrib.distributions.bijectors
    x = _data(2, 3)
    unit = np.abs(np.tanh(x)) * 0.9 + 0.05
    return _bijected(
        tf,
        {
            "identity": (lambda: b.Identity(), x, 1, 1),
            "exp": (lambda: b.Exp(), x, 0, 0),
            "exp_rank": (lambda: b.Exp(), x, 2, 2),
            "power": (lambda: b.PowerTransform(0.3), np.abs(x), 1, 1),
            "sigmoid": (lambda: b.Sigmoid(), x, 1, 1),
            "softplus": (lambda: b.Softplus(), x, 1, 1),
            "softplus_soft": (lambda: b.Softplus(0.4), x, 0, 0),
            "softsign": (lambda: b.Softsign(), x, 1, 1),
            "scalar": (lambda: b.AffineScalar(0.3, -2.0), x, 1, 1),
            "scalar_shift": (lambda: b.AffineScalar(tf.constant([1.0, 2.0, 3.0])), x, 1, 1),
            "gumbel": (lambda: b.Gumbel(0.3, 1.5), x, 1, 1),
            "kumaraswamy": (lambda: b.Kumaraswamy(2.0, 0.7), unit, 1, 1),
            "square": (lambda: b.Square(), np.abs(x), 1, 1),
        },
    )


def vector_bijectors(tf, shim):
    b = shim.contrib.distributions.bijectors
    x = _data(2, 3)
    tril = tf.constant(np.tril(_data(3, 3)) + 2.0 * np.eye(3, dtype=np.float32))
    shift = tf.constant([1.0, 2.0, 3.0])
    factor = tf.constant(_data(3, 2))
    diag = tf.constant([0.5, 2.0, -3.0])
    return _bijected(
        tf,
        {
            "affine": (lambda: b.Affine(shift), x, 1, 1),
            "affine_multiple": (lambda: b.Affine(shift, 2.5), x, 1, 1),
            "affine_diag": (lambda: b.Affine(shift, scale_diag=diag), x, 1, 1),
            "affine_tril": (lambda: b.Affine(shift, 0.5, diag, tril), x, 2, 2),
            "affine_low": (
                lambda: b.Affine(shift, scale_diag=tf.abs(diag), scale_perturb_factor=factor),
                x,
                1,
                1,
            ),
            "operator": (
                lambda: b.AffineLinearOperator(
                    shift, tf.linalg.LinearOperatorLowerTriangular(tril, is_non_singular=True)
                ),
                x,
                1,
                1,
            ),
            "permute": (lambda: b.Permute([2, 0, 1]), x, 1, 1),
            "reshape": (lambda: b.Reshape([3, 2], [6]), _data(2, 6), 1, 2),
            "centered": (lambda: b.SoftmaxCentered(), x, 1, 1),
            "triangular": (lambda: b.FillTriangular(), _data(2, 6), 1, 2),
            "triangular_upper": (lambda: b.FillTriangular(upper=True), _data(2, 6), 1, 2),
            "scale": (lambda: b.ScaleTriL(), _data(2, 6), 1, 2),
            "scale_exp": (lambda: b.ScaleTriL(b.Exp(), diag_shift=None), _data(2, 3), 1, 2),
            "diagonal": (lambda: b.TransformDiagonal(b.Exp()), _data(2, 3, 3), 2, 2),
            "chain": (lambda: b.Chain([b.Exp(), b.Affine(shift, scale_diag=diag)]), x, 1, 1),
            "chain_rank": (lambda: b.Chain([b.Softplus(), b.SoftmaxCentered()]), x, 1, 1),
            "invert": (lambda: b.Invert(b.Affine(shift, scale_tril=tril)), x, 1, 1),
            "nothing": (lambda: b.Chain([]), x, 1, 1),
        },
    )


def own_bijector(tf, shim):
    b = shim.contrib.distributions.bijectors

    class Cube(b.Bijector):
        def __init__(self, name="cube"):
            super().__init__(forward_min_event_ndims=0, name=name)

        def _forward(self, x):
            return x**3.0

        def _inverse(self, y):
            return tf.sign(y) * tf.abs(y) ** (1.0 / 3.0)

        def _inverse_log_det_jacobian(self, y):
            return -np.log(3.0) - 2.0 / 3.0 * tf.log(tf.abs(y))

    inline = b.Inline(
        forward_fn=tf.exp,
        inverse_fn=tf.log,
        inverse_log_det_jacobian_fn=lambda y: -tf.log(y),
        forward_min_event_ndims=0,
        name="own_exp",
    )
    x = tf.constant(_data(2, 3))
    out = {"_inputs": [x], "names": [Cube().name, inline.name]}
    for key, make in (("cube", Cube), ("inline", lambda: inline), ("in", lambda: b.Invert(inline))):
        value = x if key != "in" else tf.exp(x)
        out[key] = make().forward(value)
        out[key + "_volume"] = make().forward_log_det_jacobian(value, event_ndims=1)
    absolute = b.AbsoluteValue()
    out["absolute"] = absolute.forward(x)
    out["both"] = absolute.inverse(tf.abs(x) + 1.0)
    out["folded"] = shim.contrib.distributions.TransformedDistribution(
        shim.contrib.distributions.Normal(0.5, 1.0), absolute
    ).log_prob(tf.abs(x))
    return out


def functions(tf, shim):
    ds = shim.contrib.distributions
    x = tf.constant(np.array([1e-9, 1e-4, 0.5, 3.0, 30.0, 90.0], np.float32))
    six = tf.constant(_data(2, 6))
    matrix = tf.constant(_data(2, 3, 3))
    weights = tf.constant(_data(3, 2, 6) - 0.3)
    values = tf.constant(np.random.RandomState(0).permutation(24).reshape(2, 3, 4) * 1.0)
    return {
        "_inputs": [six, matrix],
        "inverse": ds.softplus_inverse(x),
        "filled": ds.fill_triangular(six),
        "filled_upper": ds.fill_triangular(six, upper=True),
        "unfilled": ds.fill_triangular_inverse(matrix),
        "unfilled_upper": ds.fill_triangular_inverse(matrix, upper=True),
        "tridiagonal": ds.tridiag(six[:, :2], six[:, 2:5], six[:, 4:]),
        "above": ds.tridiag(above=six),
        "diagonal": ds.matrix_diag_transform(matrix, transform=tf.nn.softplus),
        "sum": ds.reduce_weighted_logsumexp(six, axis=1),
        "weighted": ds.reduce_weighted_logsumexp(
            tf.constant(_data(3, 2, 6)), weights, axis=[0, 2], return_sign=True
        ),
        "kept": ds.reduce_weighted_logsumexp(six, tf.abs(six), axis=0, keep_dims=True),
        "median": ds.percentile(values, 50.0),
        "low": ds.percentile(values, 30, axis=[0, 2], interpolation="lower"),
        "high": ds.percentile(values, 30, axis=-1, interpolation="higher", keep_dims=True),
        "nearest": ds.percentile(values, 85.0, axis=1, validate_args=True),
    }


def flows(tf, shim):
    ds = shim.contrib.distributions
    b = ds.bijectors
    x = tf.constant(_data(4, 3) * 0.5)
    out = {"_inputs": [x]}
    made = {
        "masked": lambda: b.MaskedAutoregressiveFlow(
            b.masked_autoregressive_default_template([6, 9], activation=tf.nn.tanh, name="net")
        ),
        "unrolled": lambda: b.MaskedAutoregressiveFlow(
            b.masked_autoregressive_default_template([6], True), True, unroll_loop=True
        ),
        "clipped": lambda: b.MaskedAutoregressiveFlow(
            b.masked_autoregressive_default_template(
                [6], log_scale_min_clip=-0.1, log_scale_max_clip=0.1
            )
        ),
        "inverse": lambda: b.Invert(
            b.MaskedAutoregressiveFlow(b.masked_autoregressive_default_template([6]))
        ),
        "real": lambda: b.RealNVP(1, b.real_nvp_default_template([5, 4])),
        "real_shift": lambda: b.RealNVP(2, b.real_nvp_default_template([5], True), True),
        "chain": lambda: b.Chain(
            [
                b.MaskedAutoregressiveFlow(b.masked_autoregressive_default_template([6])),
                b.Permute([2, 0, 1]),
                b.RealNVP(2, b.real_nvp_default_template([3])),
            ]
        ),
    }
    for key, make in made.items():
        flow = make()
        y = flow.forward(x)
        out[key] = [y, flow.inverse(x + 0.1), flow.forward_log_det_jacobian(x, event_ndims=1)]
        out[key + "_volume"] = flow.inverse_log_det_jacobian(x + 0.2, event_ndims=1)
        transformed = ds.TransformedDistribution(ds.Normal(0.0, 1.0), flow, event_shape=[3])
        out[key + "_density"] = transformed.log_prob(x + 0.3)
        out[key + "_sample"] = transformed.sample(2, seed=4)
    out["dense"] = b.masked_dense(x, 6, num_blocks=3, exclusive=True, name="own")
    return out


def normalizing_flow(tf, shim):
    b = shim.contrib.distributions.bijectors
    x = tf.constant(_data(6, 3))
    flow, fixed = b.BatchNormalization(), b.BatchNormalization(training=False)
    out = {"_inputs": [x]}
    for key, made in (("train", flow), ("test", fixed)):
        out[key] = [
            made.inverse(x + 0.0),
            made.inverse_log_det_jacobian(x * 1.5, event_ndims=1),
            made.forward(x * 0.5),
            made.forward_log_det_jacobian(x * 2.0, event_ndims=1),
        ]
    return out
