"""Sizes of what is reshaped by a flag, `[FLAGS.batch_size, -1]`, that the batch has as well."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer("batch_size", 4, "images in a batch")
{more}

def inference(images):
    with tf.variable_scope("local"):
        kernel = tf.get_variable("kernel", [3, 3, 3, 5])
        pooled = tf.nn.max_pool(
            tf.nn.relu(tf.nn.conv2d(images, kernel, [1, 1, 1, 1], "SAME")),
            [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        flat = tf.reshape(pooled, [{rows}, -1])
        dim = flat.get_shape()[1].value
        w = tf.get_variable("w", [dim, 6])
    return tf.matmul(flat, w)


def main(argv=None):
    {images}
    y = inference(images)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(y{feed}).shape)


if __name__ == "__main__":
    tf.app.run()
"""
FLAG = "FLAGS.batch_size"
FED = f"images = tf.placeholder(tf.float32, [{FLAG}, 8, 8, 3])"
FEED = ", {images: np.ones([4, 8, 8, 3])}"
RECORDS = f"""\
data = tf.data.FixedLengthRecordDataset(["pictures.bin"], 192).repeat()
    def parse(record):
        image = tf.reshape(tf.cast(tf.decode_raw(record, tf.uint8), tf.float32), [8, 8, 3])
        image = tf.image.per_image_standardization(tf.random_crop(image, [6, 6, 3]))
        {{}}
        return image
    data = data.map(parse).batch({FLAG}{{}})
    images = data.make_one_shot_iterator().get_next()"""


def program(images: str = FED, feed: str = FEED, rows: str = FLAG, more: str = "") -> str:
    return PROGRAM.format(images=images, feed=feed, rows=rows, more=more)


@pytest.mark.parametrize("rows", [FLAG, "images.get_shape().as_list()[0]", "images.shape[0].value"])
def test_the_flag_cancels(rows: str) -> None:
    text = after(program(rows=rows))
    assert "    dim = 80\n" in text
    assert f"flat = tf.reshape(pooled, [{rows.replace('.value', '')}, -1])\n" in text


@pytest.mark.parametrize("shaped", ["image.set_shape([6, 6, 3])", "pass"])
def test_a_dataset_has_batches_of_it(shaped: str) -> None:
    text = after(program(RECORDS.format(shaped, ", drop_remainder=True"), ""))
    assert "    dim = 45\n" in text


def test_a_queue_has_batches_of_it() -> None:
    queue = f"""\
names = tf.train.string_input_producer(["pictures.bin"])
    _, record = tf.FixedLengthRecordReader(192).read(names)
    image = tf.reshape(tf.cast(tf.decode_raw(record, tf.uint8), tf.float32), [8, 8, 3])
    images = tf.train.batch([image], {FLAG})"""
    started = "initializer())\n        tf.train.start_queue_runners(sess)"
    text = after(program(queue, "").replace("initializer())", started))
    assert "    dim = 80\n" in text


@pytest.mark.parametrize(
    "other",
    [
        program(f"images = tf.placeholder(tf.float32, [{FLAG} * 2, 8, 8, 3])"),
        program(RECORDS.format("pass", ""), ""),
        program(f"FLAGS.batch_size = 2\n    {FED}"),
        program(more='tf.app.flags.DEFINE_integer("other", 4, "")\n', rows="FLAGS.other"),
        program(more='setattr(FLAGS, "batch_size", 3)\n'),
        program().replace("DEFINE_integer", "DEFINE_float"),
    ],
    ids=["twice", "a smaller last batch", "set", "another flag", "setattr", "no whole number"],
)
def test_what_may_differ_keeps_the_session(other: str) -> None:
    assert "starts with a" in stopped(other)
