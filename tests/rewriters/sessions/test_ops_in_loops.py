"""Ops that a loop makes and runs at once."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

w = tf.Variable(1.0)
sess = tf.InteractiveSession()
sess.run(tf.global_variables_initializer())
for k in range(3):
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize(
    ("made", "run", "written"),
    [
        ("tf.assign(w, k * 1.0)", "op.eval()", "w.assign(k * 1.0)"),
        ("w.assign_add(k)", "print(sess.run(op))", "print(w.assign_add(k).numpy())"),
        ("w.assign_add(k)", "value = sess.run(op)", "value = w.assign_add(k).numpy()"),
        ("w.assign_add(k)", "sess.run(fetches=op)", "w.assign_add(k)"),
    ],
)
def test_an_op_is_made_where_it_is_run(made: str, run: str, written: str) -> None:
    result = upgrade(f"{HEAD}    # one more\n    op = {made}\n    {run}\nprint(w.eval())\n")
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert f"for k in range(3):\n    # one more\n    {written}\n" in str(result.after, "utf-8")


@pytest.mark.parametrize(
    "body",
    [
        "    op = w.assign_add(k)\n    sess.run(op)\n    sess.run(op)\n",
        "    op = w.assign_add(k)\n    k = 5\n    sess.run(op)\n",
        "    op = w.assign_add(k)\nsess.run(op)\n",
        "    op = w.assign_add(k)\n    print(k, sess.run(op))\n",
    ],
)
def test_an_op_that_is_run_otherwise_keeps_the_session(body: str) -> None:
    assert upgrade(HEAD + body).level is Level.COMPAT


def test_a_round_of_a_comprehension_may_make_several_assignments() -> None:
    source = (
        "import tensorflow as tf\n\n"
        "a, b = [tf.Variable(1.0)], [tf.Variable(2.0)]\n"
        "copy = [[tf.assign(x, 0.5 * y), y.assign_add(1.0)] for x, y in zip(a, b)]\n"
        "sess = tf.Session()\n"
        "sess.run(tf.global_variables_initializer())\n"
        "sess.run(copy)\n"
        "print(sess.run(a))\n"
    )
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    loop = "    for x, y in zip(a, b):\n        x.assign(0.5 * y)\n        y.assign_add(1.0)\n"
    assert loop in str(result.after, "utf-8")


def test_what_else_a_round_makes_keeps_the_session() -> None:
    source = (
        "import tensorflow as tf\n\n"
        "a, b = [tf.Variable(1.0)], [tf.Variable(2.0)]\n"
        "copy = [[tf.assign(x, y), x + y] for x, y in zip(a, b)]\n"
        "sess = tf.Session()\n"
        "sess.run(tf.global_variables_initializer())\n"
        "print(sess.run(copy))\n"
    )
    assert upgrade(source).level is Level.COMPAT
