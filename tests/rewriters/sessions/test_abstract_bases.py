"""Base classes that say in which order a model is built, in the same file or in another one."""

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

BASE = """class Model(object):
    def add_placeholders(self):
        raise NotImplementedError

    def add_prediction_op(self):
        raise NotImplementedError

    def add_training_op(self, loss):
        raise NotImplementedError

    def build(self):
        self.add_placeholders()
        self.pred = self.add_prediction_op()
        self.loss = self.add_loss_op(self.pred)
        self.train_op = self.add_training_op(self.loss)

    def train(self, sess, inputs):
        return sess.run([self.train_op, self.loss], {self.inputs: inputs})[1]

    def predict(self, sess, inputs):
        return sess.run(self.pred, {self.inputs: inputs})
"""
OWN = """class Linear(Model):
    def __init__(self):
        self.build()

    def add_placeholders(self):
        self.inputs = tf.placeholder(tf.float32, [None, 3])

    def add_prediction_op(self):
        w = tf.get_variable("w", [3, 1])
        return tf.matmul(self.inputs, w)

    def add_loss_op(self, pred):
        return tf.reduce_mean(tf.square(pred))

    def add_training_op(self, loss):
        return tf.train.GradientDescentOptimizer(0.1).minimize(loss)


model = Linear()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(model.train(sess, [[1.0, 2.0, 3.0]]), model.predict(sess, [[1.0, 2.0, 3.0]]))
"""
OTHER = """

class Other(object):
    def add_prediction_op(self):
        return 1
"""
IMPORT = "import tensorflow as tf\n"


def test_a_base_class_in_the_same_file() -> None:
    (result,) = texts({"p.py": f"{IMPORT}\n\n{BASE}\n\n{OWN}".encode()}, Options())
    assert result.level is Level.NATIVE
    text = (result.after or b"").decode()
    assert text.count("def add_prediction_op(self") == 2


@pytest.mark.parametrize(
    ("above", "head"),
    [
        ("", "import tensorflow as tf\n\n\nclass Model"),
        ('"""Models."""\n\n\n', '"""Models."""\n\nimport tensorflow as tf\n\n\nclass Model'),
        ("import os\n\n\n", "import os\nimport tensorflow as tf\n\n\nclass Model"),
    ],
)
def test_a_base_class_in_a_file_that_gets_the_import(above: str, head: str) -> None:
    files = {
        "base.py": f"{above}{BASE}".encode(),
        "p.py": f"{IMPORT}from base import Model\n\n\n{OWN}".encode(),
    }
    results = {r.path: r for r in texts(files, Options())}
    assert {r.level for r in results.values()} == {Level.NATIVE}
    assert (results["base.py"].after or b"").decode().startswith(head)


@pytest.mark.parametrize(
    ("base", "own"),
    [
        # the name is something else there
        (f"tf = 1\n\n\n{BASE}", OWN),
        # another class that isn't one of these has the method
        (
            BASE + "\n\nclass Other(object):\n    def add_prediction_op(self):\n        return 1\n",
            OWN,
        ),
        # the method is given away
        (BASE, OWN.replace("model = Linear()", "model = Linear()\nf = model.add_prediction_op")),
    ],
)
def test_what_stays(base: str, own: str) -> None:
    program = f"{IMPORT}from base import Model\n\n\n{own}"
    files = {"base.py": base.encode(), "p.py": program.encode()}
    results = {r.path: r for r in texts(files, Options())}
    assert results["p.py"].level is Level.COMPAT
