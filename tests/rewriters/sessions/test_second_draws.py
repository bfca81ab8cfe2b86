"""Iterators that begin once, in programs of several sessions: TF 1 begins them anew in each."""

from __future__ import annotations

import pytest

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.engine.source import apply
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.convert import convert
from migrate.rewriters.sessions.queues import with_iterators

ONE = "a = tf.data.Dataset.range(9).make_one_shot_iterator().get_next()\n"
TWO = ONE.replace("a =", "b =")
SHOW = "def show(s, x):\n    print(s.run(x))\n"
OWN = "def own(x):\n    with tf.Session() as s:\n        print(s.run(x))\n"


def _convert(source: str) -> str:
    document = read("program.py", f"import tensorflow as tf\n{source}".encode())
    document = with_iterators(document, names_of(document))
    return apply(document.text, convert(document, names_of(document), "tf").edits)


def run(*fetched: str) -> str:
    lines = "".join(f"    print(s.run({name}))\n" for name in fetched)
    return f"with tf.Session() as s:\n{lines}"


@pytest.mark.parametrize(
    "source",
    [
        f"{ONE}{run('a')}{run('a')}",
        f"{ONE}c = a + 1\n{run('a')}{run('c')}",
        f"{ONE}def f(s):\n    print(s.run(a))\nwith tf.Session() as s:\n    f(s)\n"
        "def g():\n    with tf.Session() as s:\n        f(s)\ng()\n",
        f"{ONE}{TWO}{SHOW}with tf.Session() as s:\n    show(s, a)\n    show(s, b)\n"
        "with tf.Session() as s:\n    show(s, a)\n",
        f"{ONE}{TWO}{OWN}own(a)\nown(b)\nown(a)\n",
        f"{ONE}def f():\n    with tf.Session() as s:\n        print(s.run(a))\nf()\nf()\n",
        f"{ONE}def f():\n    with tf.Session() as s:\n        print(s.run(a))\n"
        "def g():\n    f()\ng()\ng()\n",
        "q = tf.train.range_input_producer(4, shuffle=False)\na = q.dequeue()\n"
        f"{run('a')}{run('a')}",
    ],
)
def test_what_two_sessions_take_keeps_them(source: str) -> None:
    with pytest.raises(Blocked, match="begins anew in a second session"):
        _convert(source)


def test_a_queue_of_two_sessions_keeps_them() -> None:
    own = "def f():\n    with tf.Session() as s:\n        s.run(add)\nf()\n"
    made = "q = tf.FIFOQueue(3, tf.int32)\nadd = q.enqueue([1])\n"
    assert "add()" in _convert(f"{made}{own}")
    with pytest.raises(Blocked, match="a queue of its own"):
        _convert(f"{made}{own}f()\n")


@pytest.mark.parametrize(
    "source",
    [
        f"{ONE}{TWO}{run('a', 'a')}{run('b', 'b')}",
        f"{ONE}{TWO}{OWN}own(a)\nown(b)\n",
        f"{ONE}{TWO}{SHOW}with tf.Session() as s:\n    show(s, a)\n    show(s, b)\n"
        "    show(s, a)\n",
        "def f():\n    with tf.Graph().as_default():\n"
        f"        {ONE}        with tf.Session() as s:\n            print(s.run(a))\nf()\nf()\n",
        f"{ONE}{run('a')}tf.reset_default_graph()\n{TWO}{run('b')}",
    ],
)
def test_what_one_session_takes_each_is_an_iterator_each(source: str) -> None:
    assert "Session" not in _convert(source)


def test_an_iterator_that_is_initialised_in_each_session_begins_in_each() -> None:
    made = "d = tf.data.Dataset.range(9)\nit = d.make_initializable_iterator()\na = it.get_next()\n"
    block = "with tf.Session() as s:\n    s.run(it.initializer)\n    print(s.run(a))\n"
    assert _convert(f"{made}{block}{block}").count("it = ") == 2
