"""Graphs that are imported from a file: what their sessions run becomes functions."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import numpy as np
import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    graph_def = tf.GraphDef()
    with tf.gfile.GFile("net.pb", "rb") as f:
        graph_def.ParseFromString(f.read())
        tf.import_graph_def(graph_def, name="")
"""
Y = 'y = graph.get_tensor_by_name("y:0")\n'
CLASS = """\
class Net:
    def __init__(self):
        self.y = graph.get_tensor_by_name("y:0")
        self.sess = tf.Session(graph=graph)

"""
RUN = 'print(sess.run(y, {"x:0": [1.0]}))\n'


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "Session" not in text
    assert "compat.v1" not in text
    return text


def test_a_run_is_a_call() -> None:
    new = native(HEAD + f"with tf.Session(graph=graph) as sess:\n    {Y}    {RUN}")
    assert new.endswith(
        f'{Y}compute_y = graph_function(graph, ["x:0"], y)\nprint(compute_y([1.0]))\n'
    )
    assert "        tf.graph_util.import_graph_def(graph_def" in new


def test_a_program_on_compat_v1() -> None:
    head = HEAD.replace(
        "import tensorflow as tf\n",
        "import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n",
    )
    new = native(head + f"with tf.Session(graph=graph) as sess:\n    {Y}    {RUN}")
    assert "disable_v2_behavior" not in new


def test_look_ups_leave_a_loop_with_their_comments() -> None:
    new = native(
        HEAD
        + "with graph.as_default(), tf.Session() as sess:\n    for i in range(3):\n"
        + f"        # The scores.\n        {Y}        y = sess.run(y, feed_dict={{'x:0': [i]}})\n"
    )
    assert new.endswith(
        f"# The scores.\n{Y}compute_y = graph_function(graph, ['x:0'], y)\n"
        "for i in range(3):\n    y = compute_y([i])\n"
    )


def test_a_session_of_the_module_in_a_function() -> None:
    new = native(
        HEAD
        + f"sess = tf.Session(graph=graph)\n{Y}\n\n"
        + 'def scores(x):\n    feed = {"x:0": x}\n    return sess.run([y], feed)\n\n\n'
        + "print(scores([1.0]))\nsess.close()\n"
    )
    assert f'{Y}compute_outputs = graph_function(graph, ["x:0"], [y])\n' in new
    assert "def scores(x):\n    return compute_outputs(x)\n" in new


def test_a_method_that_only_closes() -> None:
    new = native(
        HEAD
        + CLASS
        + '    def run(self, x):\n        return self.sess.run(self.y, {"x:0": x})\n\n'
        + "    def close(self):\n        self.sess.close()\n\n\n"
        + "net = Net()\nprint(net.run([1.0]))\nnet.close()\n"
    )
    assert '        self.compute_y = graph_function(graph, ["x:0"], self.y)\n' in new
    assert "    def close(self):\n        pass\n" in new


def test_the_default_graph_gets_a_name() -> None:
    new = native(
        HEAD.replace("graph = tf.Graph()\n", "")
        .replace("with graph.as_default():", "def create():")
        .replace('name="")', 'name="")\n\n')
        + "create()\nwith tf.Session() as sess:\n"
        + f"    {Y.replace('graph.get', 'tf.get_default_graph().get')}    {RUN}"
    )
    assert "with tf.Graph().as_default() as graph:\n            tf.graph_util" in new
    assert '    return graph\n\n\ngraph = create()\ny = graph.get_tensor_by_name("y:0")\n' in new


@pytest.mark.parametrize(
    "rest",
    [
        f"with tf.Session(graph=graph) as sess:\n    {Y}    z = y * 2.0\n    print(sess.run(z))\n",
        'with tf.Session(graph=graph) as sess:\n    print(sess.run("y", {"x:0": [1.0]}))\n',
        f"with tf.Session(graph=graph) as sess:\n    {Y}    print(y.eval())\n    {RUN}",
        f"with tf.Session(graph=graph) as sess:\n    {Y}    {RUN}    print(tf.reduce_sum(y))\n",
        f"def go(sess):\n    {Y}    {RUN}\n\nwith tf.Session(graph=graph) as sess:\n    go(sess)\n",
        "with tf.Session(graph=graph) as sess:\n    for n in 'y:0', 'z:0':\n"
        f"        y = graph.get_tensor_by_name(n)\n        {RUN}",
        f"with tf.Session(graph=graph) as sess:\n    {Y}    sess.run(y, options=None)\n",
        f"{Y}\ndef use(n):\n    global y\n    y = graph.get_tensor_by_name(n)\n\n"
        f"sess = tf.Session(graph=graph)\n\ndef go():\n    {RUN}\nuse('z:0')\ngo()\n",
        CLASS + "    def run(self):\n        return self.sess.run(self.y)\n\n"
        '    def use(self, n):\n        self.y = graph.get_tensor_by_name(n)\n\nNet().use("z:0")\n',
        CLASS + "    def run(self):\n        return self.sess.run(self.y)\n\n"
        "print(Net().sess.run('y:0'))\n",
    ],
)
def test_what_keeps_the_session(rest: str) -> None:
    assert upgrade(HEAD + rest).level is Level.COMPAT


DETECTOR = (
    HEAD + CLASS + '    def run(self, x):\n        return self.sess.run(self.y, {"x:0": x})\n'
)


@pytest.mark.parametrize("start", ["", "import tensorflow as tf\n"])
def test_another_file(start: str) -> None:
    main = f"{start}import net\n\nprint(net.Net().run([1.0]))\n"
    files = {"net.py": DETECTOR.encode(), "main.py": main.encode()}
    levels = {r.path: r.level for r in texts(files, Options())}
    assert levels["net.py"] is Level.NATIVE
    # One that has the session itself.
    files["main.py"] = main.replace(".run(", ".sess.run('y:0', ").encode()
    levels = {r.path: r.level for r in texts(files, Options())}
    assert levels["net.py"] is Level.COMPAT
