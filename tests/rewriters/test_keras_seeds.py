"""Seeds of session programs that become Keras: what they reach."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts, upgrade
from migrate.rewriters.keras_seeds import KERAS

PROGRAM = """
    import numpy as np
    import tensorflow as tf
    {seeds}
    x = tf.placeholder(tf.float32, [None, 3])
    y = {layer}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(y, feed_dict={{x: {fed}}}))
"""
DENSE = "tf.layers.dense(x, 2)"
FIXED = "[[1, 2, 3]]"
DRAWN = "np.random.rand(2, 3)"


def written(seeds: str, layer: str = DENSE, fed: str = FIXED) -> str:
    """The program's text after a run."""
    program = textwrap.dedent(PROGRAM).format(seeds=seeds, layer=layer, fed=fed)
    (result,) = texts({"program.py": program.encode()}, Options())
    assert result.after is not None
    text = result.after.decode()
    assert "Session" not in text
    return text


def test_a_seed_reaches_keras() -> None:
    assert "tf.keras.utils.set_random_seed(7)\n" in written("tf.set_random_seed(7)")
    assert "tf.keras.utils.set_random_seed(SEED)\n" in written("SEED = 7\ntf.set_random_seed(SEED)")


def test_without_keras_it_is_tensorflows_own() -> None:
    text = written("tf.set_random_seed(7)", "x * tf.Variable(tf.random_normal([3]))")
    assert "tf.random.set_seed(7)\n" in text


@pytest.mark.parametrize(
    "seeds",
    [
        "np.random.seed(7)\ntf.set_random_seed(7)",
        "import random\nnp.random.seed(7)\nrandom.seed(7)\ntf.set_random_seed(7)",
        "tf.set_random_seed(7)\nnp.random.seed(3)",
        "np.random.seed(3); tf.set_random_seed(7)",
        "S = 7\nnp.random.seed(S)\ntf.set_random_seed(7)",
    ],
)
def test_numpy_draws_what_it_drew(seeds: str) -> None:
    assert "tf.keras.utils.set_random_seed(7)\n" in written(seeds, fed=DRAWN)


@pytest.mark.parametrize(
    "seeds",
    [
        "tf.set_random_seed(7)",
        "np.random.seed(3)\nimport os\ntf.set_random_seed(7)",
        "np.random.seed(7)\nnoise = np.random.rand(1)\ntf.set_random_seed(7)",
        "tf.set_random_seed(7)\nnoise = np.random.rand(1)\nnp.random.seed(3)",
    ],
)
def test_numpys_numbers_stay(seeds: str) -> None:
    assert "tf.random.set_seed(7)\n" in written(seeds, fed=DRAWN)


def test_numpys_other_seed_comes_after() -> None:
    text = written("np.random.seed(3)  # data\ntf.set_random_seed(7)  # model", fed=DRAWN)
    assert "\ntf.keras.utils.set_random_seed(7)  # model\nnp.random.seed(3)  # data\n" in text


@pytest.mark.parametrize(
    ("seeds", "reaches"),
    [
        ("import random\nrandom.seed(7)\ntf.set_random_seed(7)", True),
        ("import random\ntf.set_random_seed(7)\nrandom.seed(3)", True),
        ("import random\nn = random.randint(0, 3)\ntf.set_random_seed(7)", True),
        ("import random\nrandom.seed(3)\ntf.set_random_seed(7)", False),
        ("from random import seed\nseed(3)\ntf.set_random_seed(7)", False),
        # What others draw from NumPy is seeded, too.
        ("np.random.seed(3)\nimport os\ntf.set_random_seed(7)", False),
    ],
)
def test_what_the_program_seeds_itself_stays(seeds: str, reaches: bool) -> None:
    assert ("tf.keras.utils.set_random_seed(7)\n" in written(seeds)) is reaches


@pytest.mark.parametrize("seed", ["None", "-1", "int(input())"])
def test_what_keras_would_not_take_stays(seed: str) -> None:
    assert f"tf.random.set_seed({seed})\n" in written(f"tf.set_random_seed({seed})")


@pytest.mark.parametrize(
    ("drawn", "seed"),
    [("np.random.rand(2, 3)", "random.set_seed"), ("np.ones((2, 3))", KERAS)],
)
def test_another_file_may_draw(drawn: str, seed: str, tmp_path: Path) -> None:
    program = textwrap.dedent(PROGRAM).format(
        seeds="from data import batch\ntf.set_random_seed(7)", layer=DENSE, fed="batch()"
    )
    (tmp_path / "program.py").write_text(program)
    (tmp_path / "data.py").write_text(f"import numpy as np\n\n\ndef batch():\n    return {drawn}\n")
    (result,) = (
        result
        for result in upgrade([str(tmp_path)], Options(root=str(tmp_path), cache=False))
        if result.path == "program.py"
    )
    assert result.after is not None
    assert f"tf.{seed}(7)\n" in result.after.decode()


def test_the_import_stays_where_nothing_else_of_tensorflow_does() -> None:
    program = """
        import tensorflow as tf
        from model import Model

        flags = tf.app.flags
        FLAGS = flags.FLAGS
        tf.set_random_seed(7)
        model = Model()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run(model.y, feed_dict={model.x: [[1, 2, 3]]}))
    """
    model = """
        import tensorflow as tf

        class Model:
            def __init__(self):
                self.x = tf.placeholder(tf.float32, [None, 3])
                self.y = tf.layers.dense(self.x, 2)
    """
    files = {"model.py": model, "program.py": program}
    found = texts({n: textwrap.dedent(t).encode() for n, t in files.items()}, Options())
    (after,) = [result.after for result in found if result.path == "program.py"]
    assert after is not None
    text = after.decode()
    assert "tf.keras.utils.set_random_seed(7)\n" in text
    assert "import tensorflow as tf\n" in text
