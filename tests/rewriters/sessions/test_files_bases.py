"""Base classes in files that don't mention TensorFlow: they are read with the program."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_files import after, reasons, run

BASE = """
    import os


    class Base(Folder):
        def __init__(self, config):
            super(Base, self).__init__()
            self.config = config

        def create(self):
            raise NotImplementedError
    """
FOLDER = """
    import os


    class Folder(object):
        def __init__(self):
            self.folder = os.getcwd()
    """
NET = """
    import tensorflow as tf
    from base import Base


    class Net(Base):
        def __init__(self, config):
            super(Net, self).__init__(config)
            self.create()
            self.sess = tf.Session()
            self.sess.run(tf.global_variables_initializer())

        def create(self):
            self.x = tf.placeholder(tf.float32, [None, 3])
            w = tf.Variable(tf.ones([3, self.config['n']]))
            self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w)))
            self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

        def fit(self, data):
            return self.sess.run([self.step, self.loss], {self.x: data})[1]


    net = Net({'n': 2})
    for i in range(3):
        print(net.fit([[1., 2., 3.]]))
    """
TAKEN = "import os\n    from folder import Folder\n"


@pytest.mark.parametrize(
    ("base", "net"),
    [
        (BASE.replace("import os\n", TAKEN), NET),
        (
            BASE.replace("import os\n", "import folder\n").replace("(Folder)", "(folder.Folder)"),
            NET.replace("from base import Base", "import base").replace("(Base)", "(base.Base)"),
        ),
    ],
)
def test_a_base_class_of_a_file_without_tensorflow(base: str, net: str) -> None:
    found = run(folder=FOLDER, base=base, net=net)
    assert reasons(found) == []
    text = after(found["net"])
    assert "        self.train_step = train_step\n" in text
    assert "super(Net, self).__init__(config)\n" in text
    assert found["base"].after is None or "tensorflow" not in after(found["base"])


def test_a_base_class_that_is_elsewhere_keeps_the_session() -> None:
    found = run(net=NET)
    assert [reason for *_, reason in reasons(found)] == [
        "class `Net`, which builds a graph, has a base class"
    ]


STARRED = """
    import tensorflow as tf

    flags = tf.app.flags
    FLAGS = flags.FLAGS


    def dense(x, w):
        return tf.matmul(x, w) * FLAGS.rate
    """
STARS = """
    import numpy as np
    from layers import *

    flags = tf.app.flags
    FLAGS = flags.FLAGS
    flags.DEFINE_float('rate', .5, 'A rate.')

    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.Variable(tf.ones([3, 2]))
    loss = tf.reduce_mean(tf.square(dense(x, w)))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(loss, {x: np.ones([2, 3])}))
    """


def test_a_name_that_a_star_brings_and_the_file_binds_first() -> None:
    found = run(layers=STARRED, net=STARS)
    assert reasons(found) == []
    assert "def compute_loss(x):\n" in after(found["net"])
    kept = STARS.replace("    flags = tf.app.flags\n", "", 1)
    assert "endpoint of another file" in reasons(run(layers=STARRED, net=kept))[0][2]
