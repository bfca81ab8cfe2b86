"""Functions that are given elements, and have a queue of their own; in branches, too."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SHUFFLE = '''\
def shuffled(tensors, capacity, least, threads):
    """Another order."""
    queue = tf.RandomShuffleQueue(capacity, least, dtypes=[t.dtype for t in tensors])
    op = queue.enqueue(tensors)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [op] * threads))
    out = queue.dequeue()
    for i in range(len(tensors)):
        out[i].set_shape(tensors[i].shape)
    return out
'''
BRANCH = """\
    if shuffle:
        least = size * 2
        tensors = shuffled(tensors, 20, least, threads=threads // 2)
        threads -= 1
"""
HEAD = f"""\
import numpy as np
import tensorflow as tf


{SHUFFLE}

def batches(xs, ys, size, shuffle=False, threads=4):
    x, y = tf.train.slice_input_producer([xs, ys], shuffle=False)
    tensors = [x * 2, y]
{BRANCH}    return tf.train.batch(tensors, size, num_threads=threads)


"""
RUN = """\
a, b = batches(np.arange(8.), np.arange(8), 4{})
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    print(sess.run([a, b]))
    coord.request_stop()
    coord.join(threads)
"""


def test_the_function_is_given_the_dataset_in_a_branch() -> None:
    text = after(HEAD + RUN.format(""))
    assert "def shuffled(dataset, capacity, least, threads):\n" in text
    assert "examples.shuffle(least)" in text
    assert "Queue" not in text
    assert "set_shape" not in text
    assert (
        "    if shuffle:\n"
        "        least = size * 2\n"
        "        dataset = shuffled(dataset, 20, least, threads=threads // 2)\n"
        "        threads -= 1\n"
        "    return dataset.batch(size, drop_remainder=True).prefetch(1)\n"
    ) in text


def test_by_its_keyword() -> None:
    text = after(
        HEAD.replace("shuffled(tensors, 20", "shuffled(tensors=tensors, capacity=20").replace(
            "20, least, threads=", "20, least=least, threads="
        )
        + RUN.format(", True")
    )
    assert "dataset = shuffled(dataset=dataset, capacity=20, least=least, threads=" in text


def test_without_a_branch() -> None:
    straight = "    tensors = shuffled(tensors, 20, size * 2, 2)\n"
    text = after(HEAD.replace(BRANCH, straight) + RUN.format(""))
    assert "shuffled(" in text
    assert ".batch(size, drop_remainder=True)" in text
    assert "Queue" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tensors = shuffled(tensors", "tensors = shuffled([y, x]"),  # another order of parts
        ("tensors = shuffled(tensors", "others = shuffled(tensors"),
        ("        threads -= 1\n", "        threads -= 1\n    else:\n        tensors = [y, x]\n"),
        ("        threads -= 1\n", "        tensors = [tensors[1], tensors[0]]\n"),
        ("    if shuffle:\n", "    if x is not None:\n"),
        ("        out[i].set_shape(tensors[i].shape)\n", "        out[i].set_shape([])\n"),
        ("        out[i].set_shape(tensors[i].shape)\n", "        out[i] += tensors[i]\n"),
        ("    return out\n", "    return out[0]\n"),
        ("    return out\n", "    return out, queue.size()\n"),
        ("[op] * threads", "[op, queue.enqueue(tensors)]"),
        ("def shuffled(", "@wrapped\ndef shuffled("),
    ],
)
def test_others_keep_the_session(old: str, new: str) -> None:
    assert old in HEAD
    head = HEAD.replace("import tensorflow as tf\n", "import tensorflow as tf\nwrapped = print\n")
    stopped(head.replace(old, new) + RUN.format(""))


def test_one_that_nobody_calls_keeps_it() -> None:
    stopped(
        "import tensorflow as tf\n\n\n"
        + SHUFFLE
        + "\n\nwith tf.Session() as sess:\n    print(sess.run(tf.ones([2])))\n"
    )


def test_parts_of_an_element_are_printed_as_how_they_look() -> None:
    head = "import numpy as np\nimport tensorflow as tf\n\nit = tf.data.Dataset.range(4).batch(2)"
    text = after(
        f"{head}.make_one_shot_iterator()\nx = it.get_next()\nprint('x', x)\n"
        "with tf.Session() as sess:\n    print(sess.run(x))\n"
    )
    assert "print('x', it.element_spec)\n" in text
    assert "it = iter(" in text


def test_but_not_where_their_iterator_is_not_there() -> None:
    head = "import numpy as np\nimport tensorflow as tf\n\n"
    stopped(
        f"{head}d = tf.data.Dataset.range(4)\nit = d.make_initializable_iterator()\n"
        "x = it.get_next()\nprint(x)\nwith tf.Session() as sess:\n"
        "    sess.run(it.initializer)\n    print(sess.run(x))\n"
    )
