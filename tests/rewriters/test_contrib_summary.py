"""`tf.contrib.summary` in a session: writers, and what asks for them, are of one module."""

from __future__ import annotations

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

tf.train.create_global_step()
writer = tf.contrib.summary.create_file_writer("logs")
with writer.as_default(), tf.contrib.summary.always_record_summaries():
    tf.contrib.summary.scalar("a", 3.0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        tf.contrib.summary.initialize(session=session)
        session.run(tf.contrib.summary.all_summary_ops())
"""


def test_a_session_opens_the_writers_of_the_shim() -> None:
    (result,) = texts({"a.py": PROGRAM.encode()}, Options(level=Level.COMPAT))
    assert result.after is not None
    lines = result.after.decode().splitlines()
    assert "        tf1_shim.contrib.summary.initialize(session=session)" in lines
    assert "        session.run(tf1_shim.contrib.summary.all_summary_ops())" in lines
