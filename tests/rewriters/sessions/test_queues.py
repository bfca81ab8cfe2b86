"""Queues as datasets: what becomes of each part of a pipeline, and what keeps the session."""

from __future__ import annotations

import pytest

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import with_iterators
from migrate.rewriters.sessions.queues.files import Given, Gives, lent

ROWS = "a, b = tf.train.slice_input_producer([x, y], shuffle=False)\n"
BATCH = "a, b = tf.train.batch([a, b], 4)\n"


def _queues(source: str) -> str:
    document = read("program.py", ("import tensorflow as tf\n" + source).encode())
    return with_iterators(document, names_of(document)).text.partition("\n")[2]


def test_a_program_without_queues_is_left_alone() -> None:
    document = read("program.py", b"import tensorflow as tf\nx = tf.constant(1)\n")
    assert with_iterators(document, names_of(document)) is document


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("[f]", "from_tensor_slices([f]).repeat()"),
        ("[f, g]", "from_tensor_slices([f, g]).shuffle(2).repeat()"),
        ("names, shuffle=False", "from_tensor_slices(names).repeat()"),
        ("names, 3", "from_tensor_slices(names).shuffle(len(names)).repeat(3)"),
        ("names, num_epochs=1, shuffle=False", "from_tensor_slices(names)"),
        (
            "names, shuffle=train",
            "from_tensor_slices(names).shuffle(len(names) if train else 1).repeat()",
        ),
    ],
)
def test_files(given: str, made: str) -> None:
    text = _queues(f"q = tf.train.string_input_producer({given})\n")
    assert text == f"q = tf.data.Dataset.{made}\n"


@pytest.mark.parametrize(
    ("reader", "made"),
    [
        ("TextLineReader()", "tf.data.TextLineDataset(q)"),
        ("TFRecordReader()", "tf.data.TFRecordDataset(q)"),
        ("WholeFileReader()", "q.map(tf.read_file)"),
        (
            "FixedLengthRecordReader(record_bytes=9, header_bytes=2)",
            "tf.data.FixedLengthRecordDataset(q, record_bytes=9, header_bytes=2)",
        ),
        (
            "TextLineReader(skip_header_lines=1)",
            "q.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))",
        ),
    ],
)
def test_readers(reader: str, made: str) -> None:
    text = _queues(
        "q = tf.train.string_input_producer([f])\n"
        f"reader = tf.{reader}\n_, value = reader.read(q)\nvalue = tf.strings.length(value)\n"
        "value = tf.train.batch([value], 4)\n"
    )
    assert f"records = {made}\n" in text
    assert "def preprocess(value):\n" in text
    assert "reader" not in text


@pytest.mark.parametrize(
    ("call", "made"),
    [
        ("batch([a, b], 4)", "batch(4, drop_remainder=True)"),
        ("batch([a, b], 4, allow_smaller_final_batch=True)", "batch(4)"),
        (
            "batch([a, b], 4, allow_smaller_final_batch=rest)",
            "batch(4, drop_remainder=not rest)",
        ),
        ("batch([a, b], 4, enqueue_many=True)", "unbatch().batch(4, drop_remainder=True)"),
        ("batch([a, b], 4, dynamic_pad=True)", "padded_batch(4, drop_remainder=True)"),
        ("shuffle_batch([a, b], 4, 50, 20)", "shuffle(20).batch(4, drop_remainder=True)"),
        ("shuffle_batch([a, b], 4, 50, 0)", "shuffle(50).batch(4, drop_remainder=True)"),
    ],
)
def test_batches(call: str, made: str) -> None:
    text = _queues(f"{ROWS}a, b = tf.train.{call}\n")
    assert f"examples.{made}.prefetch(1)" in text


def test_what_is_computed_for_each_element_is_mapped_with_its_comments() -> None:
    text = _queues(
        f"{ROWS}# as a float\na = tf.to_float(a)\nsize = 4\nb = b + 1\n# in batches\n"
        "a, b = tf.train.batch([a, b], size, num_threads=2)\n"
    )
    body = "    # as a float\n    a = tf.to_float(a)\n    b = b + 1\n    return a, b\n"
    assert f"def preprocess(a, b):\n{body}" in text
    assert "size = 4\n" in text
    assert "# in batches\nexamples = examples.map(preprocess, num_parallel_calls=2)\n" in text


def test_functions_give_datasets() -> None:
    text = _queues(
        "def read(q):\n    _, value = tf.TFRecordReader().read(q)\n"
        "    return tf.decode_raw(value, tf.uint8)\n\n\n"
        "def inputs():\n    q = tf.train.string_input_producer([f])\n    x = read(q)\n"
        "    return tf.train.batch([x], 3)\n\n\nimages = inputs()\n"
    )
    assert "    return records.map(lambda value: tf.decode_raw(value, tf.uint8))\n" in text
    assert "    return read(q).batch(3, drop_remainder=True).prefetch(1)\n" in text
    assert text.endswith("images = inputs().make_one_shot_iterator().get_next()\n")


def test_two_kinds_of_batches() -> None:
    text = _queues(
        f"{ROWS}a = a + 1\nif train:\n    c, d = tf.train.shuffle_batch([a, b], 2, 9, 5)\nelse:\n"
        "    c, d = tf.train.batch([a, b], 2)\nz = c + d\n"
    )
    assert "    examples = examples.shuffle(5).batch(2, drop_remainder=True).prefetch(1)\n" in text
    assert "c, d = examples.make_one_shot_iterator().get_next()\nz = c + d\n" in text


LOOP = "coord = tf.train.Coordinator()\nthreads = tf.train.start_queue_runners(coord=coord)\n"


@pytest.mark.parametrize(
    ("loop", "made"),
    [
        ("while not coord.should_stop():\n    f()\n", "while True:\n    f()\n"),
        (
            "while not coord.should_stop() and n < 9:\n    f()\n",
            "while n < 9:\n    f()\n",
        ),
        (
            "for i in r:\n    if coord.should_stop():\n        break\n    f()\n",
            "for i in r:\n    f()\n",
        ),
        (
            "while not coord.should_stop():\n    if f():\n        coord.request_stop()\n",
            "while True:\n    if f():\n        break\n",
        ),
        (
            "try:\n    f()\nexcept tf.errors.OutOfRangeError:\n    g()\nfinally:\n"
            "    coord.request_stop()\n    coord.join(threads)\n",
            "try:\n    f()\nexcept tf.errors.OutOfRangeError:\n    g()\n",
        ),
        (
            "try:\n    f()\nexcept Exception as e:\n    coord.request_stop(e)\n",
            "try:\n    f()\nexcept tf.errors.OutOfRangeError:\n    pass\n",
        ),
        ("try:\n    f()\n    g()\nfinally:\n    coord.request_stop()\n", "f()\ng()\n"),
    ],
)
def test_coordinators_go(loop: str, made: str) -> None:
    assert _queues(f"{LOOP}{loop}coord.request_stop()\ncoord.join(threads)\n") == made


@pytest.mark.parametrize(("skipped", "skip"), [("", ""), ("skip_header_lines=1", ".skip(1)")])
def test_the_keys_of_lines_are_their_files_and_numbers(skipped: str, skip: str) -> None:
    text = _queues(
        f"q = tf.train.string_input_producer(f, shuffle=False)\nr = tf.TextLineReader({skipped})\n"
        "key, line = r.read(q)\nx = tf.decode_csv(line, d)\na, b = tf.train.batch([key, x], 2)\n"
    )
    assert text == (
        "q = tf.data.Dataset.from_tensor_slices(f).repeat()\n\n\n"
        "def numbered_lines(filename):\n"
        f"    lines = tf.data.TextLineDataset(filename).enumerate(1){skip}\n"
        "    return lines.map(lambda n, line: "
        '(tf.string_join([filename, ":", tf.as_string(n)]), line))\n\n\n'
        "records = q.flat_map(numbered_lines)\n\n\n"
        "def parse(key, line):\n    x = tf.decode_csv(line, d)\n    return key, x\n\n\n"
        "a, b = records.map(parse).batch(2, drop_remainder=True).prefetch(1)"
        ".make_one_shot_iterator().get_next()\n"
    )


BLOCKED = {
    "a seed's order": ("q = tf.train.string_input_producer(names, seed=3)\n", 2, "from a seed"),
    "no name": ("q = tf.train.string_input_producer(glob(f))\n", 2, "has no name"),
    "keys": (
        "q = tf.train.string_input_producer([f])\nkey, value = tf.TFRecordReader().read(q)\n"
        "key, value = tf.train.batch([key, value], 2)\n",
        3,
        "the keys of a TFRecordReader",
    ),
    "read twice": (
        "q = tf.train.string_input_producer([f])\nr = tf.TFRecordReader()\n"
        "_, a = r.read(q)\n_, b = r.read(q)\n",
        5,
        "read in two places",
    ),
    "used beside": (f"{ROWS}c, d = tf.train.batch([a, b], 4)\nz = a + 1\n", 4, "beside the batch"),
    "used before": (
        f"{ROWS}w = tf.get_variable('w', [])\nz = tf.Print(a, [w.read(a)])\ns.run(a)\n{BATCH}",
        2,
        "used as well",
    ),
    "in a closure": (
        f"{ROWS}a = a + 1\nc, d = tf.train.batch([a, b], 4)\ndef f():\n    return a\n",
        5,
        "uses `a`",
    ),
    "two queues": (
        f"{ROWS}c, = tf.train.slice_input_producer([z], shuffle=False)\n"
        "e, f = tf.train.batch([a, c], 4)\n",
        4,
        "several queues",
    ),
    "joined": (f"{ROWS}c = tf.train.batch_join([[a, b]], 4)\n", 3, "isn't followed here"),
    "shapes": (f"{ROWS}a, b = tf.train.batch([a, b], 4, shapes=[[], []])\n", 3, "`shapes`"),
    "stopped in the middle": (
        f"{LOOP}while not coord.should_stop():\n    coord.request_stop()\n    f()\n",
        5,
        "in the middle of a loop",
    ),
    "told of an error": (
        f"{LOOP}try:\n    f()\nexcept Exception as e:\n    print(e)\n    coord.request_stop(e)\n",
        8,
        "told of an error",
    ),
    "given away": (f"{LOOP}f(coord)\n", 4, "`coord` is used in another way"),
    "filled with tensors": (
        "t = tf.random_normal([3])\nq = tf.FIFOQueue(9, [tf.float32])\nop = q.enqueue_many([t])\n"
        "r = tf.train.QueueRunner(q, [op])\n",
        4,
        "filled with tensors",
    ),
    "how many are left": (
        "q = tf.FIFOQueue(9, [tf.float32])\nop = q.enqueue_many([x])\nn = q.size()\n"
        "r = tf.train.QueueRunner(q, [op])\n",
        4,
        "used in another way",
    ),
    "in a method": (
        "class A(Base):\n    def f(self):\n"
        "        a, = tf.train.slice_input_producer([x], shuffle=False)\n"
        "        return tf.train.batch([a], 2)\n",
        5,
        "a method gives",
    ),
}


@pytest.mark.parametrize("case", BLOCKED)
def test_what_cannot_be_told_keeps_the_session(case: str) -> None:
    source, line, reason = BLOCKED[case]
    with pytest.raises(Blocked) as caught:
        _queues(source)
    assert reason in caught.value.reason
    assert getattr(caught.value.node, "lineno", 0) == line


HELPER = (
    "def inputs():\n    d = tf.data.Dataset.from_tensor_slices((u, v)).batch(2)\n"
    "    it = d.make_one_shot_iterator()\n    a, b = it.get_next()\n"
)


def test_a_helper_that_goes_on_with_an_iterators_element_gives_a_dataset() -> None:
    text = _queues(f"{HELPER}    b = tf.one_hot(b, 3)\n    return a, b\n\n\nx, y = inputs()\n")
    body = "    def preprocess(a, b):\n        b = tf.one_hot(b, 3)\n        return a, b\n"
    assert text.endswith(
        f"{body}\n    return d.map(preprocess)\n\n\n"
        "x, y = inputs().make_one_shot_iterator().get_next()\n"
    )


@pytest.mark.parametrize(
    "rest",
    [
        "    w = tf.get_variable('w', [])\n    return a * w, b\n\n\nx, y = inputs()\n",
        "    return a, b, 1\n\n\nx = inputs()\n",
        "    return a, b\n\n\nestimator.train(inputs)\n",
        "    s.run(a)\n    return b\n\n\nx = inputs()\n",
    ],
)
def test_other_helpers_keep_their_iterators(rest: str) -> None:
    assert _queues(HELPER + rest) == HELPER + rest


READER = (
    "import tensorflow as tf\n\n\ndef inputs():\n"
    "    a, b = tf.train.slice_input_producer([u, v], shuffle=False)\n"
    "    return tf.train.batch([a, b], 2)\n"
)


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("import reader", "reader.inputs()"),
        ("import reader as r", "r.inputs()"),
        ("from reader import inputs as load", "load()"),
    ],
)
def test_functions_of_other_files_give_datasets(imports: str, call: str) -> None:
    gives: Gives = {}
    reader = read("reader.py", READER.encode())
    with_iterators(reader, names_of(reader), gives=gives)
    assert gives == {"inputs": Given(several=True)}
    train = read("train.py", f"import tensorflow as tf\n{imports}\nx, y = {call}\n".encode())
    taken = lent(train, {"reader.py": gives}, ["reader.py", "train.py"])
    text = with_iterators(train, names_of(train), taken).text
    assert text.endswith(f"x, y = {call}.make_one_shot_iterator().get_next()\n")


def test_functions_of_other_files_that_are_given_away_keep_the_session() -> None:
    train = read("train.py", b"import tensorflow as tf\nimport reader\nfit(reader.inputs)\n")
    with pytest.raises(Blocked, match=r"given away"):
        with_iterators(train, names_of(train), {"reader.inputs": Given(several=True)})


CSV = """\
q = tf.train.string_input_producer(names, shuffle=False)
reader = tf.TextLineReader()
_, value = reader.read(q)
"""


def test_items_of_a_list_that_is_made_for_each_element_may_be_set() -> None:
    text = _queues(
        CSV + "content = tf.decode_csv(value, defaults)\n# as a number\n"
        "content[1] = tf.to_float(content[1])\ncontent[0] /= 2.0\n"
        "a, b = tf.train.batch([content[0], content[1]], 4)\n"
    )
    assert "    # as a number\n    content[1] = tf.to_float(content[1])\n" in text
    assert "    content[0] /= 2.0\n    return content[0], content[1]\n" in text


@pytest.mark.parametrize(
    "setting",
    ["rows[0] = tf.to_float(value)\na = rows[0]\n", "this.a = tf.to_float(value)\na = this.a\n"],
)
def test_items_of_others_are_not_set_for_each_element(setting: str) -> None:
    with pytest.raises(Blocked) as caught:
        _queues(CSV + setting + "b = tf.train.batch([a], 4)\n")
    assert "a batch of what isn't a queue's" in caught.value.reason
