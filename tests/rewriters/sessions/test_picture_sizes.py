"""Static sizes of pictures from files, of slices, and of batches of a length that isn't told."""

from __future__ import annotations

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

QUEUE = """\
import tensorflow as tf


def batch_of(paths, number):
    queue = tf.train.slice_input_producer([paths], shuffle=False)
    image = tf.image.decode_png(tf.read_file(queue[0]), channels=3)
    image = tf.image.resize_image_with_crop_or_pad(image, 8, 8)
    return tf.train.batch([tf.cast(image, tf.float32)], number)


def net(images, number):
    flat = tf.reshape(images, [number, -1])
    dim = flat.get_shape()[1].value
    w = tf.get_variable("w", [dim, 2])
    return tf.matmul(flat, w)


def train(paths):
    number = len(paths)
    images = batch_of(paths, number)
    out = net(images, number)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        print(sess.run(out))
        coord.request_stop()
        coord.join(threads)
"""


def test_a_batch_of_as_many_as_there_are_paths() -> None:
    text = after(QUEUE)
    assert "dim = 192\n" in text
    assert "def train(paths):\n    number = len(paths)\n" in text  # tf.train is no use of it


def test_another_number_of_rows_keeps_the_session() -> None:
    reason = "a variable starts with a tensor"
    assert reason in stopped(
        QUEUE.replace("net(images, number)\n    with", "net(images, 4)\n    with")
    )
    other = QUEUE.replace("out = net(images, number)", "out = net(images, len(paths[1:]))")
    assert reason in stopped(other)


def test_a_picture_of_channels_that_arent_told_keeps_the_session() -> None:
    assert "a variable starts with a tensor" in stopped(QUEUE.replace(", channels=3", ""))


def test_a_slice_leaves_what_is_behind_its_beginning() -> None:
    cut = "    images = tf.slice(images, [0, 2, 0, 0], [-1, -1, 4, 3])\n    flat ="
    assert "dim = 72\n" in after(QUEUE.replace("    flat =", cut))


NET = """\
import tensorflow as tf


def losses(x):
    with tf.variable_scope("loss") as scope:
        loss = tf.reduce_mean(tf.square(x))
#        loss = tf.reduce_mean(x)
        tf.summary.scalar(scope.name + "/loss", loss)
    return loss
"""
RUN = """\
import tensorflow as tf

import net


def train():
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    loss = net.losses(w)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    summary = tf.summary.merge_all()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        writer = tf.summary.FileWriter("logs")
        print(sess.run([step, loss])[1])
        writer.add_summary(sess.run(summary), 0)


def test():
    with tf.Graph().as_default():
        w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
        loss = net.losses(w)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run(loss))
"""


def levels(run: str) -> set[Level]:
    found = texts({"net.py": NET.encode(), "run.py": run.encode()}, Options())
    return {result.level for result in found}


def test_two_functions_call_one_of_another_file_that_summarizes() -> None:
    found = {r.path: r for r in texts({"net.py": NET.encode(), "run.py": RUN.encode()}, Options())}
    assert found["run.py"].level is Level.NATIVE
    text = (found["run.py"].after or b"").decode()
    assert text.count("return tf.reduce_mean(tf.square(w))") == 2
    assert b"losses" not in (found["net.py"].after or b"")


def test_a_name_that_is_a_module_or_something_else_keeps_the_session() -> None:
    other = "def more(net):\n    return net.losses(1)\n"
    assert levels(f"{RUN}\n\n{other}") == {Level.COMPAT}


CALLED = """\
import tensorflow as tf


def conv(name, inputs, units):
    n = int(inputs.shape[-1])
    with tf.variable_scope(name):
        w = tf.get_variable("w", [3, 3, n, units])
    return tf.nn.conv2d(inputs, w, [1, 1, 1, 1], "SAME")


def norm(name, inputs):
    with tf.variable_scope(name):
        beta = tf.get_variable("beta", [inputs.shape[-1]])
    return inputs - tf.reduce_mean(inputs, [1, 2], keep_dims=True) + beta


class Net:
    def __init__(self, name):
        self.name = name

    def __call__(self, x):
        with tf.variable_scope(self.name):
            y = norm("b1", conv("a1", x, 4))
            y = norm("b2", conv("a2", y, 5))
            n = y.shape[-1]
            w = tf.get_variable("w", [n, 2])
            return tf.matmul(tf.reduce_mean(y, [1, 2]), w)


x = tf.placeholder(tf.float32, [None, 4, 4, 3])
net = Net("net")
y = net(x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[[[1.0, 2.0, 3.0]] * 4] * 4]}))
"""


def test_helpers_in_each_other_s_arguments_are_told_their_sizes() -> None:
    text = after(CALLED)
    assert 'conv("a1", 4, n=3)' in text
    assert 'norm("b2", inputs_channels=5)' in text
    assert "n = 5\n" in text


def test_a_call_in_code_that_nobody_runs_keeps_the_session() -> None:
    more = "def more(net, z):\n    return net(z)\n"
    assert "a variable starts with a tensor" in stopped(f"{CALLED}\n\n{more}")
