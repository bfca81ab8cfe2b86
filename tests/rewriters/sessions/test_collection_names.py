"""Collections of one's own that have a name in Python, and variables of `tf.Variable` in them."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

{name}
x = tf.placeholder(tf.float32, [None, 2])
noise = tf.Variable(tf.zeros([2]), {put}trainable=False)
w = tf.get_variable('w', [2, 1])
loss = tf.reduce_mean(tf.matmul(x + noise, w))
listed = tf.get_collection({key})
more = [v.assign(v + 1) for v in listed]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(more)
    print(sess.run(loss, {{x: [[1, 2]]}}))
{tail}"""
NAME = "NOISE = 'noise'"
EVERY = "tf.GraphKeys.GLOBAL_VARIABLES"
PUT = f"collections=[{EVERY}, NOISE], "


def program(name: str = NAME, put: str = PUT, key: str = "NOISE", tail: str = "") -> str:
    return PROGRAM.format(name=name, put=put, key=key, tail=tail)


@pytest.mark.parametrize(
    ("name", "put", "key"),
    [
        (NAME, PUT, "NOISE"),
        (NAME, PUT, "'noise'"),
        (NAME, PUT.replace("NOISE", "'noise'"), "NOISE"),
        (f"{NAME}\nboth = ({EVERY}, NOISE)", "collections=both, ", "NOISE"),
    ],
)
def test_a_name_goes_with_the_collection(name: str, put: str, key: str) -> None:
    text = after(program(name, put, key))
    assert "NOISE" not in text
    assert "noise = tf.Variable(tf.zeros([2]), trainable=False)\n" in text
    assert "listed = [noise]\n" in text


def test_a_last_argument_goes() -> None:
    put = f"trainable=False, collections=[{EVERY}, 'noise']"
    text = after(program("", "", "'noise'").replace("trainable=False", put))
    assert "noise = tf.Variable(tf.zeros([2]), trainable=False)\n" in text


def test_a_name_that_is_read_stays() -> None:
    text = after(program(tail="print(NOISE)\n"))
    assert text.startswith("import tensorflow as tf\n\nNOISE = 'noise'\n")
    assert "listed = [noise]\n" in text


@pytest.mark.parametrize(
    "name",
    [
        "NOISE = 'noise'\nNOISE = 'other'",
        "NOISE = read()",
        "if fast:\n    NOISE = 'noise'",
        "for NOISE in ['noise']:\n    pass",
    ],
)
def test_a_name_that_isnt_told_keeps_the_session(name: str) -> None:
    assert stopped(program(name)).endswith("a collection isn't followed yet")


def test_what_isnt_among_all_variables_keeps_the_session() -> None:
    assert "isn't followed" in stopped(program(put="collections=[NOISE], "))
