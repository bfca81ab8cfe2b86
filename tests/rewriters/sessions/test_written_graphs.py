"""The graph that a FileWriter is given: a function's is written, or it is said that none is."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

BUILD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.ones([3, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
"""
RUN = """\
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {x: [[1., 2., 3.]]}))
    sess.run(train, {x: [[1., 2., 3.]]})
"""
GRAPH = "tf.summary.graph(train_step.get_concrete_function().graph)"


def upgrade(source: str) -> tuple[str, list[str]]:
    """What a native program became, and what was said of it."""
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    return (result.after or b"").decode(), [f.message for f in result.fixed]


@pytest.mark.parametrize(
    ("line", "written"),
    [
        (
            "writer = tf.summary.FileWriter('logs', sess.graph)",
            "writer = tf.summary.create_file_writer('logs')\nwith writer.as_default():\n    ",
        ),
        (
            "writer = tf.summary.FileWriter('logs', graph=tf.get_default_graph())",
            "writer = tf.summary.create_file_writer('logs')\nwith writer.as_default():\n    ",
        ),
        (
            "writer = tf.summary.FileWriter('logs', loss.graph)",
            "writer = tf.summary.create_file_writer('logs')\nwith writer.as_default():\n    ",
        ),
        (
            "writer = tf.summary.FileWriter('logs')\n    writer.add_graph(sess.graph)",
            "writer = tf.summary.create_file_writer('logs')\nwith writer.as_default():\n    ",
        ),
    ],
)
def test_the_graph_of_the_function_of_most_steps_is_written(line: str, written: str) -> None:
    text, said = upgrade(
        f"{BUILD}with tf.Session() as sess:\n    {line}\n{RUN}    writer.close()\n"
    )
    assert f"{written}{GRAPH}\n" in text
    assert text.endswith("writer.close()\n")
    assert not [message for message in said if "no graph" in message]


def test_a_writer_in_a_block_takes_its_indent() -> None:
    body = (
        f"{BUILD}with tf.Session() as sess:\n    writer = tf.summary.FileWriter('l', sess.graph)\n"
    )
    source = "import tensorflow as tf\n\n\ndef main():\n" + "".join(
        f"    {line}\n" for line in (body.partition("\n\n")[2] + RUN).splitlines()
    )
    text, _ = upgrade(source + "\n\nmain()\n")
    assert f"    with writer.as_default():\n        {GRAPH}\n" in text


def test_a_class_writes_the_graph_of_the_function_that_a_method_runs() -> None:
    text, _ = upgrade("""\
import tensorflow as tf


class Model:
    def __init__(self, sess):
        self.sess = sess
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.Variable(tf.ones([3, 1]))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w)))
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def fit(self, rows):
        self.sess.run(tf.global_variables_initializer())
        self.writer = tf.summary.FileWriter('logs', self.sess.graph)
        print(self.sess.run([self.train_op, self.loss], {self.x: rows})[1])


with tf.Session() as sess:
    Model(sess).fit([[1., 2., 3.]])
""")
    assert "with self.writer.as_default():\n            tf.summary.graph(self.train_step." in text


@pytest.mark.parametrize(
    "line",
    [
        "tf.summary.FileWriter('logs', sess.graph)",  # no name to write with
        "for i in range(2):\n        writer = tf.summary.FileWriter('logs%d' % i, sess.graph)",
    ],
)
def test_what_isn_t_written_is_said(line: str) -> None:
    text, said = upgrade(f"{BUILD}with tf.Session() as sess:\n    {line}\n{RUN}")
    assert "summary.graph" not in text
    assert [message for message in said if "no graph is written here" in message]


def test_a_writer_before_the_functions_writes_none_and_says_so() -> None:
    head, build = BUILD.split("\n\n", 1)
    writer = "writer = tf.summary.FileWriter('logs', tf.get_default_graph())\n"
    text, said = upgrade(f"{head}\n\n{writer}{build}with tf.Session() as sess:\n{RUN}")
    assert "summary.graph" not in text
    assert [message for message in said if "no graph is written here" in message]


AGENT = """\
import tensorflow as tf


class Agent:
    def __init__(self, rate):
        self.x = tf.placeholder(tf.float32, [None, 2])
        w = tf.Variable(tf.zeros([2, 1]))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w) - 1.0))
        self.step = tf.train.GradientDescentOptimizer(rate).minimize(self.loss)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
        tf.summary.FileWriter('logs', self.sess.graph)

    def learn(self, x):
        return self.sess.run([self.step, self.loss], {self.x: x})[1]
"""


def test_a_class_of_several_programs_writes_its_graph() -> None:
    run = "from agent import Agent\n\nprint(Agent({}).learn([[1.0, 2.0]]))\n"
    files = {"agent.py": AGENT, "first.py": run.format("0.1"), "second.py": run.format("0.2")}
    results = texts({k: v.encode() for k, v in files.items()}, Options())
    levels = {r.path: r.level for r in results}
    assert levels["agent.py"] is Level.NATIVE, [f.message for r in results for f in r.left]
