"""Elements of queues that have no names, batches of arrays, shapes that batches are told."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

RUN = """
with tf.Session() as sess:
    tf.train.start_queue_runners(sess)
    print(sess.run([x, y]))
"""
ARRAYS = """
import numpy as np
import tensorflow as tf

rows = np.arange(20.).reshape(10, 2)
marks = [1.] * 10
x, y = tf.train.batch([rows, marks], 4, enqueue_many=True)
"""
TAKEN = """
import tensorflow as tf


def read(name, scale):
    return tf.strings.length(tf.read_file(name)) * scale, name


queue = tf.train.string_input_producer(["a", "b"], shuffle=False)
size, name = read(queue.dequeue(), 2)
x, y = tf.train.batch([size, name], 4, shapes=[[], []])
"""


def test_rows_of_arrays() -> None:
    text = after(ARRAYS + RUN)
    assert "tf.data.Dataset.from_tensor_slices((rows, marks)).repeat()\n" in text
    assert ".batch(4, drop_remainder=True)" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[1.] * 10", "tf.random_normal([10])"),  # others each time
        ("[1.] * 10", "[1.] * 10\nmarks = marks[::-1]"),
        ("enqueue_many=True", "enqueue_many=False"),
        ("[1.] * 10", "tf.constant([1.] * 10)\nmarks = marks * 2."),  # one of two tensors
        ("[1.] * 10", "tf.constant([1.] * 10) * tf.random_normal([10])"),
    ],
)
def test_others_keep_the_session(old: str, new: str) -> None:
    assert "a batch of what isn't a queue's" in stopped(ARRAYS.replace(old, new) + RUN)


@pytest.mark.parametrize(
    ("old", "new", "source"),
    [
        ("= [1.] * 10", "= tf.constant([1.] * 10, tf.float32)", "(rows, marks)"),
        ("marks], 4", "tf.constant(marks)], 4", "(rows, tf.constant(marks))"),
    ],
)
def test_rows_of_constants(old: str, new: str, source: str) -> None:
    text = after(ARRAYS.replace(old, new) + RUN)
    assert f"tf.data.Dataset.from_tensor_slices({source}).repeat()\n" in text


def test_rows_of_constants_of_what_a_function_is_given() -> None:
    given = "[tf.constant(items), tf.constant(kinds, tf.int32)]"
    call = f"tf.train.shuffle_batch({given}, 4, 9, 5, enqueue_many=True)"
    read = f"\n\n\ndef read(items, kinds):\n    return {call}\n\n\nx, y = read(rows, marks)\n"
    run = RUN.replace("[x, y]", "tf.reduce_sum(x, axis=1)")
    text = after(ARRAYS.partition("x, y")[0] + read + run)
    assert "from_tensor_slices((tf.constant(items), tf.constant(kinds, tf.int32))).repeat()" in text
    assert ".shuffle(5).batch(4, drop_remainder=True)" in text


def test_an_element_that_is_given_to_a_function() -> None:
    text = after(TAKEN + RUN)
    assert "size, name = read(filename, 2)\n" in text
    assert "    size.set_shape([])\n    name.set_shape([])\n    return size, name\n" in text


def test_an_element_that_is_not_always_taken_keeps_the_session() -> None:
    one = TAKEN.replace("queue.dequeue(),", "queue.dequeue() if size else 'a',")
    stopped(one + RUN)


def test_other_shapes_keep_the_session() -> None:
    one = TAKEN.replace("shapes=[[], []]", "shapes=shapes").replace(
        "queue =", "shapes = [[], []]\nqueue ="
    )
    assert "`shapes` of tf.train.batch" in stopped(one + RUN)


def test_shapes_of_rows_are_not_said_of_arrays() -> None:
    text = after(ARRAYS.replace("=True)", "=True, shapes=[[2], []])") + RUN)
    assert "set_shape" not in text
    assert "from_tensor_slices((rows, marks)).repeat()\n" in text


def test_shapes_of_rows_of_elements_keep_the_session() -> None:
    rows = TAKEN.replace("shapes=[[], []]", "shapes=[[], []], enqueue_many=True")
    assert "`shapes` of tf.train.batch" in stopped(rows + RUN)
