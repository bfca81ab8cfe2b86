"""Constants that a loop computes anew and runs at once: TF 2 computes them where they stand."""

from __future__ import annotations

import json

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = np.arange(6.0).reshape(3, 2)

def nearest(points, centers):
    return tf.argmin(tf.abs(tf.expand_dims(points, 0) - tf.expand_dims(centers, 1)), 0)

sess = tf.Session()
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": (PROGRAM + source).encode()}, Options())
    return result


def test_a_name_is_bound_again_in_each_round() -> None:
    source = (
        "centers = x[:2]\n"
        "for i in range(3):\n"
        "    found = nearest(x, centers)\n"
        "    found = tf.cast(found, tf.float64)\n"
        "    centers = sess.run(found)[:2]\n"
        "print(sess.run(found))\n"
    )
    result = upgrade(source)
    assert result.level is Level.NATIVE
    assert result.after is not None
    text = result.after.decode()
    assert "    centers = found.numpy()[:2]\n" in text
    assert "print(found.numpy())" in text


@pytest.mark.parametrize(
    "source",
    [
        # Each run draws anew.
        "for i in range(3):\n    r = tf.random_normal([2]) + i\n"
        "    print(sess.run(r), sess.run(r))\n",
        # A run feeds what it is computed from.
        "a = tf.constant(1.0)\nfor i in range(3):\n    b = a + i\n    print(sess.run(b))\n"
        "print(sess.run(a, {a: 3.0}))\n",
        # It isn't a constant.
        "v = tf.Variable(1.0)\nsess.run(v.initializer)\n"
        "for i in range(3):\n    b = v + i\n    print(sess.run(b))\n",
    ],
)
def test_what_differs_from_run_to_run_keeps_the_session(source: str) -> None:
    result = upgrade(source)
    assert result.level is Level.COMPAT
    (reason,) = {f.message for f in result.left if f.rule == "TFM420"}
    assert reason.endswith("what is run here differs from call to call")


def test_a_constant_whose_name_is_a_run_s_later_on_stays_where_it_is_printed() -> None:
    source = (
        "pool = tf.nn.relu(x)\nprint(pool.shape)\nprint(sess.run(pool))\n"
        "w = tf.Variable(2.0)\npool = w * 3\nsess.run(w.initializer)\nprint(sess.run(pool))\n"
    )
    result = upgrade(source)
    assert result.level is Level.NATIVE
    assert result.after is not None
    text = result.after.decode()
    assert "pool = tf.nn.relu(x)\nprint(pool.shape)\nprint(pool.numpy())\n" in text


def test_constants_one_after_the_other_go_where_the_last_one_goes() -> None:
    source = (
        "h = tf.constant(1.0)\nh = h * 2\nw = tf.Variable(3.0)\nh = w * h\n"
        "sess.run(w.initializer)\nprint(sess.run(h))\n"
    )
    result = upgrade(source)
    assert result.level is Level.NATIVE
    assert result.after is not None
    text = result.after.decode()
    assert "    h = tf.constant(1.0)\n    h = h * 2\n    return w * h\n" in text


def test_a_function_of_numbers_that_calls_itself() -> None:
    source = (
        "def total(rows):\n    if isinstance(rows, tuple):\n"
        "        return sum(total(r) for r in rows) + total(rows[0])\n    return rows.sum()\n\n"
        "w = tf.Variable([2.0])\nsess.run(w.initializer)\nout = sess.run(w)\n"
        "print(total((out, (out, out))))\n"
    )
    assert upgrade(source).level is Level.NATIVE


def test_python_is_given_a_size_that_the_graph_tells() -> None:
    source = (
        "a = tf.placeholder(tf.float32, [3, 16])\nw = tf.Variable(tf.ones([16, 4]))\n"
        "y = tf.expand_dims(tf.matmul(a, w), 0)\n"
        "print('size {}'.format(y.shape.as_list()[1]), np.sqrt(int(y.get_shape()[-1])))\n"
        "sess.run(w.initializer)\nprint(sess.run(y, {a: np.ones([3, 16])}))\n"
    )
    result = upgrade(source)
    assert result.level is Level.NATIVE
    assert result.after is not None
    assert "print('size {}'.format(3), np.sqrt(4))" in result.after.decode()


def test_a_function_of_tensors_that_calls_itself() -> None:
    source = (
        "def power(m, n):\n    return m if n < 1 else tf.matmul(m, power(m, n - 1))\n\n"
        "a = tf.placeholder(tf.float32, [3, 3])\n"
        "print(sess.run(power(a, 3), {a: np.ones([3, 3])}))\n"
    )
    assert upgrade(source).level is Level.NATIVE


def test_the_numbers_of_a_shape_taken_apart() -> None:
    source = (
        "a = tf.placeholder(tf.float32, [2, 3])\nb = tf.nn.relu(a)\n"
        "rows, columns = [d.value for d in b.get_shape()]\nc = b / (rows * columns)\n"
        "print(sess.run(c, {a: np.ones([2, 3])}))\n"
    )
    result = upgrade(source)
    assert result.level is Level.NATIVE
    assert result.after is not None
    assert ".value" not in result.after.decode()


def test_a_writer_of_the_session_s_graph_by_its_old_name() -> None:
    source = (
        "writer = tf.summary.FileWriter('logs', sess.graph_def)\n"
        "a = tf.placeholder(tf.float32, [2])\ntext = tf.summary.scalar('sum', tf.reduce_sum(a))\n"
        "writer.add_summary(sess.run(text, {a: [1, 2]}), 0)\n"
    )
    assert upgrade(source).level is Level.NATIVE
    printed = upgrade("print(sess.graph_def)\nprint(sess.run(tf.constant(1)))\n")
    assert printed.level is Level.COMPAT


def test_a_comment_in_the_cell_before_its_statement() -> None:
    cells = [
        "import tensorflow as tf\nsess = tf.Session()",
        "a = tf.placeholder(tf.float32, [2])",
        "b = a * 2",
        "# c = a * 3",
        "# d = a * 4\nc = b + 1\nprint(sess.run(c, {a: [1, 2]}))",
    ]
    notebook = {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": cell.splitlines(keepends=True),
            }
            for cell in cells
        ],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 2,
    }
    (result,) = texts({"program.ipynb": json.dumps(notebook, indent=1).encode()}, Options())
    assert result.level is Level.NATIVE
    assert result.after is not None
    new = ["".join(c["source"]) for c in json.loads(result.after)["cells"]]
    assert new[3] == ""
    assert new[4].count("c = b + 1") == 1
    assert "    # c = a * 3\n    # d = a * 4\n    c = b + 1\n" in new[4]
