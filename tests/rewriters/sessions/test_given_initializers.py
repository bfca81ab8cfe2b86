"""Functions of the program that give an initializer or another."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_files import after as written
from tests.rewriters.sessions.test_files import run
from tests.rewriters.sessions.test_sessions import after, stopped

MADE = """\
def scaled(n, uniform=True):
    if uniform:
        return tf.random_uniform_initializer(-1.0 / n, 1.0 / n)
    width = tf.sqrt(3.0 / n)
    return tf.truncated_normal_initializer(stddev=width)
"""
PROGRAM = """\
import tensorflow as tf

{made}

x = tf.placeholder(tf.float32, [None, 2])
w = tf.get_variable("w", shape=[2, 3], initializer={called})
y = {used}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1.0, 2.0]]}}))
"""
PLAIN = {"made": MADE, "called": "scaled(2)", "used": "tf.matmul(x, w)"}


def program(**parts: str) -> str:
    return PROGRAM.format(**PLAIN | parts)


def test_a_variable_starts_with_what_it_gives() -> None:
    text = after(program())
    assert 'w = tf.Variable(scaled(2)([2, 3]), name="w")' in text
    assert "return tf.keras.initializers.RandomUniform(minval=-1.0 / n, maxval=1.0 / n" in text
    assert "return tf.keras.initializers.TruncatedNormal(stddev=width" in text


def test_a_layer_takes_it() -> None:
    used = "tf.layers.dense(tf.matmul(x, w), 2, kernel_initializer=scaled(3, uniform=False))"
    assert "kernel_initializer=scaled(3, uniform=False))" in after(program(used=used))


def test_one_that_computes_with_names_of_its_own() -> None:
    made = "def scaled(n):\n    r = 1.0 / n\n    return tf.random_uniform_initializer(-r, r)\n"
    assert "tf.Variable(scaled(2)([2, 3]), " in after(program(made=made))


def test_a_function_of_another_file() -> None:
    made = "import tensorflow as tf\n\n\n" + MADE
    main = program(made="from made import scaled")
    assert "tf.Variable(scaled(2)([2, 3]), " in written(run(made=made, main=main)["main"])


@pytest.mark.parametrize(
    "made",
    [
        MADE.replace("    return tf.truncated", "    return None or tf.truncated"),
        MADE.replace(
            "    return tf.truncated_normal_initializer(stddev=width)", "    return [width]"
        ),
        "import functools\n\n\n@functools.lru_cache()\n" + MADE,
    ],
)
def test_what_may_give_something_else(made: str) -> None:
    assert stopped(program(made=made))
