"""Classes and functions that run a session and that nobody calls: programs of their own."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = "import numpy as np\nimport tensorflow as tf\n\n\n"
NET = """\
class Net:
    def __init__(self, {params}):
        self.x = tf.placeholder(tf.float32, [None, n])
        self.w = tf.Variable(tf.ones([n, 2]))
        self.out = {out}
{session}
    def predict(self, batch):
        return self.sess.run(self.out, {{self.x: batch}})
"""
OWN = """\
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
"""
TRAIN = """\
def fit(batches, rate=0.1):
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.Variable(tf.ones([2, 1]))
    loss = tf.reduce_sum(tf.matmul(x, w))
    step = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for batch in batches:
            value, _ = sess.run([loss, step], {x: batch})
    return value
"""


def net(params: str = "n", out: str = "tf.matmul(self.x, self.w)", session: str = OWN) -> str:
    return HEAD + NET.format(params=params, out=out, session=session)


def test_a_class_that_nobody_makes_objects_of() -> None:
    text = after(net())
    assert "        return self.compute_out(batch).numpy()" in text
    assert "Session" not in text


def test_what_it_is_given_by_default_is_followed() -> None:
    assert "act(tf.matmul(x, self.w))" in after(
        net("n, act=tf.nn.relu", "act(tf.matmul(self.x, self.w))")
    )


def test_a_function_that_nobody_calls_is_given_data() -> None:
    text = after(HEAD + TRAIN)
    assert "def fit(batches, rate=0.1):\n    x = tf.TensorSpec([None, 2], tf.float32)" in text
    assert "optimizer = tf.keras.optimizers.SGD(rate)" in text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (net("n, sess", session="        self.sess = sess\n"), "is given to `self.sess.run`"),
        (HEAD + TRAIN + "\n\njobs = [fit]\n", ""),  # called where nobody sees
        (net() + "\n\nKINDS = {'net': Net}\n", ""),
    ],
)
def test_what_is_given_a_part_of_a_graph_keeps_its_session(text: str, reason: str) -> None:
    assert reason in stopped(text)


SIZED = """\
import tensorflow as tf

SIZE = 4


def net(x):
    flat = tf.reshape(x, [2, -1])
    w = tf.get_variable("w", [flat.get_shape()[1].value, 3])
    return tf.matmul(flat, w)


def run({given}):
    x = tf.placeholder(tf.float32, [2, SIZE, 5])
    y = net(x)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(y, {{x: [[[1.0] * 5] * SIZE] * 2}}))
"""


def test_sizes_are_told_where_somebody_runs_it() -> None:
    assert "[20, 3]" in after(SIZED.format(given=""))
    stopped(SIZED.format(given="SIZE=4"))  # somebody may give it another one


def test_what_takes_too_long_there_is_left() -> None:
    loops = "".join(f"{'    ' * n}for {c} in range(60):\n" for n, c in enumerate("ijkl", 1))
    other = f"def other():\n    total = 0\n{loops}{'    ' * 5}total += i * j * k * l\n"
    other += "    with tf.Session() as sess:\n        print(sess.run(tf.constant(1)), total)\n\n\n"
    assert "[20, 3]" in after(SIZED.format(given="") + "\n\n" + other + "run()\n")


RUNS_A_METHOD = """\
import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self, training=True):
        rows = 4 if training else 1
        self.x = tf.placeholder(tf.float32, [rows, 3])
        self.start = tf.zeros([1, 2])
        w = tf.get_variable("w", [3, 2])
        self.out = tf.matmul(self.x, w) + self.start
        self.loss = tf.reduce_mean(tf.square(self.out))
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def sample(self, sess, num):
        state = sess.run(tf.zeros([1, 2]))
        for _ in range(num):
            [state] = sess.run([self.out], {self.x: np.ones([1, 3]), self.start: state})
        return state


def train():
    model = Model()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            print(sess.run([model.train, model.loss], {model.x: np.ones([4, 3])})[1])


def sample():
    tf.reset_default_graph()
    model = Model(training=False)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(model.sample(sess, 3))


train()
"""


def test_a_function_that_nobody_calls_runs_a_method() -> None:
    """The method is followed with the session of that function."""
    found = after(RUNS_A_METHOD)
    assert "    def sample(self, num):\n" in found
    assert "    print(model.sample(3))\n" in found
    assert found.rstrip() in after(RUNS_A_METHOD + "\n\nsample()\n")


SERVED = """\
import tensorflow as tf
from flask import Flask, jsonify, request

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable([[1.0], [2.0]])
y = tf.matmul(x, w)
sess = tf.Session()
sess.run(tf.global_variables_initializer())


def answer(given):
    return sess.run(y, feed_dict={x: given}).tolist()


app = Flask(__name__)


@app.route('/api', methods=['POST'])
def serve():
    return jsonify(results=answer(request.json))


if __name__ == '__main__':
    app.run()
"""


def test_a_web_server_s_functions_run_the_file_s_session() -> None:
    """Whoever calls them does so when all is built."""
    found = after(SERVED)
    assert "    return compute_y(given).numpy().tolist()\n" in found
    stopped(SERVED.replace("return sess", "given = tf.tanh(given)\n    return sess"))


ASKING = """\
import tensorflow as tf


def to_lists(path, *layers):
    for w, bias in layers:
        print(path, w.eval().tolist(), bias.value.eval())


x = tf.placeholder(tf.float32, [None, 2])
y = tf.matmul(x, tf.ones([2, 1]))
with tf.Session() as sess:
    print(sess.run(y, {x: [[1.0, 2.0]]}))
    # to_lists('here', [w, b])
"""


def test_what_nobody_calls_asks_variables_for_values() -> None:
    assert "print(path, w.numpy().tolist(), bias.value.numpy())" in after(ASKING)
    stopped(ASKING.replace("    # to_lists('here', [w, b])", "    to_lists('here', [y, y])"))


def test_a_function_that_gives_the_session_of_its_file_to_a_method() -> None:
    given = (
        "    def predict(self, sess, batch):\n        return sess.run(self.out, {self.x: batch})\n"
    )
    source = net(session="").partition("    def predict")[0] + given
    source += "\n\nmodel = Net(2)\nsess = tf.Session()\n"
    source += "sess.run(tf.global_variables_initializer())\n"
    source += (
        "\n\ndef predict_all(batches):\n    return [model.predict(sess, b) for b in batches]\n"
    )
    assert "    return [model.predict(b) for b in batches]\n" in after(source)
    own = source.replace("def predict_all(batches)", "def predict_all(sess, batches)")
    assert "a tensor is given to `sess.run`" in stopped(own)
