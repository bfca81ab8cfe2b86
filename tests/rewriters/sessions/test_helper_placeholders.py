"""Functions that make their placeholders, called for a net and for its target."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

ACTOR = """\
import numpy as np
import tensorflow as tf


class Actor:
    def __init__(self, sess, dim, bound):
        self.sess = sess
        self.dim = dim
        self.inputs, self.out, self.scaled = self.create('net', bound=bound)
        self.target_inputs, self.target_out, self.target_scaled = self.create('target', bound=bound)
        self.update = [
            t.assign(w)
            for w, t in zip(tf.trainable_variables('net'), tf.trainable_variables('target'))]

    def create(self, scope, bound):
        with tf.variable_scope(scope):
            inputs = tf.placeholder(
                tf.float32, [None, self.dim], name="inputs")
            size = tf.placeholder(tf.float32, [])
            net = tf.layers.dense(inputs * size, 4, activation=tf.nn.relu)
            net = tf.concat([net, inputs], axis=1)
            out = tf.layers.dense(net, 2)
            scaled = out * bound
        return inputs, out, scaled

    def run(self, x):
        self.sess.run(self.update)
        print(self.sess.run(self.out, {self.inputs: x, self.size: 2}))
        return self.sess.run(self.target_out, {self.target_inputs: x, self.size: 2})


with tf.Session() as sess:
    actor = Actor(sess, 3, 2.)
    sess.run(tf.global_variables_initializer())
    print(actor.run(np.ones([1, 3])))
"""
PLAIN = ACTOR.replace("            size = tf.placeholder(tf.float32, [])\n", "")
PLAIN = PLAIN.replace(" * size", "").replace(", self.size: 2", "")
FUNCTION = """\
import numpy as np
import tensorflow as tf


def create(n, hidden=8):
    s = tf.placeholder(tf.float32, [None, n])
    w = tf.Variable(tf.ones([n, hidden]))
    h = tf.matmul(s, w)
    v = tf.Variable(tf.ones([hidden, 2]))
    out = tf.matmul(h, v)
    return s, out, h


s, out, h = create(4)
t, target, _ = create(4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {s: np.ones([1, 4])}), sess.run(target, {t: np.ones([1, 4])}))
"""
BRAIN = """\
import numpy as np
import tensorflow as tf


class Brain:
    def __init__(self, actions):
        self.actions = actions
        self.x, self.q, self.w, self.b = self.create()
        self.x_t, self.q_t, self.w_t, self.b_t = self.create()
        self.copy = [self.w_t.assign(self.w), self.b_t.assign(self.b)]
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def create(self):
        w = tf.Variable(tf.ones([4, self.actions]))
        b = tf.Variable(tf.zeros([self.actions]))
        # what is seen
        x = tf.placeholder(tf.float32, [None, 4])
        q = tf.matmul(x, w) + b
        return x, q, w, b

    def act(self, x):
        self.sess.run(self.copy)
        return self.sess.run(self.q_t, {self.x_t: x}), self.sess.run(self.q, {self.x: x})


print(Brain(2).act(np.ones([1, 4])))
"""


def test_methods_of_layers() -> None:
    text = after(PLAIN)
    assert "        self.inputs = tf.TensorSpec([None, self.dim], tf.float32)\n" in text
    assert "        self.target_inputs = tf.TensorSpec([None, self.dim], tf.float32)\n" in text
    assert "        def apply(inputs):\n" in text
    assert ".build([None, 4 + self.dim])" in text  # side by side
    assert text.count("self.create(") == 2


def test_what_nobody_is_given_has_a_name_of_its_own() -> None:
    source = ACTOR.replace("self.size: 2", "'size:0': 2")
    assert "is needed here and not fed" in stopped(source) or "is fed" in stopped(source)


def test_functions() -> None:
    text = after(FUNCTION)
    assert "s = tf.TensorSpec([None, 4], tf.float32)\n" in text
    assert "t = tf.TensorSpec([None, 4], tf.float32)\n" in text
    assert "    def apply(s):\n" in text


def test_variables_first() -> None:
    text = after(BRAIN)
    assert "        self.w, self.b = self.create()\n" in text
    assert (
        "        return w, b\n\n    def forward(self, x, w, b):\n        # what is seen\n" in text
    )
    assert "return self.forward(x_t, self.w_t, self.b_t)" in text


def test_tabs() -> None:
    assert "\n\t\treturn w, b\n\n\tdef forward(self, x, w, b):\n" in after(
        BRAIN.replace("    ", "\t")
    )


def test_two_classes_have_a_method_of_that_name() -> None:
    begun = "        self.sess = tf.Session()\n"
    begun += "        self.sess.run(tf.global_variables_initializer())\n"
    head, *_ = BRAIN.replace(begun, "").partition("print(")
    head = head.replace("self.sess.", "sess.")
    other = head[head.index("class") :].replace("Brain", "Critic")
    end = """\
brain, critic = Brain(2), Critic(1)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(brain.act(np.ones([1, 4])), critic.act(np.ones([1, 4])))
"""
    text = after(head + other + end)
    assert text.count("def forward") == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        q = tf.matmul(x, w) + b\n", "        q = (lambda y: tf.matmul(y, w) + b)(x)\n"),
        ("return x, q, w, b", "return [x, q, w, b]"),
        ("x = tf.placeholder(tf.float32, [None, 4])", "x = tf.placeholder(tf.float32, size())"),
        ("self.x_t, self.q_t, self.w_t, self.b_t = ", "self.t = "),
    ],
)
def test_what_is_more_keeps_the_session(old: str, new: str) -> None:
    stopped(BRAIN.replace(old, new))


MADE = "a placeholder is made in a loop, a branch or a helper"
NET = """\
import numpy as np
import tensorflow as tf


def net(x):
    with tf.name_scope('hidden'):
        w = tf.Variable(tf.ones([3, 4]))
        h = tf.nn.relu(tf.matmul(x, w))
    with tf.name_scope('dropout'):
        keep_prob = tf.placeholder(tf.float32)
        h = tf.nn.dropout(h, keep_prob)
    v = tf.Variable(tf.ones([4, 1]))
    return tf.matmul(h, v), keep_prob


x = tf.placeholder(tf.float32, [None, 3])
y, keep_prob = net(x)
loss = tf.reduce_mean(tf.square(y))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: np.ones([2, 3]), keep_prob: 1.0})
    print(sess.run(loss, {x: np.ones([2, 3]), keep_prob: 1.0}))
"""


def test_a_placeholder_of_a_function_with_variables_stands_at_its_one_call() -> None:
    """MNIST's `deepnn(x)` gave `keep_prob` beside what it computed; the feed was lost."""
    text = after(NET)
    assert "    def apply(x, keep_prob):\n" in text
    assert "keep_prob = tf.TensorSpec(None, tf.float32)\n" in text
    assert "\ntrain_step(np.ones([2, 3]), 1.0)\n" in text


def test_a_placeholder_that_only_its_function_has_keeps_the_session() -> None:
    text = NET.replace("return tf.matmul(h, v), keep_prob", "return tf.matmul(h, v)")
    text = text.replace("y, keep_prob = net(x)", "y = net(x)")
    text = text.replace("tf.placeholder(tf.float32)", "tf.placeholder(tf.float32, name='keep')")
    text = text.replace("keep_prob: 1.0", "'keep:0': 1.0")
    assert stopped(text) == f"10: {MADE}"


def test_a_placeholder_of_a_function_in_one_with_variables_keeps_the_session() -> None:
    share = "def share():\n    return tf.placeholder(tf.float32)\n\n\n"
    text = NET.replace("def net(x)", f"{share}def net(x)")
    text = text.replace("keep_prob = tf.placeholder(tf.float32)", "keep_prob = share()")
    assert stopped(text) == f"14: {MADE}"


def test_a_local_name_is_another_thing_than_the_method() -> None:
    local = "        create = 2.\n        return self.sess.run(self.target_out"
    text = after(PLAIN.replace("        return self.sess.run(self.target_out", local))
    assert "        create = 2.\n" in text
    assert "self.create(" in text
