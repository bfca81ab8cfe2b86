"""``reuse=(t > 0)``, ``reuse=self.reuse``: who runs says it of variables that are there."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import tensorflow as tf


def mix(h, x, reuse=False):
    with tf.variable_scope('mix', reuse=reuse):
        w = tf.get_variable('w', [3, 3])
        return tf.tanh(tf.matmul(h, w) + x)


x = tf.placeholder(tf.float32, [None, 4, 3])
h = tf.zeros_like(x[:, 0])
n = 4
for t in range(n):
    h = mix(h, x[:, t], reuse=(t != 0))
loss = tf.reduce_mean(tf.square(h - 1.0))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([step, loss], {x: [[[1, 2, 3]] * 4]})[1])
"""


def changed(old: str, new: str) -> str:
    assert old in NET
    return NET.replace(old, new)


@pytest.mark.parametrize("said", ["t != 0", "t > 0", "t >= 1", "0 < t", "0 != t", "1 <= t"])
def test_they_are_made_before_the_loop(said: str) -> None:
    text = after(changed("t != 0", said))
    assert "reuse" not in text
    assert "mix_layer = mix()\n" in text
    assert " h = mix_layer(h, x[:, t])\n" in text


@pytest.mark.parametrize("rounds", ["range(0, n)", "range(4)"])
def test_loops_that_count_from_zero(rounds: str) -> None:
    assert "mix_layer = mix()\n" in after(changed("range(n)", rounds))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("t != 0", "t > 0 or None"),
        ("t != 0", "bool(t)"),
        ("t != 0", "n != 0"),
        ("range(n)", "[0, 1, 2]"),
        ("range(n)", "range(0, n, 2)"),
        ("    h = mix(", "    again = t > 0\n    h = mix("),
        ("    h = mix(h, x[:, t]", "    for k in range(2):\n        h = mix(h, x[:, k]"),
    ],
)
def test_what_else_says_that_they_are_found(old: str, new: str) -> None:
    text = after(changed(old, new))
    assert "mix_layer = mix()\n" in text
    assert text.count("mix()") == 2  # the function, and one object


@pytest.mark.parametrize(
    "said",
    [
        # TF 1 raises where a variable is there already, and the program asks for it again.
        (
            "    try:\n        h = mix(h, x[:, t], False)\n    except ValueError:\n"
            "        h = mix(h, x[:, t], True)\n"
        ),
    ],
)
def test_what_else_makes_or_finds_them_stays(said: str) -> None:
    stopped(changed("    h = mix(h, x[:, t], reuse=(t != 0))\n", said))


@pytest.mark.parametrize("said", ["t < 0", "tf.AUTO_REUSE"])
def test_scopes_that_rounds_name_have_their_own(said: str) -> None:
    own = f"    with tf.variable_scope('at%d' % t):\n        h = mix(h, x[:, t], {said})\n"
    text = after(changed("    h = mix(h, x[:, t], reuse=(t != 0))\n", own))
    assert "mix_layers = [mix() for _ in range(n)]\n" in text


CLASS = """\
import tensorflow as tf


class Net(object):
    def __init__(self, n, wide=True):
        self.n = n
        self.wide = wide
        self.x = tf.placeholder(tf.float32, [None, 3])
        h = self.x
        for t in range(self.n):
            h = self.mix(h, 'mix', reuse=(t > 0))
            if self.wide:
                h = self.mix(h, 'more', reuse=(t > 0))
        self.loss = tf.reduce_mean(tf.square(h))

    def mix(self, h, name, reuse=False):
        with tf.variable_scope(name, reuse=reuse):
            w = tf.get_variable('w', [3, 3])
            return tf.tanh(tf.matmul(h, w))


net = Net(4)
step = tf.train.GradientDescentOptimizer(0.1).minimize(net.loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([step, net.loss], {net.x: [[1, 2, 3]]})[1])
"""


def test_a_branch_in_a_loop_that_all_objects_decide() -> None:
    text = after(CLASS)
    assert "if self.wide" not in text
    assert "more_layer = self.mix('more')\n" in text
    text = after(CLASS.replace("net = Net(4)", "net = Net(4, wide=False)"))
    assert "'more'" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("net = Net(4)", "import sys\nnet = Net(4, len(sys.argv) > 1)"),
        ("        h = self.x\n", "        h = self.x\n        self.wide = n > 2\n"),
    ],
)
def test_a_branch_in_a_loop_that_is_computed_stays(old: str, new: str) -> None:
    assert old in CLASS
    stopped(CLASS.replace(old, new))


AGAIN = """\
import tensorflow as tf


def net(x):
    with tf.variable_scope('net'):
        w = tf.get_variable('w', [3, 3])
        return tf.tanh(tf.matmul(x, w))


x = tf.placeholder(tf.float32, [None, 3])
z = tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope(tf.get_variable_scope()):
    a = net(x)
    tf.get_variable_scope().reuse_variables()
    b = net(z)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([a, b], {x: [[1, 2, 3]], z: [[3, 2, 1]]}))
"""


def test_the_scope_at_hand_that_a_branch_tells() -> None:
    branch = "    if x is not z:\n        tf.get_variable_scope().r"
    assert after(AGAIN.replace("    tf.get_variable_scope().r", branch)).count("= net()") == 1


@pytest.mark.parametrize("scope", ["tf.get_variable_scope()", "'all'"])
def test_the_scope_at_hand_finds_its_variables_again(scope: str) -> None:
    text = after(
        AGAIN.replace("variable_scope(tf.get_variable_scope())", f"variable_scope({scope})")
    )
    assert text.count("= net()") == 1
    assert "    a = a_layer(x)\n    b = a_layer(z)\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("with tf.variable_scope(tf.get_variable_scope()):", "for _ in range(2):"),
        ("reuse_variables()", "set_regularizer(None)"),
    ],
)
def test_what_else_is_said_of_the_scope_at_hand_stays(old: str, new: str) -> None:
    assert old in AGAIN
    stopped(AGAIN.replace(old, new))


TWICE = """\
import tensorflow as tf


def net(x, i, name='net', act=tf.nn.tanh):
    with tf.variable_scope(name, reuse=i > 0):
        w = tf.get_variable('w', [3, 3])
        h = tf.layers.dense(tf.matmul(x, w), 4, name='h')
        return tf.reduce_mean(act(h))


N = 'net'
x = tf.placeholder(tf.float32, [None, 3])
z = tf.placeholder(tf.float32, [None, 3])
real = net(x, 0)
fake = net(z, 1)
step = tf.train.GradientDescentOptimizer(0.1).minimize(real - fake)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([step, real], {x: [[1, 2, 3]], z: [[3, 2, 1]]})[1])
"""
BRANCH = "    with tf.variable_scope(name) as scope:\n        if i > 0:\n            "


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("i > 0", "tf.AUTO_REUSE"),
        ("net(z, 1)", "net(z, 1, 'net')"),  # the default
        ("net(z, 1)", "net(z, 1, name=N)"),
        ("net(z, 1)", "net(z, 1, act=tf.nn.relu)"),
        ("    with tf.variable_scope(name, reuse=i > 0):\n", BRANCH + "scope.reuse_variables()\n"),
    ],
)
def test_a_function_that_computes_it_from_what_it_is_given(old: str, new: str) -> None:
    assert old in TWICE
    text = after(TWICE.replace(old, new))
    assert text.count("_layer = net(") == 1
    assert " real = real_layer(x" in text
    assert " fake = real_layer(z" in text


def test_calls_that_name_their_variables_have_their_own() -> None:
    text = after(
        TWICE.replace("net(z, 1)", "net(z, 0, 'other')").replace("(name, reuse=i > 0)", "(name)")
    )
    assert text.count("_layer = net(") == 2
    auto = TWICE.replace("i > 0", "tf.AUTO_REUSE")
    assert after(auto.replace("net(z, 1)", "net(z, 1, 'other')")).count("_layer = net(") == 2


def test_functions_in_a_scope_that_calls_name() -> None:
    helper = "def part(v):\n    return tf.layers.dense(v, 4, name='h')\n\n\ndef net"
    nested = TWICE.replace("tf.layers.dense(tf.matmul(x, w), 4, name='h')", "part(tf.matmul(x, w))")
    nested = nested.replace("def net", helper).replace("i > 0", "tf.AUTO_REUSE")
    assert after(nested.replace("net(z, 1)", "net(z, 1, 'other')")).count("_layer = net(") == 2
    assert after(nested.replace("net(z, 1)", "net(z, 1, N)")).count("_layer = net(") == 1


TRIED = """\
        try:
            w = tf.get_variable('w', [3, 3])
        except ValueError:
            tf.get_variable_scope().reuse_variables()
            w = tf.get_variable('w')
"""


def test_variables_that_a_handler_finds_again_stay() -> None:
    made = "        w = tf.get_variable('w', [3, 3])\n"
    assert made in TWICE
    stopped(TWICE.replace(made, TRIED).replace(", reuse=i > 0", ""))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # It may be the same name.
        ("net(z, 1)", "net(z, 1, input())"),
        # The second call would build another graph of the same variables.
        ("'h')", "'h', use_bias=i > 1)"),
    ],
)
def test_calls_that_may_differ_stay(old: str, new: str) -> None:
    assert old in TWICE
    stopped(TWICE.replace("i > 0", "tf.AUTO_REUSE").replace(old, new))


KEPT = """\
import tensorflow as tf


class VAE(object):
    def __init__(self, size=2, reuse=False):
        self.size = size
        self.reuse = reuse
        with tf.variable_scope('vae', reuse=self.reuse):
            self.build()
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def build(self):
        self.x = tf.placeholder(tf.float32, [None, 4])
        h = tf.layers.dense(self.x, self.size, name='h')
        self.loss = tf.reduce_mean(tf.square(self.x - tf.layers.dense(h, 4, name='y')))


vae = VAE(3)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([vae.step, vae.loss], {vae.x: [[1, 2, 3, 4]]})[1])
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("VAE(3)", "VAE(3, reuse=False)"),
        ("VAE(3)", "VAE(3, bool(input()))"),
        ("reuse=self.reuse", "reuse=tf.AUTO_REUSE"),
    ],
)
def test_an_object_that_keeps_what_it_is_told(old: str, new: str) -> None:
    text = after(KEPT.replace(old, new))
    assert "        self.h_layer = tf.keras.layers.Dense(" in text


def test_layers_that_may_be_found_again_by_another_name_stay() -> None:
    stopped(KEPT.replace("reuse=self.reuse", "reuse=tf.AUTO_REUSE").replace(", name='h'", ""))
