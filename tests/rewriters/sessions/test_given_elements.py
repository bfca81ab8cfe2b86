"""Functions that are given an iterator's next element, and fetch it."""

from __future__ import annotations

import pytest

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.engine.source import apply
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.convert import convert
from migrate.rewriters.sessions.queues import with_iterators

MAKE = "def make(n):\n    return tf.data.Dataset.range(n).batch(2)\n\n"
SHOW = "def show(sess, data):\n    print(sess.run(data))\n\n"
BOTH = "".join(
    f"{n} = make({k}).make_one_shot_iterator().get_next()\n" for n, k in (("a", 3), ("b", 4))
)
RUN = "with tf.Session() as s:\n    "
READ = "tf.nest.map_structure(lambda t: t.numpy(), next(data))"

CASES = {
    "another name": (
        f"{MAKE}{SHOW}{BOTH}c = a\n{RUN}show(s, b)\n    show(s, c)\n",
        "called in another way before",
    ),
    "a part": (
        f"{MAKE}{SHOW}x, y = tf.data.Dataset.zip((make(3), make(4))).make_one_shot_iterator()"
        f".get_next()\n{BOTH}{RUN}show(s, x)\n    show(s, b)\n",
        "is given a placeholder",
    ),
    "a name of the module": (
        f"{MAKE}{SHOW}{BOTH}def main():\n    with tf.Session() as s:\n        show(s, a)\n"
        "        show(s, b)\nmain()\n",
        "under another name",
    ),
    "computed anew": (
        f"{MAKE}def show(sess, data):\n    z = data + 1\n    print(sess.run(z))\n\n{BOTH}"
        f"{RUN}show(s, a)\n    show(s, b)\n",
        "builds its graph anew at every call",
    ),
    "a variable later": (
        f"{MAKE}{SHOW}{BOTH}v = tf.Variable(3)\n{RUN}s.run(v.initializer)\n    show(s, a)\n"
        "    show(s, v)\n",
        "called in another way before",
    ),
    "a constant first": (
        f"{MAKE}{SHOW}{BOTH}t = tf.constant(3)\n{RUN}show(s, t)\n    show(s, a)\n",
        "is given a constant",
    ),
    "two at once": (
        f"{MAKE}def show(sess, data, other):\n    print(sess.run([data, other]))\n\n{BOTH}"
        f"{RUN}show(s, a, b)\n    show(s, a, a)\n",
        "no place for its function",
    ),
}


def _convert(source: str) -> str:
    document = read("program.py", f"import tensorflow as tf\n{source}".encode())
    document = with_iterators(document, names_of(document))
    text = apply(document.text, convert(document, names_of(document), "tf").edits)
    return text.partition("import tensorflow as tf\n")[2]


@pytest.mark.parametrize("case", CASES)
def test_what_is_no_iterator_at_every_call_keeps_the_session(case: str) -> None:
    source, reason = CASES[case]
    with pytest.raises(Blocked) as caught:
        _convert(source)
    assert reason in caught.value.reason


def test_each_call_takes_from_its_own_under_the_authors_name() -> None:
    text = _convert(
        f"{MAKE}{SHOW}{BOTH}{RUN}for i in range(2):\n        show(s, a)\n"
        "        show(s, data=b)\n    show(s, None)\n"
    )
    assert text == (
        f"{MAKE}def show(data):\n    print({READ})\n\na = iter(make(3))\nb = iter(make(4))\n"
        "for i in range(2):\n    show(a)\n    show(data=b)\nshow(None)\n"
    )


def test_an_iterator_that_has_a_name_keeps_it() -> None:
    text = _convert(
        f"{MAKE}{SHOW}it = make(3).make_initializable_iterator()\na = it.get_next()\n"
        f"{RUN}for i in range(2):\n        s.run(it.initializer)\n        show(s, a)\n"
        "    show(s, a)\n"
    )
    assert "    it = iter(dataset)\n    show(it)\nshow(it)\n" in text


def test_a_name_that_means_something_else_later_is_none_of_an_iterator() -> None:
    text = _convert(f"{MAKE}{SHOW}{BOTH}{RUN}show(s, a)\n    show(s, b)\n    a = 3\n    print(a)\n")
    assert "iterator = iter(make(3))\n" in text
    assert "show(iterator)\nshow(b)\na = 3\n" in text


def test_numbers_of_a_queue_are_a_dataset_of_them() -> None:
    made = "i = tf.train.range_input_producer(4, shuffle=False).dequeue()\nx = i * 2\n"
    text = _convert(f"{made}{RUN}print(s.run(x))\n")
    assert "iterator = iter(tf.data.Dataset.from_tensor_slices(tf.range(4)).repeat())\n" in text
    assert "print(compute_x(next(iterator)).numpy())\n" in text
    named = made.replace("i = tf", "q = tf").replace(".dequeue()", "\ni = q.dequeue()")
    assert _convert(f"{named}{RUN}print(s.run(x))\n") == text
    shuffled = made.replace("shuffle=False", "num_epochs=2")
    assert "(tf.range(4)).shuffle(4).repeat(2)" in _convert(f"{shuffled}{RUN}print(s.run(x))\n")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("tf.size(t)", "an order of chance"),
        ("4, shuffle=False, seed=1, shared_name='a'", ""),
        ("4, seed=1", "an order comes from a seed"),
    ],
)
def test_an_order_that_cannot_be_told_keeps_the_session(arguments: str, reason: str) -> None:
    source = f"t = tf.zeros([3])\ni = tf.train.range_input_producer({arguments}).dequeue()\n"
    if not reason:
        assert "from_tensor_slices(tf.range(4)).repeat()" in _convert(f"{source}{RUN}s.run(i)\n")
        return
    with pytest.raises(Blocked) as caught:
        _convert(f"{source}{RUN}s.run(i)\n")
    assert reason.replace("an order comes", "order comes") in caught.value.reason


def test_numbers_that_two_statements_take_keep_the_session() -> None:
    made = "q = tf.train.range_input_producer(4, shuffle=False)\ni = q.dequeue()\nj = q.dequeue()\n"
    with pytest.raises(Blocked, match="read in two places"):
        _convert(f"{made}{RUN}s.run(i)\n")
    many = made.partition("\n")[0] + "\nx = q.dequeue_many(2)\n"
    with pytest.raises(Blocked, match="isn't followed"):
        _convert(f"{many}{RUN}s.run(x)\n")
