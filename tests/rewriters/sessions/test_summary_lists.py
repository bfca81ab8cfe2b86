"""Summaries of loops and branches: dicts by tag; where a tag isn't sure, the session stays."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after

BUILD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
with tf.name_scope('net'):
    w = tf.Variable(tf.ones([3, 1]), name='w')
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
optimizer = tf.train.GradientDescentOptimizer(0.1)
gradients = optimizer.compute_gradients(loss)
train = optimizer.apply_gradients(gradients)
"""
RUN = """\
writer = tf.summary.FileWriter('logs')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    summary, _ = sess.run([merged, train], {x: [[1, 2, 3]]})
    writer.add_summary(summary, 0)
writer.close()
"""
LOOP = (
    "for g, v in gradients:\n    tf.summary.histogram(NAME, g)\nmerged = tf.summary.merge_all()\n"
)


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def reasons(result: FileResult) -> list[str]:
    return [f.message for f in result.left if f.rule == "TFM420"]


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("v.op.name + '/grad'", """v.name.split(":")[0] + '/grad'"""),
        ("v.op.name + ':grad'", """v.name.split(":")[0] + '_grad'"""),
        ("'{}/grad'.format(v.name)", """'{}/grad'.format(v.name.replace(":", "_"))"""),
        ("'grad/%s' % v.name", """'grad/%s' % v.name.replace(":", "_")"""),
        ('f"{v.name}/grad"', """f"{v.name.replace(':', '_')}/grad\""""),
        ("v.op.name", """v.name.split(":")[0] + "_1\""""),
        ("v.name", """v.name.replace(":", "_")"""),
    ],
)
def test_a_tag_is_the_variables_name_as_tf1_cleans_it(name: str, tag: str) -> None:
    result = upgrade(BUILD + LOOP.replace("NAME", name) + RUN)
    assert result.level is Level.NATIVE, reasons(result)
    assert f"gradient_summaries[{tag}] = g\n" in (result.after or b"").decode()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("v.op.name + '/Adam'", "is free can't be told"),  # a slot's name
        ("v.op.name + '/read'", "is free can't be told"),
        ("v.op.name + '_1'", "is free can't be told"),
        ("v.op.name.upper()", "a summary's name is computed"),
        ("'grad'", "rounds of a loop give summaries one name"),
    ],
)
def test_a_tag_that_tf1_may_number_keeps_the_session(name: str, reason: str) -> None:
    result = upgrade(BUILD + LOOP.replace("NAME", name) + RUN)
    assert result.level is Level.COMPAT
    assert reason in reasons(result)[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name='w')", "name='w')\n    u = tf.Variable(tf.ones([1]), name='w')"),  # w_1
        (", name='w')", ")"),
    ],
)
def test_variables_that_are_called_otherwise_keep_the_session(old: str, new: str) -> None:
    build = BUILD.replace(old, new)
    result = upgrade(build + LOOP.replace("NAME", "v.name + '/grad'") + RUN)
    assert result.level is Level.COMPAT
    assert "name" in reasons(result)[0]


def test_names_of_layers_variables_are_written_out() -> None:
    build = BUILD.replace("tf.matmul(x, w)", "tf.layers.dense(x, 1) * w")
    result = upgrade(build + LOOP.replace("NAME", "v.name + '/grad'") + RUN)
    text = (result.after or b"").decode()
    assert "v_names = ['net/w:0', 'dense/kernel:0', 'dense/bias:0']\n" in text
    assert "variables = [w, *loss_layer.trainable_variables]\n" in text


@pytest.mark.parametrize(
    "appended",
    [
        "    summaries.append(tf.summary.histogram(v.op.name + '/grad', g))\n",
        "    s = tf.summary.histogram(v.op.name + '/grad', g)\n    summaries.append(s)\n",
    ],
)
def test_a_list_becomes_a_dict_with_what_else_it_gets(appended: str) -> None:
    body = "summaries = []\nfor g, v in gradients:\n" + appended
    body += "summaries.append(tf.summary.scalar('loss', loss))\n"
    result = upgrade(BUILD + body + "merged = tf.summary.merge(summaries)\n" + RUN)
    after = (result.after or b"").decode()
    assert result.level is Level.NATIVE, reasons(result)
    assert 'summaries = {"scalars": {}, "histograms": {}}\n' in after
    assert """summaries["histograms"][v.name.split(":")[0] + '/grad'] = g\n""" in after
    assert """summaries["scalars"]['loss'] = loss\n""" in after


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("print(len(summaries))\n", "a list of summaries is used for something else"),
        ("m = tf.summary.merge(summaries)\nSUMMARIES", "grows after it was merged"),
    ],
)
def test_other_uses_of_such_a_list_keep_the_session(more: str, reason: str) -> None:
    again = "for g, v in gradients:\n    summaries.append(tf.summary.scalar(v.name, loss))\n"
    body = (
        "summaries = []\n" + again + more.replace("SUMMARIES", again.replace("v.name", "v.op.name"))
    )
    result = upgrade(BUILD + body + "merged = tf.summary.merge(summaries)\n" + RUN)
    assert result.level is Level.COMPAT
    assert reason in reasons(result)[0]


def test_rounds_that_are_counted_have_tags_of_their_own() -> None:
    body = "for i in range(3):\n    tf.summary.scalar('part_%d' % i, tf.reduce_mean(x[:, i]))\n"
    result = upgrade(BUILD + body + "merged = tf.summary.merge_all()\n" + RUN)
    assert result.level is Level.NATIVE, reasons(result)
    assert "summaries['part_%d' % i] = " in (result.after or b"").decode()
    taken = body.replace("tf.reduce_mean(x[:, i])", "tf.reduce_mean(x[:, i], name='part')")
    assert upgrade(BUILD + taken + "merged = tf.summary.merge_all()\n" + RUN).level is Level.COMPAT


def test_a_branch_asks_for_a_name_or_doesnt() -> None:
    body = "if len('flag'):\n    tf.summary.scalar('total', loss)\nMORE"
    body += "merged = tf.summary.merge_all()\n"
    result = upgrade(BUILD + body.replace("MORE", "") + RUN)
    assert result.level is Level.NATIVE, reasons(result)
    assert "summaries['total'] = loss\n" in (result.after or b"").decode()
    twice = body.replace("MORE", "tf.summary.scalar('total', loss + 1)\n")
    result = upgrade(BUILD + twice + RUN)
    assert result.level is Level.COMPAT
    assert "whether the name `total` is free" in reasons(result)[0]


STACKED = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 3, 4])
cell, other = tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.GRUCell(3)
outputs, _ = tf.nn.bidirectional_dynamic_rnn(cell, other, x, dtype=tf.float32)
tf.summary.histogram("outputs", outputs)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    writer = tf.summary.FileWriter("logs")
    sess.run(tf.global_variables_initializer())
    writer.add_summary(sess.run(merged, {x: [[[1.0] * 4] * 3] * 2}), 1)
"""


def test_a_summary_of_several_tensors_is_of_them_together() -> None:
    assert "tf.stack(outputs)" in after(STACKED)
