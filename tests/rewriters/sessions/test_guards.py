"""Functions that open sessions in a loop and leave early: evaluations that wait."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import time
import numpy as np
import tensorflow as tf

data = np.arange(8, dtype=np.float32).reshape([4, 2])

def evaluate_once(saver, total):
    with tf.Session() as sess:
        ckpt = tf.train.latest_checkpoint('made')
        # as long as there is none
        if ckpt:
            saver.restore(sess, ckpt)
            print(ckpt)
        else:
            print('nothing yet')
            return

        # two batches
        for step in range(2):
            print(sess.run(total))

def evaluate(rounds):
    x = tf.data.Dataset.from_tensor_slices(data).batch(2).make_one_shot_iterator().get_next()
    w = tf.get_variable('w', [2, 1])
    total = tf.reduce_sum(tf.matmul(x, w))
    saver = tf.train.Saver()
    while True:
        evaluate_once(saver, total)
        rounds -= 1
        if not rounds:
            break
        time.sleep(1)

evaluate(2)
"""


def test_what_follows_an_early_return_stands_in_a_branch() -> None:
    text = after(SOURCE)
    assert (
        """\
    while True:
        iterator = iter(dataset)
        ckpt = tf.train.latest_checkpoint('made')
        # as long as there is none
        if ckpt:
            saver.read(ckpt).assert_existing_objects_matched().expect_partial()
            print(ckpt)
            # two batches
            for step in range(2):
                print(compute_total(next(iterator)).numpy())
        else:
            print('nothing yet')
        rounds -= 1
"""
        in text
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "        if ckpt:\n            saver.restore(sess, ckpt)\n            print(ckpt)\n"
            "        else:\n            print('nothing yet')\n            return\n",
            "        if not ckpt:\n            print('nothing yet')\n            return\n"
            "        saver.restore(sess, ckpt)\n",
        ),
        (
            "        if ckpt:\n            saver.restore(sess, ckpt)\n            print(ckpt)\n"
            "        else:\n            print('nothing yet')\n            return\n",
            "        if not ckpt:\n            return\n        saver.restore(sess, ckpt)\n",
        ),
    ],
)
def test_a_guard_that_leaves_first(old: str, new: str) -> None:
    assert old in SOURCE
    text = after(SOURCE.replace(old, new))
    assert "print(compute_total(next(iterator)).numpy())\n" in text
    assert "return\n" not in text.partition("def evaluate")[2]


def test_an_iterator_that_its_session_does_not_begin() -> None:
    again = SOURCE.replace(
        "    x = tf.data.Dataset.from_tensor_slices(data).batch(2)"
        ".make_one_shot_iterator().get_next()\n",
        "    i = tf.data.Dataset.from_tensor_slices(data).batch(2).make_one_shot_iterator()\n"
        "    x = i.get_next()\n",
    )
    assert "its data begins anew" in stopped(again)


def test_a_value_that_is_returned_early() -> None:
    assert "is called in a loop" in stopped(
        SOURCE.replace("            return\n", "            return 1\n")
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("            return\n", "            return  # later\n"),
        (
            "        else:\n            print('nothing yet')\n",
            "        else:\n            # later\n",
        ),
    ],
)
def test_what_a_comment_says_of_the_return_is_not_lost(old: str, new: str) -> None:
    assert old in SOURCE
    assert "is called in a loop" in stopped(SOURCE.replace(old, new))
