"""What methods return of a graph, sessions that may be given, regularizers, what is printed."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = "import tensorflow as tf\n\n"


def upgraded(body: str) -> FileResult:
    (result,) = texts({"a.py": (HEAD + body).encode()}, Options())
    return result


def native(body: str) -> str:
    result = upgraded(body)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def reasons(body: str) -> str:
    result = upgraded(body)
    assert result.level is Level.COMPAT
    return "\n".join(f.message for f in result.left if f.rule == "TFM420")


TRAINED = """\
class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.Variable(tf.ones([3, 1]))
        self.out = tf.matmul(self.x, self.w)
        {call}

    def train(self, out, rate):
        # how far off it is
        cost = tf.reduce_mean(tf.square(out - 1.0))
        op = tf.train.GradientDescentOptimizer(rate).minimize(cost)
        return cost, op


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([net.loss, net.step], {{net.x: [[1, 2, 3]]}}))
"""


def test_a_method_sets_what_its_caller_kept_of_it() -> None:
    text = native(TRAINED.format(call="self.loss, self.step = self.train(self.out, 0.1)"))
    assert "        self.train(0.1)\n" in text
    assert "    def train(self, rate):\n" in text
    assert (
        "# how far off it is\n                loss = tf.reduce_mean(tf.square(out - 1.0))" in text
    )
    assert "return cost" not in text


def test_a_method_that_is_called_twice_returns_what_it_makes() -> None:
    twice = "self.loss, self.step = self.train(self.out, 0.1)\n"
    twice += "        self.other, self.more = self.train(self.out, 0.2)"
    assert "an optimizer is made" in reasons(TRAINED.format(call=twice))


GIVEN = """\
x = tf.placeholder(tf.float32, [None, 3])
y = x * 2


def predict(rows, sess=None):
{body}
    return sess.run(y, {{x: rows}})


with tf.Session() as session:
    print(predict([[1, 2, 3]]))
    print(predict([[1, 2, 3]], session))
"""


@pytest.mark.parametrize(
    "body",
    [
        "    sess = sess or tf.get_default_session()",
        "    sess = sess if sess else tf.get_default_session()",
        "    if sess is None:\n        sess = tf.get_default_session()",
        "    if not sess:\n        sess = tf.get_default_session()",
    ],
)
def test_a_session_that_may_be_given_goes(body: str) -> None:
    text = native(GIVEN.format(body=body))
    assert "def predict(rows):\n    return compute_y(rows).numpy()\n" in text
    assert text.count("print(predict([[1, 2, 3]]))") == 2


@pytest.mark.parametrize(
    "body",
    [
        "    if sess is None:\n        sess = tf.get_default_session()\n        print('default')",
        "    if sess is None:\n        sess = tf.get_default_session()\n    else:\n        a = 1",
        "    own = sess is None\n    sess = sess or tf.get_default_session()\n    print(own)",
    ],
)
def test_a_session_that_more_depends_on_stays(body: str) -> None:
    assert reasons(GIVEN.format(body=body))


APPLIED = """\
w = tf.Variable([1.0, -2.0])
x = tf.placeholder(tf.float32, [])
{made}
y = {y}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: 2.0}}))
"""


@pytest.mark.parametrize(
    ("y", "written"),
    [
        ("x + tf.contrib.layers.l2_regularizer(0.1)(w)", "x + 0.1 * tf.nn.l2_loss(w)"),
        ("x / tf.contrib.layers.l2_regularizer(0.1)(w)", "x / (0.1 * tf.nn.l2_loss(w))"),
        ("x - tf.contrib.layers.l1_regularizer(0.1)(w)", "x - 0.1 * tf.reduce_sum(tf.abs(w))"),
        (
            "x - tf.contrib.layers.l1_l2_regularizer(0.1, scale_l2=0.2)(w)",
            "x - (0.1 * tf.reduce_sum(tf.abs(w)) + 0.2 * tf.nn.l2_loss(w))",
        ),
    ],
)
def test_a_regularizer_that_is_made_where_it_is_applied_is_written_out(
    y: str, written: str
) -> None:
    assert f"return {written}\n" in native(APPLIED.format(made="", y=y))


def test_a_regularizer_with_a_name_is_keras_own() -> None:
    made = "penalty = tf.contrib.layers.l2_regularizer(0.1)"
    text = native(APPLIED.format(made=made, y="x + penalty(w)"))
    assert "penalty = tf.keras.regularizers.L2(0.05)\n" in text
    assert "return x + penalty(w)\n" in text


def test_a_regularizer_without_a_scale_gives_none_in_tf1() -> None:
    body = APPLIED.format(made="", y="x + tf.contrib.layers.l2_regularizer(0.0)(w)")
    assert "a scale of zero" in reasons(body)


PRINTED = """\
x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.ones([3, 1]))
print(x, w)
y = tf.matmul(x, w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1, 2, 3]]}))
"""


def test_a_placeholder_that_is_printed_is_a_spec() -> None:
    text = native(PRINTED)
    assert text.index("x = tf.TensorSpec([None, 3], tf.float32)") < text.index("print(x, w)")


def test_a_placeholder_with_a_default_has_no_spec_to_print() -> None:
    body = "x = tf.placeholder_with_default(3.0, [])\nprint(x)\ny = x * 2\n"
    body += "with tf.Session() as sess:\n    print(sess.run(y), sess.run(y, {x: 4.0}))\n"
    assert "is given to `print`" in reasons(body)


PARAMS = """\
def net(x, n):
    w = tf.Variable(tf.ones([3, n]))
    return tf.matmul(x, w), w


x = tf.placeholder(tf.float32, [None, 3])
y, weights = net(x, 2)
{more}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1, 2, 3]]}}), sess.run(weights))
"""


def test_a_function_that_returns_variables_too_stands_where_it_is_called() -> None:
    text = native(PARAMS.format(more=""))
    assert "weights = tf.Variable(tf.ones([3, 2]))\n" in text
    assert "return tf.matmul(x, weights)\n" in text
    assert "def net" not in text


def test_a_function_that_returns_variables_too_is_called_a_few_times() -> None:
    text = native(PARAMS.format(more="z, other = net(x, 4)"))
    assert "weights = tf.Variable(tf.ones([3, 2]))\n" in text
    more = "\n".join(f"y{n}, w{n} = net(x, {n})" for n in (3, 4, 5))
    assert "returns more than tensors" in reasons(PARAMS.format(more=more))


def test_a_variable_and_a_tensor_don_t_get_names_together() -> None:
    body = PARAMS.format(more="a, b = y, weights")
    assert "variables and tensors get names in one statement" in reasons(body)


BUILT = """
class Net:
    def __init__(self, n):
        self.n = n

    def build(self, x, mode):
        self.mode = mode
        w = tf.get_variable("w", [3, self.n])
        self.prob = tf.matmul(x, w) * tf.cast(self.mode, tf.float32)


images = tf.placeholder(tf.float32, [2, 3])
mode = tf.placeholder(tf.bool, [])
net = Net(4)
net.build(images, mode)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.prob, feed_dict={images: rows, mode: True}))
"""


def test_a_method_that_builds_may_be_given_placeholders() -> None:
    text = native(BUILT)
    assert "\nnet.build(images, mode)\n" in text
    assert (
        "@tf.function(input_signature=[x, self.mode])\n        def compute_prob(x, mode):" in text
    )
    assert "net.compute_prob(rows, True).numpy()" in text


def test_one_that_builds_for_two_placeholders_keeps_the_session() -> None:
    twice = BUILT.replace("with tf", "net.build(tf.placeholder(tf.float32, [2, 3]), mode)\nwith tf")
    assert "builds a part of the graph twice" in reasons(twice)
