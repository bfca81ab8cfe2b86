"""Tags of summaries in scopes: the names that TF 1.15.5 gives them."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

NET = """\
import tensorflow as tf

def net(x, n):
    with tf.variable_scope('net'):
        return tf.layers.dense(x, n)

x = tf.placeholder(tf.float32, [None, 2])
"""
END = """\
merged = tf.summary.merge_all()
writer = tf.summary.FileWriter('logs')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer.add_summary(sess.run(merged, {x: [[1, 2]]}), 0)
"""
MODEL = """\
import tensorflow as tf

class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        CALL
        self.merged = tf.summary.merge_all()
        self.writer = tf.summary.FileWriter('logs')
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def build(self):
        self.w = tf.Variable(tf.ones([2, 1]))
        with tf.name_scope('loss'):
            self.loss = tf.reduce_mean(tf.matmul(self.x, self.w))
            tf.summary.scalar('value', self.loss)

    def write(self, x, step):
        self.writer.add_summary(self.sess.run(self.merged, {self.x: x}), step)

Model().write([[1.0, 2.0]], 0)
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def reasons(result: FileResult) -> list[str]:
    return [f.message for f in result.left if f.rule == "TFM420"]


def test_a_method_without_a_scope_around_its_call_has_its_own() -> None:
    result = upgrade(MODEL.replace("CALL", "self.build()"))
    assert result.level is Level.NATIVE, reasons(result)
    assert "'loss/value': " in (result.after or b"").decode()


@pytest.mark.parametrize("scope", ["name_scope('m')", "variable_scope('m')"])
def test_a_scope_around_a_call_is_in_the_tags(scope: str) -> None:
    result = upgrade(MODEL.replace("CALL", f"with tf.{scope}:\n            self.build()"))
    assert result.level is Level.NATIVE, reasons(result)
    assert "'m/loss/value': " in (result.after or b"").decode()


@pytest.mark.parametrize(("scope", "tag"), [("loss", "loss/value"), ("net", "net_1/value")])
def test_a_name_that_a_function_opens_too_is_counted(scope: str, tag: str) -> None:
    body = "with tf.variable_scope('out'):\n    y = net(x, 2)\nz = net(y, 3)\n"
    body += f"with tf.name_scope('{scope}'):\n    loss = tf.reduce_mean(z)\n"
    body += "    tf.summary.scalar('value', loss)\n"
    result = upgrade(NET + body + END)
    assert result.level is Level.NATIVE, reasons(result)
    assert f"'{tag}': " in (result.after or b"").decode()
