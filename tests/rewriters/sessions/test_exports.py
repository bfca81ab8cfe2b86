"""`tf.saved_model.simple_save`: a function with the signature, and the variables that it reads."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2], name='x')
rate = tf.placeholder(tf.float32, [])
w = tf.Variable([[1.0], [2.0]], name='w')
parts = [tf.Variable(1.0), tf.Variable(2.0)]


def net(t):
    return tf.matmul(t, w)


y = net(x)
MORE
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1, 2]]}))
    SAVE
"""
SAVE = "tf.saved_model.simple_save(sess, 'model', inputs={'x': x}, outputs={'y': y})"


def program(save: str = SAVE, more: str = "") -> str:
    return PROGRAM.replace("SAVE", save).replace("MORE", more)


def test_a_function_that_runs_share_is_what_is_saved() -> None:
    text = after(program("# For the server\n    " + SAVE))
    assert "@tf.function(input_signature=[x])\n" in text
    assert "def serving(x):\n    return {'y': compute_y(x)}\n" in text
    said = "# For the server\ntf.saved_model.save(tf.train.Checkpoint(w=w), 'model', "
    assert f"\n\n\n{said}signatures=serving)\n" in text


def test_several_outputs_and_inputs_under_other_names() -> None:
    text = after(
        program(
            SAVE.replace("{'x': x}", "{'images': x, 'rate': rate}").replace(
                "{'y': y}", "{'scores': y, 'scaled': z}"
            ),
            "z = y * rate + parts[1]",
        )
    )
    assert "def serving(images, rate):\n" in text
    assert "    return dict(zip(['scores', 'scaled'], compute_y_and_z(images, rate)))\n" in text
    assert "tf.train.Checkpoint(parts=parts, w=w)" in text or "Checkpoint(w=w, parts" in text


def test_nothing_to_keep() -> None:
    text = after(
        "import tensorflow as tf\n\nkeys = tf.placeholder(tf.int32, [None, 1])\n"
        "same = tf.identity(keys, name='same')\nsession = tf.Session()\n"
        "tf.saved_model.simple_save(session, './model/1', inputs={'keys': keys},\n"
        "                           outputs={'keys': same})\n"
    )
    assert "tf.saved_model.save(tf.Module(), './model/1', signatures=serving)" in text
    assert "    return {'keys': compute_same(keys)}\n" in text


FUNCTION = """\
import tensorflow as tf


def build():
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.Variable([[1.0], [2.0]])
    y = tf.matmul(x, w)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(sess, 'model', inputs={'x': x}, outputs={'y': y})


build()
"""
OBJECT = """\
import tensorflow as tf


class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        w = tf.Variable([[1.0], [2.0]])
        self.y = tf.matmul(self.x, w)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def save(self):
        tf.saved_model.simple_save(self.sess, 'model', inputs={'x': self.x}, outputs={'y': self.y})


net = Net()
net.save()
"""


def test_a_function_s_own_variables() -> None:
    text = after(FUNCTION)
    assert (
        "    tf.saved_model.save(tf.train.Checkpoint(w=w), 'model', signatures=serving)\n" in text
    )


def test_an_object_s_local_variable_keeps_the_session() -> None:
    assert stopped(OBJECT)


@pytest.mark.parametrize(
    ("save", "more"),
    [
        (SAVE.replace("{'x': x}", "dict(x=x)"), ""),
        (SAVE.replace("{'x': x}", "{'x-1': x}"), ""),
        (SAVE.replace("{'x': x}", "{'class': x}"), ""),
        (SAVE.replace("{'x': x}", "{'x': y}"), ""),
        (SAVE.replace("{'y': y}", "{'y': y * 2.0}"), ""),
        (SAVE.replace("{'y': y}", "{'w': w}"), ""),
        (SAVE.replace("{'y': y}", "{'y': y, 'z': z}"), "z = y * rate"),  # not an input
        (SAVE.replace("{'y': y}", "{'z': z}"), "z = w.assign_add([[1.0], [1.0]])"),
        (SAVE.replace("outputs", "legacy_init_op=None, outputs"), ""),
        (f"for i in range(2):\n        {SAVE}", ""),
        (f"if len(__name__) > 2:\n        {SAVE}", ""),
    ],
)
def test_what_isnt_seen_keeps_its_session(save: str, more: str) -> None:
    assert stopped(program(save, more))
