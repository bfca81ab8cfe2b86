"""What is read of a feed dict by its placeholder; names of parts of a graph that are deleted."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import HEAD, after, body, stopped

FEED = HEAD + "feed = {x: data}\nprint(sess.run(loss, feed))\n"


def test_an_item_is_what_is_fed() -> None:
    text = after(FEED + "print(feed[x].T, len(feed[x]))\n")
    assert 'print(feed["x"].T, len(feed["x"]))' in text


def test_an_item_of_what_a_function_makes() -> None:
    text = body(
        """\
        def feed(k):
            return {x: data * k}
        for k in range(3):
            fed = feed(k)
            print(sess.run(loss, fed))
            for row in fed[x].T:
                print(row)
        """
    )
    assert 'for row in fed["x"].T:' in text


@pytest.mark.parametrize(
    "tail",
    [
        "print(feed[y])\n",  # which isn't fed
        "print(feed['x'])\n",  # TF 1 has no such key
        "for key in feed:\n    print(feed[key])\n",
        "if len(data) > 9:\n    feed[y] = data\nprint(feed[y])\n",
    ],
)
def test_what_isnt_an_item_by_its_placeholder_keeps_the_session(tail: str) -> None:
    stopped(FEED + tail)


DELETED = HEAD.replace("loss = ", "z = tf.nn.relu(y)\nloss = ")


def test_a_name_that_nobody_reads_any_more_goes() -> None:
    text = after(DELETED + "del z\nprint(sess.run(loss, {x: data}))\n")
    assert "del" not in text
    assert "del n" in after(DELETED + "n = 3\ndel n\nprint(sess.run(loss, {x: data}))\n")


@pytest.mark.parametrize(
    "tail",
    [
        "del z\ntry:\n    z\nexcept NameError:\n    print('gone')\n",
        "def look():\n    return sess.run(z, {x: data})\nlook()\ndel z\n",
        "del z\nprint('z' in globals())\n",
        "if len(data) > 2:\n    del z\n",
        "for k in range(1):\n    del z\n",
        "n = 1\nboth = [z, n]\ndel both[0]\n",
    ],
)
def test_a_name_that_may_be_read_keeps_the_session(tail: str) -> None:
    stopped(DELETED + tail + "print(sess.run(loss, {x: data}))\n")
