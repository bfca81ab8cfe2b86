"""Type hints that name TensorFlow, in programs whose sessions become functions."""

from __future__ import annotations

import ast
from dataclasses import replace

from migrate.engine.findings import Level
from migrate.engine.hints import hints_of
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
from typing import List, Optional

import tensorflow as tf


def half(x: tf.Tensor, by: float = 2.0) -> tf.Tensor:
    y: tf.Tensor = x / by
    return y


def net(x: tf.Tensor, size: int) -> List[tf.Tensor]:
    w: tf.Variable = tf.get_variable("w", [3, size])
    return tf.matmul(half(x), w)


class Model:
    def __init__(self, sess: tf.Session, rate: Optional[float] = 0.1) -> None:
        self.sess = sess
        self.x: tf.Tensor = tf.placeholder(tf.float32, [None, 3])
        self.y = net(self.x, 2)
        loss = tf.reduce_mean(self.y)
        self.train: tf.Operation = tf.train.GradientDescentOptimizer(rate).minimize(loss)

    def run(self, x: List[List[float]]) -> tf.Tensor:
        self.sess.run(self.train, {self.x: x})
        return self.sess.run(self.y, {self.x: x})


with tf.Session() as sess:
    m = Model(sess)
    sess.run(tf.global_variables_initializer())
    print(m.run([[1.0, 2.0, 3.0]]))
"""


def upgraded(text: str, level: str = "native") -> tuple[Level | None, str]:
    (result,) = texts({"program.py": text.encode()}, replace(Options(), level=level))
    return result.level, (result.after or text.encode()).decode()


def test_hints_of_what_computes_stay_and_the_others_go() -> None:
    level, text = upgraded(PROGRAM)
    assert level is Level.NATIVE
    assert "def half(x: tf.Tensor, by: float = 2.0) -> tf.Tensor:\n    y: tf.Tensor = x" in text
    assert "def net(size: int):\n" in text
    assert "def __init__(self, rate: Optional[float] = 0.1) -> None:\n" in text
    assert "def run(self, x: List[List[float]]):\n" in text
    assert "        self.x = tf.TensorSpec" in text


def test_a_program_that_keeps_its_session_keeps_its_hints() -> None:
    level, text = upgraded(PROGRAM, "compat")
    assert level is Level.COMPAT
    before = [ast.unparse(n) for n in hints_of(ast.parse(PROGRAM))]
    assert [ast.unparse(n) for n in hints_of(ast.parse(text))] == before


def test_who_calls_what_has_variables_is_no_function_that_computes() -> None:
    _, text = upgraded(
        PROGRAM.replace(
            "class Model",
            "def twice(x: tf.Tensor) -> tf.Tensor:\n    return 2.0 * net(x, 2)\n\n\nclass Model",
        ).replace("self.y = net(self.x, 2)", "self.y = twice(self.x)")
    )
    assert "def twice():\n" in text


def test_a_program_without_a_session() -> None:
    level, text = upgraded(
        "import tensorflow as tf\n\n\n"
        "def f(x: tf.Tensor) -> tf.Tensor:\n    return tf.log(x)\n\n\n"
        "tf.enable_eager_execution()\nprint(f(tf.constant(1.0)))\n"
    )
    assert level is Level.NATIVE
    assert "def f(x: tf.Tensor) -> tf.Tensor:\n    return tf.math.log(x)" in text


def test_attributes_of_a_class_with_hints() -> None:
    level, text = upgraded(
        PROGRAM.replace(
            "class Model:\n",
            "class Model:\n    size: int = 2\n    y: tf.Tensor\n    rate: float\n\n",
        )
        .replace("net(self.x, 2)", "net(self.x, self.size)")
        .replace("        loss = ", "        self.mean: object = ")
        .replace("minimize(loss)", "minimize(self.mean)")
    )
    assert level is Level.NATIVE
    assert "class Model:\n    size: int = 2\n    y: tf.Tensor\n    rate: float\n" in text


def test_a_method_that_builds_with_hints() -> None:
    level, text = upgraded(
        PROGRAM.replace("sess: tf.Session, rate", "sess: tf.Session, rate")
        .replace(
            "        self.x: tf.Tensor = ",
            "    def build(self, rate: float = 0.1) -> None:\n        self.x: object = ",
        )
        .replace("    m = Model(sess)\n", "    m = Model(sess)\n    m.build()\n")
    )
    assert level is Level.NATIVE
    assert "m.build()\n" in text


def test_hints_in_brackets_stay_and_the_text_parses() -> None:
    level, text = upgraded(
        PROGRAM.replace("x: tf.Tensor, size", "x: (tf.Tensor), size")
        .replace("-> List[tf.Tensor]:", "-> (tf.Tensor):")
        .replace("        self.x: tf.Tensor =", "        self.x: (tf.Tensor) =")
    )
    assert level is Level.NATIVE
    assert "def net(size: int) -> (tf.Tensor):\n" in text
    ast.parse(text)


def test_a_hint_over_several_lines() -> None:
    level, text = upgraded(
        PROGRAM.replace("-> List[tf.Tensor]:", "-> List[\n    tf.Tensor\n]:").replace(
            "sess: tf.Session, rate", "sess:\n                 tf.Session, rate"
        )
    )
    assert level is Level.NATIVE
    assert "def net(size: int):\n" in text


def test_hints_by_the_names_of_compat_v1() -> None:
    names = "get_variable", "Session", "Variable", "Operation", "placeholder", "train"
    text = PROGRAM
    for name in names:
        text = text.replace(f"tf.{name}", f"tf.compat.v1.{name}")
    text = text.replace("tf.global_variables", "tf.compat.v1.global_variables")
    level, after = upgraded(text)
    assert level is Level.NATIVE
    assert "def half(x: tf.Tensor, by: float = 2.0) -> tf.Tensor:\n" in after
    assert "compat" not in after
    assert "def __init__(self, rate: Optional[float] = 0.1) -> None:\n" in after


def test_a_hint_on_a_line_that_a_backslash_continues() -> None:
    level, text = upgraded(
        PROGRAM.replace(") -> List[tf.Tensor]:", ") \\\n        -> List[tf.Tensor]:")
    )
    assert level is Level.NATIVE
    assert "def net(size: int):\n" in text
