"""What Python calls inside of what is fetched: once, above the statement."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import io
import tensorflow as tf

file = io.BytesIO(b"abcdef")
with file as raw:
    with tf.Session() as sess:
        image = sess.run(tf.decode_raw(raw.read(), tf.uint8))
        print(image.sum())
"""


def test_a_call_gets_a_name_and_the_block_of_the_file_stays() -> None:
    text = after(PROGRAM)
    assert "with file as raw:\n    contents = raw.read()\n" in text
    assert "    image = tf.io.decode_raw(contents, tf.uint8).numpy()\n" in text


@pytest.mark.parametrize(
    "body",
    [
        "image = sess.run(tf.decode_raw(raw.read() if raw else b'', tf.uint8))",
        "image = raw.tell() + sess.run(tf.decode_raw(raw.read(), tf.uint8))",
        "image = [sess.run(tf.decode_raw(raw.read(1), tf.uint8)) for _ in 'ab'][0]",
        "while sess.run(tf.decode_raw(raw.read(1), tf.uint8)).size:\n            image = raw",
    ],
)
def test_calls_that_come_later_or_not_once_keep_the_session(body: str) -> None:
    source = PROGRAM.replace("image = sess.run(tf.decode_raw(raw.read(), tf.uint8))", body)
    assert "`raw.read` is called" in stopped(source)
