"""Recurrent cells in session programs: what stays where it was, and what keeps the session.

The programs of fixtures/native are run (tests/test_native.py); here it is the text that counts.
"""

from __future__ import annotations

import ast
import re

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from migrate.rewriters.sessions import recurrent_code

HEAD = """\
import numpy as np
import tensorflow as tf
from tensorflow.contrib import rnn

x = tf.placeholder(tf.float32, [None, 5, 3])
keep = tf.placeholder(tf.float32)
"""
TAIL = """\
loss = tf.reduce_mean(out)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for _ in range(3):
    sess.run(train, {x: np.ones((2, 5, 3)), keep: 0.5})
"""
KEEPS = "this keeps the program's session: "


def upgrade(middle: str, tail: str = TAIL) -> FileResult:
    (result,) = texts({"program.py": (HEAD + middle + tail).encode()}, Options())
    return result


def after(middle: str, tail: str = TAIL) -> str:
    result = upgrade(middle, tail)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    ast.parse(text)
    return text


def stopped(middle: str, tail: str = TAIL) -> str:
    result = upgrade(middle, tail)
    assert result.level is Level.COMPAT
    (finding,) = [f for f in result.left if f.rule == "TFM420"]
    return finding.message.removeprefix(KEEPS)


def run(call: str = "tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)") -> str:
    return f"out, state = {call}\n"


def test_a_cell_stays_and_what_runs_it_moves() -> None:
    text = after("cell = rnn.BasicLSTMCell(4)\n" + run())
    assert "\ncell = BasicLSTMCell(4)\n" in text
    assert "        out, state = dynamic_rnn(cell, x)\n" in text
    assert "from tensorflow.contrib" not in text
    assert "variables = tape.watched_variables()" in text


def test_only_what_is_used_is_written() -> None:
    text = after("cell = rnn.GRUCell(4)\n" + run())
    assert re.findall(r"^(?:class|def) (\w+)", text, re.M)[:3] == [
        *("RNNCell", "GRUCell", "dynamic_rnn")
    ]
    assert "LSTM" not in text
    assert "sequence_length" not in text
    assert "**kept" not in text


def test_the_variable_scope_goes_into_the_variables_names() -> None:
    text = after(
        "cell = rnn.BasicLSTMCell(4)\n"
        "with tf.variable_scope('encoder'):\n"
        "    out, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, scope='first')\n"
    )
    assert 'dynamic_rnn(cell, x, scope="encoder/first")' in text


def test_a_name_scope_does_not() -> None:
    text = after("cell = rnn.GRUCell(4)\nwith tf.name_scope('encoder'):\n    " + run())
    assert "dynamic_rnn(cell, x)" in text


@pytest.mark.parametrize(
    "stack",
    [
        "cell = rnn.MultiRNNCell([one() for _ in range(2)])\n",
        "cell = rnn.MultiRNNCell([one(), one()])\n",
        "cells = []\nfor _ in range(2):\n    cells.append(one())\ncell = rnn.MultiRNNCell(cells)\n",
        "cell = rnn.MultiRNNCell([one()] * 2)\n",
        "first = one()\ncell = rnn.MultiRNNCell([first if i else one() for i in range(2)])\n",
    ],
)
def test_what_runs_are_fed_reaches_every_stack(stack: str) -> None:
    made = (
        "def one():\n"
        "    cell = rnn.BasicLSTMCell(4)\n"
        "    return rnn.DropoutWrapper(cell, output_keep_prob=keep)\n"
    )
    text = after(made + stack + run())
    assert "DropoutWrapper(cell, output_keep_prob=None)" in text
    assert "dynamic_rnn(cell, x, output_keep_prob=keep)" in text


def test_a_share_that_python_knows_stays() -> None:
    text = after("cell = rnn.DropoutWrapper(rnn.GRUCell(4), 0.9, output_keep_prob=0.5)\n" + run())
    assert "DropoutWrapper(GRUCell(4), 0.9, output_keep_prob=0.5)" in text
    assert "**kept" not in text


def test_two_shares_that_are_fed_keep_the_session() -> None:
    middle = (
        "other = tf.placeholder(tf.float32)\n"
        "a = rnn.DropoutWrapper(rnn.GRUCell(4), output_keep_prob=keep)\n"
        "b = rnn.DropoutWrapper(rnn.GRUCell(4), output_keep_prob=other)\n"
        "cell = rnn.MultiRNNCell([a, b])\n"
    )
    assert stopped(middle + run()) == "cells whose `output_keep_prob` isn't the same in a run"


def test_one_share_that_is_fed_and_one_that_is_not_keep_the_session() -> None:
    middle = (
        "a = rnn.DropoutWrapper(rnn.GRUCell(4), output_keep_prob=keep)\n"
        "b = rnn.DropoutWrapper(rnn.GRUCell(4), output_keep_prob=0.5)\n"
        "cell = rnn.MultiRNNCell([a, b])\n"
    )
    assert stopped(middle + run()) == "cells whose `output_keep_prob` isn't the same in a run"


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("rnn.BasicLSTMCell(4, state_is_tuple=len('a') > 1)", "a cell with `state_is_tuple`"),
        ("rnn.BasicLSTMCell(4, reuse=True)", "a cell with `reuse`"),
        ("rnn.GRUCell(4, dtype=tf.float16)", "a cell of another type than float32"),
        ("rnn.BasicLSTMCell(4, activation='tanh')", "`activation` of BasicLSTMCell is a word"),
        (
            "rnn.DropoutWrapper(rnn.GRUCell(4), variational_recurrent=len('a') > 1)",
            "whether dropout is the same in all steps is computed",
        ),
        ("rnn.MinimalRNNCell(4)", "tf.contrib.rnn.MinimalRNNCell isn't followed yet"),
        ("rnn.CoupledInputForgetGateLSTMCell(4, layer_norm=True)", "`layer_norm` of CoupledInput"),
    ],
)
def test_what_a_cell_does_otherwise_keeps_the_session(cell: str, reason: str) -> None:
    assert stopped(f"cell = {cell}\n" + run()).startswith(reason)


@pytest.mark.parametrize(
    ("cell", "made"),
    [
        ("rnn.IndRNNCell(4, tf.nn.relu)", "IndRNNCell(4, activation=tf.nn.relu)"),
        ("rnn.IndyGRUCell(4)", "IndyGRUCell(4)"),
        ("rnn.IndyLSTMCell(4, 0.5)", "IndyLSTMCell(4, forget_bias=0.5)"),
        ("rnn.SRUCell(3)", "SRUCell(3)"),
        ("rnn.IntersectionRNNCell(4, 4)", "IntersectionRNNCell(4, num_in_proj=4)"),
        ("rnn.GLSTMCell(4, number_of_groups=1)", "GLSTMCell(4, number_of_groups=1)"),
        ("rnn.NASCell(4, num_proj=3)", "NASCell(4, num_proj=3)"),
        ("rnn.LSTMBlockCell(4, use_peephole=True)", "LSTMCell(4, use_peepholes=True)"),
        ("rnn.LSTMBlockCell(4, cell_clip=None)", 'BasicLSTMCell(4, name="lstm_cell")'),
        ("rnn.HighwayWrapper(rnn.GRUCell(3))", "HighwayWrapper(GRUCell(3))"),
        (
            "tf.nn.rnn_cell.DeviceWrapper(rnn.GRUCell(3), '/gpu:%d' % 1)",
            "DeviceWrapper(GRUCell(3), device='/gpu:%d' % 1)",
        ),
        (
            "rnn.ResidualWrapper(rnn.GRUCell(3), lambda i, o: i + o)",
            "ResidualWrapper(GRUCell(3), residual_fn=lambda i, o: i + o)",
        ),
        (
            "tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell(4)",
            'BasicLSTMCell(4, forget_bias=0.0, name="cudnn_compatible_lstm_cell")',
        ),
        (
            "rnn.DropoutWrapper(rnn.GRUCell(4), 0.5, seed=1)",
            "DropoutWrapper(GRUCell(4), 0.5, seed=1)",
        ),
        (
            "rnn.DropoutWrapper(rnn.GRUCell(4), 0.5, variational_recurrent=True, input_size=3,"
            " dtype=tf.float32)",
            "DropoutWrapper(GRUCell(4), 0.5, variational_recurrent=True, input_size=3)",
        ),
    ],
)
def test_rarer_cells_and_wrappers(cell: str, made: str) -> None:
    text = after(f"cell = {cell}\n" + run())
    assert f"cell = {made}\n" in text


def test_noise_of_a_run_is_drawn_where_cells_run() -> None:
    cell = "rnn.DropoutWrapper(rnn.GRUCell(4), 0.5, variational_recurrent=True, input_size=3)"
    text = after(f"cell = {cell}\n" + run())
    assert "    draw_noise(cell)\n" in text
    twice = f"cell = {cell}\n" + run() + "out, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)\n"
    assert stopped(twice) == "a cell that drops the same in all steps, applied twice"
    by_hand = f"cell = {cell}\nout, _ = cell(x[:, 0], cell.zero_state(2, tf.float32))\n"
    assert stopped(by_hand) == "a cell that drops the same in all steps, called by hand"


def test_cells_of_convolutions() -> None:
    made = "rnn.Conv1DLSTMCell(input_shape=[3, 1], output_channels=2, kernel_shape=[2])"
    head = f"cell = {made}\nframes = tf.expand_dims(x, 3)\n"
    text = after(head + "out, _ = tf.nn.dynamic_rnn(cell, frames, dtype=tf.float32)\n")
    assert 'name="conv_1d_lstm_cell")' in text
    assert "    order = [1, 0, *range(2, len(inputs.shape))]\n" in text
    lengths = "out, _ = tf.nn.dynamic_rnn(cell, frames, [2, 3], dtype=tf.float32)\n"
    assert stopped(head + lengths) == "lengths of sequences for a cell of convolutions"


def test_a_state_may_have_dropout() -> None:
    text = after("cell = rnn.DropoutWrapper(rnn.GRUCell(4), state_keep_prob=0.5)\n" + run())
    assert "cell = DropoutWrapper(GRUCell(4), state_keep_prob=0.5)\n" in text
    assert "        state = self.dropped(state, 1 - share)\n" in text
    fed = after("cell = rnn.DropoutWrapper(rnn.GRUCell(4), 1.0, 1.0, keep)\n" + run())
    assert "cell = DropoutWrapper(GRUCell(4), 1.0, 1.0, state_keep_prob=None)\n" in fed
    assert "dynamic_rnn(cell, x, state_keep_prob=keep)" in fed
    none = after("cell = rnn.DropoutWrapper(rnn.GRUCell(4), 0.5)\n" + run())
    assert "dropped" not in none


@pytest.mark.parametrize("other", ["0.5", "other"])
def test_directions_with_other_shares_to_keep_keep_the_session(other: str) -> None:
    middle = (
        "other = tf.placeholder(tf.float32)\n"
        "a = rnn.DropoutWrapper(rnn.GRUCell(4), output_keep_prob=keep)\n"
        f"b = rnn.DropoutWrapper(rnn.GRUCell(4), output_keep_prob={other})\n"
    )
    both = run("tf.nn.bidirectional_dynamic_rnn(a, b, x, dtype=tf.float32)")
    assert stopped(middle + both) == "cells whose `output_keep_prob` isn't the same in a run"


def test_a_share_of_the_second_direction_alone_is_fed() -> None:
    middle = "a = rnn.GRUCell(4)\nb = rnn.DropoutWrapper(rnn.GRUCell(4), output_keep_prob=keep)\n"
    both = run("tf.nn.bidirectional_dynamic_rnn(a, b, x, dtype=tf.float32)")
    assert "(a, b, x, output_keep_prob=keep)" in after(middle + both)


def test_variables_that_are_found_again_keep_the_session() -> None:
    middle = (
        "out, _ = tf.nn.dynamic_rnn(rnn.GRUCell(4), x, dtype=tf.float32)\n"
        "out2, _ = tf.nn.dynamic_rnn(rnn.GRUCell(4), x, dtype=tf.float32)\n"
    )
    assert stopped(middle) == "the variables of the scope `rnn` are found again"


def test_the_same_cell_may_run_twice() -> None:
    text = after(
        "cell = rnn.GRUCell(3)\n"
        "out, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)\n"
        "out, _ = tf.nn.dynamic_rnn(cell, out, dtype=tf.float32)\n"
    )
    assert text.count("= GRUCell(3)") == 1
    assert text.count("= dynamic_rnn(cell, ") == 2


def test_a_cell_that_a_run_makes_is_made_once() -> None:
    text = after("out, _ = tf.nn.dynamic_rnn(rnn.GRUCell(4), x, dtype=tf.float32)\n")
    assert "\ncell = GRUCell(4)\n" in text
    assert "dynamic_rnn(cell, x)" in text


def test_cells_in_both_directions_have_names_of_their_own() -> None:
    text = after(
        "outs, _ = tf.nn.bidirectional_dynamic_rnn(\n"
        "    rnn.GRUCell(4), cell_bw=rnn.GRUCell(4), inputs=x, dtype=tf.float32)\n"
        "out = tf.concat(outs, 2)\n"
    )
    assert "\ncell_fw = GRUCell(4)\ncell_bw = GRUCell(4)\n" in text


def test_a_method_that_makes_its_cell_and_applies_it_returns_what_applies_it() -> None:
    middle = (
        "class Net(object):\n"
        "    def __init__(self):\n"
        "        self.out = self.rnn(x)\n"
        "        self.loss = tf.reduce_mean(self.out)\n"
        "    def rnn(self, inputs):\n"
        "        return tf.nn.dynamic_rnn(rnn.GRUCell(4), inputs, dtype=tf.float32)[0]\n"
        "net = Net()\n"
        "print(tf.Session().run(net.loss, {x: np.ones((2, 5, 3))}))\n"
    )
    result = upgrade(middle, "")
    assert result.level is Level.NATIVE
    assert result.after is not None
    text = result.after.decode()
    assert "        out_layer = self.rnn()\n" in text
    assert "        cell = GRUCell(4)\n\n        def apply(inputs):\n" in text


def test_reuse_in_a_loop_of_calls_goes() -> None:
    text = after(
        "cell = rnn.BasicRNNCell(4)\n"
        "state = cell.zero_state(tf.shape(x)[0], tf.float32)\n"
        "with tf.variable_scope('RNN'):\n"
        "    for t in range(5):\n"
        "        if t > 0:\n"
        "            tf.get_variable_scope().reuse_variables()\n"
        "        out, state = cell(x[:, t], state)\n"
    )
    assert "reuse" not in text
    assert "if t > 0" not in text
    assert 'out, state = cell(x[:, t], state, scope="RNN")' in text


def test_so_it_does_by_the_name_of_the_scope() -> None:
    loop = (
        "cell = rnn.BasicRNNCell(4)\n"
        "state = cell.zero_state(tf.shape(x)[0], tf.float32)\n"
        "with tf.variable_scope('RNN') as scope:\n"
        "    for t in range(5):\n"
        "        if t > 0:\n"
        "            scope.reuse_variables()\n"
        "        out, state = cell(x[:, t], state)\n"
    )
    text = after(loop)
    assert "reuse" not in text
    assert 'out, state = cell(x[:, t], state, scope="RNN")' in text
    inner = loop.replace("        out, state =", "        with tf.variable_scope('inner'):\n"
                         "            if t > 0:\n                scope.reuse_variables()\n"
                         "        out, state =")  # fmt: skip
    assert "another scope" in stopped(inner)


def test_reuse_behind_all_cells_goes() -> None:
    middle = "cell = rnn.GRUCell(4)\n" + run() + "tf.get_variable_scope().reuse_variables()\n"
    assert "reuse" not in after(middle)


def test_a_state_that_some_runs_are_fed_is_a_parameter_with_a_default() -> None:
    middle = "cell = rnn.BasicLSTMCell(4)\nstart = cell.zero_state(2, tf.float32)\n"
    middle += run("tf.nn.dynamic_rnn(cell, x, initial_state=start)")
    tail = TAIL.partition("for _")[0] + (
        "_, now = sess.run([train, state], {x: np.ones((2, 5, 3))})\n"
        "for _ in range(3):\n"
        "    _, now = sess.run([train, state], {x: np.ones((2, 5, 3)), start: now})\n"
    )
    text = after(middle, tail)
    assert text.count("def train_step") == 1
    assert "def train_step(x, start=start):" in text
    assert "dynamic_rnn(cell, x, initial_state=start)" in text
    assert "train_step(np.ones((2, 5, 3)), now))" in text


def test_cells_are_saved_and_listed() -> None:
    middle = "out, _ = tf.nn.dynamic_rnn(rnn.GRUCell(4), x, dtype=tf.float32)\n"
    middle += "own = rnn.BasicRNNCell(4)\nout, _ = own(out[:, 0], own.zero_state(2, tf.float32))\n"
    tail = TAIL.replace(
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n",
        "tvars = tf.trainable_variables()\n"
        "grads = tf.gradients(loss, tvars)\n"
        "train = tf.train.GradientDescentOptimizer(0.1).apply_gradients(zip(grads, tvars))\n"
        "saver = tf.train.Saver()\n",
    )
    text = after(middle, tail + "saver.save(sess, 'model')\n")
    assert "tvars = [*cell.trainable_variables, *own.trainable_variables]" in text
    assert "Checkpoint(own=own, cell=cell, optimizer=optimizer)" in text


NET = """\
def net(v):
    cell = rnn.GRUCell(4)
    outs, _ = tf.nn.dynamic_rnn(cell, v, dtype=tf.float32)
    return outs[:, -1]

out = net(x)
"""
PENALTY = TAIL.replace(
    "loss = tf.reduce_mean(out)\n",
    "l2 = sum(tf.nn.l2_loss(t) for t in tf.trainable_variables())\n"
    "loss = tf.reduce_mean(out) + l2\n",
)


def test_a_cell_made_in_a_function_is_among_its_layers() -> None:
    text = after(NET, PENALTY)
    assert re.search(r"\.layers = \[cell\]", text)
    assert re.search(r"for layer in out_layer.layers for \w+ in layer.trainable_variables", text)


def test_a_cell_whose_name_is_rebound_in_its_function_is_not_listed() -> None:
    rebound = NET.replace("    return", "    cell = rnn.GRUCell(2)\n    return")
    assert "trainable variables" in stopped(rebound, PENALTY)


def test_a_cell_made_in_a_function_is_saved_with_its_layers() -> None:
    tail = PENALTY.replace(
        "sess = tf.Session()\n", "saver = tf.train.Saver()\nsess = tf.Session()\n"
    )
    tail += "saver.save(sess, 'model')\n"
    assert "apply.layers = [cell]" in after(NET, tail)


def test_a_cell_whose_name_means_another_one_is_not_listed() -> None:
    middle = (
        "cell = rnn.GRUCell(3)\n"
        "out, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, scope='a')\n"
        "cell = rnn.GRUCell(4)\n"
        "out, _ = tf.nn.dynamic_rnn(cell, out, dtype=tf.float32, scope='b')\n"
    )
    tail = TAIL.replace("sess = tf.Session()\n", "saver = tf.train.Saver()\nsess = tf.Session()\n")
    assert upgrade(middle, tail).level is Level.COMPAT


def test_a_graph_that_is_reset_keeps_what_its_code_needs() -> None:
    first = "lengths = tf.placeholder(tf.int32, [None])\n" + run(
        "tf.nn.dynamic_rnn(rnn.GRUCell(4), x, sequence_length=lengths, dtype=tf.float32)"
    )
    tail = TAIL.replace("keep: 0.5", "keep: 0.5, lengths: [3, 5]") + "sess.close()\n"
    second = (
        "tf.reset_default_graph()\nz = tf.placeholder(tf.float32, [None, 2])\n"
        "v = tf.Variable(tf.zeros([2, 1]))\nbest = tf.matmul(z, v)\nother = tf.Session()\n"
        "other.run(tf.global_variables_initializer())\n"
        "print(other.run(best, {z: np.ones((1, 2))}))\n"
    )
    text = after(first, tail + second)
    assert "def dynamic_rnn(cell, inputs, sequence_length=None" in text
    assert "\ncell = GRUCell(4)\n" in text
    assert "variables = tape.watched_variables()" in text


def test_a_function_that_applies_a_cell_whose_share_is_fed_keeps_the_session() -> None:
    middle = (
        "def apply(cell, inputs):\n"
        "    return tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)[0]\n"
        "cell = rnn.DropoutWrapper(rnn.GRUCell(4), output_keep_prob=keep)\n"
        "out = apply(cell, x)\n"
    )
    assert stopped(middle) == "a function applies a cell whose share to keep is fed"


def test_every_definition_is_python_with_and_without_its_parts() -> None:
    texts = "".join(recurrent_code.sources().values())
    found = re.findall(r"[#[]-?([a-z_+]+)(?=\||\n)", texts)
    marks = {mark for marks in found for mark in marks.split("+")}
    for features in (set(), marks):
        for name in recurrent_code.sources():
            text = recurrent_code.source(name, features, "tf")
            ast.parse(text)
            assert max(map(len, text.splitlines())) < 100
            assert not re.search(r"  #\S|\[-?[\w+]+\|", text)


CRF = """\
w = tf.get_variable('w', [3, 4])
scores = tf.tensordot(x, w, [[2], [0]])
tags, lengths = tf.zeros([2, 5], tf.int32), tf.fill([2], 5)
"""


@pytest.mark.parametrize(
    ("spelled", "call"),
    [
        ("from tensorflow.contrib.crf import crf_log_likelihood\n", "crf_log_likelihood"),
        ("from tensorflow.contrib import crf\n", "crf.crf_log_likelihood"),
        ("", "tf.contrib.crf.crf_log_likelihood"),
    ],
)
def test_a_crf_with_its_transitions_is_a_function(spelled: str, call: str) -> None:
    made = "t = tf.get_variable('t', [4, 4])\n"
    text = after(f"{spelled}{CRF}{made}out, _ = {call}(scores, tags, lengths, t)\n")
    assert "out, _ = crf_log_likelihood(scores, tags, lengths, t)" in text
    assert text.count("def crf_log_likelihood(") == 1
    assert "def crf_decode" not in text
    assert "contrib" not in text


def test_a_crf_that_makes_its_transitions_stays() -> None:
    found = stopped(f"{CRF}out, _ = tf.contrib.crf.crf_log_likelihood(scores, tags, lengths)\n")
    reason = "crf_log_likelihood makes its transitions itself, and how many tags there are"
    assert found == f"{reason} isn't seen"
    own = "def crf_log_likelihood(*_):\n    return 1\n"
    made = "t = tf.get_variable('t', [4, 4])\n"
    call = "tf.contrib.crf.crf_log_likelihood(scores, tags, lengths, t)"
    assert "of its own" in stopped(f"{own}{CRF}{made}out, _ = {call}\n")


def test_a_crf_makes_its_transitions_beside_other_uses_of_the_underscore() -> None:
    shaped = "scores = tf.reshape(scores, [-1, tf.shape(x)[1], 4])\n"
    call = "tf.contrib.crf.crf_log_likelihood(scores, tags, lengths)"
    text = after(f"{CRF}{shaped}for _ in range(2):\n    print(_)\nout, trans = {call}\n")
    made = 'trans = tf.Variable(tf.keras.initializers.GlorotUniform()([4, 4]), name="transitions")'
    assert made in text
    assert "out = crf_log_likelihood(scores, tags, lengths, trans)[0]\n" in text


def test_what_a_crf_gives_back_is_what_it_was_given() -> None:
    made = "t = tf.get_variable('t', [4, 4])\n"
    call = "tf.contrib.crf.crf_log_likelihood(scores, tags, lengths, t)"
    assert "out, _ = crf_log_likelihood(scores, tags, lengths, t)" in after(
        f"{CRF}{made}out, t = {call}\n"
    )


TAGGER = """\
import numpy as np
import tensorflow as tf


class Tagger:
    def __init__(self, use_crf):
        self.use_crf = use_crf
        self.x = tf.placeholder(tf.float32, [None, 5, 3])
        self.tags = tf.placeholder(tf.int32, [None, 5])
        w = tf.get_variable("w", [3, 4])
        self.scores = tf.tensordot(self.x, w, [[2], [0]])
        lengths = tf.fill([2], 5)
        if self.use_crf:
            trans = tf.get_variable("transitions", [4, 4])
            out, params = tf.contrib.crf.crf_log_likelihood(
                self.scores, self.tags, lengths, transition_params=trans)
            self.params = params
            self.loss = -tf.reduce_mean(out)
        else:
            self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                logits=self.scores, labels=self.tags))
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
        self.saver = tf.train.Saver()

    def fit(self, x, tags):
        self.sess.run(self.train_op, {self.x: x, self.tags: tags})
        self.saver.save(self.sess, "model")

    def predict(self, x):
        if self.use_crf:
            scores, params = self.sess.run([self.scores, self.params], {self.x: x})
            return scores.shape, params.shape
        return self.sess.run(self.scores, {self.x: x})


tagger = Tagger(len(open("use").read()) > 0)
tagger.fit(np.ones([2, 5, 3]), np.zeros([2, 5]))
print(tagger.predict(np.ones([2, 5, 3])))
"""


def test_transitions_of_a_branch_are_read_without_what_the_likelihood_needs() -> None:
    text = _program(TAGGER)
    assert "        if self.use_crf:\n            trans = tf.Variable(" in text
    assert "            params = trans\n            self.params = params\n" in text
    assert "def compute_scores_and_params(x):" in text


def test_transitions_in_a_scope_of_a_branch() -> None:
    made = """            trans = tf.get_variable("transitions", [4, 4])
            out, params = tf.contrib.crf.crf_log_likelihood(
                self.scores, self.tags, lengths, transition_params=trans)
"""
    assert made in TAGGER
    own = """            with tf.variable_scope("crf"):
                out, params = tf.contrib.crf.crf_log_likelihood(self.scores, self.tags, lengths)
"""
    given = """            with tf.variable_scope("crf"):
                trans = tf.get_variable("transitions", [4, 4])
                out, params = tf.contrib.crf.crf_log_likelihood(
                    self.scores, self.tags, lengths, transition_params=trans)
"""
    product = "tf.tensordot(self.x, w, [[2], [0]])"
    sized = "tf.reshape(tf.matmul(tf.reshape(self.x, [-1, 3]), w), [-1, 5, 4])"
    for scoped in (own, given):
        text = _program(TAGGER.replace(made, scoped).replace(product, sized))
        assert 'name="crf/transitions")' in text
        assert "def compute_scores_and_params(x):" in text


def _program(source: str) -> str:
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


AGENT = """\
import numpy as np
import tensorflow as tf


class Model:
    def __init__(self, act):
        if act == 'tanh':
            self.hidden_act = self.tanh
        else:
            self.hidden_act = self.steep
        self.x = tf.placeholder(tf.float32, [2, 3])
        self.state = tf.placeholder(tf.float32, [2, 4])
        cell = tf.nn.rnn_cell.GRUCell(4, activation=self.hidden_act)
        out, self.after = cell(self.x, self.state)
        self.loss = tf.reduce_mean(tf.square(out - 1.0))
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def tanh(self, X):
        return tf.nn.tanh(X)

    def steep(self, X):
        return tf.nn.tanh(2.0 * X)

    def fit(self):
        feed = {self.x: np.ones([2, 3]), self.state: np.zeros([2, 4])}
        print(self.sess.run([self.loss, self.train], feed)[0])


Model('tanh').fit()
"""


def test_an_activation_may_be_a_method_that_only_computes() -> None:
    (result,) = texts({"program.py": AGENT.encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "        cell = GRUCell(4, activation=self.hidden_act)\n" in text
    assert "    def steep(self, X):\n        return tf.nn.tanh(2.0 * X)\n" in text


@pytest.mark.parametrize("body", ["tf.nn.tanh(X * self.x)", "tf.get_variable('a', [4]) * X"])
def test_one_that_does_more_keeps_the_session(body: str) -> None:
    source = AGENT.replace("tf.nn.tanh(2.0 * X)", body)
    source = source.replace("Model('tanh')", "Model('tanh' if np.ones(1)[0] else 'steep')")
    (result,) = texts({"program.py": source.encode()}, Options())
    assert any("`activation` of GRUCell is a method" in f.message for f in result.left)


def test_a_cell_that_says_that_it_has_no_peepholes_has_none() -> None:
    text = after(
        "cell = tf.nn.rnn_cell.LSTMCell(4, use_peepholes=False)\n"
        "out, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)\n"
    )
    assert "cell = LSTMCell(4)\n" in text
    assert "peephole" not in text


def test_a_cell_needn_t_say_what_its_scope_says() -> None:
    middle = (
        "def encode(t, reuse=None):\n"
        "    with tf.variable_scope('r', reuse=reuse):\n"
        "        cell = rnn.GRUCell(4, reuse=reuse)\n"
        "        o, _ = tf.nn.dynamic_rnn(cell, t, dtype=tf.float32)\n"
        "        return o\n\n"
        "out = encode(x) + encode(x * 2.0, True)\n"
    )
    text = after(middle)
    assert "GRUCell(4)\n" in text
    assert "reuse" not in text
    other = middle.replace("GRUCell(4, reuse=reuse)", "GRUCell(4, reuse=not reuse)")
    assert stopped(other) == "a cell with `reuse`"


def test_a_saver_in_a_function_saves_the_module_s_layers() -> None:
    tail = (
        "loss = tf.reduce_mean(tf.layers.dense(out, 2, name='logits'))\n"
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
        "def main():\n"
        "    with tf.Session() as sess:\n"
        "        saver = tf.train.Saver()\n"
        "        sess.run(tf.global_variables_initializer())\n"
        "        sess.run(train, {x: np.ones((2, 5, 3))})\n"
        "        saver.save(sess, './here')\n\n"
        "main()\n"
    )
    text = after("cell = rnn.GRUCell(4)\n" + run(), tail)
    assert "loss_layer=loss_layer" in text
