"""What is surely of floats, as `tf.div` asks."""

from __future__ import annotations

import ast

import pytest

from migrate.engine.document import read
from migrate.engine.floating import Floating
from migrate.engine.judged import names_of


def floats(program: str) -> bool:
    document = read("program.py", ("import tensorflow as tf\n" + program).encode())
    references = names_of(document).references
    last = document.tree.body[-1]
    asked = next(
        n for n in ast.walk(last) if isinstance(n, ast.Call) and "ask" in ast.unparse(n.func)
    )
    return Floating(document.tree, {id(r.node): r.name for r in references}).of(asked.args[0])


@pytest.mark.parametrize(
    "program",
    [
        "ask(2.0)",
        "x = tf.placeholder(tf.float32, [None])\nask(tf.reduce_sum(x))",
        "ask(tf.cast(n, tf.float32) * 2)",
        "ask(tf.log(x))",
        "ask(tf.ones([2, 3]))",
        "ask(tf.random_uniform([2]))",
        "g = tf.gradients(y, x)\nask(g[0])",
        "g = tape.gradient(y, x)\nask(g[0])",
        "s = 0.0\nfor i in z:\n    s += i\nask(s)",
        "def f(x):\n    y = tf.exp(x)\n    y = y + 1\n    return ask(y)",
        "class A:\n    def f(self):\n        self.h = tf.nn.sigmoid(x)\n    def g(self):\n        ask(self.h)",
    ],
)
def test_floats(program: str) -> None:
    assert floats(program)


@pytest.mark.parametrize(
    "program",
    [
        "ask(2)",
        "ask(x)",
        "x = tf.placeholder(tf.int32, [None])\nask(tf.reduce_sum(x))",
        "ask(tf.cast(x, tf.int32))",
        "ask(tf.ones([2], tf.int32))",
        "ask(tf.ones([2], dtype=tf.int64))",
        "ask(tf.ones_like(tf.exp(x), tf.int32))",
        "for i in z:\n    x = x + 1\nask(x)",
        "for i in z:\n    x = x + 1\ny = 3\nask(x + y)",
        "def f():\n    global n\n    n += 1\n    ask(n)",
        "def f():\n    global n\n    n = 1.5\n    ask(n)",
        "x = 1.5\ndef f(*, x):\n    ask(x)",
        "x = 1.5\ndef f(*x):\n    ask(x)",
        "ask(image.gradient(x))",
        "class A:\n    def f(self, other):\n        self.h = tf.exp(x)\n        ask(other.h)",
        "ask(tf.argmax(tf.exp(x), 1))",
        "ask(tf.shape(tf.exp(x)))",
        "def f(x):\n    y = tf.exp(x)\n    y = tf.shape(y)\n    return ask(y)",
        "y = tf.exp(x)\ndef f(y):\n    return ask(y)",
        "class A:\n    def f(self):\n        self.h = tf.exp(x)\n        self.h, b = 1, 2\n    def g(self):\n        ask(self.h)",
    ],
)
def test_what_may_be_of_integers(program: str) -> None:
    assert not floats(program)


def test_names_that_are_computed_of_each_other() -> None:
    chain = "".join(
        f"    x = tf.nn.relu(x + y)\n    y = tf.square(y + {i} * x)\n" for i in range(40)
    )
    body = "    y = tf.exp(x)\n" + chain + "    return ask(y)"
    assert not floats("def f(x):\n    y = x\n" + chain + "    return ask(y)")
    assert floats("def f(z):\n    x = tf.exp(z)\n" + body)
