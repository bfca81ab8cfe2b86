"""Lists that begin as ``list()``, and cells of one kernel that compute as the plain ones do."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = (
    "import numpy as np\nimport tensorflow as tf\n\nx = tf.placeholder(tf.float32, [None, 3, 2])\n"
)
LOOP = "for i in range(3):\n    outs.append(tf.square(x[:, i]))\n"
RUN = "with tf.Session() as sess:\n    print(sess.run({}, {{x: np.ones([4, 3, 2])}}))\n"


def test_a_list_of_tensors() -> None:
    text = after(HEAD + "outs = list()\n" + LOOP + RUN.format("outs[-1]"))
    assert "    outs = []\n    for i in range(3):\n" in text


def test_a_list_of_python_s_values_stays_as_it_is() -> None:
    text = after(HEAD + "seen = list()\n" + RUN.format("x + 1") + "seen.append(1)\n")
    assert "\nseen = list()\n" in text


def test_a_list_of_an_object() -> None:
    text = after(
        HEAD.replace(
            "x = tf.pl", "class Net(object):\n    def __init__(self):\n        self.x = tf.pl"
        )
        + "        self.outs = list()\n"
        + "".join(f"        {line}\n" for line in LOOP.splitlines())
        .replace("outs.", "self.outs.")
        .replace("x[", "self.x[")
        + "        self.y = self.outs[-1] + self.outs[0]\n\n\nnet = Net()\n"
        + RUN.format("net.y").replace("{x:", "{net.x:")
    )
    assert "list()" not in text


@pytest.mark.parametrize("made", ["list(())", "list(range(0))", "make()"])
def test_others_keep_the_session(made: str) -> None:
    stopped(
        HEAD
        + "def make():\n    return list()\n\n\n"
        + f"outs = {made}\n"
        + LOOP
        + RUN.format("outs[-1]")
    )


def test_a_list_of_ones_own_keeps_it() -> None:
    own = "class list(object):\n    pass\n\n\n"
    stopped(HEAD + own + "outs = list()\n" + LOOP + RUN.format("outs[-1]"))


def cell(made: str) -> str:
    run = "    sess.run(tf.global_variables_initializer())\n    print"
    return (
        HEAD
        + f"cell = tf.contrib.rnn.{made}\n"
        + "y, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)\n"
        + RUN.format("y").replace("    print", run)
    )


@pytest.mark.parametrize(
    ("made", "new"),
    [
        ("GRUBlockCellV2(4)", "GRUCell(4)"),
        ("GRUBlockCellV2(num_units=4)", "GRUCell(num_units=4)"),
        ("GRUBlockCellV2(4, name='g')", "GRUCell(4, name='g')"),
        ("LSTMBlockCell(4)", 'BasicLSTMCell(4, name="lstm_cell")'),
    ],
)
def test_block_cells(made: str, new: str) -> None:
    assert f"cell = {new}\n" in after(cell(made))


@pytest.mark.parametrize(
    "made", ["GRUBlockCell(4)", "GRUBlockCellV2(cell_size=4)", "GRUBlockCellV2(4, reuse=True)"]
)
def test_other_block_cells_keep_the_session(made: str) -> None:
    stopped(cell(made))
