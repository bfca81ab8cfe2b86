"""Iterators that objects keep."""

from __future__ import annotations

import pytest

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.engine.source import apply
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.convert import convert

MODEL = """\
import tensorflow as tf


class Model:
    def __init__(self, dataset):
        self.dataset = dataset

    def data(self):
        self.iterator = self.dataset.make_initializable_iterator()
        self.x, self.y = self.iterator.get_next()

    def build(self):
        self.data()
        self.w = tf.Variable(2.0)
        self.loss = tf.reduce_mean(self.x - self.w * self.y)

    def train(self, steps):
        with tf.Session() as sess:
            sess.run(self.iterator.initializer)
            for _ in range(steps):
                try:
                    print(sess.run(self.loss))
                except tf.errors.OutOfRangeError:
                    sess.run(self.iterator.initializer)


dataset = tf.data.Dataset.from_tensor_slices(([1., 2.], [3., 4.])).batch(2)
model = Model(dataset)
model.build()
model.train(3)
"""
NEXT = "compute_loss(*next(self.iterator)).numpy()"


def _convert(*changes: tuple[str, str]) -> str:
    source = MODEL
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    document = read("program.py", source.encode())
    return apply(document.text, convert(document, names_of(document), "tf").edits)


def test_an_object_keeps_its_iterator() -> None:
    text = _convert()
    assert "    @tf.function\n" not in text
    assert "@tf.function(input_signature=self.dataset.element_spec)" in text
    assert text.count("self.iterator = iter(self.dataset)\n") == 2
    assert "except StopIteration:" in text
    assert f"print(self.{NEXT})" in text
    assert "make_initializable_iterator" not in text


def test_an_object_keeps_what_its_method_calls_an_iterator() -> None:
    text = _convert(
        ("self.iterator = self", "it = self"),
        ("= self.iterator.get_next()", "= it.get_next()\n        self.begin = it.initializer"),
        ("self.iterator.initializer", "self.begin"),
    )
    assert text.count("self.it = iter(self.dataset)\n") == 2
    assert "*next(self.it)" in text


def test_a_dataset_without_a_name_becomes_an_attribute() -> None:
    text = _convert(("self.dataset.make", "self.dataset.skip(0).make"))
    assert "self.dataset_2 = self.dataset.skip(0)\n" in text
    assert text.count("self.iterator = iter(self.dataset_2)\n") == 2


def test_an_iterator_that_begins_once_is_made_where_it_stood() -> None:
    text = _convert(
        ("make_initializable", "make_one_shot"),
        ("            sess.run(self.iterator.initializer)\n            for", "            for"),
        ("sess.run(self.iterator.initializer)", "break"),
    )
    assert "        self.iterator = iter(self.dataset)\n" in text
    assert NEXT in text


def test_the_object_is_called_as_the_run_calls_it() -> None:
    text = _convert(
        ("sess.run(self.", "sess.run(model."), ("train(self, steps)", "train(model, steps)")
    )
    assert "print(model.compute_loss(*next(model.iterator)).numpy())" in text
    assert text.count("model.iterator = iter(model.dataset)\n") == 2


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("model.train(3)", "model.iterator = None\nmodel.train(3)", "is set again"),
        (
            "    def build(",
            "    def other(self, d):\n        self.dataset = d\n\n    def build(",
            "means another one later",
        ),
        ("        self.x,", "        if self.dataset:\n            self.x,", "branch"),
        ("model.build()", "model.build()\nModel(dataset.skip(1)).build()", "twice"),
        ("sess.run(self.loss)", "sess.run([self.loss, self.iterator.initializer])", "among other"),
        ("sess.run(self.loss)", "sess.run(self.loss, {self.x: [1.]})", "is fed"),
    ],
)
def test_what_cannot_be_told_keeps_the_session(old: str, new: str, reason: str) -> None:
    with pytest.raises(Blocked) as caught:
        _convert((old, new))
    assert reason in caught.value.reason


TWO = """\
import tensorflow as tf


class Model:
    def data(self):
        train = tf.data.Dataset.from_tensor_slices([1., 2.]).batch(2)
        test = tf.data.Dataset.from_tensor_slices([3., 4.]).batch(2)
        it = tf.data.Iterator.from_structure(train.output_types, train.output_shapes)
        self.x = it.get_next()
        self.train_init = it.make_initializer(train)
        self.test_init = it.make_initializer(test)

    def build(self):
        self.data()
        self.w = tf.Variable(2.0)
        self.loss = tf.reduce_mean(self.x - self.w)

    def epoch(self, sess, init):
        sess.run(init)
        print(sess.run(self.loss))

    def train(self):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(2):
                self.epoch(sess, self.train_init)
                self.epoch(sess, self.test_init)


model = Model()
model.build()
model.train()
"""


def _two(*changes: tuple[str, str]) -> str:
    source = TWO
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    document = read("program.py", source.encode())
    return apply(document.text, convert(document, names_of(document), "tf").edits)


def test_an_iterator_of_an_object_begins_with_the_dataset_that_a_method_is_given() -> None:
    text = _two()
    assert "        self.train_init = train\n        self.test_init = test\n" in text
    assert "    def epoch(self, init):\n        self.it = iter(init)\n" in text
    assert "self.epoch(self.train_init)" in text
    assert "@tf.function(input_signature=[self.train_init.element_spec])" in text
    assert "from_structure" not in text


def test_an_object_s_iterator_begins_with_its_own_dataset() -> None:
    text = _two(("self.epoch(sess, self.test_init)", "sess.run(self.test_init)"))
    assert "            self.it = iter(self.test_init)\n" in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("self.epoch(sess, self.test_init)", "self.epoch(sess, self.loss)", "is given"),
        ("        sess.run(init)\n", "        sess.run([init, self.loss])\n", "among other"),
        ("model.train()", "model.train_init = None\nmodel.train()", "is set again"),
        ("        sess.run(init)\n", "        init = 1\n        sess.run(init)\n", "several"),
        ("[1., 2.])", "[1., 2.]).shuffle(2, seed=1)", "order that begins again"),
    ],
)
def test_what_begins_with_something_else_keeps_the_session(old: str, new: str, reason: str) -> None:
    with pytest.raises(Blocked) as caught:
        _two((old, new))
    assert reason in caught.value.reason
