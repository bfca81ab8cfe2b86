"""Variables that are restored have TF 1's names, by which TF 2 reads TF 1's files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

{made}
saver = {saver}
with tf.Session() as sess:
    saver.restore(sess, "model.ckpt")
    print(sess.run([{read}]))
"""
#: Writes TF 1's file: the compat.v1 Saver's, of variables of these names.
WRITE = """\
import tensorflow as tf
with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    for name, value in {values!r}.items():
        tf.compat.v1.get_variable(name, initializer=float(value))
    sess.run(tf.compat.v1.global_variables_initializer())
    tf.compat.v1.train.Saver().save(sess, "model.ckpt")
"""
SCOPED = """\
with tf.name_scope('layer'):
    v = tf.Variable(0., name='v')
with tf.name_scope('layer'):
    w = tf.Variable(0., name='v')
"""
CASES = {
    "numbered": (
        "v = tf.Variable(0., name='v')\nw = tf.Variable(0., name='v')",
        "tf.train.Saver()",
        {"v": 1, "v_1": 2},
    ),
    "unnamed": ("v = tf.Variable(0.)\nw = tf.Variable(0.)", "tf.train.Saver()", {"Variable_1": 2}),
    "scopes": (SCOPED, "tf.train.Saver()", {"layer/v": 1, "layer_1/v": 2}),
    "an op's": (
        "c = tf.constant(1., name='w')\nv = tf.Variable(0.)\nw = tf.Variable(0., name='w')",
        "tf.train.Saver()",
        {"w_1": 2},
    ),
    "a dict's": (
        "v = tf.Variable(0., name='a')\nw = tf.get_variable('b', initializer=0.)",
        "tf.train.Saver({'old_v': v, 'old_w': w})",
        {"old_v": 1, "old_w": 2},
    ),
}


def upgraded(made: str, saver: str, read: str = "v, w") -> tuple[str, list[str]]:
    text = PROGRAM.format(made=made, saver=saver, read=read)
    (result,) = texts({"program.py": text.encode()}, Options())
    assert result.after is not None
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    return result.after.decode(), [f.message for f in result.fixed]


def printed(text: str, values: dict[str, int], folder: Path) -> str:
    """What the program prints beside a file of TF 1's with these values."""
    text = text.replace("import tensorflow as tf\n", WRITE.format(values=values), 1)
    (folder / "program.py").write_text(text)
    env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    call = [sys.executable, "program.py"]
    done = subprocess.run(
        call, cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


@pytest.mark.parametrize("case", CASES)
def test_names_are_tf1s(case: str) -> None:
    made, saver, values = CASES[case]
    text, said = upgraded(made, saver)
    names = {name: text.replace("'", '"').count(f'name="{name}"') for name in values}
    assert names == dict.fromkeys(values, 1)
    assert not any("are alike" in message for message in said)


def test_a_file_of_tf1_is_read(tmp_path: Path) -> None:
    made, saver, values = CASES["scopes"]
    text, _ = upgraded(made, saver)
    assert printed(text, values, tmp_path) == "[np.float32(1.0), np.float32(2.0)]"


def test_a_file_of_tf1_is_read_by_a_dicts_names(tmp_path: Path) -> None:
    made, saver, values = CASES["a dict's"]
    text, _ = upgraded(made, saver)
    assert printed(text, values, tmp_path) == "[np.float32(1.0), np.float32(2.0)]"


def test_what_one_function_makes_is_told() -> None:
    made = "def zero():\n    return tf.Variable(0.)\n\nv = zero()\nw = zero()"
    _, said = upgraded(made, "tf.train.Saver()")
    assert any("alike for `v`, `w` here" in message for message in said)


def test_names_stay_where_nothing_is_restored() -> None:
    text = PROGRAM.replace("restore(sess, ", "save(sess, ").format(
        made=CASES["unnamed"][0], saver="tf.train.Saver()", read="v, w"
    )
    text = text.replace("    saver.", "    sess.run(tf.global_variables_initializer())\n    saver.")
    (result,) = texts({"program.py": text.encode()}, Options())
    assert result.level is Level.NATIVE
    assert result.after is not None
    assert b"name=" not in result.after
