"""A constant that a run feeds: what is computed from it is a matter of runs."""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = "import tensorflow as tf\n"


def native(source: str) -> str:
    (result,) = texts({"a.py": (HEAD + source).encode()}, Options())
    assert str(result.level) == "Level.NATIVE", [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


@pytest.mark.parametrize(
    "run", ["sess.run(b, {a: 15})", "sess.run(b, feed_dict={a: 15})", "b.eval({a: 15}, sess)"]
)
def test_it_becomes_an_argument(run: str) -> None:
    after = native(f"a = tf.add(2, 5)\nb = tf.multiply(a, 3)\nsess = tf.Session()\nprint({run})\n")
    assert "print(compute_b(15).numpy())" in after
    assert "def compute_b(a):" in after


def test_a_feed_dict_with_a_name() -> None:
    after = native(
        "a = tf.add(2, 5)\nb = tf.multiply(a, 3)\nsess = tf.Session()\n"
        "feed = {a: 15}\nprint(sess.run(b, feed))\nprint(sess.run(b))\n"
    )
    assert "def compute_b(a=a):" in after
    assert "print(compute_b(**feed).numpy())" in after
    assert "print(compute_b().numpy())" in after


def test_what_nobody_feeds_stays_a_value() -> None:
    after = native("a = tf.add(2, 5)\nb = tf.multiply(a, 3)\nprint(tf.Session().run(b))\n")
    assert "print(b.numpy())" in after
