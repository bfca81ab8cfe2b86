"""Every kind of draw is the same in TF 1.15.5, TF 2.21 and Keras 3, bit for bit."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from parity_matrix import load_matrix

from migrate.parity.harness import Harness

matrix = load_matrix()
KINDS = {
    "uniform", "uniform_float64", "uniform_half", "normal", "truncated_normal", "integer_32",
    "integer_64", "multinomial", "gamma", "gamma_beta", "poisson", "shuffle", "shuffle_rows",
    "dropout", "dropout_noise_shape", "random_crop", "flip", "brightness", "numpy", "numpy_state",
    "dataset/shuffle", "dataset/shuffle_seed", "dataset/shuffle_repeat", "dataset/repeat_shuffle",
    "dataset/shuffle_once", "dataset/shuffle_batch_repeat",
}  # fmt: skip
INITIALIZERS = {
    "glorot_uniform", "glorot_normal", "he_normal", "he_uniform", "lecun_normal", "lecun_uniform",
    "variance_scaling", "random_normal", "random_uniform", "truncated", "orthogonal", "identity",
    "zeros", "ones", "constant",
}  # fmt: skip


@pytest.fixture(scope="module")
def golden() -> dict[str, np.ndarray]:
    with np.load(matrix.DRAWS, allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}


def assert_same_bits(golden: dict[str, np.ndarray], given: dict[str, np.ndarray]) -> None:
    wrong = []
    for name, value in given.items():
        expected = golden[name.partition("@")[0]]
        if expected.dtype != value.dtype or not np.array_equal(expected, value):
            wrong.append(name)
    assert not wrong
    assert {name.partition("@")[0] for name in given} == set(golden)


def test_golden_covers_every_kind(golden: dict[str, np.ndarray]) -> None:
    assert set(golden) >= KINDS
    assert {name.split("/")[1] for name in golden if "initializer/" in name} == INITIALIZERS


def test_draws_are_no_constants(golden: dict[str, np.ndarray]) -> None:
    for name in ("uniform", "normal", "truncated_normal", "integer_32", "gamma"):
        assert len(np.unique(golden[name])) > 20, name
    assert sorted(golden["shuffle"]) == list(range(50))
    assert list(golden["shuffle"]) != list(range(50))
    assert sorted(golden["dataset/shuffle_repeat"]) == sorted(list(range(20)) * 3)


def test_gamma_and_poisson_have_their_means(golden: dict[str, np.ndarray]) -> None:
    alpha = np.array([0.3, 1.0, 2.5, 8.0, 40.0])
    spread = np.sqrt(alpha / golden["gamma"].shape[0])
    assert (np.abs(golden["gamma"].mean(0) - alpha) < 4 * spread).all()
    assert (np.abs(golden["poisson"].mean(0) - alpha) < 4 * spread).all()


@pytest.mark.tf2
@pytest.mark.parametrize("script", ["draws_tf1.py", "draws_tf2.py"])
def test_tf2_draws_the_same(script: str, golden: dict[str, np.ndarray], harness: Harness) -> None:
    assert_same_bits(golden, matrix.draws(harness, "tf2", script))


@pytest.mark.tf1
def test_tf1_draws_the_same(golden: dict[str, np.ndarray], recorder: Harness) -> None:
    assert_same_bits(golden, matrix.draws(recorder, "tf1", "draws_tf1.py"))


@pytest.mark.tf2
def test_seed_only_leaves_the_ops_alone(golden: dict[str, np.ndarray], harness: Harness) -> None:
    from dataclasses import replace

    plain = harness.options
    harness.options = replace(plain, randomness="seed")
    try:
        given = matrix.draws(harness, "tf2", "draws_tf2.py")
    finally:
        harness.options = plain
    assert not np.array_equal(given["uniform"], golden["uniform"])


def test_a_seed_of_none_is_the_one_seed() -> None:
    """In a process of its own: it is for the life of the process."""
    code = (
        "import random, numpy as np\n"
        "from migrate.parity import randomness\n"
        "randomness.seed_generators(7)\n"
        "def draw(): return random.random(), np.random.rand()\n"
        "first = draw()\n"
        "random.seed(); np.random.seed(None)\n"
        "assert draw() == first\n"
        "random.seed(a=None, version=2); np.random.seed(seed=None)\n"
        "assert draw() == first\n"
        "random.seed(3); np.random.seed(3)\n"
        "assert draw() == (0.23796462709189137, 0.5507979025745755)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.tf2
def test_keras_takes_no_numbers_of_a_program_that_seeds_none() -> None:
    """In a process of its own: it is for the life of the process."""
    code = (
        "import random, tensorflow as tf\n"
        "from migrate.parity import randomness\n"
        "randomness.seed_generators(7)\n"
        "randomness.install(tf)\n"
        "before = random.getstate()\n"
        "tf.keras.layers.Dense(2).build((None, 3))\n"
        "tf.keras.utils.set_random_seed(1)\n"
        "assert random.getstate() == before\n"
        "random.seed(3)\n"
        "tf.keras.layers.Dense(2).build((None, 3))\n"
        "assert random.random() != 0.23796462709189137\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_numpys_own_generator_is_one_of_the_class() -> None:
    """scikit-learn asks for that where no state is given."""
    code = (
        "import numpy as np; from migrate.parity import randomness; randomness.seed_generators(0);"
        "R = np.random.RandomState; print(isinstance(np.random.mtrand._rand, R),"
        " isinstance(R(1), R), isinstance(3, R), R().randint(99) == R(0).randint(99))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["True", "True", "False", "True"]
