"""What a loop computes anew in each round, at random too, and runs once: it stays where it is."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf

image = tf.ones([4, 4, 3])


def distort(x, order=0):
    if order == 0:
        x = tf.image.random_brightness(x, max_delta=0.2)
    else:
        x = tf.image.random_flip_left_right(x)
    return tf.clip_by_value(x, 0.0, 1.0)


"""
SESSION = "with tf.Session() as sess:\n    for i in range(3):\n"


def loop(*lines: str) -> str:
    return HEAD + SESSION + "".join(f"        {line}\n" for line in lines)


@pytest.mark.parametrize(
    "made",
    [
        "distort(image)",
        "distort(image, np.random.randint(2))",
        "tf.random_normal([2]) + i",
        "tf.image.random_flip_up_down(\n            image)",
    ],
)
@pytest.mark.parametrize("run", ["out.eval()", "sess.run(out)", "sess.run(out)[0]"])
def test_it_stays(made: str, run: str) -> None:
    text = after(loop(f"out = {made}", "print(i)", f"print({run})"))
    assert "for i in range(3):\n    out = " in text
    assert "    print(i)\n    print(out.numpy()" in text


@pytest.mark.parametrize(
    "lines",
    [
        ["out = distort(image)", "print(out.eval(), out.eval())"],
        ["out = distort(image)", "if i > 1:", "    print(out.eval())"],
        ["out = distort(image)", "if i > 1:", "    continue", "print(out.eval())"],
        ["out = distort(image)", "for _ in range(2):", "    print(out.eval())"],
        ["out = distort(image)", "print([out.eval() for _ in range(2)])"],
        ["out = distort(image)", "print(out.eval({image: np.ones([4, 4, 3])}))"],
        ["out = tf.image.random_brightness(image, 0.2, seed=3)", "print(out.eval())"],
        ["out = tf.image.random_brightness(image, 0.2, 3)", "print(out.eval())"],
    ],
)
def test_what_may_run_otherwise_keeps_the_session(lines: list[str]) -> None:
    stopped(loop(*lines))


def test_what_needs_a_variable_or_a_feed_does_too() -> None:
    more = "w = tf.Variable(tf.ones([2]))\nx = tf.placeholder(tf.float32, [2])\n"
    more += "def add():\n    return tf.random_normal([2]) + w\n"
    stopped(loop("out = add()", "print(out.eval())").replace(SESSION, more + SESSION))
    lines = ("out = tf.random_normal([2]) + x", "print(out.eval({x: [1, 2]}))")
    stopped(loop(*lines).replace(SESSION, more + SESSION))


def test_a_seed_in_a_function_that_a_loop_runs_begins_anew() -> None:
    made = "def draw():\n    return tf.random_normal([2], seed=3)\n\n\n"
    text = after(loop("print(sess.run(draw()))").replace(SESSION, made + SESSION))
    assert "    return tf.function(tf.random.normal)([2], seed=3)\n" in text
