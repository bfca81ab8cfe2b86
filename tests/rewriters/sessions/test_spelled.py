"""Forms of runs and state around a session: what each becomes, and what keeps the session."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
w = tf.Variable(2.0)
n = tf.Variable(0, trainable=False)
"""
INIT = "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def stopped(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.COMPAT
    return "; ".join(f.message for f in result.left if f.rule == "TFM420")


def test_what_is_waited_for_in_place_comes_first() -> None:
    text = native(
        HEAD
        + "with tf.control_dependencies([tf.Assert(tf.reduce_all(x > 0), [x]), n.assign_add(1)]):\n"
        + "    y = tf.identity(x * w)\n"
        + INIT
        + "print(sess.run(y, {x: [1.0]}), sess.run(n))\n"
    )
    assert (
        "    tf.Assert(tf.reduce_all(x > 0), [x])\n"
        "    n.assign_add(1)\n"
        "    return tf.identity(x * w)\n" in text
    )


def test_what_waits_takes_along_what_that_waits_for() -> None:
    text = native(
        HEAD
        + "up = tf.assign_add(n, 1)\n"
        + "with tf.control_dependencies([up]):\n    y = tf.identity(x * w)\n"
        + "with tf.control_dependencies([y]):\n    last = n.read_value() + 0\n"
        + INIT
        + "print(sess.run(last, {x: [1.0]}))\n"
    )
    assert "n.assign_add(1)\n" in text


def test_an_update_that_only_a_loss_waits_for_keeps_the_session() -> None:
    """TF 1.15.5 doesn't run it: the gradient of an identity needs no value of it."""
    source = (
        HEAD
        + "up = tf.assign_add(n, 1)\n"
        + "with tf.control_dependencies([up]):\n    loss = tf.identity(tf.reduce_sum(x * w))\n"
        + "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
        + INIT
    )
    assert "only the loss" in stopped(source + "sess.run(train, {x: [1.0]})\n")
    assert "n.assign_add" in native(source + "sess.run([train, loss], {x: [1.0]})\n")


def test_printing_gives_its_first_argument() -> None:
    text = native(
        HEAD
        + "y = x * w\ny = tf.Print(y, [y, n], message='y: ', summarize=5)\nz = tf.Print(y, [w])\n"
        + INIT
        + "print(sess.run(z, {x: [1.0]}))\n"
    )
    assert "    tf.print('y:', y, n, summarize=5)\n    tf.print(w)\n    z = y\n" in text


def test_an_assertion_in_a_helper_stays_where_it_is() -> None:
    text = native(
        HEAD
        + "def root(v):\n    with tf.control_dependencies([tf.assert_positive(v)]):\n"
        + "        return tf.sqrt(v)\n\ny = root(x * w)\n"
        + INIT
        + "print(sess.run(y, {x: [1.0]}))\n"
    )
    assert "with tf.control_dependencies([tf.debugging.assert_positive(v)]):" in text


def test_a_shape_that_is_told_goes_with_its_tensor() -> None:
    text = native(
        HEAD
        + "h = tf.py_func(np.sin, [x], tf.float32)\nh.set_shape([3])\n"
        + INIT
        + "print(sess.run(h, {x: [1.0, 2.0, 3.0]}))\n"
    )
    assert "    h.set_shape([3])\n" in text


def test_rows_are_set_by_methods() -> None:
    text = native(
        HEAD
        + "m = tf.get_variable('m', [4, 2])\ni = tf.placeholder(tf.int32, [None])\n"
        + "write = tf.scatter_update(m, i, [[1.0, 2.0]])\n"
        + "nd = tf.scatter_nd_update(ref=m, indices=[[0, 1]], updates=[7.0])\n"
        + INIT
        + "sess.run(write.op, {i: [1]})\nsess.run(nd)\n"
    )
    assert "m.scatter_update(tf.IndexedSlices([[1.0, 2.0]], i))" in text
    assert "m.scatter_nd_update([[0, 1]], [7.0])" in text


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (INIT, "", True),
        ("sess = tf.Session()\n", INIT, False),
        (INIT + "v = tf.Variable(1.0)\n", "", False),
        (INIT.replace("global_variables_initializer(", "variables_initializer([w]"), "", False),
    ],
)
def test_variables_without_a_value(before: str, after: str, told: bool) -> None:
    source = HEAD + before + "print(sess.run(tf.report_uninitialized_variables()))\n" + after
    if told:
        assert "tf.constant([], tf.string).numpy()" in native(source)
    else:
        assert "have no value yet" in stopped(source)


def test_a_variable_that_becomes_a_tensor_has_a_name_of_its_own() -> None:
    source = (
        HEAD
        + "y = tf.Variable(1.0, name='start')\nup = y.assign_add(1.0)\n"
        + "for k in range(3):\n    y = y * x + float(k)\n"
        + INIT
        + "print(sess.run(y, {x: [1.0]}), sess.run(up))\n"
    )
    text = native(source)
    assert "start = tf.Variable(1.0, name='start')\n" in text
    assert "start.assign_add(1.0)" in text
    assert "    y = tf.identity(start)\n    for k in range(3):\n" in text
    assert stopped(source.replace("up = y", "def f():\n    return y\nup = y"))


def test_runs_of_a_group_and_of_its_ops_are_one_function() -> None:
    text = native(
        HEAD
        + "v = tf.Variable(1.0)\nla = tf.reduce_sum(x * w)\nlb = tf.reduce_sum(x * v)\n"
        + "ta = tf.train.GradientDescentOptimizer(0.1).minimize(la, var_list=[w])\n"
        + "tb = tf.train.GradientDescentOptimizer(0.1).minimize(lb, var_list=[v])\n"
        + "both = tf.group(ta, tb)\nall_three = tf.group(both, n.assign_add(1))\n"
        + INIT
        + "sess.run(both, {x: [1.0]})\nsess.run([tb, ta], {x: [1.0]})\n"
        + "sess.run(all_three, {x: [1.0]})\n"
    )
    assert text.count("@tf.function") == 2
    assert text.count("\ntrain_step([1.0])") == 2


@pytest.mark.parametrize(
    ("scope", "variables"),
    [("'b'", "b_layer.variables"), ("'a'", "[*a_layer.variables, *ab_layer.variables]")],
)
def test_variables_of_a_scope_that_a_call_names(scope: str, variables: str) -> None:
    text = native(
        HEAD
        + "def linear(v, name='a'):\n    with tf.variable_scope(name):\n"
        + "        k = tf.get_variable('k', [])\n    return v * k\n\n"
        + "a = linear(x)\nb = linear(x, 'b')\nab = linear(x, name='ab')\n"
        + "loss = tf.reduce_sum(a + b + ab)\n"
        + "train = tf.train.GradientDescentOptimizer(0.1).minimize(\n"
        + f"    loss, var_list=tf.trainable_variables({scope}))\n"
        + INIT
        + "sess.run(train, {x: [1.0]})\n"
    )
    assert f"variables = {variables}\n" in text


MAKER = "def session():\n    made = tf.Session()\n{more}    return made\n\ny = x * w\n"


def test_a_function_that_only_makes_a_session_goes() -> None:
    init = "    made.run(tf.global_variables_initializer())\n"
    source = HEAD + MAKER.format(more=init) + "sess = session()\nprint(sess.run(y, {x: [1.0]}))\n"
    assert "session" not in native(source)
    more = native(source.replace(init, f"{init}    print('made')\n"))
    assert "\nsession()\n" in more
    assert "def session():\n    print('made')\n" in more
    second = MAKER.format(more="") + "one, other = session(), session()\n"
    assert "after another" in stopped(HEAD + second + "print(one.run(w), other.run(w))\n")
    twice = source.replace("y = x * w", "y = w.assign_add(x[0])") + "sess = session()\n"
    assert stopped(twice + "print(sess.run(y, {x: [1.0]}))\n")


def test_gradients_by_constants_are_computed_where_these_are() -> None:
    text = native(
        "import tensorflow as tf\n\nx = tf.constant([0.5, -0.5])\ny = tf.square(x)\n"
        "g, = tf.gradients(tf.reduce_sum(y), [x])\nsess = tf.Session()\nprint(sess.run(g))\n"
    )
    assert "        tape.watch(x)\n        y = tf.square(x)\n" in text


def test_a_loop_over_feeds_and_their_names() -> None:
    text = native(
        HEAD
        + "k = tf.placeholder_with_default(2.0, [])\ny = x * k\nsess = tf.Session()\n"
        + "for name, feed in [('one', {x: [1.0]}), ('two', {x: [2.0], k: 5.0})]:\n"
        + "    print(name, sess.run(y, feed_dict=feed))\n"
    )
    assert """[('one', {"x": [1.0]}), ('two', {"x": [2.0], "k": 5.0})]""" in text
    assert "print(name, compute_y(**feed).numpy())" in text


@pytest.mark.parametrize(("dtype", "level"), [("", Level.NATIVE), (", dtype=F", Level.COMPAT)])
def test_a_random_tensor_that_is_fed_has_a_known_type(dtype: str, level: Level) -> None:
    source = f"{HEAD}F = tf.float64\nr = tf.random_normal([2]{dtype})\nsess = tf.Session()\n"
    assert upgrade(source + "print(sess.run(r, {r: [1.0, 2.0]}))\n").level is level


def test_a_constant_that_is_always_fed_behind_a_default() -> None:
    text = native(
        HEAD
        + "k = tf.placeholder_with_default(2.0, [])\nc = tf.constant(1.0)\ny = x * k * c\n"
        + "sess = tf.Session()\nprint(sess.run(y, {x: [1.0], c: 3.0}))\n"
    )
    assert "def compute_y(x, k=2.0, c=c):" in text


SWITCHED = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
rate = tf.placeholder(tf.float32)
training = tf.placeholder(tf.bool)
{}
with tf.Session() as sess:
    print(sess.run(h, {{x: [[1.0, 2.0, 3.0]], training: True, rate: 0.5}}))
    print(sess.run(h, {{x: [[1.0, 2.0, 3.0]], training: False, rate: 0.5}}))
"""


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("h = tf.layers.dropout(tf.nn.relu(x), training=training)", "h = tf.nn.relu(x)\n"),
        ("h = tf.layers.dropout(x +\n    1.0, 0.1, training=training)", "h = (x +\n"),
        ("h = tf.layers.dropout(inputs=2.0 * x, training=training)", "h = 2.0 * x\n"),
        # The name means something else in what is left of the call, or isn't one.
        ("h = rate\nh = tf.layers.dropout(2.0 * x, h, training=training)", "h_2 = 2.0 * x\n"),
        ("h = tf.abs(tf.layers.dropout(2.0 * x, training=training))", None),
    ],
)
def test_what_a_switched_dropout_is_applied_to_gets_a_name(call: str, written: str | None) -> None:
    (result,) = texts({"program.py": SWITCHED.format(call).encode()}, Options())
    assert result.level is (Level.NATIVE if written else Level.COMPAT)
    if written:
        assert result.after is not None
        assert f"    {written}" in result.after.decode()


@pytest.mark.parametrize(
    "made", ["tf.train.get_or_create_global_step()", "tf.Variable(0, trainable=False)"]
)
def test_a_global_step_that_is_made_where_it_is_given(made: str) -> None:
    text = native(f"""\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
w = tf.Variable(1.0)
loss = tf.reduce_mean(tf.square(x * w))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step={made})
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([train, loss], {{x: [1.0]}})[1])
""")
    assert text.count("global_step = tf.Variable(0") == 1
    assert (
        "        global_step.assign_add(1)\n" in text or "    global_step.assign_add(1)\n" in text
    )


FORGOTTEN = """\
import tensorflow as tf


def layer(x, n=None):
    {branch}
    return tf.layers.dense(x, n)


x = tf.placeholder(tf.float32, [None, 2])
y = layer(x, 3)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {{x: [[1.0, 2.0]]}}))
"""


def test_a_branch_that_stops_for_a_forgotten_call_goes() -> None:
    text = after(FORGOTTEN.format(branch="if n is None:\n        n = x.get_shape().as_list[-1]"))
    assert "as_list" not in text
    assert "Dense(n)" in text


def test_so_does_one_that_does_more_and_that_no_call_takes() -> None:
    branch = "if n is None:\n        print(n)\n        n = x.get_shape().as_list[-1]"
    text = after(FORGOTTEN.format(branch=branch))
    assert "as_list" not in text
    assert "print(n)" not in text


@pytest.mark.parametrize(
    "branch",
    [
        "if n == 3:\n        n = x.get_shape().as_list[-1]",
        "n = x.get_shape().as_list[-1]",
        # What follows is what TF 1 does, too.
        "try:\n        if n is None:\n            n = x.get_shape().as_list[-1]\n"
        "    except TypeError:\n        n = 3",
    ],
)
def test_a_forgotten_call_elsewhere_stays(branch: str) -> None:
    assert stopped(FORGOTTEN.format(branch=branch))


SAVER = """\
import tensorflow as tf

w = tf.Variable(1.0)
add = w.assign_add(1.0)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(add)
{end}
"""


def test_a_saver_without_a_name_in_another_call_stays() -> None:
    assert stopped(SAVER.format(end='print(tf.train.Saver().save(sess, "./m"))'))


def test_a_saver_without_a_name_in_a_statement_of_its_own() -> None:
    end = 'tf.train.Saver([w]).save(sess, "./m")\npath = tf.train.Saver().save(sess, "./n")'
    text = after(SAVER.format(end=end))
    assert "saver = tf.train.Checkpoint(w=w)\nsaver.write(" in text
    assert "saver_2 = " in text
    assert "path = saver_2.write(" in text
