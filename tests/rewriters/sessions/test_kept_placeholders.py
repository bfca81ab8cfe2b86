"""Placeholders with a local name that their object keeps under another one."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf


class Model:
    def __init__(self):
{lines}
        self.loss = tf.reduce_mean(tf.square(self.h)) + tf.reduce_sum(self.inputs)

    def run(self, data):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return sess.run(self.loss, {{self.inputs: data}})


print(Model().run([[1, 2, 3]]))
"""
X = "x = tf.placeholder(tf.float32, [None, 3])"


def upgrade(*lines: str) -> FileResult:
    source = PROGRAM.format(lines="\n".join(f"        {line}" for line in lines))
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize("last", [False, True])
def test_it_is_the_attribute_from_the_start(last: bool) -> None:
    rest = ["w = tf.Variable(tf.ones([3, 2]))", "self.h = tf.matmul(x, w)"]
    rest.insert(len(rest) if last else 0, "self.inputs = x")
    result = upgrade(X, *rest)
    assert result.level is Level.NATIVE
    assert result.after is not None
    text = result.after.decode()
    assert "        self.inputs = tf.TensorSpec([None, 3], tf.float32)\n" in text
    assert "self.inputs = x" not in text


@pytest.mark.parametrize(
    "lines",
    [
        (X, "self.inputs = x", "self.h = (lambda x: x * 2)(x)"),
    ],
)
def test_a_name_that_means_more_stays(lines: tuple[str, ...]) -> None:
    assert upgrade(*lines).level is Level.COMPAT


def test_a_tuple_gives_the_name_something_else() -> None:
    result = upgrade(X, "self.inputs = x", "x, y = x * 2, x", "self.h = x * 3")
    assert result.level is Level.NATIVE
    assert result.after is not None
    assert "x, y = inputs * 2, inputs\n" in result.after.decode()


def test_an_attribute_that_nothing_sets_stops_both() -> None:
    source = PROGRAM.format(lines=f"        self.inputs{X[1:]}\n        self.h = self.inputs * 2")
    source = source.replace(
        "\n\nprint(",
        "\n    def weights(self):\n        with tf.Session() as sess:\n"
        "            return sess.run(self.weights1)\n\n\nprint(",
    )
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE
    assert result.after is not None
    assert "return self.weights1.numpy()" in result.after.decode()
    (result,) = texts({"program.py": (source + "Model.weights1 = 3\n").encode()}, Options())
    assert result.level is Level.COMPAT


FED = """\

    def decode(self, h):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return sess.run(self.out, {self.h: h})


print("""


def test_a_tensor_that_a_run_feeds_is_the_attribute_too() -> None:
    lines = [X.replace("x", "self.inputs", 1), "h = self.inputs * 2", "self.out = h + 1"]
    source = PROGRAM.format(lines="\n".join(f"        {line}" for line in [*lines, "self.h = h"]))
    (result,) = texts({"program.py": source.replace("\n\nprint(", FED).encode()}, Options())
    assert result.level is Level.NATIVE
    assert result.after is not None
    text = result.after.decode()
    assert "self.h = h" not in text
    assert "        def predict(h):\n            return h + 1\n" in text
    assert "return self.predict(h).numpy()" in text
    again = source.replace("self.h = h\n", "self.h = h\n        h = h * 3\n        self.k = h\n")
    (result,) = texts({"program.py": again.replace("\n\nprint(", FED).encode()}, Options())
    assert result.level is Level.NATIVE
    again = source.replace(
        "self.h = h\n", "self.h = h\n        if len('h') > 1:\n            h = 3\n"
    )
    (result,) = texts({"program.py": again.replace("\n\nprint(", FED).encode()}, Options())
    assert result.level is Level.COMPAT
