"""Recurrent cells of the program's own: variables made once, in `build`; what isn't followed."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4, 3])


class Plain(tf.nn.rnn_cell.RNNCell):
    def __init__(self, units):
        super(Plain, self).__init__()
        self.units = units

    @property
    def state_size(self):
        return self.units

    @property
    def output_size(self):
        return self.units

"""
CALL = """\
    def __call__(self, inputs, state, scope=None):
        with tf.variable_scope(scope or "plain"):
            size = inputs.get_shape()[1].value
            # what goes in
            w = tf.get_variable("w", [size, self.units])
            new = tf.tanh(tf.matmul(inputs, w) + state)
            return new, new

"""
LOOP = "net, _ = tf.nn.dynamic_rnn(Plain(2), x, dtype=tf.float32)\n"
RUN = """\
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(net, {x: np.ones((2, 4, 3))}))
"""


def test_variables_go_into_build_under_their_names() -> None:
    text = after(HEAD + CALL + LOOP + RUN)
    assert "class Plain(RNNCell):" in text
    assert 'super().__init__("plain")' in text
    made = text[text.index("def build(self, size, scope):") : text.index("def call")]
    assert "        # what goes in\n        self.w = tf.Variable(" in made
    assert 'name=f"{scope}/w")' in made
    called = text[text.index("def call(self, inputs, state):") :]
    assert "new = tf.tanh(tf.matmul(inputs, self.w) + state)" in called
    assert "get_shape" not in called


def test_a_scope_of_the_class_is_its_name() -> None:
    text = after(HEAD + CALL.replace('"plain"', "type(self).__name__") + LOOP + RUN)
    assert 'super().__init__("Plain")' in text


def test_a_call_without_a_scope_is_named_as_a_layer_is() -> None:
    call = CALL.replace("__call__(self, inputs, state, scope=None)", "call(self, inputs, state)")
    call = call.replace('scope or "plain"', '"inner"')
    text = after((HEAD + call + LOOP + RUN).replace("Plain", "PlainCell"))
    assert 'super().__init__("plain_cell")' in text
    assert 'name=f"{scope}/inner/w")' in text


def test_variables_that_are_added_stay_in_build() -> None:
    cell = """\
    def build(self, shape):
        if shape[1].value is None:
            raise ValueError("open")
        depth = shape[1].value
        self.w = self.add_variable("w", shape=[depth, self.units])
        self.built = True

    def call(self, inputs, state):
        new = tf.tanh(tf.matmul(inputs, self.w) + state)
        return new, new

"""
    text = after(HEAD + cell + LOOP + RUN)
    made = text[text.index("def build(self, depth, scope):") : text.index("def call")]
    assert "ValueError" not in made
    assert "self.built" not in made
    assert 'name=f"{scope}/w")' in made


def test_a_class_that_is_imported_by_name_takes_the_name_over() -> None:
    text = HEAD.replace("tf.nn.rnn_cell.RNNCell", "RNNCell") + CALL + LOOP + RUN
    imported = "import tensorflow as tf\nfrom tensorflow.contrib.rnn import RNNCell\n"
    text = after(text.replace("import tensorflow as tf\n", imported))
    assert "tensorflow.contrib" not in text
    assert text.count("class RNNCell(tf.Module):") == 1


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("new = tf.tanh", "w = w * 2\n            new = tf.tanh", "binds `w` twice"),
        ("tf.matmul(inputs, w)", "tf.layers.dense(inputs, 2)", "a layer in a loop"),
        ('scope or "plain"', "self.name", "computes the name of its scope"),
        ('"plain")', '"plain", reuse=tf.AUTO_REUSE)', "opens its scope with options"),
        ("+ state)", "+ tf.nn.dropout(state, 0.5))", "draws at random"),
        (
            "new = tf.tanh",
            "self.last = state\n            new = tf.tanh",
            "keeps something of a step",
        ),
        ("new = tf.tanh", "log.append(1)\n            new = tf.tanh", "does more than compute"),
        ("[size, self.units]", "[3, self.units], regularizer=tf.nn.l2_loss", "`regularizer`"),
        ("state, scope=None", "state, more, scope=None", "takes more than inputs and state"),
        ('"w", [', '"w%d" % 1, [', "computes the name of a variable"),
        ("[size,", "[state.get_shape()[1].value,", "what only a run knows"),
        (
            'w = tf.get_variable("w", [size, self.units])',
            'for _ in range(1):\n                w = tf.get_variable("w", [size, 2])',
            "in a loop or a branch",
        ),
    ],
)
def test_a_cell_that_isn_t_seen_through_keeps_the_session(old: str, new: str, reason: str) -> None:
    source = HEAD.replace("\n\nclass", "\nlog = []\n\n\nclass", 1) + CALL + LOOP + RUN
    assert old in source
    assert reason in stopped(source.replace(old, new))


@pytest.mark.parametrize(
    "cells",
    [
        "a, b = Plain(3), Plain(3)",
        "a, b = tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.GRUCell(3)",
        "cells = [Plain(3) for _ in range(2)]\na, b = cells",
        "cells = [Plain(3), Plain(3)]\na = cells[0]\nb = cells[1]",
    ],
)
def test_two_cells_with_the_variables_of_one_scope_keep_the_session(cells: str) -> None:
    use = """\
with tf.variable_scope("s"):
    net, _ = a(x[:, 0], tf.zeros([2, 3]))
with tf.variable_scope("s", reuse=True):
    net, _ = b(x[:, 1], net)
"""
    reason = stopped(HEAD + CALL + cells + "\n" + use + RUN)
    assert "the variables of the scope `s` are found again" in reason


def test_two_cells_of_one_statement_are_two() -> None:
    use = """\
a, b = Plain(3), Plain(3)
one, _ = tf.nn.dynamic_rnn(a, x, dtype=tf.float32, scope="one")
net, _ = tf.nn.dynamic_rnn(b, one, dtype=tf.float32, scope="two")
"""
    assert "a, b = Plain(3), Plain(3)" in after(HEAD + CALL + use + RUN)


def test_a_cell_of_tensorflow_s_name_beside_tensorflow_s_keeps_the_session() -> None:
    use = (
        'net, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), net, scope="b", dtype=tf.float32)\n'
    )
    source = (HEAD + CALL + LOOP).replace("Plain", "GRUCell") + use + RUN
    assert "has a `GRUCell` of its own" in stopped(source)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ("net = tf.nn.raw_rnn(tf.nn.rnn_cell.GRUCell(2), step)[0].stack()", "tf.nn.raw_rnn"),
        (
            "net, _ = tf.nn.dynamic_rnn(tf.contrib.rnn.CFNCell(2), x)",
            "tf.contrib.rnn.CFNCell",
        ),
        (
            "helper = tf.contrib.seq2seq.SampleEmbeddingHelper(x, [1, 1], 2)",
            "tf.contrib.seq2seq.SampleEmbeddingHelper",
        ),
        (
            "memory = tf.contrib.seq2seq.LuongMonotonicAttention(3, x)",
            "tf.contrib.seq2seq.LuongMonotonicAttention",
        ),
        (
            "w = tf.get_variable('w', [4, 2], partitioner=tf.fixed_size_partitioner(2))",
            "tf.fixed_size_partitioner",
        ),
    ],
)
def test_what_has_no_rule_keeps_the_session_and_says_so(made: str, reason: str) -> None:
    step = "def step(*args):\n    return args\n\n\n"
    assert f"{reason} isn't followed" in stopped(HEAD + CALL + step + made + "\nnet = x\n" + RUN)


def test_a_getter_of_one_s_own_keeps_the_session() -> None:
    getter = (
        "def half(getter, name, *args, **kwargs):\n    return getter(name, *args, **kwargs) / 2\n"
    )
    made = "w = tf.get_variable('w', [3, 2], custom_getter=half)\nnet = x\n"
    assert "`custom_getter` of tf.get_variable" in stopped(HEAD + CALL + getter + made + RUN)


INIT = "def __init__(self, units):\n        super(Plain, self).__init__()"
TOLD = "def __init__(self, units, reuse=None, name=None):\n        super(Plain, self).__init__("


@pytest.mark.parametrize("told", ["_reuse=reuse, name=name", "_reuse=reuse", "name=None"])
def test_what_the_base_is_told_by_no_call_goes(told: str) -> None:
    assert INIT in HEAD
    text = after(HEAD.replace(INIT, f"{TOLD}{told})") + CALL + LOOP + RUN)
    assert 'super().__init__("plain")' in text


@pytest.mark.parametrize(
    ("told", "made"),
    [
        ("_reuse=reuse, name=name", "Plain(2, name='other')"),
        ("_reuse=reuse", "Plain(2, True)"),
        ("name='own'", "Plain(2)"),
        ("_reuse=reuse", "make(2)"),
    ],
)
def test_a_base_that_is_told_its_name_keeps_the_session(told: str, made: str) -> None:
    source = HEAD.replace(INIT, f"{TOLD}{told})") + CALL + "make = Plain\n" * ("make" in made)
    assert stopped(source + LOOP.replace("Plain(2)", made) + RUN)
