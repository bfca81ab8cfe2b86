"""Properties that only give an attribute, which is a part of the graph."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, size):
        self._size = size
        self._x = tf.placeholder(tf.float32, [None, size])
        self._w = tf.Variable(tf.ones([size, 1]))
        self._cost = tf.reduce_mean(tf.matmul(self._x, self._w) ** 2)
        self._step = tf.train.GradientDescentOptimizer(0.1).minimize(self._cost)

    @property
    def size(self):
        return self._size

    @property
    def x(self):
        return self._x

    @property
    def cost(self):
        \"\"\"What is trained.\"\"\"
        return self._cost

    @property
    def step(self):
        return self._step


net = Net(3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        _, cost = sess.run([net.step, net.cost], {net.x: np.ones([2, net.size])})
        print(cost)
"""


def test_the_attribute_has_the_propertys_name() -> None:
    text = after(SOURCE)
    assert "        self.x = tf.TensorSpec([None, size], tf.float32)\n" in text
    assert "            cost = tf.reduce_mean(tf.matmul(x, self._w) ** 2)\n" in text
    assert text.count("@property") == 1
    assert "        return self._size\n" in text  # Python's own


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("net = Net(3)\n", "net = Net(3)\nprint(getattr(net, 'cost'))\n"),
        ("        return self._cost\n", "        print('cost')\n        return self._cost\n"),
        ("    @property\n    def step",
         "    @cost.setter\n    def cost(self, value):\n        pass\n\n"
         "    @property\n    def step"),
        ("        print(cost)\n", "        print(cost)\n        other.cost = cost\n"),
        ("self._cost", "self.cost_"),
    ],
)  # fmt: skip
def test_what_is_more_stays(old: str, new: str) -> None:
    assert old in SOURCE
    stopped(SOURCE.replace(old, new))


def test_the_class_may_be_another_files() -> None:
    head, _, tail = SOURCE.partition("\n\nnet = ")
    head = head.replace("import numpy as np\n", "")
    run = f"import numpy as np\nimport tensorflow as tf\n\nfrom net import Net\n\nnet = {tail}"
    results = texts({"net.py": head.encode(), "run.py": run.encode()}, Options())
    assert [r.level for r in results] == [Level.NATIVE] * 2, [r.left for r in results]
    assert all(r.after is not None and b"_cost" not in r.after for r in results)
