"""TensorFlow that a starred import brings along, and properties of Python's values."""

from __future__ import annotations

from migrate.engine.findings import Level
from tests.rewriters.sessions.test_files import after, reasons, run
from tests.rewriters.sessions.test_sessions import after as native
from tests.rewriters.sessions.test_sessions import stopped

OPS = """
    import numpy as np
    import tensorflow as tf


    def scaled(x):
        return tf.multiply(x, 2.0)
    """
MODEL = """
    import time
    from ops import *


    class Model(object):
        def __init__(self):
            self.x = tf.placeholder(tf.float32, [None, 2])
            self.w = tf.Variable(tf.ones([2, 1]), name="w")
            self.y = tf.matmul(scaled(self.x), self.w)
    """
RUN = """
    import tensorflow as tf
    from model import Model

    model = Model()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(model.y, {model.x: [[1, 2]]}))
    """
FOLDER = """\
import os
import tensorflow as tf


class Model(object):
    def __init__(self, folder, size):
        self.size = size
        self.folder = os.path.join(folder, self.name)
        self.x = tf.placeholder(tf.float32, [None])
        self.y = tf.reduce_sum(self.x) * {factor}

    @property
    def name(self):
        return "model-%d" % {size}


model = Model("checkpoints", 3)
print(model.folder)
sess = tf.Session()
print(sess.run(model.y, {{model.x: [1.0, 2.0]}}))
"""


def test_a_file_imports_the_tensorflow_that_a_star_brought() -> None:
    found = run(ops=OPS, model=MODEL, run=RUN)
    assert reasons(found) == []
    assert all(r.level is Level.NATIVE for r in found.values())
    text = after(found["model"])
    assert text.startswith("import time\nfrom ops import *\nimport tensorflow as tf\n")


def test_a_property_that_computes_with_pythons_values_is_read() -> None:
    text = native(FOLDER.format(factor="2.0", size="self.size"))
    assert "        self.folder = os.path.join(folder, self.name)\n" in text
    assert '    def name(self):\n        return "model-%d" % self.size\n' in text


def test_a_property_in_the_graph_stays() -> None:
    source = FOLDER.format(factor="len(self.name)", size="self.size")
    assert "`name`, a property, is read" in stopped(source)


def test_a_property_of_a_part_of_the_graph_stays() -> None:
    stopped(FOLDER.format(factor="2.0", size="self.x.shape.ndims"))
