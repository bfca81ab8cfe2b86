"""Blank lines of a file in which functions were written."""

from __future__ import annotations

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.engine.source import apply
from migrate.rewriters.sessions.convert import convert
from migrate.rewriters.sessions.lines import CLOSE, OPEN, by_cell, tidy
from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf


def fit(xs):
  '''Fit.
  \n\
  More.
  '''
  x = tf.placeholder(tf.float32, [None, 2])
  \n\
  w = tf.Variable(tf.zeros([2, 1]))
  loss = tf.reduce_mean(tf.matmul(x, w))
  \n\
  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    \n\
    print(sess.run(loss, {x: xs}), '''a
    \n\
b''')


fit([[1., 2.]])
"""


def test_lines_of_blanks_stay_in_strings_and_elsewhere() -> None:
    document = read("program.py", PROGRAM.encode())
    text = apply(document.text, convert(document, names_of(document), "tf").edits)
    assert "'''Fit.\n  \n  More.\n  '''" in text
    assert "'''a\n    \nb'''" in text
    assert "tf.TensorSpec([None, 2], tf.float32)\n  \n  w" in text
    assert "compute_loss" in text


def test_new_blank_lines_are_empty() -> None:
    assert tidy(f"a\n  \n{OPEN}2\nb\n{CLOSE}1\nc\n") == "a\n  \n\nb\n\nc\n"
    assert tidy("a\n \n\t\nb") == "a\n \n\t\nb\n"


def test_comments_below_the_header_of_a_session_go_with_its_first_statement() -> None:
    source = (
        "import tensorflow as tf\n\nx = tf.placeholder(tf.float32, [2])\ny = x * 2.0\n\n\n"
        "def main():\n    with tf.Session() as sess:\n        # first\n\n        # second\n"
        "        a = 1\n        print(sess.run(y, {x: [a, 2.0]}))\n\n\nmain()\n"
    )
    text = after(source)
    assert "def main():\n    # first\n\n    # second\n    a = 1\n    print(compute_y(" in text


def test_a_branch_that_goes_at_the_end_of_a_method() -> None:
    program = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, path=None):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.Variable(tf.ones([3, 1]), name="w")
        self.session = tf.Session()
        self.y = tf.matmul(self.x, self.w)
        self.saver = tf.train.Saver()
        if path:
            # What was saved
            self.session.run(tf.global_variables_initializer())
            self.saver.restore(self.session, path)
        else:
            # All anew
            self.session.run(tf.global_variables_initializer())

    def run(self, x):
        return self.session.run(self.y, {self.x: x})


print(Net().run(np.ones([2, 3])))
"""
    text = after(program)
    assert "            # What was saved\n            self.saver.read(path)" in text
    assert "else:" not in text.partition("class Net")[2]


def test_what_changes_nothing_leaves_carriage_returns_alone() -> None:
    source = (
        "import tensorflow as tf\n"
        "names = tf.train.string_input_producer(['a', 'b'], shuffle=False)\n"
        "_, line = tf.TextLineReader().read(names)\n"
        "lines = tf.train.batch([line], \\\n"
        "                       2)\n"
        "it = tf.data.Dataset.range(3).make_initializable_iterator()\n"
        "with tf.Session() as sess:\n"
        "    coord = tf.train.Coordinator()\n"
        "    threads = tf.train.start_queue_runners(sess, coord)\n"
        "    for _ in range(3):\n"
        "        print(sess.run(lines))\n"
        "    coord.request_stop()\n"
        "    coord.join(threads)\n"
    )
    text = after(source)
    assert ".batch(2, drop_remainder=True)" in text
    assert after(source.replace("\n", "\r\n")) == text.replace("\n", "\r\n")
    document = read("a.py", source.replace("\n", "\r\n").encode())
    assert not list(by_cell(document, []))
