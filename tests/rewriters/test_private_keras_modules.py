"""Modules of TensorFlow's private Keras that TF 2.21 lacks: the public ones have the same."""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = "import tensorflow as tf\n\nprint(tf.log(2.0))\n"


def lines(text: str) -> list[str]:
    (result,) = texts({"a.py": (HEAD + text).encode()}, Options())
    return (result.after or b"").decode().splitlines()[3:]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from tensorflow.python.keras.datasets import imdb",
         "from tensorflow.keras.datasets import imdb"),
        ("from tensorflow.python.keras.datasets import imdb as films",
         "from tensorflow.keras.datasets import imdb as films"),
    ],
)  # fmt: skip
def test_the_public_module_is_imported(old: str, new: str) -> None:
    name = old.split()[-1]
    use = f"print({name}.load_data(num_words=9), {name}.get_word_index())"
    assert lines(f"{old}\n{use}\n") == [new, use]


@pytest.mark.parametrize("use", ["imdb", "imdb.np", "imdb._remove_long_seq([], [])"])
def test_what_the_public_one_lacks(use: str) -> None:
    old = "from tensorflow.python.keras.datasets import imdb"
    assert lines(f"{old}\nprint({use})\n")[0] == old


MIXED = """\
from tensorflow.python.keras import Model
from tensorflow.python.keras.callbacks import EarlyStopping as Stop
from tensorflow.python.keras.layers import BatchNormalization, Convolution2D, InputSpec
from tensorflow.python.keras.layers.core import Dense as D
from tensorflow.python.keras.models import Sequential
"""


def test_one_keras_has_all_parts_of_a_model() -> None:
    """The private copy has lost BatchNormalization, and Keras 3's goes into Keras 3's models."""
    trained = "m = Sequential([D(1), BatchNormalization()])\nm.fit(x, callbacks=[Stop()])\n"
    public = MIXED.replace(".python", "").replace(".core", "").splitlines()
    assert lines(MIXED + trained)[:5] == public
    again = lines("\n".join(lines(MIXED + trained)))
    assert again[:5] == public


def test_a_sessions_graph_stays_with_what_the_copy_has() -> None:
    session = "x = tf.placeholder(tf.float32, [1, 3])\ny = Dense(2)(x)\nsess = kept[tf.Session]\n"
    line = "from tensorflow.python.keras.layers import Dense"
    assert line in lines(f"{line}\n{session}")
