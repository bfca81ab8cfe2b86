"""A net, its loss and its train op in one file, as in the CIFAR-10 tutorial; another one runs."""

from __future__ import annotations

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

NET = """\
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer("batch_size", 4, "pictures")


def _shown(x):
    tf.summary.scalar(x.op.name + "/sparsity", tf.nn.zero_fraction(x))


def _decayed(name, shape, wd):
    var = tf.get_variable(name, shape, initializer=tf.constant_initializer(0.1))
    if wd is not None:
        decay = tf.multiply(tf.nn.l2_loss(var), wd, name="decay")
        tf.add_to_collection("losses", decay)
    return var


def inference(images):
    with tf.variable_scope("first") as scope:
        flat = tf.reshape(images, [images.get_shape().as_list()[0], -1])
        dim = flat.get_shape()[1].value
        weights = _decayed("weights", shape=[dim, 5], wd=0.004)
        first = tf.nn.relu(tf.matmul(flat, weights), name=scope.name)
        _shown(first)
    with tf.variable_scope("last") as scope:
        weights = _decayed("weights", [5, 3], wd=None)
        last = tf.matmul(first, weights, name=scope.name)
        _shown(last)
    return last


def loss(logits, labels):
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    tf.add_to_collection("losses", tf.reduce_mean(each, name="error"))
    return tf.add_n(tf.get_collection("losses"), name="total_loss")


def train(total_loss, global_step):
    averages = tf.train.ExponentialMovingAverage(0.9, name="avg")
    losses = tf.get_collection("losses")
    averaged = averages.apply(losses + [total_loss])
    for l in losses + [total_loss]:
        tf.summary.scalar(l.op.name + " (raw)", l)
    with tf.control_dependencies([averaged]):
        opt = tf.train.GradientDescentOptimizer(0.1)
        grads = opt.compute_gradients(total_loss)
    return opt.apply_gradients(grads, global_step=global_step)
"""
TRAIN = """\
import tensorflow as tf

import net

FLAGS = tf.app.flags.FLAGS


def train():
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        data = tf.data.Dataset.from_tensors(tf.zeros([2, 3])).repeat()
        data = data.batch(FLAGS.batch_size, drop_remainder=True)
        images = data.make_one_shot_iterator().get_next()
        labels = tf.zeros([FLAGS.batch_size], tf.int32)
        logits = net.inference(images)
        loss = net.loss(logits, labels)
        train_op = net.train(loss, step)
        hooks = [tf.train.StopAtStepHook(last_step=3), tf.train.NanTensorHook(loss)]
        with tf.train.MonitoredTrainingSession(checkpoint_dir="logs", hooks=hooks) as sess:
            while not sess.should_stop():
                sess.run(train_op)


def main(argv=None):
    train()


if __name__ == "__main__":
    tf.app.run()
"""


def upgraded(net: str = NET, train: str = TRAIN) -> dict[str, FileResult]:
    files = {"net.py": net.encode(), "train.py": train.encode()}
    return {result.path: result for result in texts(files, Options())}


def text(result: FileResult) -> str:
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    return (result.after or b"").decode()


def test_the_training_file_has_what_the_net_s_functions_do() -> None:
    found = upgraded()
    train, net = text(found["train.py"]), text(found["net.py"])
    assert "dim = 6\n" in train  # the flag of the other file cancels
    assert "weights = net._decayed('weights', shape=[dim, 5], wd=0.004)\n" in train.replace(
        '"', "'"
    )
    assert 'decay = tf.multiply(tf.nn.l2_loss(weights), 0.004, name="decay")\n' in train
    assert 'loss = tf.add_n(losses, name="total_loss")\n' in train
    assert '"first/decay__raw_": decay,\n' in train
    assert '"first/first/first/sparsity": tf.nn.zero_fraction(first)' in train.replace("'", '"')
    assert 'name="first/decay/avg"' in train
    assert "step.assign_add(1)\n" in train
    assert net.count("\ndef ") == 1  # of what makes variables


def test_a_collection_s_item_of_names_of_its_file_keeps_the_session() -> None:
    rate = NET.replace("wd, name", "RATE, name").replace("def _shown", "RATE = 0.5\n\n\ndef _shown")
    assert upgraded(rate)["train.py"].level is Level.COMPAT


def test_steps_that_two_train_ops_count_keep_the_session() -> None:
    other = "def again(x, s):\n    return tf.train.AdamOptimizer().minimize(x, global_step=s)\n"
    assert upgraded(f"{NET}\n\n{other}")["train.py"].level is Level.COMPAT


QUEUE = """\
import tensorflow as tf


def inputs():
    names = tf.train.string_input_producer(["pictures.bin"])
    _, record = tf.FixedLengthRecordReader(4).read(names)
    return tf.train.batch([tf.cast(tf.decode_raw(record, tf.uint8), tf.float32)], 2)
"""
RUN = """\
import tensorflow as tf

import queue_input

x = queue_input.inputs()
total = tf.reduce_sum(x)
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = []
    for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
        threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=True))
    step = 0
    while step < 3 and not coord.should_stop():
        print(sess.run(total))
        step += 1
    coord.request_stop()
    coord.join(threads)
"""


def test_a_coordinator_of_another_file_s_queues_goes() -> None:
    files = {"queue_input.py": QUEUE.encode(), "run.py": RUN.encode()}
    found = {result.path: text(result) for result in texts(files, Options())}
    assert "while step < 3:\n" in found["run.py"]
    assert "coord" not in found["run.py"]


def test_the_step_may_be_contrib_s() -> None:
    theirs = TRAIN.replace("tf.train.get_or_create", "tf.contrib.framework.get_or_create")
    assert theirs != TRAIN
    found = upgraded(train=theirs)
    assert "step.assign_add(1)\n" in text(found["train.py"])


def test_a_flag_of_the_net_s_file_alone_cancels() -> None:
    rows = NET.replace("images.get_shape().as_list()[0]", "FLAGS.batch_size")
    found = upgraded(rows, TRAIN.replace("FLAGS = tf.app.flags.FLAGS\n", "FLAGS = net.FLAGS\n"))
    assert "dim = 6\n" in text(found["train.py"])


SHARED = """\
import tensorflow as tf


def inference(x, rows):
    w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
    return tf.matmul(tf.reshape(x, [rows, 3]), w)
"""
FED = """\
import tensorflow as tf

import net

x = tf.placeholder(tf.float32, [4, 3])
y = net.inference(x, 4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1.0] * 3] * 4}))
"""
ONE = """\
import numpy as np
import tensorflow as tf

import net

x = tf.reshape(tf.cast(np.arange(3), tf.float32), [1, 3])
y = tf.nn.softmax(net.inference(x, 1))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y))
"""


def test_a_net_of_a_batch_may_be_given_a_constant_elsewhere() -> None:
    files = {"a_one.py": ONE.encode(), "fed.py": FED.encode(), "net.py": SHARED.encode()}
    found = {result.path: text(result) for result in texts(files, Options())}
    assert "def apply(x):\n" in found["net.py"]
    assert "y_layer(x)" in found["a_one.py"]
    assert "y_layer(x)" in found["fed.py"]
