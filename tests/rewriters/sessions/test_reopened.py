"""Methods that open a session and are called again, in a loop or in other programs."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

MODEL = """\
import numpy as np
import tensorflow as tf


class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.Variable([[1.0], [2.0]], name='w')
        self.other = tf.Variable(3.0, name='other')
        self.y = tf.matmul(self.x, self.w) * self.other
        self.more = self.w.assign_add([[1.0], [1.0]])
        self.saver = tf.train.Saver({saved})

    def train(self, steps):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(steps):
                sess.run(self.more)
            self.saver.save(sess, './model.ckpt')

    def predict(self, data):
        with tf.Session() as sess:
            {first}
            {restore}
            return sess.run({fetched}, {{self.x: data}})
"""
INIT = "sess.run(tf.global_variables_initializer())"
PLAIN = {
    "saved": "",
    "first": INIT,
    "restore": "self.saver.restore(sess, './model.ckpt')",
    "fetched": "self.y",
}
LOOP = """\
model = Model()
model.train(2)
for i in range(2):
    print(model.predict([[1, i]]))
"""


def upgraded(main: str, **changed: str) -> tuple[set[Level], str, list[str]]:
    source = MODEL.format(**(PLAIN | changed)) + "\n\n" + main
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.after is not None
    return {result.level}, result.after.decode(), [f.message for f in result.left]


@pytest.mark.parametrize("changed", [{}, {"first": "pass"}])
@pytest.mark.parametrize("main", [LOOP, LOOP + "print(model.predict([[3, 4]]))\n"])
def test_each_call_restores_all_variables(main: str, changed: dict[str, str]) -> None:
    levels, text, left = upgraded(main, **changed)
    assert levels == {Level.NATIVE}, left
    head = text.split("def predict(self, data):\n")[1].strip()
    assert head.removeprefix("pass").strip().startswith("self.saver.read('./model.ckpt')")


@pytest.mark.parametrize(
    ("main", "changed"),
    [
        # Only a part of what is run is restored, or nothing.
        (LOOP, {"saved": "[self.w]"}),
        (LOOP, {"restore": "pass"}),
        (LOOP, {"restore": "if len(data) > 1: self.saver.restore(sess, './model.ckpt')"}),
        # What else begins anew in each session.
        (LOOP, {"fetched": "tf.nn.dropout(self.y, 0.5, seed=3)"}),
        # An older session goes on with what it had.
        (
            "model = Model()\nsess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"
            "for i in range(2):\n    print(sess.run(model.more))\n    model.predict([[1, i]])\n",
            {},
        ),
        # The first session of all has its variables from the checkpoint alone: as before.
        ("model = Model()\nfor i in range(2):\n    print(model.predict([[1, i]]))\n", {}),
        # What starts the variables anew changes them, too.
        (LOOP.replace("    print(", "    model.train(1)\n    print("), {}),
    ],
)
def test_what_would_find_other_variables_keeps_its_session(
    main: str, changed: dict[str, str]
) -> None:
    levels, _, _ = upgraded(main, **changed)
    assert levels == {Level.COMPAT}


FIRST = (
    "from model import Model\n\nmodel = Model()\nmodel.train(2)\nprint(model.predict([[1, 2]]))\n"
)


@pytest.mark.parametrize(
    ("second", "level"),
    [
        (FIRST.replace("2", "3"), Level.NATIVE),
        (FIRST.replace("print(", "for i in range(2):\n    print("), Level.NATIVE),
        # It comes a second time, behind another session, or in a branch.
        (FIRST + "model.train(1)\n", Level.COMPAT),
        (FIRST.replace("model.train(2)", "model.predict([[1, 1]])\nmodel.train(2)"), Level.COMPAT),
        (
            FIRST.replace("model.train(2)", "if len(__name__) > 2:\n    model.train(2)"),
            Level.COMPAT,
        ),
        (FIRST.replace("model.train(2)", "for i in range(2):\n    model.train(2)"), Level.COMPAT),
    ],
)
def test_programs_that_share_a_class_train_it_each(second: str, level: Level) -> None:
    files = {"model.py": MODEL.format(**PLAIN), "first.py": FIRST, "second.py": second}
    found = list(texts({name: text.encode() for name, text in files.items()}, Options()))
    assert {r.level for r in found} - {None} == {level}, [f.message for r in found for f in r.left]
