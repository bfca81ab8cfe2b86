"""What prints tensors: in the function that computes them, or else the session stays."""

from __future__ import annotations

import pytest

from tests.rewriters.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [3])


def show(sess):
    print(sess.run(y, {x: np.ones(3)}))


y = tf.nn.relu(x)
"""
RUN = "print(sess.run(y, {x: np.ones(3)}))\n"


def test_prints_before_the_run_go_into_its_function() -> None:
    text = after(
        HEAD + "sess = tf.Session()\nprint(y.shape)\nprint('run')\n" + RUN + "show(sess)\n"
    )
    assert "    y = tf.nn.relu(x)\n    print(y.shape)\n    return y\n" in text
    assert text.index("def compute_y") < text.index("\n\nprint('run')\nprint(compute_y(")


@pytest.mark.parametrize("run", [RUN, "show(sess)\n", f"for i in range(2):\n    {RUN}"])
@pytest.mark.parametrize("more", ["", "print(y.shape)\n"])
def test_a_function_would_stand_behind_its_run(run: str, more: str) -> None:
    text = HEAD + "sess = tf.Session()\n" + more + run + "print('of', y.shape)\nshow(sess)\n"
    line = text[: text.index("print('of")].count("\n") + 1
    assert stopped(text) == f"{line}: a tensor is printed behind a run that computes it"


METHOD = """\
import tensorflow as tf


class Model:
    def __init__(self):
        self.sess = tf.Session()
        self.x = tf.placeholder(tf.float32, [3])
        self.y = tf.nn.relu(self.x)

    def predict(self, data):
        return self.sess.run(self.y, {self.x: data})


model = Model()
print(model.predict([1, 2, 3]))
"""


def test_what_no_function_would_print_stays() -> None:
    assert "def compute_y" in after(METHOD)
    message = "a tensor is printed that no run there computes"
    assert stopped(METHOD + "print(model.y.shape)\n") == f"16: {message}"
    text = HEAD + "z = tf.nn.tanh(x)\nprint(z.shape)\nshow(tf.Session())\n"
    assert stopped(text) == f"13: {message}"


BLOCK = """\
deep = len(__name__) > 3
z = x
if deep:
    z = tf.nn.relu(x)
    print('deep:', z)
else:
    print('flat')
    z = x + 1.0
for i in range(2):
    z = z * 2.0
    print(i, z)
""" + RUN.replace("(y,", "(z,")


def block(more: str = "") -> str:
    return (
        HEAD.partition("def show")[0]
        + "sess = tf.Session()\n"
        + BLOCK.replace("for i", f"{more}for i")
    )


def test_a_block_that_makes_tensors_takes_its_prints_along() -> None:
    text = after(block())
    assert "        z = tf.nn.relu(x)\n        print('deep:', z)\n" in text
    assert "        z = z * 2.0\n        print(i, z)\n" in text
    assert "if not (deep):\n    print('flat')\n" in text


@pytest.mark.parametrize("more", ["if deep:\n    print(z)\n", "for j in range(2):\n    print(z)\n"])
def test_a_block_that_only_prints_keeps_the_session(more: str) -> None:
    assert stopped(block(more)).endswith(": a tensor is given to `print`")
