"""Fetches in structures: named tuples, the None of ops; names of layers' variables."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import collections
import tensorflow as tf

Outputs = collections.namedtuple('Outputs', 'mean total')
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(1.0)
mean = tf.reduce_mean(x * w)
total = tf.reduce_sum(x)
double = tf.group(w.assign(w * 2))
nothing = tf.no_op()
"""
TAIL = """\
sess = tf.Session()
sess.run(tf.global_variables_initializer())
data = [[1., 2.]]
print({shown})
"""
LAYERS = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
with tf.variable_scope('net'):
    out = tf.layers.dense(x, 3, name='first')
    out = tf.layers.dense(out, 1, {name})
print([v.name for v in tf.trainable_variables()])
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(out, {{x: [[1., 2.]]}}))
"""


def upgraded(source: str) -> str:
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE, result.findings
    assert result.after is not None
    return result.after.decode()


@pytest.mark.parametrize(
    ("made", "shown", "expected"),
    [
        (
            "parts = Outputs(mean, total=total)",
            "sess.run(parts, {x: data}).total",
            "print(tf.nest.map_structure(lambda t: t.numpy(), compute_parts(data)).total)",
        ),
        ("", "sess.run(nothing), sess.run(double)", "print(None, run_double())"),
        ("", "sess.run([])", "print([])"),
        (
            "found = {'a': mean, 'b': [total, double], 'c': (x[0],)}",
            "sess.run(found, {x: data})",
            "return {'a': mean, 'b': [total, None], 'c': (x[0],)}",
        ),
        (
            "found = {'a': mean, 'b': [double, nothing], 'c': {'d': (double,)}}",
            "sess.run(found, {x: data})",
            "run_double(data)), 'b': [None, None], 'c': {'d': (None,)}})",
        ),
        (
            "found = [mean, [total, double]]",
            "sess.run(found, {x: data})",
            "print(tf.nest.map_structure(lambda t: t if t is None else t.numpy(), ",
        ),
    ],
)
def test_the_structure_of_a_fetch_is_that_of_the_result(
    made: str, shown: str, expected: str
) -> None:
    assert expected in upgraded(f"{HEAD}{made}\n{TAIL.format(shown=shown)}")


@pytest.mark.parametrize(
    "made",
    [
        "parts = Outputs(x, total)",  # a run may be fed by it
        "Outputs = print\nparts = Outputs(mean, total)",
        "parts = Outputs(mean, other=total)",
    ],
)
def test_other_tuples_keep_the_session(made: str) -> None:
    source = f"{HEAD}{made}\n{TAIL.format(shown='sess.run(parts, {x: data})')}"
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT


def test_names_of_layers_variables_are_those_of_tf1() -> None:
    out = upgraded(LAYERS.format(name="name='last'"))
    said = [f"'net/{n}/{leaf}:0'" for n in ("first", "last") for leaf in ("kernel", "bias")]
    assert f"print([{', '.join(said)}])" in out
    assert "'net/dense/bias:0'])" in upgraded(LAYERS.format(name="activation=None"))


def test_names_that_are_not_told_keep_the_session() -> None:
    source = LAYERS.format(name="name=open('name').read()")
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT
