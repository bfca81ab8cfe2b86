"""Queues without a runner: objects of TF 2, or the reason why the session stays."""

from __future__ import annotations

import pytest

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.engine.source import apply
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.convert import convert
from migrate.rewriters.sessions.queues import with_iterators

MADE = "q = tf.FIFOQueue(3, tf.int32, [[]])\n"
TAKE = f"{MADE}x = q.dequeue()\n"
RUN = "with tf.Session() as s:\n    "
ITERATOR = "d = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()\n"
BETWEEN = "a loop, a branch or a helper"

CASES = {
    "a thread": (
        f"import threading\n{TAKE}add = q.enqueue([1])\n{RUN}def work():\n        s.run(add)\n"
        "    threading.Thread(target=work).start()\n    s.run(x)\n",
        "a thread beside a queue",
    ),
    "two sessions": (
        f"{TAKE}add = q.enqueue([1])\n{RUN}s.run(add)\n{RUN}s.run(x)\n",
        "a queue of its own",
    ),
    "a session in a loop": (
        f"{MADE}add = q.enqueue([1])\nfor i in range(2):\n    with tf.Session() as s:\n"
        "        s.run(add)\n",
        "a queue of its own",
    ),
    "no order": (f"{TAKE}add = q.enqueue([1])\n{RUN}s.run([x, add])\n", "in no order"),
    "two takes": (f"{TAKE}y = q.dequeue()\nz = x - y\n{RUN}s.run(z)\n", "in no order"),
    "a size beside": (f"{TAKE}n = q.size()\n{RUN}s.run([x, n])\n", "in no order"),
    "a size in place": (f"{TAKE}{RUN}s.run([x, q.size()])\n", "in no order"),
    "one statement": (f"{MADE}x = q.dequeue() - q.dequeue()\n{RUN}s.run(x)\n", "in no order"),
    "a helper": (
        f"{MADE}def take():\n    return q.dequeue()\nx = take()\n{RUN}s.run(x)\n",
        BETWEEN,
    ),
    "a loop": (
        f"{MADE}ops = []\nfor i in range(3):\n    ops.append(q.enqueue([i]))\n{RUN}s.run(ops)\n",
        BETWEEN,
    ),
    "one way": (
        f"{MADE}p = tf.placeholder(tf.bool)\nx = tf.cond(p, lambda: q.dequeue(), lambda: 1)\n"
        f"{RUN}s.run(x, {{p: True}})\n",
        BETWEEN,
    ),
    "a loop's body": (
        f"{MADE}def body(i):\n    with tf.control_dependencies([q.enqueue([i])]):\n"
        f"        return i + 1\nx = tf.while_loop(lambda i: i < 3, body, [0])\n{TAKE[35:]}"
        f"{RUN}s.run(x)\n",
        BETWEEN,
    ),
    "a comprehension": (f"{MADE}x = [q.dequeue() for _ in range(2)]\n{RUN}s.run(x)\n", BETWEEN),
    "a variable": (
        f"{MADE}v = tf.Variable(q.dequeue())\n{RUN}s.run(tf.global_variables_initializer())\n",
        "starts with a tensor",
    ),
    "an iterator behind": (f"{MADE}{ITERATOR}{RUN}s.run(d)\n", "beside"),
    "an iterator before": (f"{ITERATOR}{MADE}{RUN}s.run(d)\n", "beside"),
    "a shared one": (
        f"q = tf.FIFOQueue(3, tf.int32, shared_name='a')\n{RUN}s.run(q.enqueue([1]))\n",
        "`shared_name` of a queue",
    ),
    "types that aren't seen": (f"q = tf.FIFOQueue(3, types())\n{RUN}s.run(q.size())\n", "holds"),
    "a timeout": (
        f"{TAKE}with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=5)) as s:\n"
        "    s.run(x)\n",
        "doesn't wait",
    ),
    "chosen queues": (f"{MADE}p = tf.QueueBase.from_list(0, [q])\n{RUN}s.run(p.size())\n", "yet"),
    "beside a reader's": (
        f"{TAKE}n = tf.train.string_input_producer(['a'])\n_, r = tf.TextLineReader().read(n)\n"
        f"{RUN}s.run(x)\n",
        "beside others",
    ),
}


def _convert(source: str) -> str:
    document = read("program.py", f"import tensorflow as tf\n{source}".encode())
    document = with_iterators(document, names_of(document))
    text = apply(document.text, convert(document, names_of(document), "tf").edits)
    return text.partition("import tensorflow as tf\n")[2]


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_ordered_or_told_keeps_the_session(case: str) -> None:
    source, reason = CASES[case]
    with pytest.raises(Blocked) as caught:
        _convert(source)
    assert reason in caught.value.reason


def test_what_a_run_took_is_put_back_after_it() -> None:
    text = _convert(f"{TAKE}back = q.enqueue([x + 1])\n{RUN}v, _ = s.run([x, back])\n")
    assert text == (
        "q = tf.queue.FIFOQueue(3, tf.int32, [[]])\n\n\n@tf.function\n"
        "def compute_x_and_back():\n    x = q.dequeue()\n    q.enqueue([x + 1])\n    return x\n\n\n"
        "v = compute_x_and_back().numpy()\n"
    )


def test_an_op_that_waits_is_ordered() -> None:
    source = f"{TAKE}with tf.control_dependencies([x]):\n    add = q.enqueue([1])\n"
    text = _convert(f"{source}{RUN}s.run(add)\n")
    assert "def add():\n    x = q.dequeue()\n    q.enqueue([1])\n" in text


def test_what_is_run_where_it_is_made_is_done_there() -> None:
    text = _convert(
        f"q = tf.PriorityQueue(3, tf.string, [[]])\n{RUN}for i in range(2):\n"
        "        s.run(q.enqueue([i, 'a']))\n    a = s.run(q.dequeue())\n    s.run(q.close())\n"
    )
    assert text == (
        "q = tf.queue.PriorityQueue(3, tf.string, [[]])\nfor i in range(2):\n"
        "    q.enqueue([i, 'a'])\na = tf.nest.map_structure(lambda t: t.numpy(), q.dequeue())\n"
        "q.close()\n"
    )


def test_an_objects_queue_is_filled_by_its_methods() -> None:
    text = _convert(
        "class Store:\n    def __init__(self):\n        self.x = tf.placeholder(tf.int32, [])\n"
        "        self.q = tf.FIFOQueue(3, [tf.int32])\n        self.put = self.q.enqueue(self.x)\n"
        "    def push(self, sess, value):\n        sess.run(self.put, {self.x: value})\n"
        f"store = Store()\n{RUN}store.push(s, 4)\n"
    )
    assert "        def run_put(x):\n            self.q.enqueue(x)\n" in text
    assert "    def push(self, value):\n        self.run_put(value)\n" in text


def test_a_runner_may_be_made_behind_what_takes() -> None:
    text = _convert(
        "import numpy as np\nrows = np.ones([4, 2])\nq = tf.FIFOQueue(9, [tf.float32])\n"
        "fill = q.enqueue_many([rows])\nx = q.dequeue()\n"
        f"runner = tf.train.QueueRunner(q, [fill] * 4)\n{RUN}coord = tf.train.Coordinator()\n"
        "    threads = runner.create_threads(s, coord=coord, start=True)\n    print(s.run(x))\n"
        "    coord.request_stop()\n    coord.join(threads)\n"
    )
    assert "from_tensor_slices(tf.constant(rows, tf.float32)).repeat()\n" in text
    assert text.endswith("print(next(iterator))\n")
