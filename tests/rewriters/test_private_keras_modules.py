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
