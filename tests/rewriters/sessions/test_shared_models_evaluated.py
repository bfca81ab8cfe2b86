"""A training and an evaluation that share a model: queues, a collection of losses, summaries.

The evaluation restores averages, in a session that a loop opens anew, and leaves early.
"""

from __future__ import annotations

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

MODEL = r"""\
import os
import re
import numpy as np
import tensorflow as tf

SIDE, CLASSES, BATCH = 6, 3, 4
AVERAGED = 0.9


def write():
    rng = np.random.RandomState(12)
    for part in range(2):
        with open('pictures_%d.bin' % part, 'wb') as f:
            for i in range(10):
                f.write(bytes([i % CLASSES]) + rng.bytes(SIDE * SIDE))


def read_picture(filename_queue):
    class Picture(object):
        pass

    picture = Picture()
    size = SIDE * SIDE
    reader = tf.FixedLengthRecordReader(record_bytes=1 + size)
    picture.key, value = reader.read(filename_queue)
    content = tf.decode_raw(value, tf.uint8)
    picture.label = tf.cast(tf.strided_slice(content, [0], [1]), tf.int32)
    pixels = tf.strided_slice(content, [1], [1 + size])
    picture.pixels = tf.reshape(pixels, [SIDE, SIDE, 1])
    return picture


def inputs(files, batch_size):
    filename_queue = tf.train.string_input_producer(files, shuffle=False)
    picture = read_picture(filename_queue)
    image = tf.image.per_image_standardization(tf.cast(picture.pixels, tf.float32))
    image.set_shape([SIDE, SIDE, 1])
    picture.label.set_shape([1])
    images, labels = tf.train.batch(
        [image, picture.label], batch_size=batch_size, num_threads=1, capacity=20)
    tf.summary.image('images', images)
    return images, tf.reshape(labels, [batch_size])


def _activation_summary(x):
    name = re.sub('tower_[0-9]*/', '', x.op.name)
    tf.summary.histogram(name + '/activations', x)
    tf.summary.scalar(name + '/sparsity', tf.nn.zero_fraction(x))


def _variable(name, shape, wd):
    var = tf.get_variable(name, shape, initializer=tf.constant_initializer(0.05))
    if wd is not None:
        weight_decay = tf.multiply(tf.nn.l2_loss(var), wd, name='weight_loss')
        tf.add_to_collection('losses', weight_decay)
    return var


def inference(images):
    flat = tf.reshape(images, [BATCH, SIDE * SIDE])
    with tf.variable_scope('local') as scope:
        weights = _variable('weights', [SIDE * SIDE, 8], 0.01)
        biases = tf.get_variable('biases', [8], initializer=tf.constant_initializer(0.1))
        local = tf.nn.relu(tf.matmul(flat, weights) + biases, name=scope.name)
        _activation_summary(local)
    with tf.variable_scope('linear') as scope:
        weights = _variable('weights', [8, CLASSES], 0.0)
        biases = tf.get_variable('biases', [CLASSES], initializer=tf.constant_initializer(0.0))
        linear = tf.add(tf.matmul(local, weights), biases, name=scope.name)
        _activation_summary(linear)
    return linear


def loss(logits, labels):
    labels = tf.cast(labels, tf.int64)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=logits, name='each')
    mean = tf.reduce_mean(each, name='cross_entropy')
    tf.add_to_collection('losses', mean)
    return tf.add_n(tf.get_collection('losses'), name='total_loss')


def _add_loss_summaries(total_loss):
    loss_averages = tf.train.ExponentialMovingAverage(0.9, name='avg')
    losses = tf.get_collection('losses')
    loss_averages_op = loss_averages.apply(losses + [total_loss])
    for l in losses + [total_loss]:
        tf.summary.scalar(l.op.name + ' (raw)', l)
        tf.summary.scalar(l.op.name, loss_averages.average(l))
    return loss_averages_op


def train(total_loss, global_step):
    lr = tf.train.exponential_decay(0.1, global_step, 5, 0.5, staircase=True)
    tf.summary.scalar('learning_rate', lr)
    loss_averages_op = _add_loss_summaries(total_loss)
    with tf.control_dependencies([loss_averages_op]):
        opt = tf.train.GradientDescentOptimizer(lr)
        grads = opt.compute_gradients(total_loss)
    apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
    for var in tf.trainable_variables():
        tf.summary.histogram(var.op.name, var)
    variable_averages = tf.train.ExponentialMovingAverage(AVERAGED, global_step)
    with tf.control_dependencies([apply_gradient_op]):
        variables_averages_op = variable_averages.apply(tf.trainable_variables())
    return variables_averages_op
"""

TRAIN = r"""\
import tensorflow as tf
import model

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer('steps', 12, 'steps')


def train():
    with tf.Graph().as_default():
        global_step = tf.train.get_or_create_global_step()
        images, labels = model.inputs(['pictures_0.bin', 'pictures_1.bin'], model.BATCH)
        logits = model.inference(images)
        loss = model.loss(logits, labels)
        train_op = model.train(loss, global_step)
        saver = tf.train.Saver(tf.global_variables())
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            tf.train.start_queue_runners(sess=sess)
            for step in range(FLAGS.steps):
                _, value = sess.run([train_op, loss])
                print('%d %.6f' % (step, value))
            saver.save(sess, './made/model.ckpt', global_step=global_step)


def main(argv=None):
    model.write()
    train()


if __name__ == '__main__':
    tf.app.run()
"""

EVALUATE = r"""\
import math
import time
import numpy as np
import tensorflow as tf
import model


def eval_once(saver, summary_writer, top_k_op, summary_op):
    with tf.Session() as sess:
        ckpt = tf.train.get_checkpoint_state('./made')
        if ckpt and ckpt.model_checkpoint_path:
            saver.restore(sess, ckpt.model_checkpoint_path)
            global_step = ckpt.model_checkpoint_path.split('/')[-1].split('-')[-1]
        else:
            print('No checkpoint file found')
            return

        coord = tf.train.Coordinator()
        try:
            threads = []
            for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
                threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=True))
            num_iter = int(math.ceil(20 / model.BATCH))
            true_count = 0
            step = 0
            while step < num_iter and not coord.should_stop():
                predictions = sess.run([top_k_op])
                true_count += np.sum(predictions)
                print(predictions)
                step += 1
            precision = true_count / (num_iter * model.BATCH)
            print('precision @ 1 = %.3f' % precision)
            summary = tf.Summary()
            summary.ParseFromString(sess.run(summary_op))
            summary.value.add(tag='Precision @ 1', simple_value=precision)
            summary_writer.add_summary(summary, global_step)
        except Exception as e:
            coord.request_stop(e)
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=10)


def evaluate():
    with tf.Graph().as_default() as g:
        images, labels = model.inputs(['pictures_0.bin', 'pictures_1.bin'], model.BATCH)
        logits = model.inference(images)
        top_k_op = tf.nn.in_top_k(logits, labels, 1)
        variable_averages = tf.train.ExponentialMovingAverage(model.AVERAGED)
        variables_to_restore = variable_averages.variables_to_restore()
        saver = tf.train.Saver(variables_to_restore)
        summary_op = tf.summary.merge_all()
        summary_writer = tf.summary.FileWriter('./events', g)
        rounds = 0
        while True:
            eval_once(saver, summary_writer, top_k_op, summary_op)
            rounds += 1
            if rounds == 2:
                break
            time.sleep(0.1)


evaluate()
"""


def text(result: FileResult) -> str:
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def test_both_become_native_over_one_model() -> None:
    sources = {"model.py": MODEL, "train.py": TRAIN, "evaluate.py": EVALUATE}
    found = texts({name: source.encode() for name, source in sources.items()}, Options())
    results = {result.path: text(result) for result in found}
    assert "def loss(" not in results["model.py"]  # it stands where it is called
    train, evaluate = results["train.py"], results["evaluate.py"]
    # What is put in is read by the training only.
    assert "loss = tf.add_n(losses, name='total_loss')" in train
    assert "loss" not in evaluate
    # Each round reads from the start of the data.
    assert "    while True:\n        iterator = iter(dataset" in evaluate
    assert "write_summaries(summary_writer, run_summary, int(global_step))" in evaluate
    leaves = "        else:\n            print('No checkpoint file found')\n        rounds += 1\n"
    assert leaves in evaluate
