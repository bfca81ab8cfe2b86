"""Elements of a queue that a session looks at before they are batched for the next one."""

from __future__ import annotations

import pytest

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.engine.source import apply
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.convert import convert
from migrate.rewriters.sessions.queues import with_iterators

TAKE = ".make_one_shot_iterator().get_next()"
MADE = (
    "n = tf.train.string_input_producer(['a'], shuffle=False)\nr = tf.TextLineReader()\n"
    "_, line = r.read(n)\nx = tf.string_to_number(line)\n"
)
LOOK = "with tf.Session() as s:\n    print(s.run(x))\n"
BATCH = "y = x * 2\nb = tf.train.batch([y], 2)\n"
RUN = "with tf.Session() as s:\n    print(s.run(b))\n"


def _iterators(source: str) -> str:
    document = read("program.py", f"import tensorflow as tf\n{source}".encode())
    text = with_iterators(document, names_of(document)).text
    return text.partition("import tensorflow as tf\n")[2]


def _converted(source: str) -> str:
    text = f"import tensorflow as tf\n{_iterators(source)}"
    document = read("program.py", text.encode())
    return apply(document.text, convert(document, names_of(document), "tf").edits)


def test_both_take_from_one_dataset() -> None:
    text = _iterators(f"{MADE}{LOOK}{BATCH}{RUN}")
    assert text == (
        "n = tf.data.Dataset.from_tensor_slices(['a']).repeat()\n"
        "records = tf.data.TextLineDataset(n)\n\n\n"
        "def preprocess(line):\n    x = tf.string_to_number(line)\n    return x\n\n\n"
        f"examples = records.map(preprocess)\nx = examples{TAKE}\n{LOOK}\n\n"
        "def preprocess_2(x):\n    y = x * 2\n    return y\n\n\n"
        "b = examples.map(preprocess_2).batch(2, drop_remainder=True).prefetch(1)"
        f"{TAKE}\n{RUN}"
    )


def test_what_is_looked_at_as_it_was_read_needs_no_function() -> None:
    plain = MADE.replace("x = tf.string_to_number(line)\n", "")
    look, batch = LOOK.replace("(x)", "(line)"), "b = tf.train.batch([line], 2)\n"
    text = _iterators(f"{plain}{look}{batch}{RUN}")
    assert f"records = tf.data.TextLineDataset(n)\nline = records{TAKE}\n{look}" in text
    assert f"b = records.batch(2, drop_remainder=True).prefetch(1){TAKE}\n" in text


def test_two_names_are_two_parts_of_an_element() -> None:
    text = _iterators(f"{MADE}{LOOK.replace('(x)', '([line, x])')}{BATCH}{RUN}")
    assert "    x = tf.string_to_number(line)\n    return line, x\n" in text
    assert f"line, x = examples{TAKE}\n" in text
    assert "def preprocess_2(line, x):\n    y = x * 2\n    return y\n" in text


def test_file_names_that_a_run_asks_for_are_a_tensor() -> None:
    named = MADE.replace("['a']", "f").replace(
        "n =", "f = tf.train.match_filenames_once('*')\nn =", 1
    )
    assert "f = tf.matching_files('*')\n" in _iterators(f"{named}{LOOK}    print(s.run(f))\n")
    assert "f = sorted(tf.gfile.Glob('*'))\n" in _iterators(f"{named}{LOOK}    print(f)\n")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (
            f"{MADE}s = tf.Session()\nprint(s.run(x))\n{BATCH}{RUN}",
            "a batch of what isn't a queue's",
        ),
        (f"{MADE}{LOOK}{LOOK}{BATCH}{RUN}", "a batch of what isn't a queue's"),
        (
            f"{MADE.replace('tf.string_to_number(line)', 'tf.decode_csv(line, [[0.0], [0.0]])')}"
            f"{LOOK}{BATCH}{RUN}",
            "a batch of what isn't a queue's",
        ),
        (
            f"def f(x):\n    return x, x\n{MADE.replace('tf.string_to_number', 'f')}{LOOK}{BATCH}",
            "a batch of what isn't a queue's",
        ),
        (f"{MADE}{LOOK}{BATCH}{RUN}    print(s.run(x))\n", "used beside the batch"),
        (f"{MADE}s = tf.Session()\nwith s:\n    s.run(x)\n{BATCH}{RUN}", "isn't a queue's"),
        (f"{MADE}{LOOK}x = 3\n{BATCH}{RUN}", "isn't a queue's"),
        (f"{MADE}{LOOK}    x = 3\n{BATCH}{RUN}", "isn't a queue's"),
    ],
)
def test_what_is_looked_at_elsewhere_keeps_the_session(source: str, reason: str) -> None:
    with pytest.raises(Blocked) as caught:
        _converted(source)
    assert reason in caught.value.reason
