"""Graphs that are read from the ``.meta`` file of another program's checkpoint."""

from __future__ import annotations

from textwrap import indent

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

SAVE = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2], name="x")
rate = tf.placeholder(tf.float32, name="rate")
w = tf.Variable(tf.ones([2, 1]), name="w")
with tf.name_scope("output"):
    y = tf.multiply(tf.matmul(x, w), rate, name="y")
    best = tf.argmax(y, 1, name="best")
tf.add_to_collection("wanted", y)
loss = tf.reduce_mean(y)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        sess.run(train_op, {x: [[1.0, 2.0]], rate: 1.0})
    saver.save(sess, "log/model")
"""
READ = """\
import tensorflow as tf

path = tf.train.latest_checkpoint("log")
graph = tf.Graph()
with graph.as_default(), tf.Session() as sess:
    saver = tf.train.import_meta_graph(path + ".meta")
    saver.restore(sess, path)

    # what is fed
    x = graph.get_operation_by_name("x").outputs[0]
    rate = graph.get_tensor_by_name("rate:0")

    # what is wanted
    y = graph.get_tensor_by_name("output/y:0")
    print(sess.run(y, {x: [[1.0, 2.0]], rate: 0.5}))
"""
RUN = "print(sess.run(y, {x: [[1.0, 2.0]], rate: 0.5}))"
CLASS = """\
import tensorflow as tf


class Reader(object):
    def __init__(self, path):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.sess = tf.Session()
            saver = tf.train.import_meta_graph(path + ".meta")
            saver.restore(self.sess, path)
            self.x = self.graph.get_tensor_by_name("x:0")
            self.rate = self.graph.get_tensor_by_name("rate:0")
            self.y = self.graph.get_tensor_by_name("output/y:0")

    def values(self, rows):
        return self.sess.run(self.y, {self.x: rows, self.rate: 0.5})


reader = Reader(tf.train.latest_checkpoint("log"))
print(reader.values([[1.0, 2.0]]))
"""
INITIAL = "sess.run(tf.global_variables_initializer())"
IMPORT = 'tf.train.import_meta_graph(path + ".meta")'


def upgrade(**files: str) -> dict[str, FileResult]:
    sources = {f"{name}.py": text.encode() for name, text in files.items()}
    return {result.path: result for result in texts(sources, Options())}


def after(name: str = "read", save: str = SAVE, read: str = READ, **files: str) -> str:
    """A file, where both programs become functions."""
    found = upgrade(save=save, read=read, **files)
    assert [r.level for r in found.values()] == [Level.NATIVE] * len(found)
    assert not any(r.left for r in found.values())
    return (found[f"{name}.py"].after or b"").decode()


def stays(save: str = SAVE, read: str = READ, **files: str) -> set[str]:
    """Why both keep their sessions."""
    found = upgrade(save=save, read=read, **files)
    assert found["save.py"].level is found["read.py"].level is Level.COMPAT
    return {f.message for result in found.values() for f in result.left}


def test_the_graph_is_a_saved_model_beside_the_checkpoint() -> None:
    text = after()
    assert text == (
        "import tensorflow as tf\n\n"
        'path = tf.train.latest_checkpoint("log")\n'
        'model = tf.saved_model.load(path + "-graph")\n'
        'predict = model.signatures["serving_default"]\n'
        "tf.train.Checkpoint(root=model).read(path).assert_nontrivial_match()\n\n"
        "# what is wanted\n"
        'print(predict(x=[[1.0, 2.0]], rate=0.5)["y"].numpy())\n'
    )
    saved = after("save")
    assert "@tf.function(input_signature=[x, rate])\ndef serving(x, rate):\n" in saved
    assert 'tf.saved_model.save(saver.checkpoint, "log/model-graph", signatures=serving)\n' in saved


def test_a_checkpoint_with_a_number() -> None:
    save = SAVE.replace('"log/model")', '"log/model", global_step=5)')
    assert 'load(path.rpartition("-")[0] + "-graph")' in after(save=save)
    read = READ.replace(IMPORT, 'tf.train.import_meta_graph("log/model-5.meta")')
    assert 'load("log/model-graph")' in after(save=save, read=read)
    loop = SAVE.replace("    saver.save", "        saver.save")
    saved = after("save", save=loop.replace('"log/model")', '"log/model", global_step=i)'))
    assert saved.index("def serving") < saved.index("for i in range(5):")
    assert "    tf.saved_model.save(saver.checkpoint, " in saved


@pytest.mark.parametrize(
    "path",
    [
        '"{}.meta".format(path)',
        '"%s.meta" % path',
        'f"{path}.meta"',
        'os.path.join("log", "model.meta")',
        'os.path.join("log", "{}.meta".format("model"))',
        '"log/" + "model.meta"',
        '"log/{}.meta".format("model")',
    ],
)
def test_paths(path: str) -> None:
    read = "import os\n" + READ.replace('path + ".meta"', path)
    assert '"-graph")' in after(read=read)


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (
            'a, b = sess.run([y, "output/best:0"], {x: [[1.0, 2.0]], rate: 0.5})',
            "results = predict(x=[[1.0, 2.0]], rate=0.5)\n"
            'a, b = results["y"].numpy(), results["best"].numpy()\n',
        ),
        (
            "feed = {x: [[1.0, 2.0]], rate: 0.5}\n    (a,) = sess.run([y], feed)",
            'feed = {"x": [[1.0, 2.0]], "rate": 0.5}\n'
            "results = predict(**feed)\n"
            '(a,) = [results["y"].numpy()]\n',
        ),
        ('print(sess.run("w:0"))', 'print(predict()["w"].numpy())\n'),
        (
            'y = tf.get_collection("wanted")[0]\n'
            "    print(sess.run(y, {x: [[1.0, 2.0]], rate: 1}))",
            'print(predict(x=[[1.0, 2.0]], rate=1)["wanted"].numpy())\n',
        ),
        (
            "print(sess.run(tf.reduce_sum(y, 0), {x: [[1.0, 2.0]], rate: 0.5}))",
            'print(tf.reduce_sum(predict(x=[[1.0, 2.0]], rate=0.5)["y"], 0).numpy())\n',
        ),
        (
            "top = tf.cast(y > 0.5, tf.int32)\n    a = sess.run([top], {x: [[1.0, 2.0]], rate: 1})",
            "results = predict(x=[[1.0, 2.0]], rate=1)\n"
            'a = [tf.cast(results["y"] > 0.5, tf.int32).numpy()]\n',
        ),
        (
            'best = graph.get_tensor_by_name("output/best:0")\n'
            "    a = sess.run(tf.shape(y)[0] + tf.size(best), {x: [[1.0, 2.0]], rate: 1})",
            "results = predict(x=[[1.0, 2.0]], rate=1)\n"
            'a = (tf.shape(results["y"])[0] + tf.size(results["best"])).numpy()\n',
        ),
    ],
    ids=[
        *("several", "a named feed", "a variable", "a collection"),
        *("an op more", "a named op more", "an op of two"),
    ],
)
def test_runs(run: str, text: str) -> None:
    read = READ.replace(RUN, run)
    if "get_collection" in run:
        read = read.replace('    y = graph.get_tensor_by_name("output/y:0")\n', "")
    assert text in after(read=read)


def test_runs_that_differ_have_signatures_of_their_own() -> None:
    read = READ + '    print(sess.run("output/best:0", {x: [[1.0, 2.0]], rate: 0.5}))\n'
    text = after(read=read)
    assert 'model.signatures["y"](x=' in text
    assert 'model.signatures["best"](x=' in text
    assert 'signatures={"y": serving_y, "best": serving_best}' in after("save", read=read)


def test_two_readers_of_one_graph() -> None:
    other = READ.replace(RUN, 'print(sess.run("output/best:0", {x: [[1.0, 2.0]], rate: 0.5}))')
    assert 'predict = model.signatures["y"]' in after(other=other)
    assert 'predict = model.signatures["best"]' in after("other", other=other)
    assert 'signatures={"y": serving_y, "best": serving_best}' in after("save", other=other)
    assert "serving_y" not in after("save", other=READ)
    (said,) = stays(other=other.replace("print(", "print(graph.get_operations(), "))
    assert "a graph is read from a checkpoint's .meta file" in said


def test_a_restore_with_keywords() -> None:
    named = "saver.restore(save_path=path, sess=sess)"
    assert after(read=READ.replace("saver.restore(sess, path)", named)) == after()


def test_a_reader_in_another_folder() -> None:
    sources = {"train/save.py": SAVE.replace('"log/model"', "input()"), "serve/read.py": READ}
    sources = {name: text.replace("input()", "sys.argv[1]") for name, text in sources.items()}
    files = {name: f"import sys\n{text}".encode() for name, text in sources.items()}
    found = {result.path: result for result in texts(files, Options())}
    assert [r.level for r in found.values()] == [Level.NATIVE] * 2
    assert b"-graph" in (found["train/save.py"].after or b"")
    odd = files["serve/read.py"].replace(b"print(", b"print(graph.get_operations(), ")
    found = {r.path: r for r in texts({**files, "serve/read.py": odd}, Options())}
    assert [r.level for r in found.values()] == [Level.COMPAT] * 2
    other = odd.replace(b"rate:0", b"r:0")
    found = {r.path: r for r in texts({**files, "serve/read.py": other}, Options())}
    assert found["train/save.py"].level is Level.NATIVE


def test_a_folder_that_is_added() -> None:
    saved = after(
        "save", save="folder = 'log/'\n" + SAVE.replace('"log/model"', "folder + 'model'")
    )
    assert "tf.saved_model.save(saver.checkpoint, folder + 'model-graph', signatures" in saved


def test_looks_at_the_graph_that_come_to_nothing_go() -> None:
    looks = "    tf.get_default_graph().as_graph_def()\n    graph.get_operations()\n"
    restore = "    saver.restore(sess, path)\n"
    assert after(read=READ.replace(restore, restore + looks)) == after()


def test_a_run_that_only_starts_variables_goes() -> None:
    read = READ.replace("    saver.restore", f"    {INITIAL}\n    saver.restore")
    assert after(read=read) == after()


def test_an_object_keeps_the_model() -> None:
    text = after(read=CLASS)
    assert "        self.predict = self.model.signatures" in text
    assert "        return self.predict(x=rows, rate=0.5)" in text
    assert "Session" not in text


def test_a_program_of_both() -> None:
    head, save = SAVE.split("\n\n", 1)
    read = READ.split("\n\n", 1)[1]
    save = f"{head}\n\n\ndef train():\n{indent(save, '    ')}"
    read = f"{head}\n\n\ndef test():\n{indent(read, '    ')}"
    main = "from save import train\nfrom read import test\n\ntrain()\ntest()\n"
    found = upgrade(save=save, read=read, main=main)
    assert found["save.py"].level is found["read.py"].level is Level.NATIVE
    assert b'"-graph")' in (found["read.py"].after or b"")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (RUN, "print(sess.run(y * len(path), {x: [[1.0, 2.0]], rate: 0.5}))"),
        ("    saver.restore(sess, path)\n", f"    saver.restore(sess, path)\n    {INITIAL}\n"),
        (RUN, f"{RUN}\n    print(y.shape)"),
        (RUN, f"{RUN}\n    print(graph.get_operations())"),
        (RUN, "print(sess.run([y], {x: [[1.0, 2.0]], rate: 0.5}))"),
        ("    saver.restore(sess, path)\n", "    saver.restore(sess, path)\n    print(saver)\n"),
        ('"output/y:0"', '"output/" + "y:0"'),
        ('"output/y:0"', '"output/y:1"'),
    ],
    ids=[
        "Python's value",
        "new variables",
        "its shape",
        "all ops",
        "a list",
        "the Saver",
        "a name",
        "a second result",
    ],
)
def test_more_than_that_keeps_both_sessions(old: str, new: str) -> None:
    (said,) = stays(read=READ.replace(old, new))
    assert "a graph is read from a checkpoint's .meta file" in said


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (
            "    y = tf.multiply",
            "    y = tf.negative(x, name='y')\n    y = tf.multiply",
            "isn't told",
        ),
        ('name="w")\n', 'name="w")\nv = tf.Variable(1.0)\n', ""),
        ("Saver()", "Saver([w])", "not all of its variables"),
    ],
    ids=["a name asked for before", "other variables", "some variables"],
)
def test_what_the_writer_has(old: str, new: str, why: str) -> None:
    save = SAVE.replace(old, new)
    if not why:
        assert "-graph" in after("save", save=save)
    else:
        assert any(why in said for said in stays(save=save))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('    saver.save(sess, "log/model")', '    print(saver.save(sess, "log/model"))'),
        ('saver.save(sess, "log/model")', "saver.save(sess, time.ctime())"),
    ],
    ids=["inside of a call", "a path that differs"],
)
def test_saves_that_arent_followed(old: str, new: str) -> None:
    read = READ.replace('path = tf.train.latest_checkpoint("log")', "path = input()")
    (said,) = stays(save="import time\n" + SAVE.replace(old, new), read=read)
    assert "a graph is read from a checkpoint's .meta file" in said


OBJECT = """\
import tensorflow as tf


class Net(object):
    def __init__(self, sess):
        self.sess = sess
        self.x = tf.placeholder(tf.float32, [None, 2], name="x")
        self.rate = tf.placeholder(tf.float32, name="rate")
        self.w = tf.Variable(tf.ones([2, 1]), name="w")
        with tf.name_scope("output"):
            y = tf.multiply(tf.matmul(self.x, self.w), self.rate, name="y")
        self.loss = tf.reduce_mean(y)
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
        self.saver = tf.train.Saver()

    def train(self, path):
        self.sess.run(tf.global_variables_initializer())
        for i in range(5):
            self.sess.run(self.train_op, {self.x: [[1.0, 2.0]], self.rate: 1.0})
        self.saver.save(self.sess, path)


def main():
    with tf.Session() as sess:
        net = Net(sess)
        net.train("log/model")


main()
"""


def test_an_object_that_saves_its_graph() -> None:
    saved = after("save", save=OBJECT)
    assert (
        "        @tf.function(input_signature=[self.x, self.rate])\n        def serving(" in saved
    )
    assert "            return {'y': self." in saved
    read = READ.replace(IMPORT, 'tf.train.import_meta_graph("log/model.meta")')
    assert 'load("log/model-graph")' in after(save=OBJECT, read=read)
    several = OBJECT.replace("        net.train", "        other = Net(sess)\n        net.train")
    assert stays(save=several)
    other = read.replace("rate:0", "r:0").replace('("x")', '("z")')
    assert upgrade(save=OBJECT, read=other)["save.py"].level is Level.NATIVE


def test_what_else_has_a_method_of_that_name_keeps_both_sessions() -> None:
    save = "from pictures import store\n" + SAVE + 'store.save(xs, "picture.png")\n'
    save = save.replace("saver = tf", "xs = [1.0]\nsaver = tf")
    read = READ.replace(IMPORT, 'tf.train.import_meta_graph("log/model.meta")')
    assert stays(save=save, read=read)


def test_a_collections_name_is_one_of_the_file_that_saves() -> None:
    read = READ.replace('graph.get_tensor_by_name("output/y:0")', 'tf.get_collection("wanted")[0]')
    assert "-graph" in after(read=read)
    hidden = SAVE.replace("with tf.Session()", "def main():\n  y = 1\n  with tf.Session()", 1)
    head, body = hidden.split("  with tf.Session()")
    body = "  with tf.Session()" + body.replace("\n", "\n  ").rstrip(" ") + "main()\n"
    assert stays(save=head + body, read=read)
