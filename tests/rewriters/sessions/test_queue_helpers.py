"""Queues whose elements go through functions, methods and objects on their way to a run."""

from __future__ import annotations

import pytest

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.engine.source import apply
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.convert import convert
from migrate.rewriters.sessions.queues import with_iterators
from migrate.rewriters.sessions.queues.carriers import with_parts_apart
from migrate.rewriters.sessions.queues.files import Given, Gives, lent
from migrate.rewriters.sessions.queues.parts_of_iterators import with_datasets_returned

NEXT = ".make_one_shot_iterator().get_next()"
ROWS = "a, b = tf.train.slice_input_producer([u, v], shuffle=False)\n"
TAKER = "def to_batch(a, b, n):\n    x, y = tf.train.batch([a, b], n)\n    return x, y\n\n\n"
DATASET = "tf.data.Dataset.from_tensor_slices((u, v)).repeat()"


def _queues(source: str, others: str = "", before: str = "") -> str:
    document = read("program.py", ("import tensorflow as tf\n" + source).encode())
    document = with_parts_apart(document, names_of(document), others)
    text = with_iterators(document, names_of(document), before=before).text
    return text.partition("import tensorflow as tf\n")[2]


def _stays(source: str, reason: str, before: str = "") -> None:
    with pytest.raises(Blocked) as caught:
        _queues(source, before=before)
    assert reason in caught.value.reason


# -- functions that are given elements -------------------------------------------------------


def test_a_function_that_batches_what_it_is_given_is_given_the_dataset() -> None:
    text = _queues(f"{TAKER}{ROWS}a = a * 2.0\nx, y = to_batch(a, b, 4)\n")
    assert text.startswith(
        "def to_batch(dataset, n):\n    return dataset.batch(n, drop_remainder=True).prefetch(1)\n"
    )
    assert f"x, y = to_batch(examples.map(preprocess), 4){NEXT}\n" in text


@pytest.mark.parametrize(
    ("call", "made"),
    [
        ("to_batch(a, b, n=4)", "to_batch(examples, n=4)"),
        ("to_batch(a, n=4, b=b)", "to_batch(examples, n=4)"),
        ("to_batch(n=4, b=b, a=a)", "to_batch(n=4, dataset=examples)"),
    ],
)
def test_keywords_of_such_a_call(call: str, made: str) -> None:
    text = _queues(f"{TAKER}{ROWS}x, y = {call}\n")
    assert f"x, y = {made.replace('examples', DATASET)}{NEXT}\n" in text or made in text


def test_a_function_around_it_gives_a_dataset() -> None:
    text = _queues(
        f"{TAKER}def inputs():\n    {ROWS}    return to_batch(a, b, 4)\n\n\nx, y = inputs()\n"
    )
    assert f"    return to_batch({DATASET}, 4)\n" in text
    assert text.endswith(f"x, y = inputs(){NEXT}\n")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (f"{TAKER}x, y = to_batch(u, v, 4)\n", "a batch of what isn't a queue's"),
        (TAKER, "a batch of what isn't a queue's"),
        (
            f"{TAKER}{ROWS}x, y = to_batch(a, b, 4)\nz, w = to_batch(u, v, 4)\n",
            "a batch of what isn't a queue's",
        ),
        (
            "def f(a, n, c=None):\n    return tf.train.batch([a, c], n)\n"
            f"{ROWS}x, y = f(a, 4, b)\n",
            "may be given no elements",
        ),
        (f"{TAKER}{ROWS}g = to_batch\nx, y = to_batch(a, b, 4)\n", "used in another way"),
        (f"{TAKER}{ROWS}x, y = to_batch(*(a, b), 4)\n", "is hidden"),
        (
            "def f(a, b):\n    x, y = tf.train.batch([a, b], 4)\n    return x, y, a\n"
            f"{ROWS}x, y, z = f(a, b)\n",
            "is used beside the batch",
        ),
    ],
)
def test_other_uses_of_such_a_function_keep_the_session(source: str, reason: str) -> None:
    _stays(source, reason)


def test_a_function_that_an_earlier_file_names_keeps_the_session() -> None:
    source = f"{TAKER}{ROWS}x, y = to_batch(a, b, 4)\n"
    _stays(source, "what isn't a queue's", before="helpers.to_batch(p, q, 3)\n")


def test_another_file_may_not_give_elements_to_it() -> None:
    gives: Gives = {}
    helpers = read(
        "h.py", f"import tensorflow as tf\n{TAKER}{ROWS}x, y = to_batch(a, b, 4)\n".encode()
    )
    with_iterators(helpers, names_of(helpers), gives=gives)
    assert gives["to_batch"] == Given(several=True, takes=(0, 1))
    train = read("t.py", f"import tensorflow as tf\nimport h\n{ROWS}h.to_batch(a, b, 3)\n".encode())
    taken = lent(train, {"h.py": gives}, ["h.py", "t.py"])
    with pytest.raises(Blocked, match="is another file's"):
        with_iterators(train, names_of(train), taken)


# -- what is returned beside elements --------------------------------------------------------

BESIDE = "def f():\n    {}    x, y = tf.train.batch([a, b], 4)\n    return {}\n\n\n"


@pytest.mark.parametrize(
    ("returned", "kept", "made"),
    [
        ("x, y, len(u)", "x, y, n", "dataset, n"),
        ("len(u), x, y", "n, x, y", "n, dataset"),
        ("1, x, y, 2", "m, x, y, n", "m, dataset, n"),
    ],
)
def test_elements_are_returned_beside_other_things(returned: str, kept: str, made: str) -> None:
    text = _queues(BESIDE.format(ROWS, returned) + f"{kept} = f()\n")
    assert text.endswith(f"{made} = f()\nx, y = dataset{NEXT}\n")


def test_an_object_keeps_both() -> None:
    text = _queues(
        BESIDE.format(ROWS, "x, y, 3")
        + "class A:\n    def __init__(self):\n        self.x, self.y, self.n = f()\n"
    )
    assert f"        dataset, self.n = f()\n        self.x, self.y = dataset{NEXT}\n" in text


@pytest.mark.parametrize(
    ("returned", "kept", "reason"),
    [
        ("x, 1, y", "x, n, y = f()", "returned together"),
        ("x, y, 1", "z = f()", "isn't unpacked"),
        ("x, y, 1", "x, *z = f()", "isn't unpacked"),
        ("x, y, 1", "g(f())", "isn't unpacked"),
    ],
)
def test_what_is_not_told_apart_keeps_the_session(returned: str, kept: str, reason: str) -> None:
    _stays(BESIDE.format(ROWS, returned) + kept + "\n", reason)


# -- summaries -------------------------------------------------------------------------------

SHOWN = (
    "def f():\n    {}    x, y = tf.train.batch([a, b], 4)\n"
    "    tf.summary.image('images', x, max_outputs=2)\n    return {}\n\n\n"
)


def test_a_summary_stands_behind_each_call() -> None:
    source = SHOWN.format(ROWS, "x, tf.reshape(y, [4])")
    text = _queues(f"{source}p, q = f()\n")
    assert text.endswith(f"p, q = f(){NEXT}\ntf.summary.image('images', p, max_outputs=2)\n")
    assert text.count("tf.summary") == 1
    through = "def g():\n    p, q = f()\n    q = q + 1\n    return q, p\n\n\ns, t = g()\n"
    text = _queues(source + through)
    assert text.endswith(f"s, t = g(){NEXT}\ntf.summary.image('images', t, max_outputs=2)\n")
    assert text.count("tf.summary") == 1


HALVED = (
    "def g():\n    p, q = f()\n    if half:\n        p = tf.cast(p, tf.float16)\n"
    "    return p, q\n\n\n"
)


def test_a_summary_is_of_what_an_element_was_before_its_caller_changed_it() -> None:
    source = SHOWN.format(ROWS, "x, y") + HALVED
    text = _queues(f"{source}s, t = g()\n")
    assert "        shown_p = p\n        if half:\n" in text
    assert "        return p, q, shown_p\n" in text
    made = "tf.summary.image('images', {}, max_outputs=2)\n"
    assert text.endswith(f"s, t, shown_p = g(){NEXT}\n{made.format('shown_p')}")
    through = "def h():\n    s, t = g()\n    return s, t\n\n\nu, v = h()\n"
    text = _queues(source + through)
    assert "def h():\n    return g()\n" in text
    assert text.endswith(f"u, v, shown_p = h(){NEXT}\n{made.format('shown_p')}")
    left = "def h():\n    s, t = f()\n    return t, t + 1\n\n\nu, v = h()\n"
    text = _queues(SHOWN.format(ROWS, "x, y") + left)
    assert "lambda s, t: (t, t + 1, s)" in text
    assert text.endswith(f"u, v, shown_s = h(){NEXT}\n{made.format('shown_s')}")


@pytest.mark.parametrize(
    "source",
    [
        SHOWN.format(ROWS, "x + 1, y") + "p, q = f()\n",  # it isn't returned
        SHOWN.format(ROWS, "x, y") + "p = f()\n",  # it has no name
        SHOWN.format(ROWS, "x, y") + "g(f())\n",
        SHOWN.format(ROWS, "x, y") + HALVED + "print(g())\n",  # which isn't unpacked
        SHOWN.format(ROWS, "x, y")
        + "def g():\n    p, q = f()\n    p = p + 1\n    return p\n\n\ns = g()\n",
        "def f():\n    with tf.name_scope('s'):\n        " + ROWS
        + "        x, y = tf.train.batch([a, b], 4)\n        tf.summary.image('images', x)\n"
        "    return x, y\n\n\np, q = f()\n",  # a tag in a scope
        "def f():\n    " + ROWS + "    tf.summary.image('images', a)\n"
        "    return tf.train.batch([a, b], 4)\n\n\np, q = f()\n",  # of single elements
    ],
)  # fmt: skip
def test_other_summaries_keep_the_session(source: str) -> None:
    with pytest.raises(Blocked):
        _queues(source)


# -- methods and objects ---------------------------------------------------------------------

CLASS = (
    "class Reader{base}:\n    def __init__(self):\n        self.n = 4\n"
    "        self.reader = tf.TextLineReader()\n"
    "    def feed(self):\n        q = tf.train.string_input_producer([p])\n"
    "        _, line = self.reader.read(q)\n"
    "        return tf.train.batch([line, line + '!'], self.n)\n\n\n"
)


@pytest.mark.parametrize(
    "use",
    [
        "r = Reader()\nx, y = r.feed()\n",
        "x, y = Reader().feed()\n",
        "class Net:\n    def __init__(self):\n        self.r = Reader()\n"
        "        self.x, self.y = self.r.feed()\n",
        "def f():\n    r = Reader()\n    x, y = r.feed()\n",
    ],
)
def test_a_method_gives_a_dataset(use: str) -> None:
    text = _queues(CLASS.format(base="") + use)
    assert f"feed(){NEXT}\n" in text
    assert "TextLineReader" not in text
    assert "        records = tf.data.TextLineDataset(q)\n" in text


@pytest.mark.parametrize(
    ("base", "use"),
    [
        ("(Base)", "r = Reader()\nx, y = r.feed()\n"),
        ("", "class B(Reader):\n    pass\nx, y = Reader().feed()\n"),
        ("", "def f(r):\n    x, y = r.feed()\nf(Reader())\nf(other)\n"),
        ("", "r = Reader()\nif z:\n    r = Other()\nx, y = r.feed()\n"),
        ("", "r = Reader()\ng(r.feed)\n"),
    ],
)
def test_a_method_whose_object_is_not_seen_keeps_the_session(base: str, use: str) -> None:
    with pytest.raises(Blocked):
        _queues(CLASS.format(base=base) + use)


def test_a_method_that_an_earlier_file_calls_keeps_the_session() -> None:
    _stays(CLASS.format(base=""), "a method gives", before="x = reader.feed()\n")


def test_a_reader_that_two_methods_read_keeps_the_session() -> None:
    _stays(
        CLASS.format(base="")
        + "    def more(self):\n        _, line = self.reader.read(self.q)\n        return line\n",
        "a reader, is used in several places",
    )


def test_another_files_methods_give_datasets() -> None:
    gives: Gives = {}
    reader = read("r.py", ("import tensorflow as tf\n" + CLASS.format(base="")).encode())
    with_iterators(reader, names_of(reader), gives=gives)
    assert set(gives) == {"Reader.feed"}
    for imports, made in (("import r", "r.Reader"), ("from r import Reader as R", "R")):
        source = f"import tensorflow as tf\n{imports}\none = {made}()\nx, y = one.feed()\n"
        train = read("t.py", source.encode())
        taken = lent(train, {"r.py": gives}, ["r.py", "t.py"])
        assert f"one.feed(){NEXT}\n" in with_iterators(train, names_of(train), taken).text
    passed = read(
        "t.py", b"import tensorflow as tf\nimport r\ndef f(one):\n    return one.feed()\n"
    )
    taken = lent(passed, {"r.py": gives}, ["r.py", "t.py"])
    with pytest.raises(Blocked, match="a method gives"):
        with_iterators(passed, names_of(passed), taken)


RECORD = (
    "def read(q):\n    class Record:\n        pass\n\n    r = Record()\n    r.size = 3\n"
    "    _, value = tf.TextLineReader().read(q)\n    r.text = value\n    r.twice = value + value\n"
    "    return r\n\n\nq = tf.train.string_input_producer([p])\n"
)


def test_an_object_that_only_carries_is_names() -> None:
    text = _queues(f"{RECORD}text = 1\ni = read(q)\na, b = tf.train.batch([i.text, i.twice], 4)\n")
    assert "Record" not in text
    assert "    size = 3\n" in text
    assert "        return text, twice\n" in text
    assert "i_text" not in text  # nothing is left to be done with them


@pytest.mark.parametrize(
    "use",
    [
        "i = read(q)\nprint(i)\n",
        "i = read(q)\ni.more = 1\n",
        "i = read(q)\nfor i in x:\n    print(i.text)\n",
        "g(read)\n",
        "g(read(q).text)\n",
    ],
)
def test_an_object_that_does_more_stays(use: str) -> None:
    document = read("p.py", f"import tensorflow as tf\n{RECORD}{use}".encode())
    assert with_parts_apart(document, names_of(document)) is document
    used = read("p.py", f"import tensorflow as tf\n{RECORD}i = read(q)\ni.text\n".encode())
    assert with_parts_apart(used, names_of(used), "p.read(q)") is used
    assert with_parts_apart(used, names_of(used)) is not used


def test_a_class_that_does_more_stays() -> None:
    for body in ("size = 1", "def f(self): pass"):
        source = RECORD.replace("        pass\n", f"        {body}\n") + "i = read(q)\ni.text\n"
        document = read("p.py", f"import tensorflow as tf\n{source}".encode())
        assert with_parts_apart(document, names_of(document)) is document


def test_a_named_tuple_is_names() -> None:
    text = _queues(
        "import collections\nE = collections.namedtuple('E', 'x, y, n')\n"
        f"def f():\n    {ROWS}    x, y = tf.train.batch([a, b], 4)\n"
        "    return E(x=x, y=y, n=len(u))\n\n\ne = f()\nprint(e.n, e.y)\n"
    )
    assert text.endswith(f"dataset, n = f()\ne_y = dataset{NEXT}\nprint(n, e_y)\n")


def test_what_producers_hand_out() -> None:
    text = _queues(
        "q = tf.train.string_input_producer(f, shuffle=False)\npath = q.dequeue()\n"
        "a = tf.read_file(path)\na, b = tf.train.batch([a, path], 3)\n"
    )
    assert text.startswith(
        "q = tf.data.Dataset.from_tensor_slices(f).repeat()\n\n\ndef load(path):\n"
    )
    text = _queues("q = tf.train.input_producer(f, num_epochs=2)\nx = q.dequeue()\n")
    made = "tf.data.Dataset.from_tensor_slices(f).shuffle(len(f)).repeat(2)"
    assert text == f"q = {made}\nx = q{NEXT}\n"
    text = _queues("q = tf.train.input_producer(f, num_epochs=2)\nx = q.dequeue_many(3)\n")
    assert text.endswith(f"x = q.batch(3, drop_remainder=True){NEXT}\n")


@pytest.mark.parametrize(
    "use",
    [
        "x, y = q.dequeue()\n",
        "x = q.dequeue()\ny = q.dequeue()\n",
        "x, y = q.dequeue_many(3)\n",
        "print(q.size())\nx = q.dequeue()\n",
    ],
)
def test_what_else_producers_do_keeps_the_session(use: str) -> None:
    with pytest.raises(Blocked):
        _queues(f"q = tf.train.input_producer(f, shuffle=False)\n{use}")


# -- several readers -------------------------------------------------------------------------

READ = "def read(q):\n    _, v = tf.TextLineReader().read(q)\n    return v, v + v\n\n\n"
QUEUE = "q = tf.train.string_input_producer([p])\n"


def test_readers_that_are_joined_are_one() -> None:
    text = _queues(
        f"{READ}{QUEUE}rows = [read(q) for _ in range(3)]\n"
        "a, b = tf.train.shuffle_batch_join(rows, 4, 90, 50)\n"
    )
    assert "read(q)" in text
    assert "for _" not in text
    assert "shuffle(50).batch(4, drop_remainder=True)" in text


@pytest.mark.parametrize(
    "rest",
    [
        "rows = [read(i) for i in qs]\na, b = tf.train.batch_join(rows, 4)\n",
        "rows = [read(q) for _ in range(3)]\na, b = tf.train.batch(rows, 4)\n",
        "rows = [read(q) for _ in range(3)]\nprint(rows[0])\n",
        "rows = [read(q) for _ in range(3)]\nrows[0] = 1\na, b = tf.train.batch_join(rows, 4)\n",
    ],
)
def test_other_lists_of_readers_keep_the_session(rest: str) -> None:
    with pytest.raises(Blocked):
        _queues(READ + QUEUE + rest)


# -- queues that a runner fills --------------------------------------------------------------

RUNNER = "op = q.enqueue([a, b])\ntf.train.add_queue_runner(tf.train.QueueRunner(q, [op] * 2))\n"


def test_a_runner_fills_a_queue_with_elements() -> None:
    text = _queues(
        f"{ROWS}a = a + 1\nq = tf.FIFOQueue(9, [tf.float32, tf.int32])\n{RUNNER}"
        "x, y = q.dequeue_many(4)\n"
    )
    assert "examples_2 = examples.map(preprocess)\n" in text
    assert text.endswith(f"x, y = examples_2.batch(4, drop_remainder=True){NEXT}\n")


BRANCH = (
    "def f(mode):\n    {rows}    if mode == 'train':\n        a = a + noise()\n"
    "        q = tf.RandomShuffleQueue(90, 40, [tf.float32, tf.int32])\n        n = 2\n"
    "    else:\n        q = tf.FIFOQueue(9, [tf.float32, tf.int32])\n        n = 1\n"
    "    op = q.enqueue([a, b])\n"
    "    tf.train.add_queue_runner(tf.train.QueueRunner(q, [op] * n))\n"
    "    return q.dequeue_many(4)\n\n\nx, y = f(m)\n"
)


def test_a_branch_chooses_a_queue_and_computes_for_it() -> None:
    text = _queues(BRANCH.format(rows=ROWS))
    kept = (
        "    if mode == 'train':\n        least = 40\n        n = 2\n"
        "    else:\n        least = 1\n        n = 1\n"
    )
    assert kept in text
    assert "        if mode == 'train':\n            a = a + noise()\n" in text
    assert "        else:\n            pass\n        return a, b\n" in text
    assert ".shuffle(least).batch(4, drop_remainder=True)\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mode == 'train'", "chosen()"),  # it may say something else the second time
        ("        n = 2\n", "        n = a\n        b = b + n\n        k = 2\n"),
        ("q = tf.FIFOQueue(9", "p = tf.FIFOQueue(9"),
        ("[op] * n", "[op, other]"),
        ("        a = a + noise()\n", "        mode = 1\n        a = a + noise()\n"),
    ],
)
def test_branches_that_can_not_be_parted_keep_the_session(old: str, new: str) -> None:
    with pytest.raises(Blocked):
        _queues(BRANCH.format(rows=ROWS).replace(old, new))


DRAWN = "q = tf.FIFOQueue(9, 'float')\nop = q.enqueue([{}])\n" + RUNNER.partition("\n")[2]


def test_a_queue_of_random_numbers() -> None:
    text = _queues("n = 3\n" + DRAWN.format("tf.random_normal([n])") + "x = q.dequeue()\n")
    made = "tf.data.Dataset.range(1).repeat().map(lambda _: tf.random_normal([n]))"
    assert f"examples = {made}\nx = examples{NEXT}\n" in text


@pytest.mark.parametrize(
    "filled", ["tf.random_normal([1], seed=3)", "counter.assign_add(1)", "w", "tf.random_normal(s)"]
)
def test_queues_of_other_things_keep_the_session(filled: str) -> None:
    with pytest.raises(Blocked):
        _queues("s = tf.shape(y)\n" + DRAWN.format(filled) + "x = q.dequeue()\n")


def test_the_threads_of_a_collections_runners_go() -> None:
    text = _queues(
        f"def f(n):\n    threads = n\n    return threads\n\n\n{ROWS}"
        "with tf.Session() as sess:\n    coord = tf.train.Coordinator()\n    threads = []\n"
        "    for r in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):\n"
        "        threads.extend(r.create_threads(sess, coord=coord, daemon=True, start=True))\n"
        "    print(sess.run(a))\n    coord.request_stop()\n    coord.join(threads)\n"
    )
    assert text.endswith("with tf.Session() as sess:\n    print(sess.run(a))\n")
    assert "    threads = n\n    return threads\n" in text


def test_an_iterator_in_a_block_that_names_is_given_as_its_dataset() -> None:
    helper = (
        "def f():\n    with tf.name_scope('in'):\n        d = tf.data.Dataset.range(3)\n"
        "        it = d.make_one_shot_iterator()\n        return it.get_next()\n\n\nx = f()\n"
    )
    text = _queues(helper)
    assert "        d = tf.data.Dataset.range(3)\n        return d\n" in text
    assert text.endswith(f"x = f(){NEXT}\n")


LATER = ".make_initializable_iterator()"
HELPER = "def f():\n    d = tf.data.Dataset.range(3)\n    it = d" + LATER + "\n{}\n\n\n"


def test_a_helper_that_returns_an_iterator_returns_its_dataset() -> None:
    text = _queues(HELPER.format("    return it") + "it = f()\nx = it.get_next()\n")
    assert "    d = tf.data.Dataset.range(3)\n    return d\n" in text
    assert text.endswith(f"it = f(){LATER}\nx = it.get_next()\n")


@pytest.mark.parametrize(
    "rest",
    [
        "    print(it)\n    return it",
        "    if z:\n        return None\n    return it",
        "    w = tf.get_variable('w', [])\n    return it",
    ],
)
def test_other_helpers_keep_their_iterators(rest: str) -> None:
    source = HELPER.format(rest) + "it = f()\nx = it.get_next()\n"
    assert _queues(source) == source


def _returned(source: str, others: str = "") -> str:
    document = read("program.py", ("import tensorflow as tf\n" + source).encode())
    text = with_datasets_returned(document, names_of(document), others).text
    return text.partition("import tensorflow as tf\n")[2]


TOLD = (
    "def f():\n    d = tf.data.Dataset.range(3)\n    it = d" + LATER + "\n"
    "    x, y = it.get_next()\n    init = it.initializer\n    return {}\n\n\n"
)


@pytest.mark.parametrize(
    ("returned", "call", "lines"),
    [
        (
            "x, y, init",
            "a, b, i = f()",
            f"iterator = f(){LATER}\na, b = iterator.get_next()\ni = iterator.initializer\n",
        ),
        ("it, y, x", "i, a, b = f()", f"i = f(){LATER}\nb, a = i.get_next()\n"),
        (
            "it.initializer, x, 3",
            "i, a, n = f()",
            f"dataset, n = f()\niterator = dataset{LATER}\na, _ = iterator.get_next()\n"
            "i = iterator.initializer\n",
        ),
        (
            "x, y, init",
            "self.a, self.b, self.i = f()",
            f"self.iterator = f(){LATER}\nself.a, self.b = self.iterator.get_next()\n"
            "self.i = self.iterator.initializer\n",
        ),
    ],
)
def test_parts_of_an_iterator_are_taken_where_they_are_kept(
    returned: str, call: str, lines: str
) -> None:
    text = _returned(TOLD.format(returned) + call + "\n")
    given = "d, 3" if "3" in returned else "d"
    assert text.startswith(f"def f():\n    d = tf.data.Dataset.range(3)\n    return {given}\n\n\n")
    assert text.endswith(lines)


@pytest.mark.parametrize(
    ("returned", "rest"),
    [
        ("x, y", "a, b = f()"),  # nothing lets it begin
        ("x, y, init", "a = f()"),
        ("x, y, init", "a, b, i = f()\ng(f)"),
        ("x + 1, y, init", "a, b, i = f()"),
        ("x, x, init", "a, b, i = f()"),
        ("x, y, *[init]", "a, b, i = f()"),
        ("x, y, g(init)", "a, b, i = f()"),
    ],
)
def test_other_parts_stay_in_the_helper(returned: str, rest: str) -> None:
    source = f"{TOLD.format(returned)}{rest}\n"
    assert _returned(source) == source
    plain = f"{TOLD.format('x, y, init')}a, b, i = f()\n"
    assert _returned(plain, "import program\nprogram.f()\n") == plain


# -- whole programs --------------------------------------------------------------------------

EVALUATED = """\
import tensorflow as tf


def once(found):
    with tf.Session() as sess:
        for _ in range(2):
            print(sess.run(found))


def evaluate():
    x = tf.data.Dataset.range(4).make_one_shot_iterator().get_next()
    found = x * 2
    once(found)


evaluate()
"""


def _converted(source: str) -> str:
    document = read("program.py", source.encode())
    return apply(document.text, convert(document, names_of(document), "tf").edits)


def test_a_function_that_takes_from_its_callers_iterator_stands_there() -> None:
    text = _converted(EVALUATED)
    assert "def once" not in text
    assert "print(compute_found(next(iterator)).numpy())" in text


def test_a_function_that_two_call_does_not() -> None:
    with pytest.raises(Blocked, match="begins anew in a second session"):
        _converted(EVALUATED.replace("    once(found)\n", "    once(found)\n    once(found)\n"))


def test_a_local_name_may_be_that_of_a_function_that_gives_a_dataset() -> None:
    text = _queues(
        f"def image():\n    {ROWS}    image = a + 1\n    return image\n\n\n"
        "x = image()\ny = tf.image.flip_left_right(x)\n"
    )
    assert f"x = image(){NEXT}\ny = tf.image.flip_left_right(x)\n" in text


LOADER = """\
import tensorflow as tf


class Loader:
    def __init__(self):
        self.iterator = tf.data.Dataset.range(4).make_one_shot_iterator()
        self.x = self.iterator.get_next()


class Net:
    def __init__(self, data):
        self.x = data.x
        self.w = tf.Variable(1, dtype=tf.int64)
        self.z = self.x + self.w


data = Loader()
net = Net(data)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.z))
"""


def test_another_objects_iterator_is_asked_by_its_name() -> None:
    text = _converted(LOADER)
    assert "next(data.iterator)" in text
    assert "@tf.function(reduce_retracing=True)\n" in text
    module = LOADER.replace("net.z", "y").replace("net = Net(data)", "y = data.x + 1")
    assert "next(data.iterator)" in _converted(module)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("data = Loader()\n", "data, more = Loader(), Loader()\n"),
        ("data = Loader()\nnet = Net(data)\n", "net = Net(Loader())\n"),
        ("data = Loader()\n", "data = Loader()\nmore = data\n"),
        ("sess.run(net.z)", "sess.run(net.z, {data.x: 3})"),
    ],
)
def test_another_objects_iterator_without_one_name_keeps_the_session(old: str, new: str) -> None:
    with pytest.raises(Blocked):
        _converted(LOADER.replace(old, new))


def test_attributes_that_only_a_method_with_a_queue_knows_are_names() -> None:
    from migrate.rewriters.sessions.queues.own_names import with_own_names

    source = (
        "import tensorflow as tf\nclass A:\n    def __init__(self):\n"
        "        self.q = tf.train.slice_input_producer([u, v])\n"
        "        self.a, self.b = self.f(self.q)\n"
        "        self.c, self.d = tf.train.batch([self.a, self.b], 4)\n"
    )
    document = read("p.py", source.encode())
    text = with_own_names(document, names_of(document)).text
    assert "        q = tf.train.slice_input_producer([u, v])\n        a, b = self.f(q)\n" in text
    assert "        self.c, self.d = tf.train.batch([a, b], 4)\n" in text
    for more in ("    def g(self):\n        return self.q, self.a, self.b\n", "getattr(x, 'a')\n"):
        document = read("p.py", (source + more).encode())
        assert with_own_names(document, names_of(document)) is document
    document = read("p.py", source.encode())
    text = with_own_names(document, names_of(document), "print(p.a)\n").text
    assert "        self.a, b = self.f(q)\n" in text
