"""Supervisors and monitored sessions: sessions of the program's own, or the reason why not."""

from __future__ import annotations

import pytest

from migrate.engine.analysis import names_of
from migrate.engine.document import read
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import with_iterators


def _sessions(source: str) -> str:
    document = read("program.py", ("import tensorflow as tf\n" + source).encode())
    return with_iterators(document, names_of(document)).text.partition("\n")[2]


INIT = "sess.run(tf.global_variables_initializer())\n"


def test_a_supervisor_without_a_folder_only_initialises() -> None:
    text = _sessions(
        "# looks after it\nsv = tf.train.Supervisor()\n"
        "with sv.managed_session(config=c) as sess:\n    # go\n    while not sv.should_stop():\n"
        "        f(sess)\n    sv.stop()\n"
    )
    assert text == (
        f"with tf.Session(config=c) as sess:\n    {INIT}    # go\n"
        "    while True:\n        f(sess)\n"
    )


def test_its_saver_is_a_saver() -> None:
    text = _sessions(
        "sv = tf.train.Supervisor(graph=g)\nwith sv.managed_session() as sess:\n"
        "    sv.saver.restore(sess, path)\n"
    )
    assert text == (
        "saver = tf.train.Saver()\nwith tf.Session() as sess:\n"
        f"    {INIT}    saver.restore(sess, path)\n"
    )


def test_a_folder_is_restored_from() -> None:
    text = _sessions(
        "import os\nsv = tf.train.Supervisor(logdir=d, save_model_secs=0, init_op=init)\n"
        "sess = sv.prepare_or_wait_for_session()\nsv.saver.save(sess, sv.save_path)\n"
    )
    assert text == (
        "import os\nsaver = tf.train.Saver()\nsess = tf.Session()\nsess.run(init)\n"
        "checkpoint = tf.train.latest_checkpoint(d)\nif checkpoint:\n"
        "    saver.restore(sess, checkpoint)\n"
        'saver.save(sess, os.path.join(d, "model.ckpt"))\n'
    )


@pytest.mark.parametrize("kind", ["MonitoredTrainingSession", "SingularMonitoredSession"])
def test_a_monitored_session_that_only_runs(kind: str) -> None:
    text = _sessions(
        f"with tf.train.{kind}(hooks=[]) as sess:\n    while not sess.should_stop():\n"
        "        sess.run(x)\n"
    )
    assert text == (f"with tf.Session() as sess:\n    {INIT}    while True:\n        sess.run(x)\n")


def test_a_monitored_session_under_a_name() -> None:
    text = _sessions("sess = tf.train.MonitoredSession()\nsess.run(x)\nsess.close()\n")
    assert text == f"sess = tf.Session()\n{INIT}sess.run(x)\nsess.close()\n"


WITH = "with sv.managed_session() as sess:\n    pass\n"
BLOCKED = {
    "checkpoints by the clock": ("sv = tf.train.Supervisor(logdir='d')\n" + WITH, 2, "the clock"),
    "summaries by the clock": (
        "tf.summary.scalar('x', x)\nsv = tf.train.Supervisor(logdir='d', save_model_secs=0)\n"
        + WITH,
        3,
        "summaries by the clock",
    ),
    "one of several": (
        "sv = tf.train.Supervisor(is_chief=task == 0)\n" + WITH,
        2,
        "whether this process is the chief",
    ),
    "a server's": (
        "with tf.train.MonitoredTrainingSession(server.target) as sess:\n    pass\n",
        2,
        "on a server",
    ),
    "hooks": (
        "with tf.train.MonitoredSession(hooks=hooks) as sess:\n    pass\n",
        2,
        "with hooks",
    ),
    "files": (
        "with tf.train.MonitoredTrainingSession(checkpoint_dir=d) as sess:\n    pass\n",
        2,
        "saves and logs",
    ),
    "data that end": (
        "x = it.get_next()\nwith tf.train.MonitoredTrainingSession() as sess:\n    pass\n",
        3,
        "the end of the data",
    ),
    "its loop": (
        "sv = tf.train.Supervisor()\nsv.loop(9, f)\n" + WITH,
        3,
        "`sv` is used in another way",
    ),
    "an init function": (
        "sv = tf.train.Supervisor(init_fn=f)\n" + WITH,
        2,
        "`init_fn` of a Supervisor",
    ),
    "no name": ("tf.train.Supervisor()\n", 2, "isn't kept under a name"),
}


@pytest.mark.parametrize("case", BLOCKED)
def test_what_else_they_do_keeps_the_session(case: str) -> None:
    source, line, reason = BLOCKED[case]
    with pytest.raises(Blocked) as caught:
        _sessions(source)
    assert reason in caught.value.reason
    assert getattr(caught.value.node, "lineno", 0) == line
