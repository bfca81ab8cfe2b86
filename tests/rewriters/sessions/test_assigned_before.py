"""Variables that a run assigns before its gradients, which read in TF 1 what they are by then."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

w = tf.Variable(2.0)
v = tf.Variable(3.0, trainable=False)
x = tf.placeholder(tf.float32, [])
y = {read}
{waits}
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([loss, {fetched}], {{x: 1.0}})[0])
"""
STEP = "tf.train.GradientDescentOptimizer(0.001).minimize(loss)"
IN_LOSS = f"""\
with tf.control_dependencies([v.assign(y + 4.0)]):
    z = tf.identity(y)
loss = tf.square(z)
train = {STEP}"""
AROUND = f"""\
loss = tf.square(y)
update = tf.assign_add(v, y)
with tf.control_dependencies([update]):
    train = {STEP}"""
BESIDE = f"loss = tf.square(y)\nupdate = tf.assign_add(v, y)\ntrain = {STEP}"
CLIPPED = f"""\
loss = tf.square(y)
with tf.control_dependencies([w.assign(tf.minimum(w, 1.0))]):
    train = {STEP}"""


@pytest.mark.parametrize("waits", [IN_LOSS, AROUND])
@pytest.mark.parametrize("read", ["w * v * x", "w * x * tf.square(v)", "tf.sigmoid(v) * w + x"])
def test_what_a_gradient_reads_after_its_update_keeps_the_session(read: str, waits: str) -> None:
    source = PROGRAM.format(read=read, waits=waits, fetched="train")
    assert "an update of what a gradient reads after it" in stopped(source)


@pytest.mark.parametrize(
    ("read", "waits", "fetched"),
    [
        ("w * x + v", AROUND, "train"),  # a sum's gradient needs none of its terms
        ("w * x - v", IN_LOSS, "train"),
        ("w * x * tf.stop_gradient(v)", AROUND, "train"),
        ("w * x * v", BESIDE, "train, update"),  # TF 1 says no order
        ("w * x", CLIPPED, "train"),
    ],
)
def test_other_updates_are_followed(read: str, waits: str, fetched: str) -> None:
    text = after(PROGRAM.format(read=read, waits=waits, fetched=fetched))
    assert "tape.gradient" in text


def test_rows_that_are_updated_are_followed() -> None:
    """A gather's gradient needs the rows' numbers alone."""
    text = after(
        "import tensorflow as tf\n\n"
        "x = tf.placeholder(tf.float32, [None, 2])\nids = tf.placeholder(tf.int32, [None])\n"
        "w = tf.Variable(tf.ones([2, 2]))\n"
        "centers = tf.Variable(tf.zeros([3, 2]), trainable=False)\n"
        "near = tf.gather(centers, ids)\nh = tf.matmul(x, w)\nloss = tf.nn.l2_loss(h - near)\n"
        "update = tf.scatter_sub(centers, ids, 0.5 * (near - h))\n"
        f"with tf.control_dependencies([update]):\n    train = {STEP}\n"
        "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"
        "print(sess.run([loss, train], {x: [[1, 2]], ids: [1]})[0])\n"
    )
    assert "tape.gradient" in text
