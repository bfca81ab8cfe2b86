"""Branches of a class that all who make its objects decide."""

from __future__ import annotations

from typing import Any

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

class Model(object):
    def __init__(self, rate=0.1{parameter}):
        self.rate = rate
        {kept}
        self.x = tf.placeholder(tf.float32, [None, 2])
        w = tf.get_variable('w', [2, 1], initializer=tf.ones_initializer())
        self.loss = tf.reduce_mean(tf.matmul(self.x, w) ** 2)
        if {test}:
            self.train_op = self.trained(self.loss)

    def trained(self, loss):
        return tf.train.GradientDescentOptimizer(self.rate).minimize(loss)

    def step(self, sess, x):
        return sess.run([self.train_op, self.loss], feed_dict={{self.x: x}})[1]

{made}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    losses = [model.step(sess, np.ones((2, 2))) for _ in range(2)]
"""
MADE = "model = Model({})"
DEFAULT = ", is_training=True"


def program(
    test: str, parameter: str = DEFAULT, given: str = "", kept: str = "pass", made: str = MADE
) -> str:
    return PROGRAM.format(test=test, parameter=parameter, kept=kept, made=made.replace("{}", given))


@pytest.mark.parametrize(
    "text",
    [
        program("is_training"),
        program("is_training", given="0.1, True"),
        program("is_training", ", is_training=False", "is_training=True, rate=0.1"),
        program("mode == 'train'", ", mode=None", "0.1, mode='train'"),
        program("not testing", ", testing=False"),
        program("is_training == True", given="is_training=1"),
        program("self.is_training", kept="self.is_training = is_training"),
        program("mode != 'eval'", ", mode='train'", kept="self.mode = mode"),
        program("is_training", made="TRAIN = True\nmodel = Model(is_training=TRAIN)"),
    ],
)
def test_a_branch_that_every_object_takes(text: str) -> None:
    written = after(text)
    assert "        if " not in written
    found: dict[str, Any] = {}
    exec(written, found)
    losses = [round(float(value), 4) for value in found["losses"]]
    assert losses == [4.0, 1.44]  # TF 1.15.5's


def test_a_parameter_that_nothing_else_reads_goes() -> None:
    assert "is_training" not in after(program("is_training", given="0.1, True"))


def test_one_that_something_reads_stays() -> None:
    assert "self.is_training = is_training" in after(
        program("self.is_training", kept="self.is_training = is_training")
    )


@pytest.mark.parametrize(
    "text",
    [
        program("is_training", made="import sys\nmodel = Model(is_training=len(sys.argv) > 0)"),
        program("is_training", kept="is_training = bool(rate)"),
        program("self.is_training", kept="self.is_training = rate > 0"),
        program("is_training", made="given = {'is_training': True}\nmodel = Model(**given)"),
    ],
)
def test_what_not_all_objects_say_leaves_init_early(text: str) -> None:
    written = after(text)
    assert ":\n            return\n        self.trained()\n" in written
    found: dict[str, Any] = {}
    exec(written, found)
    losses = [round(float(value), 4) for value in found["losses"]]
    assert losses == [4.0, 1.44]  # TF 1.15.5's


def test_what_not_all_objects_say_keeps_the_session_where_more_follows() -> None:
    text = program("is_training", made="import sys\nmodel = Model(is_training=len(sys.argv) > 0)")
    end = "self.train_op = self.trained(self.loss)\n"
    assert stopped(text.replace(end, f"{end}        self.after = True\n"))


ENDS = """\
import numpy as np
import tensorflow as tf

class Model(object):
    def __init__(self, sess, n=None, m=None):
        self.n = n
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.loss = tf.reduce_mean(self.net(self.x) ** 2)
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
        sess.run(tf.global_variables_initializer())
        print(sess.run([self.step, self.loss], {self.x: np.ones((2, 2))})[1])

    def net(self, x):
        with tf.variable_scope('net'):
            if not self.n:
                w = tf.get_variable('w', [2, 1], initializer=tf.ones_initializer())
                h = tf.matmul(x, w)
                return h
            else:
                x = tf.concat([x, x], 1)
                w = tf.get_variable('v', [4, 1], initializer=tf.ones_initializer())
                return tf.nn.relu(tf.matmul(x, w))

with tf.Session() as sess:
    model = Model(sess)
"""


def test_a_method_that_ends_in_such_a_branch_returns_on_its_one_way() -> None:
    text = after(ENDS)
    assert "'net/v'" not in text.replace('"', "'")
    assert "self.n:" not in text
    other = after(ENDS.replace("Model(sess)", "Model(sess, 3)"))
    assert "tf.nn.relu(" in other


@pytest.mark.parametrize(
    "made",
    [
        "model = Model(sess, int('3'))",
        "import sys\n    model = Model(sess, 3) if len(sys.argv) > 1 else Model(sess)",
    ],
)
def test_where_objects_may_go_either_way_the_branch_stays(made: str) -> None:
    (result,) = texts({"program.py": ENDS.replace("model = Model(sess)", made).encode()}, Options())
    text = (result.after or b"").decode()
    assert "if not self.n" in text or result.level is Level.COMPAT
