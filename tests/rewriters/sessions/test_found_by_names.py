"""Variables that a loader finds by computed names, and what fine-tuned nets have beside it."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, x, skipped):
        self.skipped = skipped
        hidden = fc(x, 3, 4, 'fc1')
        self.out = fc(hidden, 4, 2, 'fc2', relu=False)

    def load(self, weights, session):
        for op in weights:
            if op not in self.skipped:
                with tf.variable_scope(op, reuse=True):
                    for data in weights[op]:
                        if len(data.shape) == 1:
                            var = tf.get_variable('biases', trainable=False)
                            session.run(var.assign(data))
                        else:
                            session.run(tf.get_variable('weights').assign(data))


def fc(x, n, m, name, relu=True):
    with tf.variable_scope(name) as scope:
        weights = tf.get_variable('weights', [n, m])
        biases = tf.get_variable('biases', [m])
        act = tf.nn.xw_plus_b(x, weights, biases, name=scope.name)
        if relu == True:
            relu = tf.nn.relu(act)
            return relu
        else:
            return act


x = tf.placeholder(tf.float32, [None, 3])
net = Net(x, ['fc2'])
loss = tf.reduce_mean(tf.square(net.out))
stored = {'fc1': [np.ones([3, 4]), np.zeros([4])], 'fc2': [np.ones([4, 2]), np.zeros([2])]}
var_list = [v for v in tf.trainable_variables() if v.name.split('/')[0] in ['fc2']]
gradients = tf.gradients(loss, var_list)
gradients = list(zip(gradients, var_list))
train = tf.train.GradientDescentOptimizer(0.1).apply_gradients(gradients)
for gradient, var in gradients:
    tf.summary.histogram(var.name + '/gradient', gradient)
merged = tf.summary.merge_all()
writer = tf.summary.FileWriter('logs')
sess = tf.Session()
sess.run(tf.global_variables_initializer())
net.load(stored, sess)
for i in range(3):
    sess.run(train, {x: np.ones([2, 3])})
    writer.add_summary(sess.run(merged, {x: np.ones([2, 3])}), i)
    print(sess.run(loss, {x: np.ones([2, 3])}))
writer.close()
"""
NAMES = "['fc1/weights:0', 'fc1/biases:0', 'fc2/weights:0', 'fc2/biases:0']"


def test_a_loader_reads_a_dict_of_variables() -> None:
    found = after(PROGRAM)
    variables = "[*self.hidden_layer.variables, *self.out_layer.variables]"
    assert f"        variables = dict(zip({NAMES}, {variables}))\n        for op in" in found
    assert 'var = variables[f"{op}/biases:0"]\n' in found
    assert 'variables[f"{op}/weights:0"].assign(data)\n' in found
    assert "    def load(self, weights):\n" in found


def test_a_way_that_binds_a_parameter_and_returns_it() -> None:
    found = after(PROGRAM)
    assert "        if relu == True:\n            relu_value = tf.nn.relu(act)\n" in found


def test_names_beside_gradients() -> None:
    found = after(PROGRAM)
    assert "for (gradient, var), var_name in zip(gradients, var_names):\n" in found
    assert "var_names = ['fc2/weights:0', 'fc2/biases:0']\n" in found


def test_a_dict_of_variables_by_their_names() -> None:
    loader = PROGRAM[PROGRAM.index("                with tf.variable_scope(op, r") :]
    loader = loader[: loader.index("\n\ndef fc")]
    mine = "                session.run(known[op + '/weights'].assign(weights[op][0]))\n"
    source = PROGRAM.replace(loader, mine).replace(
        "        for op in weights:\n",
        "        known = {v.op.name: v for v in tf.trainable_variables()}\n"
        "        for op in weights:\n",
    )
    names = NAMES.replace(":0", "")
    assert f"        known = dict(zip({names}, [*self.hidden_layer" in after(source)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("with tf.variable_scope(op, reuse=True)", "with tf.variable_scope(named(op), reuse=True)"),
        (
            "tf.get_variable('weights', [n, m])",
            "tf.get_variable('weights', [n, m], trainable=False)",
        ),
        (
            "tf.get_variable('biases', trainable=False)",
            "tf.get_variable('biases', [2], initializer=tf.zeros_initializer())",
        ),
        (
            "                with tf.variable_scope(op, reuse=True):\n",
            "                with tf.variable_scope(op, reuse=self.found):\n",
        ),
    ],
)
def test_what_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert stopped(PROGRAM.replace(old, new, 1))


def test_a_local_name_hides_a_function() -> None:
    """What a function's own name means inside of it says nothing of its calls."""
    net = "        hidden = fc(x, 3, 4, 'fc1')\n"
    source = PROGRAM.replace(net, "        hidden = fc(x, 4, 'fc1')\n")
    source = source.replace("fc(hidden, 4, 2, 'fc2', relu", "fc(hidden, 2, 'fc2', relu")
    source = source.replace("def fc(x, n, m, name", "def fc(x, m, name")
    source = source.replace(
        "    with tf.variable_scope(name) as",
        "    n = int(x.get_shape()[-1])\n    with tf.variable_scope(name) as",
    )
    source = source.replace("        act = tf.nn", "        fc = tf.nn").replace(
        "relu(act)", "relu(fc)"
    )
    source = source.replace("return act", "return fc")
    found = after(source)
    assert "self.hidden_layer = fc(4, 'fc1', n=3)\n" in found
