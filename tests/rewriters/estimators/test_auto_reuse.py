"""Scopes with AUTO_REUSE: followed where what is asked for again is seen."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """
import numpy as np
import tensorflow as tf


{helpers}


def model_fn(features, labels, mode):
    x, y = features['x'], features['y']
{body}
    loss = tf.losses.mean_squared_error(labels, out)
    train_op = tf.train.GradientDescentOptimizer(.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    x = np.ones((8, 3), 'f')
    return tf.data.Dataset.from_tensor_slices(({{'x': x, 'y': x}}, x)).batch(4)


net = tf.estimator.Estimator(model_fn)
net.train(input_fn)
"""
TOWER = """
def tower(x, units=3, name='tower'):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        x = tf.layers.dense(x, 4, name='first')
        return tf.layers.dense(x, units, name='last')
"""


def upgraded(body: str, helpers: str = TOWER) -> tuple[Level | None, str]:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = PROGRAM.format(helpers=helpers, body=lines)
    (result,) = texts({"a.py": source.encode()}, Options(to="keras"))
    return result.level, (result.after or b"").decode()


@pytest.mark.parametrize(
    ("body", "objects"),
    [
        ("out = tower(x)", 1),
        ("out = tower(x) + tower(y)", 1),
        ("out = tower(x, name='a') + tower(y, name='b')", 2),
        ("out = tower(x, name='a') + tower(y, name='b') + tower(y, name='a')", 2),
        ("with tf.variable_scope('both'):\n    out = tower(x) + tower(y)", 1),
        (
            "with tf.variable_scope('b%s' % mode):\n    out = tf.layers.dense(x, 3)\n"
            "out += tower(y)",
            1,
        ),
        ("with tf.name_scope('one'):\n    out = tower(x)\nout = out + tower(y)", 1),
    ],
)
def test_a_function_is_one_layer_for_each_scope(body: str, objects: int) -> None:
    level, after = upgraded(body)
    assert level is Level.NATIVE
    assert after.count(" = Tower(") == objects


@pytest.mark.parametrize(
    "inside",
    [
        "out = tf.layers.dense(x, 3)",
        "out = tf.layers.dense(tf.layers.dense(x, 3), 3)",
        "out = tf.layers.dense(tf.layers.dense(x, 3, name='a'), 3, name='b')",
        "out = x\nfor i in range(2):\n    out = tf.layers.dense(out, 3, name='fc%d' % i)",
        "out = x\nfor i in range(2):\n    out = tf.layers.dense(out, 3, name='fc{}'.format(i))",
        "with tf.variable_scope('a'):\n    out = tf.layers.dense(x, 3, name='d')\n"
        "with tf.variable_scope('b'):\n    out = tf.layers.dense(out, 3, name='d')",
    ],
)
def test_a_scope_that_asks_for_all_once(inside: str) -> None:
    body = "".join(f"    {line}\n" for line in inside.splitlines())
    level, after = upgraded(f"with tf.variable_scope('net', reuse=tf.AUTO_REUSE):\n{body}", "")
    assert level is Level.NATIVE
    assert "AUTO_REUSE" not in after


@pytest.mark.parametrize(
    "inside",
    [
        "out = x\nfor i in range(2):\n    out = tf.layers.dense(out, 3, name='a')",
        "out = x\nfor i in [1, 1]:\n    out = tf.layers.dense(out, 3, name='fc%d' % i)",
        "out = tf.layers.dense(tf.layers.dense(x, 3), 3, name='dense')",
        "out = tf.layers.dense(x, 3, name='fc1')\nfor i in range(2):\n"
        "    out = tf.layers.dense(out, 3, name='fc%d' % i)",
    ],
)
def test_a_scope_that_asks_twice_asks_by_name(inside: str) -> None:
    body = "".join(f"    {line}\n" for line in inside.splitlines())
    level, after = upgraded(f"with tf.variable_scope('net', reuse=tf.AUTO_REUSE):\n{body}", "")
    assert level is Level.NATIVE
    assert "with named_scope('net', reuse=" in after


@pytest.mark.parametrize(
    "inside",
    [
        "out = tf.layers.dense(tf.layers.dense(x, 3, name='a'), 3, name='a')",
        "with tf.variable_scope('a'):\n    out = tf.layers.dense(x, 3, name='d')\n"
        "with tf.variable_scope('a'):\n    out = tf.layers.dense(out, 3, name='d')",
    ],
)
def test_a_layer_that_is_asked_for_twice_is_one(inside: str) -> None:
    body = "".join(f"    {line}\n" for line in inside.splitlines())
    level, after = upgraded(f"with tf.variable_scope('net', reuse=tf.AUTO_REUSE):\n{body}", "")
    assert level is Level.NATIVE
    assert after.count("keras.layers.Dense(3") == 1


GIVEN = """
def tower(x, reuse{default}):
    with tf.variable_scope('tower', reuse=reuse):
        return tf.layers.dense(x, 3, name='last')
"""


@pytest.mark.parametrize(
    ("default", "body", "objects"),
    [
        ("=tf.AUTO_REUSE", "out = tower(x) + tower(y)", 1),
        ("=False", "out = tower(x, tf.AUTO_REUSE) + tower(y, reuse=tf.AUTO_REUSE)", 1),
        ("=True", "out = tower(x, reuse=False) + tower(y)", 1),
        ("=None", "out = tower(x) + tower(y, reuse=True)", 1),
        ("=tf.AUTO_REUSE", "out = tower(x, reuse=False) + tower(y)", 0),
        ("=False", "out = tower(x) + tower(y, reuse=tf.AUTO_REUSE)", 0),
    ],
)
def test_an_argument_says_what_is_used_again(default: str, body: str, objects: int) -> None:
    level, after = upgraded(body, GIVEN.format(default=default))
    assert level is Level.NATIVE
    assert after.count(" = Tower(") == objects
    assert ("self.named = NamedWeights()" in after) is not bool(objects)


ONE = "    with tf.variable_scope('net', reuse=tf.AUTO_REUSE):\n"


@pytest.mark.parametrize(
    ("body", "helpers"),
    [
        # All rounds share what the first makes.
        ("out = x\nfor _ in range(2):\n    out = tower(out)", TOWER),
        (f"out = x\nfor _ in range(2):\n{ONE}        out = tf.layers.dense(out, 3)", ""),
        # Two scopes of one name, in one function or in two.
        (
            "out = tower(x)\n"
            + ONE.strip(" ").replace("net", "tower")
            + "    out += tf.layers.dense(x, 3, name='last')",
            TOWER,
        ),
        (
            "with tf.variable_scope('tower'):\n    out = tf.layers.dense(x, 3, name='last')\n"
            "out += tower(y)",
            TOWER,
        ),
        ("out = tf.layers.dense(x, 3, name='tower')\nout += tower(y)", TOWER),
        (
            "with tf.variable_scope('tow' + str(mode)):\n    out = tf.layers.dense(x, 3)\n"
            "out += tower(y)",
            TOWER,
        ),
        ("out = tower(x) + other(y)", TOWER + TOWER.replace("def tower", "def other")),
        # Variables of their own under other scopes.
        (
            "with tf.variable_scope('a'):\n    out = tower(x)\n"
            "with tf.variable_scope('b'):\n    out += tower(y)",
            TOWER,
        ),
        # TF 1 says an error, or a layer of Keras makes its own.
        ("out = tower(x, 3) + tower(y, 1)", TOWER),
        (
            "out = tower(x) + tower(y)",
            TOWER.replace("tf.layers.dense(x, 4, name='first')", "tf.keras.layers.Dense(4)(x)"),
        ),
        (
            "out = tower(x) + tower(y)",
            TOWER.replace(
                "tf.layers.dense(x, 4, name='first')",
                "tf.layers.batch_normalization(x, training=True)",
            ),
        ),
        # A function around it that is called twice shares it, too.
        (
            "out = around(x) + around(y)",
            TOWER + "def around(x):\n    return tf.layers.dense(tower(x), 3)\n",
        ),
        # What isn't in the scope is made anew.
        (
            "out = tower(x) + tower(y)",
            TOWER.replace("    with tf", "    x = tf.layers.dense(x, 2)\n    with tf"),
        ),
        ("out = tower(x, name=mode)", TOWER),
    ],
)
def test_what_is_asked_for_again_otherwise_is_asked_by_name(body: str, helpers: str) -> None:
    level, after = upgraded(body, helpers)
    if any(word in body + helpers for word in ("batch_normalization", "keras", "mode")):
        assert level is Level.COMPAT
    else:
        assert level is Level.NATIVE
        assert "self.named = NamedWeights()" in after


CHOSEN = """
def chosen(x, kind):
    if kind == 'deep':
        with tf.variable_scope('fc'):
            x = tf.layers.dense(x, 4)
        with tf.variable_scope('last'):
            x = tf.layers.dense(x, 3)
        return x
    with tf.variable_scope('fc'):
        x = tf.layers.dense(x, 3)
    return x
"""
IN_SCOPE = "with tf.variable_scope('net', reuse=tf.AUTO_REUSE):\n    "
NAMED = f"""{IN_SCOPE}if DEEP:
        out = tf.layers.dense(x, 3, name='last')
    else:
        out = tf.layers.dense(x, 3, use_bias=False, name='last')"""


def test_branches_of_which_a_graph_has_one() -> None:
    level, text = upgraded(f"{IN_SCOPE}out = chosen(x, KIND)", f"KIND = 'deep'\n{CHOSEN}")
    assert level is Level.NATIVE
    assert text.count("= tf.keras.layers.Dense(") == 3
    level, text = upgraded(NAMED, "DEEP = True")
    assert level is Level.NATIVE
    assert text.count("= tf.keras.layers.Dense(") == 2


@pytest.mark.parametrize(
    ("body", "helpers"),
    [
        (f"{IN_SCOPE}out = chosen(x, KIND)", CHOSEN.replace("        return x\n", "")),
        (f"{NAMED}\n    out += tf.layers.dense(x, 3, name='last')", ""),
    ],
)
def test_what_both_a_branch_and_the_rest_ask_for(body: str, helpers: str) -> None:
    level, text = upgraded(body, f"DEEP, KIND = True, 'deep'\n{helpers}")
    assert level is not Level.NATIVE or "class NamedWeights" in text
