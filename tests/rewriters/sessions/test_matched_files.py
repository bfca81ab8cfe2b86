"""`tf.train.match_filenames_once` as the op that finds files."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

MADE
lines = tf.data.TextLineDataset(files).make_initializable_iterator()
line = lines.get_next()
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    sess.run(lines.initializer)
    print(sess.run(line), sess.run(files))
"""
FILES = "files = tf.train.match_filenames_once('*.txt')"


def test_the_names_are_found_once() -> None:
    text = after(PROGRAM.replace("MADE", FILES))
    assert "files = tf.io.matching_files('*.txt')\n" in text
    assert "print(next(lines), files.numpy())" in text


@pytest.mark.parametrize(
    "made",
    [
        f"for i in range(2):\n    {FILES}",
        f"def find():\n    {FILES}\n    return files\n\nfiles = find()",
        "find = tf.train.match_filenames_once\nfiles = find('*.txt')",
    ],
)
def test_elsewhere_it_keeps_the_session(made: str) -> None:
    assert "match_filenames_once" in stopped(PROGRAM.replace("MADE", made))
