"""``sess.run('cost:0', {'x:0': …})``: parts of the graph by the names of their ops."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

START = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3], name='features')
w = tf.get_variable('w', [3, 1], initializer=tf.zeros_initializer())
"""
COST = "cost = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0), name='cost')\n"
TRAIN = "train = tf.train.GradientDescentOptimizer(0.1).minimize(cost, name='train')\n"
SESSION = "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"
RUN = "print(sess.run('cost:0', {'features:0': [[1.0, 2.0, 3.0]]}))\n"
UNTOLD = "and whether its op is the first one of that name isn't told"


def test_fetches_and_feeds() -> None:
    text = after(
        START
        + COST
        + TRAIN
        + SESSION
        + "for _ in range(3):\n"
        + "    feed = {'features:0': [[1.0, 2.0, 3.0]]}\n"
        + "    _, c = sess.run(['train', 'cost:0'], feed_dict=feed)\n"
        + "print(c, sess.run('w:0'))\n"
    )
    assert "c = train_step(**feed).numpy()" in text
    assert "print(c, w.numpy())" in text
    assert ":0" not in text


def test_a_tensor_is_looked_up() -> None:
    text = after(
        START
        + "with tf.name_scope('net'):\n    y = tf.matmul(x, w, name='prediction')\n"
        + SESSION
        + "out = sess.graph.get_tensor_by_name('net/prediction:0')\n"
        + "print(sess.run(out, {x: [[1.0, 2.0, 3.0]]}))\n"
    )
    assert "get_tensor_by_name" not in text


def test_ops_without_a_name_in_the_program() -> None:
    text = after(
        START
        + COST.replace("cost = ", "loss = ")
        + TRAIN.replace("train = ", "").replace("(cost,", "(loss,")
        + "label = tf.argmax(tf.nn.softmax(tf.matmul(x, w), name='chances'), 1)\n"
        + SESSION
        + "for _ in range(3):\n    sess.run('train', {'features:0': [[1.0, 2.0, 3.0]]})\n"
        + "print(sess.run(['chances:0', label], {'features:0': [[1.0, 2.0, 3.0]]}))\n"
    )
    assert "train_step([[1.0, 2.0, 3.0]])" in text
    assert "chances = tf.nn.softmax(tf.matmul(x, w), name='chances')" in text


CLASS = """\
import tensorflow as tf


class Net:
    def __init__(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.build()
            self.init = tf.global_variables_initializer()
        self.sess = tf.Session(graph=self.graph)

    def build(self):
        x = tf.placeholder(tf.float32, [None, 3], name='features')
        w = tf.get_variable('w', [3, 1], initializer=tf.zeros_initializer())
        cost = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0), name='cost')
        tf.train.GradientDescentOptimizer(0.1).minimize(cost, name='train')

    def fit(self, data):
        self.sess.run(self.init)
        for _ in range(3):
            _, c = self.sess.run(['train', 'cost:0'], {'features:0': data})
        return c


print(Net().fit([[1.0, 2.0, 3.0]]))
"""


def test_local_names_of_a_method_become_attributes() -> None:
    text = after(CLASS)
    assert "self.x = tf.TensorSpec([None, 3], tf.float32)" in text
    assert "c = self.train_step(data).numpy()" in text


TWO = """\
import tensorflow as tf

g = tf.Graph()
with g.as_default():
    x = tf.placeholder(tf.float32, [2], name='x')
    y = tf.add(x, 1.0, name='y')
with tf.Session(graph=g) as sess:
    print(sess.run('y:0', {'x:0': [1.0, 2.0]}))
g = tf.Graph()
with g.as_default():
    x = tf.placeholder(tf.float32, [2], name='x')
    y = tf.multiply(x, 3.0, name='y')
with tf.Session(graph=g) as sess:
    print(sess.run('y:0', {'x:0': [1.0, 2.0]}))
"""


def test_each_graph_has_names_of_its_own() -> None:
    text = after(TWO)
    assert text.count(".numpy()") == 2
    assert "tf.multiply(x, 3.0" in text


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (START + SESSION + RUN, "`cost:0` is fetched by its name, and no op is given that name"),
        (  # the first one of the name isn't `cost`
            START + "early = tf.reduce_sum(x, name='cost')\n" + COST + SESSION + RUN,
            f"`cost:0` is fetched by its name, {UNTOLD}",
        ),
        (  # a summary's op takes the name as well
            START + "tf.summary.histogram('cost', x)\n" + COST + SESSION + RUN,
            f"`cost:0` is fetched by its name, {UNTOLD}",
        ),
        (  # so may a function whose ops have computed names
            START.replace(
                "\n\n", "\n\n\ndef named(v, what):\n    return tf.identity(v, name=what)\n\n\n"
            )
            + "z = named(x, 'cost')\n"
            + COST
            + SESSION
            + RUN,
            f"`cost:0` is fetched by its name, {UNTOLD}",
        ),
        (  # an op of an object's gives no value
            CLASS.replace("'cost:0'], {", "'cost'], {"),
            "`cost` is fetched by its name, and an op gives no value",
        ),
        (  # `tf.nn.embedding_lookup` opens a scope of its name
            START
            + "e = tf.nn.embedding_lookup(w, [0])\n"
            + COST.replace("'cost'", "'embedding_lookup'")
            + SESSION
            + RUN.replace("cost:0", "embedding_lookup:0"),
            f"`embedding_lookup:0` is fetched by its name, {UNTOLD}",
        ),
        (
            START + "for _ in range(2):\n    " + COST + SESSION + RUN,
            "`cost:0` is fetched by its name, and its op is made in a loop",
        ),
        (
            START + COST + SESSION + RUN.replace("cost:0", "cost"),
            "`cost` is fetched by its name, and an op gives no value",
        ),
        (
            START + COST + SESSION + RUN.replace("cost:0", "cost:1"),
            "`cost:1` is fetched by its name, and it isn't its op's first result",
        ),
        (  # the second graph's names, in a session of the first one
            TWO.replace("g = tf.Graph()", "h = tf.Graph()", 1)
            .replace("with g.", "with h.", 1)
            .replace(
                "with tf.Session(graph=g) as sess:\n"
                "    print(sess.run('y:0', {'x:0': [1.0, 2.0]}))\n",
                "",
                1,
            )
            .replace("graph=g", "graph=h"),
            f"`y:0` is fetched by its name, {UNTOLD}",
        ),
        (  # each object has its own op, of which only the first has the name
            START
            + "class Net:\n    def __init__(self):\n"
            + "        self.z = tf.add(x, 1.0, name='z')\n\n"
            + "    def run(self, sess):\n"
            + "        return sess.run('z:0', {'features:0': [[1.0, 2.0, 3.0]]})\n\n"
            + "first, second = Net(), Net()\n"
            + SESSION
            + "print(first.run(sess), second.run(sess))\n",
            "`z:0` is fetched by its name, and there may be several objects of the class that makes"
            " its op",
        ),
        (
            START
            + "def build():\n    z = tf.add(x, 1.0, name='cost')\n"
            + "    sess = tf.Session()\n    "
            + RUN.replace("print", "return ")
            + "build()\nbuild()\n",
            "`cost:0` is fetched by its name, and the function that makes its op may be called"
            " again",
        ),
    ],
)
def test_names_that_are_not_told(program: str, reason: str) -> None:
    assert stopped(program).partition(": ")[2] == reason
