"""Graphs that are read from the checkpoint that the program has saved itself."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped, upgrade

PROGRAM = """\
import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.Variable(tf.ones([2, 1]), name="w")
    y = tf.matmul(x, w, name="y")

path = "log/model"
with tf.Session(graph=graph) as sess:
    sess.run(tf.global_variables_initializer())
    saver = tf.train.Saver()
    saver.save(sess, path)

loaded = tf.Graph()
with tf.Session(graph=loaded) as sess:
    loader = tf.train.import_meta_graph(path + ".meta")
    loader.restore(sess, path)
    inputs = loaded.get_tensor_by_name("x:0")
    outputs = loaded.get_tensor_by_name("y:0")
    print(sess.run(outputs, {inputs: [[1.0, 2.0]]}))
"""
READ = 'tf.train.import_meta_graph(path + ".meta")'
RESTORE = "loader.restore(sess, path)"
META = "a graph is read from a checkpoint's .meta file"


def test_it_is_the_graph_that_was_saved() -> None:
    text = after(PROGRAM)
    assert "saver.read(path)" in text
    assert "loader" not in text
    assert "loaded" not in text
    assert "print(predict([[1.0, 2.0]]).numpy())" in text


@pytest.mark.parametrize(
    ("read", "restore"),
    [
        ('tf.train.import_meta_graph("log/model.meta")', 'loader.restore(sess, "./log/model")'),
        ('tf.train.import_meta_graph("{}.meta".format(path))', RESTORE),
        (READ, 'loader.restore(sess, tf.train.latest_checkpoint("log"))'),
    ],
)
def test_the_path_in_other_words(read: str, restore: str) -> None:
    after(PROGRAM.replace(READ, read).replace(RESTORE, restore))


def test_the_default_graph() -> None:
    head, tail = PROGRAM.split("path =", 1)
    head = head.replace("graph = tf.Graph()\nwith graph.as_default():\n", "").replace("    ", "")
    assert "saver.read(path)" in after(f"{head}path ={tail}".replace("graph=graph", ""))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("loaded = tf.", "tf.reset_default_graph()\nloaded = tf."),
        ("with tf.Session()", "with tf.Graph().as_default(), tf.Session()"),
    ],
)
def test_another_default_graph(old: str, new: str) -> None:
    head, tail = PROGRAM.split("path =", 1)
    head = head.replace("graph = tf.Graph()\nwith graph.as_default():\n", "").replace("    ", "")
    text = f"{head}path ={tail}".replace("graph=graph", "")
    assert old in text
    stopped(text.replace(old, new))


def test_in_a_function_where_another_saver_is_needed() -> None:
    head, tail = PROGRAM.split("\nloaded =")
    saved = head[head.index("with tf.Session") :]
    inside = "def save():\n    " + saved.replace("\n", "\n    ").rstrip() + "\n\n\nsave()\n"
    text = after(head.replace(saved, inside) + "\nloaded =" + tail)
    assert "loader = tf.train.Checkpoint(" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (READ, 'tf.train.import_meta_graph("other.meta")'),
        (READ, 'tf.train.import_meta_graph(path + "-7.meta")'),
        (RESTORE, 'loader.restore(sess, "other")'),
        (RESTORE, 'loader.restore(sess, tf.train.latest_checkpoint("other"))'),
        (RESTORE, f"{RESTORE}\n    print(loader)"),
        ("saver.save(sess, path)", "saver.save(sess, path, global_step=3)"),
        ("tf.train.Saver()", "tf.train.Saver([w])"),
        ("loaded = ", "path = input()\nloaded = "),
        ('"log/model"', "input()\npath = input()"),
        ("    inputs =", "    print(loaded.get_operations())\n    inputs ="),
        ("loaded = tf.Graph()", "loaded = tf.Graph() if path else graph"),
        ("loaded = ", "graph = tf.Graph()\nloaded = "),
        ("tf.Session(graph=loaded)", "loaded.as_default(), tf.Session()"),
    ],
)
def test_what_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert META in stopped(PROGRAM.replace(old, new))


CALLED = """\
def check():
    loaded = tf.Graph()
    with tf.Session(graph=loaded) as sess:
        loader = tf.train.import_meta_graph(path + ".meta")
        loader.restore(sess, path)
        inputs = loaded.get_tensor_by_name("x:0")
        print(sess.run(loaded.get_tensor_by_name("y:0"), {inputs: [[1.0, 2.0]]}))


"""


TRAINED = """\
def train():
    with tf.Session(graph=graph) as sess:
        sess.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        saver.save(sess, path)
        sess.run(y, {x: [[1.0, 2.0]]})


"""


def test_a_function_that_is_called_where_no_session_is_open() -> None:
    head, _ = PROGRAM.split("with tf.Session", 1)
    assert "loader = tf.train.Checkpoint(" in after(f"{head}{TRAINED}{CALLED}train()\ncheck()\n")


def test_what_it_restores_would_be_seen_in_an_open_session() -> None:
    head, _ = PROGRAM.split("with tf.Session", 1)
    inside = TRAINED.replace("        sess.run(y", "        check()\n        sess.run(y")
    assert META in stopped(f"{head}{inside}{CALLED}train()\n")


def test_a_session_that_no_with_statement_closes() -> None:
    text = PROGRAM.replace("loaded = tf", "other = tf.Session(graph=graph)\nloaded = tf")
    stopped(f"{text}print(other.run(w))\n")


def test_two_graphs_are_saved_there() -> None:
    save = "    saver.save(sess, path)\n"
    other = save + "with tf.Session(graph=tf.Graph()) as sess:\n    v = tf.Variable(1.0)\n"
    other += "    other = tf.train.Saver()\n    other.save(sess, path)\n"
    stopped(PROGRAM.replace(save, other))


@pytest.mark.parametrize("shared", ["loaded = tf.Graph(); n = 3", "n = 3; loaded = tf.Graph()"])
def test_what_stands_beside_a_statement_that_goes_is_not_lost(shared: str) -> None:
    source = PROGRAM.replace("loaded = tf.Graph()", shared)
    result = upgrade(source + "print(n)\n")
    assert b"\nn = 3\n" in (result.after or b"")
