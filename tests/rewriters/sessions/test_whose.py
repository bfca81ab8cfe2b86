"""Two objects of one class, whose tensors another object's graph goes on with."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from tests.rewriters.sessions.test_files import reasons, run
from tests.rewriters.sessions.test_sessions import after, stopped

NET = """
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, name):
        with tf.variable_scope(name):
            self.x = tf.placeholder(tf.float32, [None, 3])
            self.out = tf.layers.dense(self.x, 2)
            self.more = self.out * 2.0

    def both(self, x):
        out = self.out
        return tf.get_default_session().run([out, self.more], {self.x: x})

"""
TRAINER = """
class Trainer(object):
    def __init__(self, new, old):
        self.new = new
        self.old = old
{body}
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.gap)

    def measure(self, x):
        return tf.get_default_session().run(self.gap, {{self.new.x: x, self.old.x: x}})

    def train(self, x):
        tf.get_default_session().run(self.step, {{self.new.x: x, self.old.x: x}})


def main():
    new = Net("new")
    old = Net("older")
    trainer = Trainer(new, old)
    x = np.arange(6.0).reshape(2, 3)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        trainer.train(x)
        print(trainer.measure(x))


main()
"""
TOLD = "whose graph is run here can't be told"
MEANS = "whose graph is run, means another object from here on"


def trainer(body: str) -> str:
    lines = "\n".join(" " * 8 + line for line in body.strip().split("\n"))
    return NET + TRAINER.format(body=lines)


@pytest.mark.parametrize(
    "body",
    [
        # Names of both objects' tensors, beside one that is read itself
        "a = self.new.out\nb = self.old.out\n"
        "self.gap = tf.reduce_mean(tf.square(a - b)) + tf.reduce_sum(self.new.out)",
        "a, b = self.new.out, self.old.out\n"
        "self.gap = tf.reduce_mean(tf.square(a - b)) + tf.reduce_sum(self.new.out)",
        "a = self.new.out\nself.gap = tf.reduce_mean(tf.square(a)) + tf.reduce_sum(self.old.out)",
        "a = self.new.out\nc = a\nself.gap = tf.reduce_mean(c) + tf.reduce_sum(self.old.out)",
    ],
)
def test_names_of_two_objects_tensors(body: str) -> None:
    text = after(trainer(body))
    assert "new_out = self.new.predict(new_x)\n" in text
    assert "old_out = self.old.predict(old_x)\n" in text
    assert "input_signature=[self.new.x, self.old.x]" in text


@pytest.mark.parametrize(
    "body",
    [
        "a = tf.reduce_sum(new.out)\nnew = old\nself.gap = (a - tf.reduce_sum(new.out)) ** 2",
        "a = tf.reduce_sum(new.out)\nfor new in [old]:\n    print('old')\n"
        "self.gap = (a - tf.reduce_sum(new.out)) ** 2",
    ],
)
def test_a_name_that_means_one_object_and_then_another(body: str) -> None:
    assert stopped(trainer(body)).endswith(MEANS)


def test_an_attribute_that_means_one_object_and_then_another() -> None:
    body = (
        "a = tf.reduce_sum(self.new.out)\nself.new = old\n"
        "self.gap = (a - tf.reduce_sum(self.new.out)) ** 2"
    )
    assert stopped(trainer(body)).endswith("`x` is needed here and not fed")  # nor is it in TF 1
    fed = trainer(f"self.first = new\n{body}").replace("self.new.x: x,", "self.first.x: x,")
    assert stopped(fed).endswith((MEANS, TOLD))


def test_names_of_one_objects_tensors() -> None:
    body = "a = self.new.out\nb = self.new.more\nself.gap = tf.reduce_mean(tf.square(a - b))"
    text = after(trainer(f"{body} + tf.reduce_sum(self.new.out)"))
    assert "self.new." in text
    assert "self.old." not in text.partition("def measure")[0].partition("class Trainer")[2]


RUN = """
def main():
    one = Net("new")
    other = Net("older")
    x = np.ones([2, 3])
    {named}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run([{fetched}], {{one.x: x, other.x: x}}))


main()
"""


@pytest.mark.parametrize(
    ("named", "fetched"),
    [
        ("a = one.out", "a, other.out"),
        ("a = (one if x.sum() else other).out", "a, other.out"),
    ],
)
def test_a_name_of_one_objects_tensor_is_run_beside_anothers(named: str, fetched: str) -> None:
    assert stopped(NET + RUN.format(named=named, fetched=fetched)).endswith(TOLD)


def test_names_of_two_objects_tensors_are_run() -> None:
    text = after(NET + RUN.format(named="a, b = one.out, other.out", fetched="a, other.out"))
    assert "one_out = one.predict(one_x)" in text
    assert "other_out = other.predict(other_x)" in text
    assert "return a, other_out" in text


def test_a_name_of_an_objects_tensor_is_run_beside_its_own() -> None:
    text = after(NET + RUN.format(named="a = one.out", fetched="a, one.more"))
    assert "one.compute_out_and_more(x)" in text


SAVED = """
import tensorflow as tf


class Net(object):
    def __init__(self, name):
        with tf.variable_scope(name):
            self.x = tf.placeholder(tf.float32, [None, 3])
            self.out = tf.layers.dense(self.x, 2)


class Trainer(object):
    def __init__(self, net):
        self.net = net
        loss = tf.reduce_mean(tf.square(self.net.out))
        optimizer = tf.train.AdamOptimizer(0.1)
        self.step = optimizer.minimize(loss)

    def train(self, x):
        tf.get_default_session().run(self.step, {self.net.x: x})


"""


def test_a_saver_of_a_net_and_of_what_trains_it() -> None:
    text = after(
        SAVED
        + """
net = Net("net")
trainer = Trainer(net)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    trainer.train([[1.0, 2.0, 3.0]])
    saver.save(sess, "model.ckpt")
"""
    )
    assert "optimizer=trainer.optimizer" in text


def test_a_saver_that_does_not_see_what_trains() -> None:
    assert "isn't seen where the Saver is made" in stopped(
        SAVED
        + """
class Keeper(object):
    def __init__(self, net):
        self.net = net
        self.saver = tf.train.Saver()

    def save(self):
        self.saver.save(tf.get_default_session(), "model.ckpt")


def main():
    net = Net("net")
    trainer = Trainer(net)
    keeper = Keeper(net)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        trainer.train([[1.0, 2.0, 3.0]])
        keeper.save()


main()
"""
    )


def test_a_trainer_of_another_file() -> None:
    head, _, tail = SAVED.partition("class Trainer")
    found = run(
        net=head,
        trainer=f"import tensorflow as tf\n\n\nclass Trainer{tail}",
        main="""
            import tensorflow as tf
            from net import Net
            from trainer import Trainer

            net = Net("net")
            trainer = Trainer(net)
            saver = tf.train.Saver()
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                trainer.train([[1.0, 2.0, 3.0]])
                saver.save(sess, "model.ckpt")
            """,
    )
    assert {r.level for r in found.values()} == {Level.NATIVE}, reasons(found)
