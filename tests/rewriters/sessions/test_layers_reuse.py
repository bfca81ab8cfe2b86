"""``reuse=reuse`` of a function's layers: its calls say whether the variables are used again."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


def net(x, again=False):
    h = tf.layers.dense(x, 4, name="fc1", reuse=again)
    return tf.layers.dense(h, 1, name="fc2", reuse=again)


a = tf.placeholder(tf.float32, [None, 3])
b = tf.placeholder(tf.float32, [None, 3])
ya = net(a)
yb = net(b, again=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([ya, yb], {a: [[1.0, 2.0, 3.0]], b: [[1.0, 2.0, 4.0]]}))
"""


@pytest.mark.parametrize("name", ["again", "reuse"])
def test_one_call_makes_them_and_the_other_has_them(name: str) -> None:
    text = after(PROGRAM.replace("again", name))
    assert "def net():\n" in text
    assert text.count("= net()") == 1
    assert "ya_layer(a)" in text
    assert "ya_layer(b)" in text


def test_the_opposite_may_be_said() -> None:
    text = after(
        PROGRAM.replace("=again)", "=not first)")
        .replace("again=False", "first=True")
        .replace("again=True", "first=False")
    )
    assert text.count("= net()") == 1
    assert "ya_layer(b)" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"fc2", reuse=again)', '"fc2")'),  # one that is always made
        ('"fc2", reuse=again)', '"fc2", reuse=not again)'),
        ("    h =", "    again = bool(again)\n    h ="),
        ("    return ", "    v = tf.Variable(1.0)\n    return v * "),
    ],
)
def test_all_must_be_told_the_same(old: str, new: str) -> None:
    assert old in PROGRAM
    assert "used again" in stopped(PROGRAM.replace(old, new))


HELPERS = """\
import tensorflow as tf


def dense(x, size, reuse=None, name="fc"):
    return tf.layers.dense(x, size, reuse=reuse, name=name)


def net(x, reuse=None):
    with tf.variable_scope("net", reuse=reuse):
        h = dense(x, 4, reuse=reuse, name="fc1")
        return dense(h, 1, name="fc2")


a = tf.placeholder(tf.float32, [None, 3])
b = tf.placeholder(tf.float32, [None, 3])
ya = net(a)
yb = net(b, reuse=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([ya, yb], {a: [[1.0, 2.0, 3.0]], b: [[1.0, 2.0, 4.0]]}))
"""


def test_a_helper_is_told_what_the_scope_around_it_is_told() -> None:
    text = after(HELPERS)
    assert text.count("= net()") == 1
    assert "ya_layer(b)" in text
    assert "reuse" not in text


def test_helpers_without_a_scope_are_all_told() -> None:
    bare = HELPERS.replace('    with tf.variable_scope("net", reuse=reuse):\n', "").replace(
        "        ", "    "
    )
    told = bare.replace("(h, 1, name", "(h, 1, reuse=reuse, name")
    assert after(told).count("= net()") == 1
    assert "whether variables are used again is computed" in stopped(bare)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"net", reuse=reuse)', '"net")'),
        ("        return dense(h, 1,", "    return dense(h, 1,"),  # beside the scope
        ("h = dense(x, 4, reuse=reuse", "h = dense(x, 4, reuse=not reuse"),
    ],
)
def test_a_helper_of_its_own_mind_keeps_the_session(old: str, new: str) -> None:
    assert old in HELPERS
    assert "whether variables are used again is computed" in stopped(HELPERS.replace(old, new))


METHODS = """\
import tensorflow as tf


class Net:
    def hidden(self, x, size, reuse=None):
        return tf.layers.dense(x, size, reuse=reuse, name="fc1")

    def net(self, x, reuse=None):
        h = self.hidden(x, 4, reuse)
        return tf.layers.dense(h, 1, reuse=reuse, name="fc2")

    def __init__(self):
        self.a = tf.placeholder(tf.float32, [None, 3])
        self.ya = self.net(self.a)
        self.yb = self.net(self.a * 2.0, reuse=True)


m = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([m.ya, m.yb], {m.a: [[1.0, 2.0, 3.0]]}))
"""


def test_methods_are_told_too() -> None:
    assert after(METHODS).count("= self.net()") == 1


def test_a_method_that_makes_new_ones_each_time_keeps_the_session() -> None:
    bare = METHODS.replace("(x, 4, reuse)", "(x, 4)").replace(
        ", size, reuse=reuse, name=", ", size"
    )
    bare = bare.replace('size"fc1"', "size")
    assert "whether variables are used again is computed" in stopped(bare)


def test_averages_behind_a_returned_layer_are_left_alone_where_no_run_updates_them() -> None:
    text = after(
        METHODS.replace("tf.layers.dense(x, size, reuse=reuse,", "bn(x, reuse=reuse,").replace(
            "class Net",
            "def bn(x, reuse=None, name=None):\n"
            "    return tf.layers.batch_normalization(x, training=True, reuse=reuse, name=name)\n"
            "\n\nclass Net",
        )
    )
    assert "momentum=1.0" in text


AUTO = """\
import tensorflow as tf


def attention(q, k):
    h = tf.concat([q, k, q * k], 1)
    h = tf.layers.dense(h, 4, activation=tf.nn.sigmoid, name="f1", reuse=tf.AUTO_REUSE)
    return tf.layers.dense(h, 1, name="f2", reuse=tf.AUTO_REUSE)


a = tf.placeholder(tf.float32, [None, 3])
b = tf.placeholder(tf.float32, [None, 3])
c = tf.placeholder(tf.float32, [None, 3])
ya = attention(a, b)
yb = attention(c, b)
out = tf.layers.dense(ya, 1, name="out", reuse=tf.AUTO_REUSE)
again = tf.layers.dense(yb, 1, name="out", reuse=tf.AUTO_REUSE)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    x = [[1.0, 2.0, 3.0]]
    print(sess.run([out, again], {a: x, b: x, c: x}))
"""


def test_layers_are_made_once_where_they_are_told_to_be_found_or_made() -> None:
    text = after(AUTO)
    assert text.count("= attention()") == 1
    assert "(c, b)" in text
    assert text.count('name="out"') == 1
    assert "AUTO_REUSE" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('1, name="f2", reuse=tf.AUTO_REUSE)', "1)"),  # a new one at each call
        ('1, name="f2", reuse=tf.AUTO_REUSE)', "1, reuse=tf.AUTO_REUSE)"),
        ('(ya, 1, name="out", ', "(ya, 1, "),  # which would find any dense layer's
    ],
)
def test_what_may_be_another_layer_keeps_the_session(old: str, new: str) -> None:
    assert old in AUTO
    assert "a layer that may be used again" in stopped(AUTO.replace(old, new))


PAIR = """import tensorflow as tf
from tensorflow.contrib.layers import batch_norm

x = tf.placeholder(tf.float32, [None, 3])
training = tf.placeholder(tf.bool, [])


def normalized(x, name):
{body}
    return tf.cond(training, lambda: first, lambda: second)


y = normalized(tf.matmul(x, tf.Variable(tf.ones([3, 2]))), "bn")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1.0, 2.0, 3.0]], training: True}}))
"""
FIRST = "    first = batch_norm(x, is_training=True, updates_collections=None, scope={})"
SECOND = (
    "    second = batch_norm(x, is_training=False, updates_collections=None, scope={}, reuse=True)"
)


def test_two_layers_of_one_scope_that_a_parameter_names() -> None:
    text = after(PAIR.format(body="\n".join([FIRST.format("name"), SECOND.format("name")])))
    assert "first = first_layer(x, training=True)" in text
    assert "second = first_layer(x, training=False)" in text
    assert "tf.cond(training, lambda: first, lambda: second)" in text


def test_scopes_that_may_differ_stay() -> None:
    other = [FIRST.format("name"), SECOND.format("name + '2'")]
    assert stopped(PAIR.format(body="\n".join(other)))
    bound = [FIRST.format("name"), "    name = 'other'", SECOND.format("name")]
    assert stopped(PAIR.format(body="\n".join(bound)))
