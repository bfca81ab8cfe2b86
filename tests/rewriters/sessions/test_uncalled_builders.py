"""Nets of a file that nobody calls, and what slim's nets have in their parameters."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

NETS = """\
import tensorflow as tf

slim = tf.contrib.slim
trunc_normal = lambda stddev: tf.truncated_normal_initializer(0.0, stddev)


def tiny(inputs, num_classes=2, scope='tiny', prediction_fn={default}):
    with tf.variable_scope(scope, 'tiny', [inputs]):
        net = slim.conv2d(inputs, 4, [3, 3], scope='conv1')
        net = slim.conv2d(net, num_classes, [1, 1], scope='logits')
        return net, prediction_fn(net, scope='Predictions')


def larger(inputs, num_classes=1000, scope='larger'):
    with tf.variable_scope(scope, 'larger', [inputs]):
        net = slim.conv2d(inputs, 8, [3, 3], scope='conv1')
        return slim.conv2d(net, num_classes, [1, 1], scope='logits')


larger.default_image_size = 8
{more}

def tiny_arg_scope(weight_decay=0.1):
    with slim.arg_scope([slim.conv2d], weights_regularizer=slim.l2_regularizer(weight_decay),
                        weights_initializer=trunc_normal(0.5)) as sc:
        return sc
"""
TRAIN = """\
import tensorflow as tf

import nets

slim = tf.contrib.slim
x = tf.placeholder(tf.float32, [None, 8, 8, 3])
{calls}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {{x: [[[[0.5] * 3] * 8] * 8]}}))
"""
CALLS = "with slim.arg_scope(nets.tiny_arg_scope()):\n    out, end = nets.tiny(x)\n"
PLAIN = {"default": "slim.softmax", "more": "", "calls": CALLS}


def upgrade(**changed: str) -> list[FileResult]:
    given = PLAIN | changed
    train = TRAIN.format(calls=given["calls"])
    source = NETS.format(default=given["default"], more=given["more"])
    return list(texts({"train.py": train.encode(), "nets.py": source.encode()}, Options()))


def test_a_net_that_nobody_calls_becomes_layers_as_the_one_beside_it() -> None:
    results = {r.path: r for r in upgrade()}
    nets = results["nets.py"]
    assert nets.level is Level.NATIVE, [f.message for f in nets.left]
    assert nets.after is not None
    text = nets.after.decode()
    _, larger = text.split("def larger(")
    assert larger.startswith("num_classes=1000, scope='larger'):")
    # its layers have what the arg_scope gives those of the net that is called
    assert larger.count("kernel_regularizer=tf.keras.regularizers.L2(0.05)") == 2
    assert larger.count("TruncatedNormal(mean=0.0, stddev=0.5)") == 2
    assert "    return net" in larger or "return logits_layer(net)" in larger
    assert "slim" not in text
    said = [f.message for f in nets.fixed if "nobody calls `larger`" in f.message]
    assert said
    assert "in the arg_scopes of the calls beside it" in said[0]


def test_a_function_of_contrib_as_a_default_is_that_of_tf2() -> None:
    nets = next(r for r in upgrade() if r.path == "nets.py")
    assert nets.after is not None
    text = nets.after.decode()
    assert "prediction_fn=tf.nn.softmax)" in text
    assert "prediction_fn(net, name='Predictions')" in text


def test_a_module_of_the_function_s_name_is_no_use_of_it() -> None:
    train = TRAIN.replace("import nets", "import tiny as nets").format(calls=CALLS)
    source = NETS.format(default="slim.softmax", more="")
    files = {"train.py": train.encode(), "tiny.py": source.encode()}
    assert [r.level for r in texts(files, Options())] == [Level.NATIVE] * 2


@pytest.mark.parametrize(
    "changed",
    [
        # Which arg_scopes another net would be called in isn't told by two calls that differ.
        {
            "calls": CALLS + "other = nets.small(x)\n",
            "more": "\n\ndef small(x):\n    return slim.conv2d(x, 2, [1, 1], scope='s')\n",
        },
        # What it is given, where it is handed on, isn't seen.
        {"more": "\n\nNETS = {'larger': larger}\n"},
        # A call says another function than the default.
        {
            "calls": CALLS.replace("nets.tiny(x)", "nets.tiny(x, prediction_fn=slim.softmax)"),
        },
    ],
)
def test_what_isnt_told_keeps_the_session(changed: dict[str, str]) -> None:
    assert {r.level for r in upgrade(**changed)} == {Level.COMPAT}


CELLS = """\
import tensorflow as tf


def RNN(x, weights, hidden, lengths):
    cell = tf.nn.rnn_cell.BasicRNNCell(hidden)
    outputs, states = tf.nn.dynamic_rnn(cell, x, sequence_length=lengths, dtype=tf.float32)
    return tf.matmul(states, weights)


def LSTM({arguments}):
    cell = tf.nn.rnn_cell.LSTMCell(hidden)
    outputs, states = tf.nn.dynamic_rnn(cell, x, sequence_length=lengths, dtype=tf.float32)
    return tf.matmul(states.h, weights)
"""
NUMBERS = """\
import numpy as np
import tensorflow as tf
from cells import *

x = tf.placeholder(tf.float32, [None, 4, 2])
lengths = tf.placeholder(tf.int32, [None])
weights = tf.get_variable('W', [3, 1])
out = RNN(x, weights, 3, lengths)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {x: np.ones((2, 4, 2)), lengths: [4, 2]}))
"""


def cells(arguments: str, more: str = "") -> list[FileResult]:
    source = CELLS.format(arguments=arguments) + more
    return list(texts({"main.py": NUMBERS.encode(), "cells.py": source.encode()}, Options()))


def test_a_net_of_cells_that_nobody_calls_beside_one_that_is_called() -> None:
    results = {r.path: r for r in cells("x, weights, hidden, lengths")}
    assert {r.level for r in results.values()} == {Level.NATIVE}, [r.left for r in results.values()]
    after = results["cells.py"].after
    assert after is not None
    _, lstm = after.decode().split("def LSTM(")
    assert lstm.startswith("weights, hidden):\n    cell = LSTMCell(hidden)\n\n    def apply(x, ")
    assert "outputs, states = dynamic_rnn(cell, x, sequence_length=lengths)" in lstm


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        ("*args", ""),
        ("x, weights, hidden, lengths", "\n\nNETS = [RNN, LSTM]\n"),
        ("x, weights, hidden, lengths", "    tf.add_to_collection('states', states)\n"),
    ],
)
def test_one_that_isnt_told_keeps_the_session(arguments: str, more: str) -> None:
    assert {r.level for r in cells(arguments, more)} == {Level.COMPAT}
