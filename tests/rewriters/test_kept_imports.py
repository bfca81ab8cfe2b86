"""Imports that may fail, and what stands in for them: they stay, the second time too."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from migrate.cli import cli

SOURCE = """\
import tensorflow as tf

try:
    from tensorflow.contrib.rnn import LSTMStateTuple
except ImportError:
    LSTMStateTuple = tf.nn.rnn_cell.LSTMStateTuple

x = tf.placeholder(tf.float32, [2, 3])
print(LSTMStateTuple(x, x), tf.get_default_graph().seed)
"""


def test_what_stands_in_for_an_import_from_contrib(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(SOURCE)
    run = ["upgrade", "--no-cache", "--allow-no-vcs", str(path)]
    assert CliRunner().invoke(cli, run).exit_code == 1
    text = path.read_text()
    assert "    from tensorflow.contrib.rnn import LSTMStateTuple\n" in text
    assert "    LSTMStateTuple = tf1_shim.nn.rnn_cell.LSTMStateTuple\n" in text
    CliRunner().invoke(cli, run)
    assert path.read_text() == text


OLDER = """\
import tensorflow as tf

try:
    linear = tf.nn.rnn_cell.linear
except AttributeError:
    from tensorflow.contrib.rnn.python.ops.core_rnn_cell import _linear as linear

print(linear(tf.placeholder(tf.float32, [2, 3]), 4, True))
"""
CAUGHT = """\
import tensorflow as tf

try:
    linear = tf.nn.rnn_cell.linear
except AttributeError:
    try:
        from tensorflow.contrib.layers import linear
    except ImportError:
        linear = None

print(linear, tf.placeholder(tf.float32, [2, 3]))
"""


def test_the_import_that_is_left_where_an_older_name_fails(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(OLDER)
    run = ["upgrade", "--no-cache", "--allow-no-vcs", str(path)]
    CliRunner().invoke(cli, run)
    assert "    from migrate.tf1_shim.private.core_rnn_cell import _linear as linear\n" in (
        path.read_text()
    )


def test_an_import_whose_failure_is_caught(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(CAUGHT)
    run = ["upgrade", "--no-cache", "--allow-no-vcs", str(path)]
    CliRunner().invoke(cli, run)
    assert "        from tensorflow.contrib.layers import linear\n" in path.read_text()


NAMED = """\
import tensorflow as tf
from tensorflow import Session, constant, identity

a = constant(2.0)
with Session() as sess:
    print(sess.run(tf.square(a)))
"""


def test_names_of_what_a_session_needed_go_with_it(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(NAMED)
    run = ["upgrade", "--no-cache", "--allow-no-vcs", str(path)]
    assert CliRunner().invoke(cli, run).exit_code == 1
    # What nothing used before isn't this rewrite's to take away.
    assert "from tensorflow import constant, identity\n" in path.read_text()
    path.write_text(NAMED.replace(", constant, identity", "").replace("constant", "float"))
    CliRunner().invoke(cli, run)
    assert "Session" not in path.read_text()


LATER = """\
import tensorflow as tf

penalty = tf.contrib.layers.l2_regularizer(0.1)

from tensorflow.contrib.eager.python import tfe

with tf.Session() as sess:
    print(sess.run(penalty(tf.ones([2]))), tfe.num_gpus())
"""


def test_a_shim_is_imported_above_what_asks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(LATER)
    run = ["upgrade", "--no-cache", "--allow-no-vcs", "--level=compat", str(path)]
    assert CliRunner().invoke(cli, run).exit_code == 1
    text = path.read_text()
    assert text.index("from migrate import tf1_shim\n") < text.index("= tf1_shim.contrib.layers")
