"""Lists of tensors: an object's, those that nobody reads, those that have two names."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Net:
    def __init__(self, size):
        self.x = tf.placeholder(tf.float32, [None, size])
        self.w = tf.Variable(tf.ones([size, size]))
        self.steps = []
        {first}
        self.grow()
        self.y = tf.reduce_sum({read})

    def grow(self):
        for _ in range(3):
            h = tf.matmul(self.x, self.w)
            {more}


net = Net(2)
{behind}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run({fetched}, {{net.x: [[1.0, 2.0]]}}))
"""
PLAIN = {
    "first": "self.steps.append(self.x)",
    "read": "self.steps[-1]",
    "more": "self.steps.append(tf.matmul(self.steps[-1], self.w))",
    "behind": "",
    "fetched": "net.y",
}


def program(**parts: str) -> str:
    return PROGRAM.format(**PLAIN | parts)


def test_a_list_goes_into_the_functions() -> None:
    text = after(program())
    assert "            steps = []\n            steps.append(x)\n" in text
    assert "self.steps" not in text


@pytest.mark.parametrize("fetched", ["net.steps", "net.steps[1]"])
def test_a_list_is_fetched(fetched: str) -> None:
    text = after(program(fetched=fetched))
    assert "steps.append(tf.matmul(steps[-1], self.w))" in text


@pytest.mark.parametrize("behind", ["print(len(net.steps))", "net.steps.append(net.y)"])
def test_what_is_done_with_it_from_outside(behind: str) -> None:
    assert stopped(program(behind=behind))


def test_a_list_that_python_asks() -> None:
    assert "outside of a run" in stopped(program(first="self.count = len(self.steps)"))


UNREAD = {"first": "self.steps.append([])", "more": "self.steps[0].append(h)", "read": "self.x"}


def test_a_list_that_nobody_reads_goes() -> None:
    text = after(program(**UNREAD, behind="print(net.y)").replace("print(net.y)\n", ""))
    assert "steps" not in text


@pytest.mark.parametrize(
    "behind", ["print(vars(net))", "print(getattr(net, 'steps'))", "print(net.steps)"]
)
def test_a_list_that_may_be_read_stays(behind: str) -> None:
    assert stopped(program(**UNREAD, behind=behind))


NAMES = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 2]))
hidden = [x]
other = {other}
{early}
{grown}
y = {read}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1.0, 2.0]]}}))
"""


@pytest.mark.parametrize(
    ("other", "read"),
    [
        ("hidden", "other[-1] * 2"),
        ("(hidden, 3)", "other[0][-1] * 2"),
        ("hidden if x.shape[1] == 2 else None", "other[-1] * 2"),
    ],
)
@pytest.mark.parametrize(
    "grown",
    [
        "hidden.append(tf.matmul(x, w))",
        "hidden += [tf.matmul(x, w)]",
        "hidden[0] = tf.matmul(x, w)",
    ],
)
def test_a_list_with_two_names(other: str, read: str, grown: str) -> None:
    assert stopped(NAMES.format(other=other, early="", grown=grown, read=read))


def test_a_list_that_gets_two_names_at_once() -> None:
    text = NAMES.format(
        other="hidden", early="", grown="hidden.append(tf.matmul(x, w))", read="other[-1]"
    )
    assert stopped(text.replace("hidden = [x]\nother = hidden\n", "other = hidden = [x]\n"))


def test_what_was_read_before_it_grew() -> None:
    text = NAMES.format(
        other="hidden",
        early="last = other[-1]",
        grown="hidden.append(tf.matmul(x, w))",
        read="last + hidden[-1]",
    )
    assert "other = hidden" in after(text)


def test_loops_over_the_range_of_six() -> None:
    text = program().replace("import tensor", "from six.moves import xrange\nimport tensor", 1)
    assert "for _ in xrange(3):" in after(text.replace(" range(3)", " xrange(3)"))


def test_two_names_in_what_goes_as_a_whole() -> None:
    text = NAMES.format(
        other="[w]",
        early="for _ in range(3):\n    last = hidden",
        grown="    hidden.append(tf.matmul(last[-1], w))",
        read="last[-1] * 2",
    )
    assert "    last = hidden\n" in after(text)
