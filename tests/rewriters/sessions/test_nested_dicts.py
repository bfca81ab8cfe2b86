"""Dicts of dicts of variables."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
params = {{}}
for i, n in enumerate([3, 4]):
    params["layer%d" % i] = {{}}
    params["layer%d" % i]["w"] = tf.Variable(tf.ones([n, 4]))
{more}h = x
for name in sorted(params):
    h = tf.matmul(h, {w})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run({fetched}))
"""
FED = "h, {x: np.ones((2, 3))}"


def source(more: str = "", w: str = 'params[name]["w"]', fetched: str = FED) -> str:
    return SOURCE.format(more=more, w=w, fetched=fetched)


def test_they_stay_and_functions_look_variables_up() -> None:
    text = after(source())
    assert '    params["layer%d" % i] = {}\n' in text
    assert '    params["layer%d" % i]["w"] = tf.Variable(tf.ones([n, 4]))\n' in text
    assert '        h = tf.matmul(h, params[name]["w"])\n    return h\n' in text


def test_what_is_gone_through_has_dicts() -> None:
    penalty = 'penalty = tf.add_n([tf.nn.l2_loss(p["w"]) for p in params.values()])\n'
    text = after(source(penalty, fetched="penalty"))
    assert 'tf.add_n([tf.nn.l2_loss(p["w"]) for p in params.values()])' in text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (source(fetched="params"), "a dict of dicts of variables is gone through"),
        (source(fetched='params["layer0"]'), "a variable is fetched"),
        (source("p = params\n", fetched="p"), "a dict of dicts of variables is gone through"),
        (
            source("params['b'] = tf.Variable(1.0)\n"),
            "a dict of dicts of variables gets something else",
        ),
        (
            source().replace("params = {}", "params = {'a': tf.Variable(1.0)}"),
            "a list of variables gets a value of Python",
        ),
        (
            source().replace("tf.Variable(tf.ones([n, 4]))", "tf.ones([n, 4]) * x[0, 0]"),
            "a part of the graph is put into something that isn't a name",
        ),
    ],
)
def test_what_else_is_asked_of_them_keeps_the_session(text: str, reason: str) -> None:
    assert stopped(text).endswith(f": {reason}")


def test_a_dict_that_is_filled_in_steps_is_fetched_as_one() -> None:
    text = after("""\
import tensorflow as tf

ws = {}
vs = []
for i in range(2):
    ws["w%d" % i] = tf.Variable(tf.ones([2]))
    vs.append(tf.Variable(tf.ones([2])))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(ws), sess.run(vs))
""")
    assert "print({name: v.numpy() for name, v in ws.items()}, [v.numpy() for v in vs])\n" in text
