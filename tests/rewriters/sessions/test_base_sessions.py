"""A trainer whose base class keeps the session: ``super().__init__(sess, model, config)``."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Net:
    def __init__(self, config):
        self.config = config
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.step = tf.Variable(0, trainable=False)
        self.w = tf.Variable(tf.ones([3, 1]))
        self.loss = self.config["scale"] * tf.reduce_mean(tf.square(tf.matmul(self.x, self.w)))
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.train = optimizer.minimize(self.loss, global_step=self.step)


class Base:
    def __init__(self, sess, model, config):
        self.sess = sess
        self.model = model
        self.config = config
        self.init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
        self.sess.run(self.init)

    def train(self):
        for i in range(self.model.step.eval(EVAL), self.config["steps"]):
            print(self.train_step([[1.0, 2.0, 3.0]]))

    def train_step(self, x):
        raise NotImplementedError


class Trainer(Base):
    def __init__(self, sess, model, config):
        SUPER(sess, model, config)

    def train_step(self, x):
        return self.sess.run([self.model.loss, self.model.train], {self.model.x: x})[0]


class Other(Base):
    def __init__(self, sess, model, config):
        super(Other, self).__init__(GIVEN)

    def train_step(self, x):
        return 0


config = {"steps": 3, "scale": 2.0}
sess = tf.Session()
trainer = Trainer(sess, Net(config), config)
trainer.train()
"""


def program(up: str = "super().__init__", given: str = "sess, model, config") -> str:
    source = PROGRAM.replace("SUPER(", up if up.endswith("self, ") else f"{up}(")
    return source.replace("GIVEN", given).replace("EVAL", "self.sess")


@pytest.mark.parametrize(
    "up", ["super().__init__", "super(Trainer, self).__init__", "Base.__init__(self, "]
)
def test_the_session_is_not_handed_on(up: str) -> None:
    text = after(program(up))
    head = up if up.endswith("self, ") else f"{up}("
    assert f"    def __init__(self, model, config):\n        {head}model, config)\n" in text
    assert "class Base:\n    def __init__(self, model, config):\n        self.model = model" in text
    assert "range(self.model.step.numpy(), " in text


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("sess, model, config", "model, config"),
        ("sess=sess, model=model, config=config", "model=model, config=config"),
    ],
)
def test_a_class_of_which_no_object_is_made_hands_none_on_either(given: str, left: str) -> None:
    text = after(program(given=given))
    init = "    def __init__(self, sess, model, config):\n        super(Other, self).__init__"
    assert f"{init}({left})\n" in text


@pytest.mark.parametrize("given", ["make(), model, config", "*everything"])
def test_what_else_it_hands_on_keeps_the_session(given: str) -> None:
    assert "of a class that isn't followed is given a session" in stopped(program(given=given))


def test_only_a_variable_is_evaluated_in_a_session_without_its_name() -> None:
    source = program().replace("step.eval(", "loss.eval(")
    assert "the feed_dict isn't seen" in stopped(source)


def test_an_attribute_of_two_classes_that_have_a_base_in_common_changes() -> None:
    source = program().replace("class Base:", "class Base(Root):")
    source = source.replace("class Net:", "class Root:\n    pass\n\n\nclass Net(Root):")
    assert "`config`, which a function would read, changes later" in stopped(source)
