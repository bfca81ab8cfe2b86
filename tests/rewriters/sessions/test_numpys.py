"""NumPy's functions by their own names."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """
from numpy import *
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4, 2])
flat = tf.reshape(x, [-1, int(prod(x.get_shape()[1:]))])
with tf.Session() as sess:
    print(sess.run(flat, {x: ones([2, 4, 2])}))
"""


@pytest.mark.parametrize("names", ["*", "prod, ones", "prod, product, ones"])
def test_sizes_that_numpy_computes(names: str) -> None:
    assert "int(prod(x.get_shape()[1:]))" in after(PROGRAM.replace("*", names, 1))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n\nx =", "\n\n\ndef prod(x):\n    return print(x)\n\n\nx ="),
        ("from numpy import *", "from own import prod\nfrom numpy import ones"),
    ],
)
def test_others_of_the_name_keep_the_session(old: str, new: str) -> None:
    stopped(PROGRAM.replace(old, new))
