"""What TF 1 calls variables: found without running the program, or said to be unknown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from migrate.engine import runner
from migrate.engine.options import Options

ODD = """\
import tensorflow as tf
from tensorflow.contrib import slim

PREFIX = 'enc'
x = tf.placeholder(tf.float32, [None, 8, 8, 3], name='x')
flat = tf.reshape(x, [-1, 192])


def dense(size, name):
    with tf.name_scope(name):
        w = tf.Variable(tf.zeros([192, size]), name=name + '_w')
    return w


def two(size):
    return tf.Variable(tf.zeros([size]), name='pair')


x_1 = tf.Variable(tf.zeros([3]), name='X')
a = dense(4, 'fc')
b = dense(4, name="fc")
c = two(3)
d = two(size=3)
with tf.variable_scope(PREFIX):
    e = tf.get_variable('enc_w', [2])
    with tf.variable_scope('inner'), tf.name_scope('deep'):
        f = tf.Variable(tf.zeros([2]), name='f')
        g = tf.get_variable('g', [2])
with tf.variable_scope(PREFIX, reuse=False):
    h = tf.Variable(tf.zeros([2]))
    k = tf.get_variable(name='k', shape=[2])
net = tf.layers.conv2d(x, 4, 3)
net = tf.layers.conv2d(net, 4, 3, name='named')
net = tf.layers.conv2d(net, 4, 3)
with tf.variable_scope('tower'):
    net = tf.layers.conv2d(net, 4, 1)
    net = slim.conv2d(net, 4, [1, 1], normalizer_fn=slim.batch_norm)
    net = slim.conv2d(net, 4, [1, 1], scope='last')
out = tf.layers.dense(tf.layers.dense(tf.layers.flatten(net), 5), 2, use_bias=False)
total = tf.reduce_sum(out) + tf.reduce_sum(tf.matmul(flat, a + b))
total += tf.reduce_sum(c + d) + tf.reduce_sum(x_1)
total += tf.reduce_sum(e + f + g + h + k)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(total, {x: [[[[1.] * 3] * 8] * 8]}))
    saver.save(sess, 'ck/model.ckpt')
"""
# `[v.op.name for v in tf.global_variables()]` of ODD on TF 1.15.5.
TOLD = """\
X_1 fc/fc_w fc_1/fc_w pair pair_1 enc/enc_w enc/inner/deep/f enc/inner/g enc_1/Variable enc/k
conv2d/kernel conv2d/bias named/kernel named/bias conv2d_1/kernel conv2d_1/bias tower/conv2d/kernel
tower/conv2d/bias tower/Conv/weights tower/Conv/BatchNorm/beta tower/Conv/BatchNorm/moving_mean
tower/Conv/BatchNorm/moving_variance tower/last/weights tower/last/biases dense/kernel dense/bias
dense_1/kernel
"""


def savers(tmp_path: Path, source: str) -> list[dict[str, Any]]:
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    (result,) = runner.upgrade([str(tmp_path)], Options(root=str(tmp_path), cache=False))
    assert result.level is not None
    assert result.level.value == "native", result.left
    return result.names


def test_names_are_those_of_tf_1_15(tmp_path: Path) -> None:
    (found,) = savers(tmp_path, ODD)
    assert sorted(found["names"]) == sorted(TOLD.split())
    assert found["names"]["pair_1"] == "d"
    assert found["names"]["dense_1/kernel"] == "dense_layer_2/_kernel"
    assert "unknown" not in found


RUN = """
total = tf.reduce_sum(w)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(total))
    saver.save(sess, 'ck/model.ckpt')
"""


def test_what_a_loop_or_a_branch_may_have_taken_is_unknown(tmp_path: Path) -> None:
    head = "import sys\nimport tensorflow as tf\n"
    last = "w = tf.Variable(tf.zeros([2]), name='w')\n"
    for before, known in (
        ("", {"w": "w"}),
        ("for i in range(int(sys.argv[1])):\n    o = tf.zeros([2], name='w')\n", {}),
        ("o = tf.constant(len(sys.argv), name='W')\n", {"w_1": "w"}),
        ("v = [tf.Variable(1.0, name=n) for n in sys.argv]\n", {}),
        ("v = [tf.Variable(1.0, name='o' + n) for n in sys.argv]\n", {"w": "w"}),
        ("if len(sys.argv) > 1:\n    o = tf.zeros([2], name='w')\n", {}),
    ):
        (found,) = savers(tmp_path, head + before + last + RUN)
        assert found["names"] == known, before
        assert ("w" in found.get("unknown", {})) == (not known)


def test_a_saver_that_does_nothing_has_no_names(tmp_path: Path) -> None:
    head = "import tensorflow as tf\nw = tf.Variable(tf.zeros([2]))\n"
    assert savers(tmp_path, head + RUN.replace("    saver.save(sess, 'ck/model.ckpt')\n", "")) == []


AGAIN = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4], name='x')


def weight(shape, name='w'):
    return tf.Variable(tf.ones(shape), name=name)


def linear(x, n_in, n_out, name=None):
    with tf.name_scope(name or 'linear'):
        w = weight([n_in, n_out])
        b = tf.Variable(tf.zeros([n_out]))
        return tf.matmul(x, w) + b


def net(x, size, scope):
    with tf.variable_scope(scope):
        h = tf.layers.dense(x, size)
        h = tf.layers.dense(h, size, name='named')
        return tf.layers.dense(h, 4)


def scaled(x, scope):
    with tf.variable_scope(scope):
        gain = tf.get_variable('gain', [4], initializer=tf.ones_initializer())
        return x * gain


def renamed(x, name='n'):
    name = name + '_w'
    scale = tf.get_variable(name, [4], initializer=tf.ones_initializer())
    return x * scale


def branched(x, deep):
    w = tf.Variable(tf.ones([4]), name='deep')
    if deep:
        x = tf.multiply(x, 2., name='deep_1')
    return x * w


h = linear(x, 4, 4)
h = linear(h, 4, 4)
h = linear(h, 4, 4, 'Linear')
h = scaled(scaled(h, 'p'), 'q')
h = net(net(h, 3, 'one'), 5, 'two')
h = branched(branched(h, DEEP), False)
last = tf.Variable(1.0, name='w')
h = renamed(h, 'r')
out = renamed(h, 's') * last
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {x: [[1., 2., 3., 4.]]}))
    saver.save(sess, 'ck/model.ckpt')
"""
# The names on TF 1.15.5, with True and with False for DEEP: `deep_2` and `deep_1`.
TOLD_AGAIN = """\
linear/w linear/Variable linear_1/w linear_1/Variable Linear_2/w Linear_2/Variable p/gain q/gain
one/dense/kernel one/dense/bias one/named/kernel one/named/bias one/dense_1/kernel one/dense_1/bias
two/dense/kernel two/dense/bias two/named/kernel two/named/bias two/dense_1/kernel two/dense_1/bias
deep w
"""


def test_a_function_s_further_calls_take_names_too(tmp_path: Path) -> None:
    for deep in ("True", "False"):
        (found,) = savers(tmp_path, AGAIN.replace("DEEP", deep))
        names, unknown = found["names"], found["unknown"]
        assert set(names) <= set(TOLD_AGAIN.split())
        assert set(TOLD_AGAIN.split()) - set(names) <= {"deep"}
        assert names["Linear_2/w"] == "Linear_layer/0"
        assert names["two/dense_1/kernel"] == "two_layer/2/_kernel"
        # A branch may have taken `deep_1`, and what a name that is bound anew says isn't followed.
        assert {"branched_layer_2", "r_layer", "out_layer"} <= set(unknown)
