"""Lists of variables, and Savers, outside of the class that makes them: by the objects' names."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, size):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.hidden = tf.layers.dense(self.x, size)
        self.w = tf.Variable(tf.ones([size, 1]))
        self.out = tf.matmul(self.hidden, self.w)
        self.loss = tf.reduce_mean(tf.square(self.out))
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

"""
COPY = """
def update_graph(variables, tau):
    total = len(variables)
    ops = []
    for i, v in enumerate(variables[0:total // 2]):
        ops.append(variables[i + total // 2].assign(
            v.value() * tau + (1 - tau) * variables[i + total // 2].value()))
    return ops


def update(ops, sess):
    for op in ops:
        sess.run(op)


net = Net(4)
target = Net(4)
ops = update_graph(tf.trainable_variables(), 0.1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run([net.train, net.loss], {net.x: np.ones([2, 3])})[1])
        update(ops, sess)
    print(sess.run(target.out, {target.x: np.ones([2, 3])}))
"""
LISTED = (
    "[*net.hidden_layer.trainable_variables, net.w, "
    "*target.hidden_layer.trainable_variables, target.w]"
)


def test_a_target_net_has_the_second_half_of_all_variables() -> None:
    text = after(NET + COPY)
    assert f"variables = {LISTED}" in " ".join(text.split()).replace("[ ", "[")
    assert "self.hidden_layer.build([None, 3])\n" in text
    assert "for ops_i, v in enumerate(variables[0:total // 2]):\n" in text
    assert "(1 - 0.1) * variables[ops_i + total // 2])\n" in text
    assert ".value()" not in text  # Keras's variables have no such method
    assert "sess" not in text


def test_ops_of_other_kinds_are_not_run_as_one() -> None:
    made = "ops = update_graph(tf.trainable_variables(), 0.1)"
    source = (NET + COPY).replace(made, "ops = [net.w.assign(target.w), target.w.assign(net.w)]")
    assert "an item of op" in stopped(source)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("target = Net(4)", "target = Net(4)\nNet(4)"),
        ("target = Net(4)", "target = net\ntarget = Net(4)"),
        ("target = Net(4)", "if len('ab') > 1:\n    target = Net(4)"),
    ],
)
def test_an_object_without_a_name_of_its_own(old: str, new: str) -> None:
    stopped((NET + COPY).replace(old, new))


TRAINER = """
class Trainer(object):
    def __init__(self):
        self.w = tf.Variable(tf.ones([1]))
        self.net = Net(4)
        self.other = Net(4)
        self.size = tf.global_norm(tf.trainable_variables())

    def run(self, sess):
        sess.run([self.net.train], {self.net.x: np.ones([2, 3])})
        return sess.run(self.size)


trainer = Trainer()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(trainer.run(sess))
"""


def test_an_object_lists_its_own_variables_and_those_of_its_parts() -> None:
    text = after(NET + TRAINER)
    assert "global_norm([self.w, *self.net.hidden_layer.trainable_variables, self.net.w, " in text
    assert "*self.other.hidden_layer.trainable_variables, self.other.w])" in text
    one = after((NET + TRAINER).replace("        self.other = Net(4)\n", ""))
    assert "[self.w, *self.net.hidden_layer.trainable_variables, self.net.w])" in one


SCOPED = (
    NET.replace(
        "    def __init__(self, size):\n", "    def __init__(self, name):\n        size = 4\n"
    )
    .replace("        self.x", "        self.name = name\n        self.x", 1)
    .replace("tf.layers.dense(self.x, size)", "tf.layers.dense(self.x, size, name=self.name)")
    .replace(
        "self.w = tf.Variable(tf.ones([size, 1]))",
        'self.w = tf.get_variable(self.name + "_w", [size, 1])',
    )
)
BY_SCOPE = COPY[COPY.index("net = Net") :].replace("update(ops, sess)", "sess.run(ops)")
BY_SCOPE = BY_SCOPE.replace("net = Net(4)\n", 'net = Net("main")\n', 1)
BY_SCOPE = BY_SCOPE.replace("target = Net(4)\n", 'target = Net("target")\n')
BY_SCOPE = BY_SCOPE.replace(
    "ops = update_graph(tf.trainable_variables(), 0.1)",
    'mine = tf.trainable_variables("main")\n'
    'theirs = tf.trainable_variables("target")\n'
    "ops = [t.assign(m) for m, t in zip(mine, theirs)]",
)


def test_objects_are_known_by_the_scopes_that_they_are_given() -> None:
    text = after(SCOPED + "\n" + BY_SCOPE)
    assert "mine = [*net.hidden_layer.trainable_variables, net.w]\n" in text
    assert "theirs = [*target.hidden_layer.trainable_variables, target.w]\n" in text
    computed = BY_SCOPE.replace('Net("target")', 'Net("tar" + "get")')
    assert "the name of one isn't seen" in stopped(SCOPED + "\n" + computed)


SAVED = """
net = Net(4)
target = Net(4)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    saver.restore(sess, "./model")
    print(sess.run([net.train, net.loss], {net.x: np.ones([2, 3])})[1])
    saver.save(sess, "./model")
    print(sess.run(target.out, {target.x: np.ones([2, 3])}))
"""


def test_a_saver_has_the_variables_of_both() -> None:
    text = " ".join(after(NET + SAVED).split())
    assert "tf.train.Checkpoint( net_w=net.w, target_w=target.w, net_hidden_layer=" in text
    assert "net_optimizer=net.optimizer, target_optimizer=target.optimizer)" in text


def test_slots_that_a_checkpoint_may_not_have() -> None:
    late = SAVED.replace('    saver.restore(sess, "./model")\n', "")
    late += '    saver.restore(sess, "./model")\n'
    assert "restored after one of them was trained" in stopped(NET + late)


COUNTED = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.layers.dense(x, 2)
every = tf.global_variables()
print(sum([np.prod(v.get_shape().as_list()) for v in every]))
print(sum([np.prod(v.shape) for v in tf.trainable_variables()]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: np.ones([1, 3])}))
"""


def test_the_shapes_of_layers_variables() -> None:
    text = after(COUNTED)
    assert "np.prod(tf.TensorShape(v.shape).as_list()) for v in every" in text
    listed = "[*y_layer.trainable_variables]"
    assert f"print(sum([np.prod(tf.TensorShape(v.shape)) for v in {listed}]))\n" in text
    named = COUNTED.replace("tf.trainable_variables()]", "some]")
    named = named.replace(
        "print(sum([np.prod(v.shape)",
        "some = tf.trainable_variables()\nprint(sum([np.prod(v.shape)",
    )
    assert f"some = {listed}\n" in after(named)


TWO = """\
import tensorflow as tf


class Actor(object):
    def __init__(self):
        with tf.variable_scope("actor"):
            self.w = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())


class Critic(object):
    def __init__(self):
        with tf.variable_scope("critic"):
            self.x = tf.placeholder(tf.float32, [None, 3])
            self.v = tf.get_variable("v", [3, 1], initializer=tf.ones_initializer())
            self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.v) - 1.0))
        self.mine = tf.trainable_variables("critic")
        train = tf.train.GradientDescentOptimizer(0.1)
        self.train = train.minimize(self.loss, var_list=self.mine)


def main():
    actor = Actor()
    critic = Critic()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run([critic.train, critic.loss], {critic.x: [[1.0, 2.0, 3.0]]})[1])


main()
"""


def test_an_object_lists_its_scope_beside_another_class() -> None:
    assert "self.mine = [self.v]\n" in after(TWO)
    later = TWO.replace('trainable_variables("critic")', "trainable_variables()[1:]")
    assert "self.mine = [self.v]\n" in after(later)
    every = TWO.replace('trainable_variables("critic")', "trainable_variables()[:1]")
    assert "the variables of objects, some of which have no name here" in stopped(every)
