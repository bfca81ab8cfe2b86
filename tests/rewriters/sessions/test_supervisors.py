"""Supervisors and monitored sessions: sessions of the program's own, or the reason why not."""

from __future__ import annotations

import pytest

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import with_iterators
from migrate.rewriters.sessions.queues.monitored import with_plain_sessions
from migrate.rewriters.sessions.queues.quiet import with_quiet_ends


def _sessions(source: str) -> str:
    document = read("program.py", ("import tensorflow as tf\n" + source).encode())
    for step in (with_quiet_ends, with_plain_sessions, with_iterators):
        document = step(document, names_of(document))
    return document.text.partition("import tensorflow as tf\n")[2]


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
    assert text == (
        f"with tf.Session() as sess:\n    {INIT}    try:\n        while True:\n"
        "            sess.run(x)\n    except tf.errors.OutOfRangeError:\n        pass\n"
    )


def test_a_monitored_session_under_a_name() -> None:
    text = _sessions("sess = tf.train.MonitoredSession()\nsess.run(x)\nsess.close()\n")
    assert text == f"sess = tf.Session()\n{INIT}sess.run(x)\nsess.close()\n"


def test_its_checkpoints_by_the_clock_stand_where_a_round_begins() -> None:
    text = _sessions(
        "step = tf.Variable(0, name='global_step')\n"
        "sv = tf.train.Supervisor(logdir='d/', save_model_secs=60, init_fn=load)\n"
        "with sv.managed_session() as sess:\n    for epoch in range(2):\n"
        "        for i in range(9):\n            # one\n            sess.run(x)\n"
    )
    assert text == (
        "step = tf.Variable(0, name='global_step')\nsaver = tf.train.Saver()\n"
        f"with tf.Session() as sess:\n    {INIT}"
        "    checkpoint = tf.train.latest_checkpoint('d/')\n    if checkpoint:\n"
        "        saver.restore(sess, checkpoint)\n    else:\n        load(sess)\n"
        "    next_save = time.time() + 60 if checkpoint else 0\n"
        "    for epoch in range(2):\n        for i in range(9):\n"
        "            if time.time() >= next_save:\n"
        "                saver.save(sess, 'd/model.ckpt', global_step=step)\n"
        "                next_save = time.time() + 60\n"
        "            # one\n            sess.run(x)\n"
    )


def test_what_only_restores_stands_where_it_is_called() -> None:
    text = _sessions(
        'saver = tf.train.Saver(v)\ndef restore_fn(s):\n    """Restores."""\n'
        "    return saver.restore(s, path)\n"
        "sv = tf.train.Supervisor(init_fn=restore_fn)\n" + WITH
    )
    assert text == (
        f"saver = tf.train.Saver(v)\nwith tf.Session() as sess:\n    {INIT}"
        "    saver.restore(sess, path)\n    pass\n"
    )


def test_its_summary_writer_is_one() -> None:
    text = _sessions(
        "step = tf.train.create_global_step()\n"
        "sv = tf.train.Supervisor(logdir='d', saver=None, summary_op=None)\n"
        "with sv.managed_session() as sess:\n    s = sess.run(x)\n"
        "    sv.summary_computed(sess, s)\n    sv.summary_computed(sess, s, 7)\n"
        "    sv.summary_writer.flush()\n"
    )
    assert text == (
        "step = tf.train.create_global_step()\nsummary_writer = tf.summary.FileWriter('d')\n"
        f"with tf.Session() as sess:\n    {INIT}    s = sess.run(x)\n"
        "    summary_writer.add_summary(s, sess.run(step))\n"
        "    summary_writer.add_summary(s, 7)\n    summary_writer.flush()\n"
    )


LOOP = """\
with sv.managed_session() as sess:
    for epoch in range(3):
        for i in range(9):
            sess.run(train)
        print(sess.run(loss))
"""


def test_summaries_by_the_clock_are_written_where_a_round_begins() -> None:
    text = _sessions(
        "step = tf.train.create_global_step()\ntf.summary.scalar('x', x)\n"
        f"sv = tf.train.Supervisor(logdir='d', save_model_secs=0, save_summaries_secs=60)\n{LOOP}"
    )
    assert (
        "summary_writer = tf.summary.FileWriter('d')\nsummary_op = tf.summary.merge_all()\n" in text
    )
    assert "    next_summary = 0\n    for epoch in range(3):\n        for i in range(9):\n" in text
    assert (
        "            if time.time() >= next_summary:\n"
        "                summary_writer.add_summary(sess.run(summary_op), sess.run(step))\n"
        "                next_summary = time.time() + 60\n            sess.run(train)\n"
    ) in text


def test_the_summaries_that_a_supervisor_is_told() -> None:
    text = _sessions(
        "merged = tf.summary.merge([tf.summary.scalar('x', x)])\n"
        f"sv = tf.train.Supervisor(logdir='d', summary_op=merged, save_model_secs=0)\n{LOOP}"
    )
    assert "summary_writer.add_summary(sess.run(merged))\n" in text
    assert "next_summary = time.time() + 120\n" in text
    assert "merge_all" not in text


def test_its_op_of_all_summaries_and_its_step() -> None:
    use = (
        "with sv.managed_session() as sess:\n    a, b = sess.run([sv.summary_op, sv.global_step])\n"
    )
    step = "step = tf.train.create_global_step()\n"
    text = _sessions(f"{step}sv = tf.train.Supervisor()\n{use}")
    assert "summary_op = tf.summary.merge_all()\n" in text
    assert "sess.run([summary_op, step])\n" in text
    text = _sessions(f"{step}sv = tf.train.Supervisor(summary_op=m, global_step=n)\n{use}")
    assert "merge_all" not in text
    assert "sess.run([m, n])\n" in text
    for other in ("summary_op=None", "global_step=None"):
        with pytest.raises(Blocked, match="used in another way"):
            _sessions(f"{step}sv = tf.train.Supervisor({other})\n{use}")


def test_the_step_of_the_one_object_that_makes_it() -> None:
    source = (
        "class Net:\n    def __init__(self):\n"
        "        self.step = tf.Variable(0, name='global_step', trainable=False)\n"
        "net = Net()\ntf.summary.scalar('x', x)\n"
        f"sv = tf.train.Supervisor(logdir='d', save_model_secs=0)\n{LOOP}"
    )
    assert "sess.run(net.step))\n" in _sessions(source)
    with pytest.raises(Blocked, match="which have no one name"):
        _sessions(source.replace("net = Net()", "net, other = Net(), Net()"))


def test_a_folder_that_may_be_none_is_asked_for() -> None:
    text = _sessions(
        "FLAGS = define()\nflags.DEFINE_string('d', None, 'where')\n"
        f"sv = tf.train.Supervisor(logdir=FLAGS.d)\n{LOOP}"
    )
    assert "    checkpoint = tf.train.latest_checkpoint(FLAGS.d) if FLAGS.d else None\n" in text
    assert "            if FLAGS.d and time.time() >= next_save:\n" in text


WITH = "with sv.managed_session() as sess:\n    pass\n"
BLOCKED = {
    "checkpoints by the clock": (
        "sv = tf.train.Supervisor(logdir='d')\n" + WITH,
        3,
        "the clock, in no one loop",
    ),
    "checkpoints by the clock, elsewhere": (
        "sv = tf.train.Supervisor(logdir='d')\nwith sv.managed_session() as sess:\n"
        "    for i in range(9):\n        train(sess)\n",
        3,
        "the clock, in no one loop",
    ),
    "a folder that may be none, computed": (
        "sv = tf.train.Supervisor(logdir=d or None)\n" + WITH,
        2,
        "whether there is a folder",
    ),
    "a folder that may be none, and its writer": (
        "d = None\nsv = tf.train.Supervisor(logdir=d, save_model_secs=0)\n"
        "sv.summary_writer.flush()\n" + WITH,
        4,
        "whether there is a folder",
    ),
    "a folder that may be none, with summaries": (
        "tf.summary.scalar('x', x)\nd = None\nsv = tf.train.Supervisor(logdir=d)\n" + WITH,
        4,
        "summaries by the clock",
    ),
    "summaries by the clock, in no loop": (
        "tf.summary.scalar('x', x)\nsv = tf.train.Supervisor(logdir='d', save_model_secs=0)\n"
        + WITH,
        4,
        "in no one loop",
    ),
    "summaries by the clock, of two loops": (
        "tf.summary.scalar('x', x)\nsv = tf.train.Supervisor(logdir='d', save_model_secs=0)\n"
        "with sv.managed_session() as sess:\n    for i in range(9):\n        sess.run(t)\n"
        "    for i in range(9):\n        sess.run(u)\n",
        4,
        "in no one loop",
    ),
    "summaries by the clock, of a session that is handed on": (
        "tf.summary.scalar('x', x)\nsv = tf.train.Supervisor(logdir='d', save_model_secs=0)\n"
        "sess = sv.prepare_or_wait_for_session()\n",
        4,
        "summaries by the clock",
    ),
    "summaries by the clock, into a writer of its own": (
        "tf.summary.scalar('x', x)\n"
        "sv = tf.train.Supervisor(logdir='d', save_model_secs=0, summary_writer=w)\n" + WITH,
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
        "`hooks`, of a session's hooks, is used in another way",
    ),
    "another hook": (
        "with tf.train.MonitoredSession(hooks=[tf.train.ProfilerHook(9)]) as sess:\n    pass\n",
        2,
        "a hook that isn't followed",
    ),
    "files without a loop": (
        "with tf.train.MonitoredTrainingSession(checkpoint_dir='d') as sess:\n    sess.run(x)\n",
        2,
        "whose one run isn't a statement of one loop",
    ),
    "two runs": (
        "step = tf.train.get_or_create_global_step()\n"
        "with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(9)]) as sess:\n"
        "    while not sess.should_stop():\n        sess.run(x)\n        sess.run(y)\n",
        3,
        "whose one run isn't a statement of one loop",
    ),
    "a round that ends early": (
        "step = tf.train.get_or_create_global_step()\n"
        "with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(9)]) as sess:\n"
        "    while not sess.should_stop():\n        if f():\n            continue\n"
        "        sess.run(x)\n",
        6,
        "a round under hooks that ends early",
    ),
    "two counts": (
        "step = tf.train.get_or_create_global_step()\na = o.minimize(x, global_step=step)\n"
        "b = o.minimize(y, global_step=step)\n"
        "with tf.train.MonitoredTrainingSession(checkpoint_dir=d, save_checkpoint_steps=9) as s:\n"
        "    for i in range(9):\n        s.run([a, b])\n",
        7,
        "which no one train op counts",
    ),
    "a loop's next element": (
        "step = tf.train.get_or_create_global_step()\n"
        "with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(9)]) as sess:\n"
        "    for i in range(20):\n        if sess.should_stop():\n            break\n"
        "        sess.run(x)\nprint(i)\n",
        4,
        "next element is taken before a hook ends it",
    ),
    "no count": (
        "with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(9)]) as sess:\n"
        "    while not sess.should_stop():\n        sess.run(x)\n",
        4,
        "no one name",
    ),
    "names of the graph": (
        "h = tf.train.LoggingTensorHook(['loss:0'], every_n_iter=9)\n"
        "with tf.train.MonitoredSession(hooks=[h]) as sess:\n"
        "    while not sess.should_stop():\n        sess.run(x)\n",
        2,
        "under names that the graph gives",
    ),
    "a hook that stops": (
        "class H(tf.train.SessionRunHook):\n    def after_run(self, context, values):\n"
        "        context.request_stop()\n"
        "with tf.train.MonitoredSession(hooks=[H()]) as sess:\n"
        "    while not sess.should_stop():\n        sess.run(x)\n",
        4,
        "a hook that uses the session, or stops it",
    ),
    "a hook that asks now and then": (
        "class H(tf.train.SessionRunHook):\n    def before_run(self, context):\n"
        "        if self.f():\n            return tf.train.SessionRunArgs(x)\n"
        "with tf.train.MonitoredSession(hooks=[H()]) as sess:\n"
        "    while not sess.should_stop():\n        sess.run(x)\n",
        5,
        "doesn't always ask for the same",
    ),
    "its loop": (
        "sv = tf.train.Supervisor()\nsv.loop(9, f)\n" + WITH,
        3,
        "`sv` is used in another way",
    ),
    "an init function": (
        "sv = tf.train.Supervisor(init_fn=make())\n" + WITH,
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
