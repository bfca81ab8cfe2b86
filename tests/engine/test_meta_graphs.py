"""A program whose `.meta` file another one reads keeps its session."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.engine import runner
from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

SAVE = """\
import tensorflow as tf

w = tf.Variable(1.0, name='w')
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    saver.save(sess, './my-model', global_step=1000)
"""
READ = """\
import tensorflow as tf

with tf.Session() as sess:
    saver = tf.train.import_meta_graph('my-model-1000.meta')
    saver.restore(sess, tf.train.latest_checkpoint('./'))
    print(sess.run('w:0'), sess.graph.get_operations())
"""
COMPUTED = READ.replace("'my-model-1000.meta'", "tf.train.latest_checkpoint('.') + '.meta'")
STOPS = (
    "this keeps the program's session: a graph is read from a checkpoint's .meta file, which TF 2's"
    " checkpoints lack"
)


def upgrade(**files: str) -> dict[str, FileResult]:
    sources = {name.replace("__", "/") + ".py": text.encode() for name, text in files.items()}
    return {result.path: result for result in texts(sources, Options())}


def test_what_writes_the_graph_keeps_its_session() -> None:
    found = upgrade(save=SAVE, read=READ)
    assert found["save.py"].level is Level.COMPAT
    assert [f.message for f in found["read.py"].left] == [STOPS]
    after = found["save.py"].after
    assert after is not None
    assert b"import tensorflow.compat.v1 as tf\n" in after


@pytest.mark.parametrize(
    "path", ["os.path.join('.', NAME)", "NAME", "'./' + NAME"], ids=["joined", "named", "added"]
)
def test_paths_that_are_put_together(path: str) -> None:
    text = "import os\n" + SAVE.replace("'./my-model'", path)
    text = text.replace("w = ", "NAME = 'my-model'\nw = ")
    assert upgrade(save=text, read=READ)["save.py"].level is Level.COMPAT


@pytest.mark.parametrize(
    "read",
    [
        READ.replace("my-model", "your-model"),
        COMPUTED.replace("w:0", "v:0"),
        COMPUTED.replace("'w:0'", "['w:0', 'v:0']"),
    ],
    ids=["another", "other names", "half of the names"],
)
def test_another_graph_is_nothing_to_it(read: str) -> None:
    assert upgrade(save=SAVE, read=read)["save.py"].level is Level.NATIVE


@pytest.mark.parametrize(
    "path", ["'./my-model'", "os.path.join(folder, 'my-model')"], ids=["written", "computed"]
)
@pytest.mark.parametrize(
    "name",
    ["'w:0'", "graph.get_tensor_by_name('w:0')", "graph.get_operation_by_name('w').outputs[0]"],
    ids=["fetch", "tensor", "operation"],
)
def test_a_path_that_is_computed_is_told_by_the_names(path: str, name: str) -> None:
    save = SAVE.replace("'./my-model'", path)
    save = save.replace("w = ", "import os, sys\nfolder = sys.argv[1]\nw = ", 1)
    read = COMPUTED.replace("'w:0'", name)
    read = read.replace("    print", "    graph = tf.get_default_graph()\n    print")
    other = save.replace("'w'", "'v'")
    found = upgrade(save=save, read=read, other=other)
    assert found["save.py"].level is Level.COMPAT
    assert found["other.py"].level is Level.NATIVE
    assert [f.message for f in found["read.py"].left] == [STOPS]


def test_a_graph_of_its_own_is_nothing_to_another_one() -> None:
    own = SAVE + "\n".join(COMPUTED.splitlines()[1:]) + "\n"
    assert upgrade(save=SAVE, own=own)["save.py"].level is Level.NATIVE


def test_another_folders_program_isnt_meant() -> None:
    assert upgrade(one__save=SAVE, two__read=READ)["one/save.py"].level is Level.NATIVE


def test_a_second_pass_changes_nothing() -> None:
    found = upgrade(save=SAVE, read=READ)
    after = {name.removesuffix(".py"): result.after for name, result in found.items()}
    assert all(after.values())
    again = upgrade(**{name: (text or b"").decode() for name, text in after.items()})
    assert [result.after for result in again.values()] == [None, None]


def test_what_is_known_of_unchanged_files_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "save.py").write_text(SAVE)
    (tmp_path / "read.py").write_text(READ)
    options = Options(root=str(tmp_path), jobs=1)
    first = list(runner.check([str(tmp_path)], options))
    assert list(runner.check([str(tmp_path)], options)) == first
    said = [f.message for result in first for f in result.left]
    assert said == [STOPS]
    (tmp_path / "read.py").unlink()
    (alone,) = runner.check([str(tmp_path)], options)
    assert alone.level is Level.NATIVE


def test_ops_without_names_are_asked_for_by_their_default_ones() -> None:
    ops = "x = tf.placeholder(tf.float32, [2])\ny = tf.nn.softmax(x)\nsaver ="
    save = SAVE.replace("'./my-model'", "os.path.join(folder, 'my-model')").replace("saver =", ops)
    save = save.replace("w = ", "import os, sys\nfolder = sys.argv[1]\nw = ", 1)
    read = READ.replace("sess.run('w:0')", "sess.run('Softmax:0', {'Placeholder:0': [1.0, 2.0]})")
    found = upgrade(save=save, read=read)
    assert found["save.py"].level is found["read.py"].level is Level.COMPAT
    found = upgrade(save=save.replace("softmax", "relu"), read=read.replace("Placeholder", "x"))
    assert found["save.py"].level is Level.NATIVE
