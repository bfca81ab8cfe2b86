"""A function that makes the session, and is shared by several programs; lists of placeholders."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

UTILS = """\
import numpy as np
import tensorflow as tf


def tf_session():
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    return sess


def mse(a, b):
    if isinstance(a, np.ndarray):
        return np.mean(np.square(a - b))
    return tf.reduce_mean(tf.square(a - b))
"""
MAIN = """\
import tensorflow as tf
{imported}


class Model(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 1])
        self.w = tf.Variable(tf.ones([1, {size}]))
        self.loss = mse(tf.matmul(self.x, self.w), 0.0)
        self.sess = tf_session()

    def score(self, x):
        return self.sess.run(self.loss, {{self.x: x}})


print(Model().score([[1.0], [2.0]]))
"""


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("from utils import tf_session, mse", "from utils import mse"),
        ("from utils import mse, tf_session", "from utils import mse"),
        ("from utils import mse, \\\n                  tf_session", "from utils import mse"),
        ("from utils import (tf_session,\n    mse)", "from utils import (mse)"),
        ("from utils import tf_session\nfrom utils import mse", "from utils import mse"),
    ],
)
def test_what_goes_is_imported_nowhere(before: str, now: str) -> None:
    files = {
        "utils.py": UTILS.encode(),
        "one.py": MAIN.format(imported=before, size=1).encode(),
        "two.py": MAIN.format(imported=before, size=2).encode(),
    }
    found = {r.path: r for r in texts(files, Options())}
    assert {r.level for r in found.values()} == {Level.NATIVE}
    new = {path: (r.after or b"").decode() for path, r in found.items()}
    assert "tf_session" not in "".join(new.values())
    assert f"import tensorflow as tf\n{now}\n\n\nclass" in new["one.py"]
    assert "if isinstance(a, np.ndarray):" in new["utils.py"]


UNPACKED = """\
import tensorflow as tf

[x, y] = {made}
w = tf.Variable([[2.0]])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {{x: [[1.0]], y: [[3.0]]}}))
"""


@pytest.mark.parametrize("marks", ["[]", "()"])
def test_unpacked_placeholders_keep_their_shape(marks: str) -> None:
    made = "tf.placeholder(tf.float32, [None, 1]) for _ in range(2)"
    text = after(UNPACKED.format(made=marks[0] + made + marks[1]))
    for name in "xy":
        assert f"{name} = tf.TensorSpec([None, 1], tf.float32)\n" in text


@pytest.mark.parametrize("rounds", ["in range(n)", "in (1, 1)", "in range(2) if i < 5"])
def test_as_many_must_be_made(rounds: str) -> None:
    made = f"[tf.placeholder(tf.float32, [None, 1]) for i {rounds}]"
    assert "placeholders in a loop" in stopped(UNPACKED.format(made=made))


FED = """\
import tensorflow as tf


def batches(n):
    for i in range(n):
        batch = {batch}
        yield batch, i


x = tf.placeholder(tf.float32, [None])
rate = tf.placeholder(tf.float32)
holders = [x, rate]
w = tf.Variable(2.0)
out = tf.reduce_sum(x * w) * rate
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for batch, _ in batches(3):
        {body}
        print(sess.run(out, feed_dict=dict(zip(holders, batch))))
"""


def test_a_list_of_placeholders_is_fed_a_list() -> None:
    text = after(FED.format(batch="[[1.0, i], 0.5]", body="print(batch[1])"))
    assert "print(predict(batch[0], batch[1]).numpy())" in text
    assert "holders" not in text


@pytest.mark.parametrize(
    ("batch", "body"),
    [
        ("[[1.0, i]]", "pass"),
        ("[[1.0, i], 0.5, 3]", "pass"),
        ("zip([1.0], [2.0])", "pass"),
        ("[[1.0, i], 0.5]", "batch.append(1)"),
        ("[[1.0, i], 0.5]", "batch = list(map(abs, batch))"),
        ("[[1.0, i], 0.5]", "batch += [1]"),
    ],
)
def test_how_many_it_has_must_be_seen(batch: str, body: str) -> None:
    assert "the feed_dict isn't seen" in stopped(FED.format(batch=batch, body=body))
