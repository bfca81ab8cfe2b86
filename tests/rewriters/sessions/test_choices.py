"""Fetches that a condition of Python's chooses."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [])
w = tf.Variable(1.0)
loss = tf.square(x * w)
accuracy = x + w
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
nothing = tf.no_op()
sess = tf.Session()
sess.run(tf.global_variables_initializer())
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


CHOSEN = """\
for k in range(4):
    if k % 2:
        loss_now = train_step(1.0).numpy()
    else:
        loss_now = compute_loss(1.0).numpy()
    print(loss_now)
"""


@pytest.mark.parametrize(
    "body",
    [
        "    _, loss_now = sess.run([train if k % 2 else nothing, loss], {x: 1.0})\n",
        "    op = train if k % 2 else nothing\n    _, loss_now = sess.run([op, loss], {x: 1.0})\n",
        "    if k % 2:\n        op = train\n    else:\n        op = nothing\n"
        "    loss_now, _ = sess.run([loss, op], feed_dict={x: 1.0})\n",
    ],
)
def test_a_run_for_each_way(body: str) -> None:
    assert CHOSEN in native(HEAD + f"for k in range(4):\n{body}    print(loss_now)\n")


def test_an_expression_for_each_way() -> None:
    shown = "print(sess.run(loss if k else accuracy, {x: 2.0}))"
    text = native(f"{HEAD}for k in (0, 1):\n    {shown}\n")
    call = "compute_loss(2.0).numpy() if k else compute_accuracy(2.0).numpy()"
    assert f"    print({call})\n" in text


def test_a_list_that_may_get_one_more() -> None:
    text = native(
        HEAD
        + "def step(verbose):\n    fetches = [loss, train]\n    if verbose:\n"
        + "        fetches.append(accuracy)\n    out = sess.run(fetches, {x: 1.0})\n"
        + "    return out[-1]\n\nprint(step(True), step(False))\n"
    )
    assert (
        "    if verbose:\n"
        "        out = [t.numpy() for t in train_step(1.0)]\n"
        "        out.insert(1, None)\n"
        "    else:\n" in text
    )


@pytest.mark.parametrize(
    "body",
    [
        # Asked twice, the condition would say something else.
        "ways = iter([True, False])\nfor k in range(2):\n"
        "    sess.run(train if next(ways) else nothing, {x: 1.0})\n",
        # It had been asked before it changed.
        "flag = True\nop = train if flag else nothing\nfor k in range(2):\n"
        "    sess.run(op, {x: 1.0})\n    flag = False\n",
        # The name is used otherwise, too.
        "def step(flag):\n    op = train if flag else nothing\n    print(op)\n"
        "    sess.run(op, {x: 1.0})\n\nstep(True)\n",
    ],
)
def test_what_can_t_be_told_keeps_the_session(body: str) -> None:
    assert upgrade(HEAD + body).level is Level.COMPAT


def test_a_dict_that_may_get_a_train_op() -> None:
    new = native(
        HEAD + "for k in range(4):\n"
        "    fetches = {'loss': loss}\n"
        "    if k % 2:\n        fetches['train'] = train\n"
        "    found = sess.run(fetches, {x: 1.0})\n"
        "    print(found['loss'])\n"
    )
    arrays = "        found = tf.nest.map_structure(lambda t: t.numpy(), {}(1.0))\n"
    ways = [arrays.format(name) for name in ("train_step", "compute_loss")]
    assert "    if k % 2:\n" + "    else:\n".join(ways) + "    print(found['loss'])\n" in new


def test_an_op_in_a_dict_that_is_looked_at_is_none() -> None:
    new = native(
        HEAD + "found = sess.run({'loss': loss, 'train': train}, {x: 1.0})\nprint(sorted(found))\n"
    )
    arrays = "tf.nest.map_structure(lambda t: t.numpy(), train_step(1.0))"
    assert f"found = {{**{arrays}, 'train': None}}\n" in new


def test_a_dict_of_what_another_run_needs() -> None:
    new = native(
        HEAD + "print(sess.run({'loss': loss}, {x: 1.0})['loss'])\nsess.run(train, {x: 1.0})\n"
        "print(sess.run(dict(loss=loss, w=w), {x: 1.0}))\n"
    )
    assert "return {'loss': loss}" in new
    assert "return {'loss': loss, 'w': w.read_value()}" in new
    assert "    loss = loss_of(x)\n    return {" in new
