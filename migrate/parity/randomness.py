# -*- coding: utf-8 -*-
# mypy: ignore-errors
# ruff: noqa: B905, UP004, UP009, UP010, UP031
"""The same randomness in any TensorFlow: every random op becomes a fixed function of its shape.

Goes with the recorder into the interpreter of the program under test, so this file keeps to
the syntax of Python 2.7 and to what TensorFlow 1.4 and 2.21 have in common.

TensorFlow 1.15 and 2.21 still register the first stateless kernels (``StatelessRandomUniform``,
``StatelessRandomNormal``, ``StatelessTruncatedNormal``, ``StatelessMultinomial``), whose values
are guaranteed. Every generated wrapper of a random op is replaced by a call of these with a seed
that depends on the kind of the op alone: programs that draw the same shapes draw the same values,
in whatever order and however often. What has no such kernel is built from float64 uniforms:

* integers: ``minval + floor(u * (maxval - minval))``;
* shuffles: a gather at the order of n uniforms;
* gamma: Marsaglia and Tsang's rejection, sixteen candidates per value;
* Poisson: the number of exponential arrivals before ``rate``.

Logarithms, whose last bit differs between runtimes, serve in comparisons only (or are rounded to
float32), so the values agree bit for bit. A draw of one shape has one value: a scalar draw is the
same number each time. Programs whose control flow waits for another draw need ``--seed-only``.
"""

from __future__ import absolute_import, division, print_function

import random
import sys

import numpy as np

SEEDS = {
    "uniform": (1, 11),
    "normal": (2, 22),
    "truncated": (3, 33),
    "integer": (4, 44),
    "multinomial": (5, 55),
    "shuffle": (6, 66),
    "gamma": (7, 77),
    "boost": (8, 88),
    "poisson": (9, 99),
}
DATASET_SEED = (7, 77)
STATEFUL_SEED = (11, 13)
GAMMA_CANDIDATES = 16
# Kept stateful, with one fixed seed: kernels whose k-th execution draws the same in both runtimes.
STATEFUL_OPS = {
    "gen_candidate_sampling_ops": (
        "all_candidate_sampler",
        "fixed_unigram_candidate_sampler",
        "learned_unigram_candidate_sampler",
        "log_uniform_candidate_sampler",
        "thread_unsafe_unigram_candidate_sampler",
        "uniform_candidate_sampler",
    ),
    "gen_image_ops": (
        "random_crop",
        "sample_distorted_bounding_box",
        "sample_distorted_bounding_box_v2",
    ),
    "gen_random_ops": ("parameterized_truncated_normal",),
    "gen_data_flow_ops": ("random_shuffle_queue", "random_shuffle_queue_v2"),
}


_seed_random = random.seed  # not yet what tells Keras that the program seeds


def seed_generators(seed):
    """Seed Python's and NumPy's generators, and those that the program makes without a seed."""
    _fix_missing_seeds(seed)
    _seed_random(seed)
    np.random.seed(seed)
    _seed_new_generators(seed)


def _fix_missing_seeds(seed):
    """``seed(None)`` asks for numbers that nobody can repeat: it gets the one seed too."""
    for module, name in ((random, "a"), (np.random, "seed")):
        module.seed = _with_a_seed(module.seed, name, seed)


def _with_a_seed(plain, name, fixed):
    def seed(*given, **named):
        value = given[0] if given else named.pop(name, None)
        return plain(fixed if value is None else value, *given[1:], **named)

    return seed


def _seed_new_generators(seed):
    plain = np.random.RandomState

    class OfNumpy(type):
        """NumPy's own generator, which scikit-learn asks this of, is one of the class, too."""

        def __instancecheck__(cls, other):
            return isinstance(other, plain)

    class RandomState(plain, metaclass=OfNumpy):
        """``numpy.random.RandomState`` whose default seed is fixed."""

        def __init__(self, state=None):
            plain.__init__(self, seed if state is None else state)

    RandomState.__module__ = plain.__module__
    np.random.RandomState = RandomState
    if hasattr(np.random, "default_rng"):
        default_rng = np.random.default_rng
        np.random.default_rng = lambda state=None: default_rng(seed if state is None else state)
    plain_random = random.Random

    class Random(plain_random):
        """``random.Random`` whose default seed is fixed."""

        def __init__(self, state=None):
            plain_random.__init__(self, seed if state is None else state)

    Random.__module__ = plain_random.__module__
    random.Random = Random


def _apart_from_keras():
    """Keras 3 draws the seeds of its layers from ``random``, as nothing of TF 1 does.

    It draws from a generator of its own: a program that never seeds ``random`` finds the numbers
    that it found on TF 1. One that does finds what users find: Keras takes numbers between.
    """
    drawing = sys.modules.get("keras.src.random.seed_generator")
    seeding = sys.modules.get("keras.src.utils.rng_utils")
    if not hasattr(drawing, "python_random") or not hasattr(seeding, "random"):
        return
    own = random.Random(0)
    drawing.python_random = seeding.random = own
    plain = random.seed

    def seed(*given, **named):
        drawing.python_random = seeding.random = random
        return plain(*given, **named)

    random.seed = seed


def install(tf):
    """Redirect every random op of ``tf``; returns what draws, with the names it ``replaced``."""
    draws = _Redirect(tf)
    draws.install()
    return draws


class _NumpyWithShuffle(object):
    """NumPy as one module sees it, with a ``random.shuffle`` of its own."""

    def __init__(self, numpy, order_of):
        self._numpy = numpy
        self._order_of = order_of
        self.random = self

    def __getattr__(self, name):
        if name in ("RandomState", "permutation", "seed", "randint", "uniform", "normal"):
            return getattr(self._numpy.random, name)
        return getattr(self._numpy, name)

    def shuffle(self, rows):
        rows[:] = self._numpy.sort(rows)[self._order_of(len(rows))]


class _Redirect(object):
    def __init__(self, tf):
        from tensorflow.python.framework import constant_op, dtypes, ops
        from tensorflow.python.ops import array_ops, math_ops, nn_ops

        try:
            from tensorflow.python.ops import gen_stateless_random_ops
        except ImportError:  # before 1.13 they were in contrib
            from tensorflow.contrib import stateless as gen_stateless_random_ops
        self.old = not hasattr(gen_stateless_random_ops, "stateless_multinomial")
        self.tf = tf
        self.array = array_ops
        self.constant = constant_op.constant
        self.custom_gradient = getattr(tf, "custom_gradient", None)
        self.dtypes = dtypes
        self.kernels = gen_stateless_random_ops
        self.math = math_ops
        self.nn = nn_ops
        self.ops = ops
        self.replaced = []
        self.orders = {}
        from tensorflow.python.client import session

        self.plain_run = session.BaseSession.run  # before the recorder observes it

    # -- what the redirected ops draw -------------------------------------------------------------

    def seed(self, kind):
        dtype = self.dtypes.int64 if self.old else self.dtypes.int32
        return self.constant(list(SEEDS[kind]), dtype=dtype, name="seed")

    def scope(self, name, default):
        return self.ops.name_scope(name or default)

    def uniform(self, shape, dtype, kind="uniform"):
        return self.kernels.stateless_random_uniform(shape, self.seed(kind), dtype=dtype)

    def normal(self, shape, dtype):
        return self.kernels.stateless_random_normal(shape, self.seed("normal"), dtype=dtype)

    def truncated(self, shape, dtype):
        return self.kernels.stateless_truncated_normal(shape, self.seed("truncated"), dtype=dtype)

    def integers(self, shape, low, high):
        low = self.ops.convert_to_tensor(low)
        high = self.ops.convert_to_tensor(high, dtype=low.dtype)
        f64 = self.dtypes.float64
        width = self.math.cast(high, f64) - self.math.cast(low, f64)
        draws = self.math.floor(self.uniform(shape, f64, "integer") * width)
        return low + self.math.cast(draws, low.dtype)

    def full_integers(self, shape, dtype):
        dtype = self.dtypes.as_dtype(dtype)
        draws = self.uniform(shape, self.dtypes.float64, "integer")
        limit = min(int(dtype.max), 2**53)
        return self.math.cast(self.math.floor(draws * float(limit)), dtype)

    def permutation(self, count):
        keys = self.uniform(self.array.reshape(count, [1]), self.dtypes.float32, "shuffle")
        return self.nn.top_k(keys, count)[1]

    def shuffle(self, value):
        value = self.ops.convert_to_tensor(value)
        return self.array.gather(value, self.permutation(self.array.shape(value)[0]))

    def multinomial(self, logits, count, dtype):
        return self.kernels.stateless_multinomial(
            logits, count, self.seed("multinomial"), output_dtype=dtype
        )

    def gamma(self, shape, alpha):
        """Gamma draws of the given full shape, ``alpha`` broadcast against it."""
        alpha = self.ops.convert_to_tensor(alpha)
        shape = self.ops.convert_to_tensor(shape)
        if self.custom_gradient is None:
            return self._gamma_values(shape, alpha)

        def sample(rate):
            values = self._gamma_values(shape, rate)

            def gradient(upstream):
                from tensorflow.python.ops import gen_random_ops

                full = rate + self.array.zeros_like(values)
                partial = gen_random_ops.random_gamma_grad(full, values)
                leading = self.math.range(self.array.rank(values) - self.array.rank(rate))
                return self.math.reduce_sum(upstream * partial, axis=leading)

            return values, gradient

        return self.custom_gradient(sample)(alpha)

    def _gamma_values(self, shape, alpha):
        f64, math = self.dtypes.float64, self.math
        candidates = self.array.concat(
            [self.constant([GAMMA_CANDIDATES], dtype=shape.dtype), shape], axis=0
        )
        x = self.normal(candidates, f64)
        u = self.uniform(candidates, f64, "gamma")
        boost = self.uniform(shape, f64, "boost")
        a = math.cast(alpha, f64) + self.array.zeros_like(boost)
        small = math.less(a, self.array.ones_like(a))
        raised = a + math.cast(small, f64)
        d = raised - 1.0 / 3.0
        v = 1.0 + x / math.sqrt(9.0 * d)
        v = v * v * v
        one = self.array.ones_like(v)
        positive = math.greater(v, self.array.zeros_like(v))
        safe = self.array.where(positive, v, one)
        bound = 0.5 * x * x + d - d * safe + d * math.log(safe)
        # `uniform` draws from [0, 1): log(1 - u) is finite, and 1 - u is exact.
        accepted = math.logical_and(positive, math.less(math.log(1.0 - u), bound))
        rejected = 1.0 - math.cast(accepted, f64)
        first = math.cast(accepted, f64) * math.cumprod(rejected, axis=0, exclusive=True)
        values = math.reduce_sum(first * d * safe, axis=0)
        power = math.cast(math.pow(1.0 - boost, 1.0 / a), self.dtypes.float32)
        values = self.array.where(small, values * math.cast(power, f64), values)
        return math.cast(math.cast(values, self.dtypes.float32), alpha.dtype)

    def poisson(self, shape, rate, dtype):
        """Poisson draws of the given full shape, ``rate`` broadcast against it."""
        f64, math = self.dtypes.float64, self.math
        rate = math.cast(self.ops.convert_to_tensor(rate), f64)
        shape = self.ops.convert_to_tensor(shape)
        most = math.reduce_max(rate)
        arrivals = math.cast(math.ceil(most + 12.0 * math.sqrt(most) + 20.0), shape.dtype)
        u = self.uniform(
            self.array.concat([self.array.reshape(arrivals, [1]), shape], axis=0), f64, "poisson"
        )
        times = math.cumsum(-math.log(1.0 - u), axis=0)
        counts = math.reduce_sum(math.cast(math.less(times, rate + 0.0 * times), f64), axis=0)
        return math.cast(counts, dtype)

    # -- where they are put in --------------------------------------------------------------------

    def module(self, name):
        try:
            return __import__("tensorflow.python.ops." + name, fromlist=["x"])
        except ImportError:
            return None

    def replace(self, module_name, function_name, make):
        module = self.module(module_name)
        if module is not None and not hasattr(module, function_name):
            function_name = "_" + function_name  # hidden so in 1.4
        original = getattr(module, function_name, None) if module is not None else None
        if original is None:
            return
        replacement = make(original)
        replacement.__name__ = function_name
        replacement._tf_decorator_original = original
        setattr(module, function_name, replacement)
        self.replaced.append("%s.%s" % (module_name, function_name))
        raw = getattr(self.tf, "raw_ops", None)
        raw_name = "".join(part.capitalize() for part in function_name.split("_"))
        if raw is not None and hasattr(raw, raw_name):
            setattr(raw, raw_name, replacement)

    def scoped(self, default, draw):
        """A wrapper that draws inside a name scope called as the op was: other names stay."""

        def make(original):
            def redirected(*args, **kwargs):
                name = kwargs.pop("name", None)
                with self.scope(name, default):
                    return draw(*args, **kwargs)

            return redirected

        return make

    def install(self):
        self._stateful()
        self._stateless()
        self._generators()
        self._fixed_seeds()
        self._datasets()
        self._keras_batches()
        _apart_from_keras()

    def _stateful(self):
        dtypes, int64 = self.dtypes, self.dtypes.int64

        def put(name, default, draw):
            self.replace("gen_random_ops", name, self.scoped(default, draw))

        def with_suffix(shape, parameter):
            shape = self.ops.convert_to_tensor(shape)
            return self.array.concat(
                [shape, self.math.cast(self.array.shape(parameter), shape.dtype)], axis=0
            )

        def gamma(shape, alpha, seed=0, seed2=0):
            alpha = self.ops.convert_to_tensor(alpha)
            return self.gamma(with_suffix(shape, alpha), alpha)

        def poisson(shape, rate, seed=0, seed2=0, dtype=int64):
            rate = self.ops.convert_to_tensor(rate)
            return self.poisson(with_suffix(shape, rate), rate, dtype)

        def poisson_v1(shape, rate, seed=0, seed2=0):
            rate = self.ops.convert_to_tensor(rate)
            return self.poisson(with_suffix(shape, rate), rate, rate.dtype)

        put(
            "random_uniform",
            "RandomUniform",
            lambda shape, dtype, seed=0, seed2=0: self.uniform(shape, dtype),
        )
        put(
            "random_standard_normal",
            "RandomStandardNormal",
            lambda shape, dtype, seed=0, seed2=0: self.normal(shape, dtype),
        )
        put(
            "truncated_normal",
            "TruncatedNormal",
            lambda shape, dtype, seed=0, seed2=0: self.truncated(shape, dtype),
        )
        put(
            "random_uniform_int",
            "RandomUniformInt",
            lambda shape, minval, maxval, seed=0, seed2=0: self.integers(shape, minval, maxval),
        )
        put("random_shuffle", "RandomShuffle", lambda value, seed=0, seed2=0: self.shuffle(value))
        if not self.old:  # the kernel came with 1.9
            put(
                "multinomial",
                "Multinomial",
                lambda logits, num_samples, seed=0, seed2=0, output_dtype=dtypes.int64: (
                    self.multinomial(logits, num_samples, output_dtype)
                ),
            )
        put("random_gamma", "RandomGamma", gamma)
        put("random_poisson", "RandomPoisson", poisson_v1)
        put("random_poisson_v2", "RandomPoissonV2", poisson)

    def _stateless(self):
        f32, i64 = self.dtypes.float32, self.dtypes.int64
        u64 = getattr(self.dtypes, "uint64", i64)

        def put(module, name, draw):
            self.replace(module, name, self.scoped(name, draw))

        second = "gen_stateless_random_ops_v2"
        put(
            second,
            "stateless_random_uniform_v2",
            lambda shape, key, counter, alg, dtype=f32: self.uniform(shape, dtype),
        )
        put(
            second,
            "stateless_random_normal_v2",
            lambda shape, key, counter, alg, dtype=f32: self.normal(shape, dtype),
        )
        put(
            second,
            "stateless_truncated_normal_v2",
            lambda shape, key, counter, alg, dtype=f32: self.truncated(shape, dtype),
        )
        put(
            second,
            "stateless_random_uniform_int_v2",
            lambda shape, key, counter, alg, minval, maxval: self.integers(shape, minval, maxval),
        )
        put(
            second,
            "stateless_random_uniform_full_int_v2",
            lambda shape, key, counter, alg, dtype=u64: self.full_integers(shape, dtype),
        )
        put(second, "stateless_shuffle", lambda value, key, counter, alg: self.shuffle(value))
        put(
            second,
            "stateless_random_gamma_v3",
            lambda shape, key, counter, alg, alpha: self.gamma(shape, alpha),
        )
        first = "gen_stateless_random_ops"
        put(first, "stateless_random_gamma_v2", lambda shape, seed, alpha: self.gamma(shape, alpha))
        put(
            first,
            "stateless_random_poisson",
            lambda shape, seed, lam, dtype: self.poisson(shape, lam, dtype),
        )
        put(
            first,
            "stateless_random_uniform_int",
            lambda shape, seed, minval, maxval: self.integers(shape, minval, maxval),
        )
        put(
            first,
            "stateless_random_uniform_full_int",
            lambda shape, seed, dtype=u64: self.full_integers(shape, dtype),
        )
        self._first_kernels(f32, i64)

    def _first_kernels(self, f32, i64):
        """The kernels themselves, for programs that call them: any seed becomes the fixed one."""
        kernels = self.kernels

        class Kept(object):
            pass

        kept = Kept()
        for name in (
            "stateless_random_uniform",
            "stateless_random_normal",
            "stateless_truncated_normal",
            "stateless_multinomial",
        ):
            if hasattr(kernels, name):
                setattr(kept, name, getattr(kernels, name))
        self.kernels = kept
        module = "gen_stateless_random_ops"

        def put(name, draw):
            self.replace(module, name, self.scoped(name, draw))

        put("stateless_random_uniform", lambda shape, seed, dtype=f32: self.uniform(shape, dtype))
        put("stateless_random_normal", lambda shape, seed, dtype=f32: self.normal(shape, dtype))
        put(
            "stateless_truncated_normal",
            lambda shape, seed, dtype=f32: self.truncated(shape, dtype),
        )
        put(
            "stateless_multinomial",
            lambda logits, num_samples, seed, output_dtype=i64: self.multinomial(
                logits, num_samples, output_dtype
            ),
        )

    def _generators(self):
        """``tf.random.Generator`` of TensorFlow 2, where it does not end in a stateless op."""
        f32 = self.dtypes.float32
        u64 = getattr(self.dtypes, "uint64", self.dtypes.int64)

        def put(name, draw):
            self.replace("gen_stateful_random_ops", name, self.scoped(name, draw))

        put(
            "stateful_uniform",
            lambda resource, algorithm, shape, dtype=f32: self.uniform(shape, dtype),
        )
        put(
            "stateful_standard_normal_v2",
            lambda resource, algorithm, shape, dtype=f32: self.normal(shape, dtype),
        )
        put(
            "stateful_truncated_normal",
            lambda resource, algorithm, shape, dtype=f32: self.truncated(shape, dtype),
        )
        put(
            "stateful_uniform_int",
            lambda resource, algorithm, shape, minval, maxval: self.integers(shape, minval, maxval),
        )
        put(
            "stateful_uniform_full_int",
            lambda resource, algorithm, shape, dtype=u64: self.full_integers(shape, dtype),
        )

    def _fixed_seeds(self):
        def make(original):
            def seeded(*args, **kwargs):
                kwargs["seed"], kwargs["seed2"] = STATEFUL_SEED
                return original(*args, **kwargs)

            return seeded

        for module, names in STATEFUL_OPS.items():
            for name in names:
                self.replace(module, name, make)

    def _datasets(self):
        try:
            from tensorflow.python.data.util import random_seed
        except ImportError:
            return

        def get_seed(seed):
            return tuple(
                self.constant(value, dtype=self.dtypes.int64, name=name)
                for value, name in zip(DATASET_SEED, ("seed", "seed2"))
            )

        random_seed.get_seed = get_seed
        self.replaced.append("data.util.random_seed.get_seed")
        self._no_fusion_of_shuffle_and_repeat()

    def _keras_batches(self):
        """``Model.fit(shuffle=True)`` takes NumPy's order in TF 1; Keras 3 takes a random op's."""
        for name in (
            "tensorflow.python.keras.engine.training_arrays",
            "keras.engine.training_arrays",
        ):
            if not getattr(self.tf, "__version__", "1").startswith("1."):
                return
            if not name.startswith("tensorflow.") and "keras" not in sys.modules:
                continue
            try:
                module = __import__(name, fromlist=["x"])
            except ImportError:
                continue
            if hasattr(module, "np"):
                module.np = _NumpyWithShuffle(module.np, self.order_of)
                self.replaced.append(name + ".np.random.shuffle")

    def order_of(self, count):
        """The permutation that a shuffle of ``count`` rows draws, as an array."""
        if count not in self.orders:
            with self.tf.Graph().as_default():
                session = self.tf.Session()
                self.orders[count] = self.plain_run(session, self.permutation(count))
                session.close()
        return self.orders[count]

    def _no_fusion_of_shuffle_and_repeat(self):
        """TF 1.13 to 2.1 fuse ``shuffle().repeat()`` into an op that draws another sequence."""
        try:
            from tensorflow.python.data.experimental.ops import optimization_options
        except ImportError:
            return
        options = optimization_options.OptimizationOptions
        original = getattr(options, "_static_optimizations", None)
        if original is None:
            return

        def without_fusion(self):
            return [name for name in original(self) if name != "shuffle_and_repeat_fusion"]

        options._static_optimizations = without_fusion
        self.replaced.append("data.OptimizationOptions._static_optimizations")
