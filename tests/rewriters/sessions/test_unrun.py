"""Programs that make a graph and run nothing, and what they ask of it: names, reuse, identities."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from tests.rewriters.sessions.test_sessions import after, stopped, upgrade

HEAD = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 2])
with tf.variable_scope("s"):
    w = tf.get_variable("w", initializer=tf.ones([2, 1]))
"""
SESSION = "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"


@pytest.mark.parametrize("session", ["", SESSION])
def test_each_tensor_has_a_function_that_is_made(session: str) -> None:
    text = after(
        HEAD + "out = tf.matmul(x, w)\ntotal = tf.reduce_sum(out)\nk = tf.ones([2])\n" + session
    )
    assert text.count("@tf.function(input_signature=[x])") == 1
    assert (
        "def compute_total(x):\n    out = tf.matmul(x, w)\n    return tf.reduce_sum(out)\n" in text
    )
    assert "\n\ncompute_total.get_concrete_function()  # made, not run\n" in text
    assert "k = tf.ones([2])" in text


def test_a_train_op_is_made_and_not_run() -> None:
    text = after(
        HEAD
        + "loss = tf.reduce_sum(tf.matmul(x, w))\n"
        + "train = tf.train.AdamOptimizer().minimize(loss)\n"
        + SESSION
        + "writer = tf.summary.FileWriter('log', sess.graph)\n"
    )
    assert "\n\ntrain_step.get_concrete_function()  # made, not run\n" in text
    assert "tf.summary.graph(train_step.get_concrete_function().graph)" in text
    assert text.count("loss = tf.reduce_sum") == 1


def test_functions_of_records_stay_beside_a_session_that_runs_nothing() -> None:
    text = after(
        "import tensorflow as tf\n"
        "def feature(v):\n"
        "    return tf.train.Feature(int64_list=tf.train.Int64List(value=[v]))\n"
        "def write(name):\n"
        "    with tf.Session() as sess:\n"
        "        with tf.python_io.TFRecordWriter(name) as writer:\n"
        "            features = tf.train.Features(feature={'a': feature(1)})\n"
        "            writer.write(tf.train.Example(features=features).SerializeToString())\n"
        "write('a')\n"
    )
    assert "Session" not in text
    assert "    return tf.train.Feature(int64_list=" in text


def test_the_graph_that_is_written_is_such_a_function() -> None:
    writer = "writer = tf.summary.FileWriter('log', tf.get_default_graph())\nwriter.close()\n"
    text = after(HEAD + "out = tf.matmul(x, w)\n" + writer)
    assert "tf.summary.graph(predict.get_concrete_function().graph)" in text


@pytest.mark.parametrize(
    "tail",
    [
        "assigned = tf.assign(w, w + 1.0)\n",
        "train = tf.group(tf.train.AdamOptimizer().minimize(tf.reduce_sum(w)))\n",
        "out, other = tf.split(tf.matmul(x, w), 2)\n",
        "for i in range(3):\n    x = tf.matmul(x, w)\n",
        "def net(x):\n    return tf.layers.dense(x, 2)\n",
        "class Net:\n    def __init__(self):\n        self.w = tf.get_variable('v', [2])\n",
    ],
)
def test_what_is_not_followed_stays(tail: str) -> None:
    assert stopped(HEAD + tail + SESSION).endswith(": nothing is run here")
    result = upgrade(HEAD + tail)
    assert result.level is Level.COMPAT  # there is no session that this keeps
    assert not [f for f in result.left if f.rule == "TFM420"]


@pytest.mark.parametrize(
    "source",
    [
        "def net(x):\n    with tf.variable_scope('a'):\n        return x\n",
        "tf.enable_eager_execution()\nv = tf.get_variable('v', [2])\n",
    ],
)
def test_what_makes_no_graph_is_no_program(source: str) -> None:
    result = upgrade("import tensorflow as tf\n" + source)
    assert not [f for f in result.left if f.rule == "TFM420"]


def test_whether_a_scope_uses_variables_again_is_written() -> None:
    text = after(
        HEAD
        + "print(tf.get_variable_scope().reuse)\n"
        + "with tf.variable_scope('s', reuse=True):\n    with tf.variable_scope('b'):\n"
        + "        print(tf.get_variable_scope().reuse)\n    v = tf.get_variable('w', [2, 1])\n"
        + "print(v == w, v != x, w != v)\n".replace("v != x, ", "")
    )
    assert "\nprint(False)\n" in text
    assert "print(True)" in text
    assert "v = w\n" in text
    assert "print(v is w, w is not v)" in text


@pytest.mark.parametrize(
    "tail",
    [
        "tf.get_variable_scope().reuse_variables()\nprint(tf.get_variable_scope().reuse)\n",
        "with tf.variable_scope('t', reuse=tf.AUTO_REUSE):\n"
        "    print(tf.get_variable_scope().reuse)\n",
    ],
)
def test_what_else_says_it_keeps_the_session(tail: str) -> None:
    stopped(HEAD + tail + SESSION)


@pytest.mark.parametrize(
    "compared", ["x == y", "tf.nn.relu(x) != y", "out == y", "x == 1", "1 == out"]
)
def test_tensors_that_are_compared_keep_the_session(compared: str) -> None:
    reason = stopped(
        HEAD
        + "y = tf.placeholder(tf.float32, [None, 2])\nout = tf.nn.relu(y)\n"
        + f"same = tf.reduce_sum(tf.cast({compared}, tf.float32))\n"
        + SESSION
        + "print(sess.run(same, {x: [[1, 1]], y: [[1, 1]]}))\n"
    )
    assert reason.endswith("tensors are compared by `==`, which asks TF 1 whether they are one")


@pytest.mark.parametrize("compared", ["x.dtype == tf.float32", "x.shape[1] == 2", "x == None"])
def test_types_and_shapes_may_be_compared(compared: str) -> None:
    after(HEAD + SESSION + f"print(sess.run(x * 2, {{x: [[1, 1]]}}))\nprint({compared})\n")


@pytest.mark.parametrize(
    ("made", "name"),
    [
        ("with tf.name_scope('a'):\n    v = tf.Variable([1])\n", "a/Variable"),
        ("u = tf.Variable([1])\nv = tf.Variable([1], trainable=False)\n", "Variable_1"),
        ("u = tf.Variable([1], name='v')\nv = tf.Variable([1], name='v')\n", "v_1"),
        ("v = tf.Variable(\n    [1],  # one\n)\n", ""),
    ],
)
def test_a_name_that_is_read_is_given(made: str, name: str) -> None:
    text = after(HEAD + made + "print(v.name)\nprint(v.name)\n")
    said = text.replace("'", '"')
    assert said.count(f'name="{name}")') == (1 if name else 0)
    assert text.count("name=") == (2 + made.count("u = ") * made.count("name=") // 2 if name else 1)


@pytest.mark.parametrize(
    "made",
    [
        "for i in range(2):\n    v = tf.Variable([1])\n    print(v.name)\n",
        "for i in range(2):\n    v = tf.Variable([1], name='v')\nprint(v.name)\n",
        "def make():\n    return tf.Variable([1])\nu = make()\nv = make()\nprint(v.name)\n",
        "kw = {'dtype': tf.float32}\nu = tf.Variable(1.)\n"
        "v = tf.Variable(1., **kw)\nprint(v.name)\n",
    ],
)
def test_names_that_loops_and_functions_make_keep_the_session(made: str) -> None:
    assert upgrade(HEAD + made).level is Level.COMPAT
