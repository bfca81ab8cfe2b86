"""A decay whose step is computed, `batch * batch_size`; a default where others give a tensor."""

from __future__ import annotations

from migrate.engine.findings import Level
from tests.rewriters.sessions.test_files import after, run
from tests.rewriters.sessions.test_sessions import after as single

NET = """\
import tensorflow as tf
import tensorflow.contrib.slim as slim

def build(x, is_training=True):
    net = slim.fully_connected(x, 5, scope='fc', normalizer_fn=slim.batch_norm,
                               normalizer_params={'is_training': is_training,
                                                  'updates_collections': None})
    return slim.fully_connected(net, 1, activation_fn=None, scope='out')
"""
TRAIN = """\
import tensorflow as tf
import tensorflow.contrib.slim as slim
import net

def train():
    batch_size = 4
    x = tf.placeholder(tf.float32, [None, 16])
    loss = tf.reduce_mean(tf.square(net.build(x)))
    batch = tf.Variable(0)
    rate = tf.train.exponential_decay(0.1, batch * batch_size, 12, 0.5, staircase=True)
    step = tf.train.AdamOptimizer(rate).minimize(loss, global_step=batch)
    sess = tf.InteractiveSession()
    sess.run(tf.global_variables_initializer())
    for i in range(8):
        sess.run(step, {x: [[i] * 16] * batch_size})
        print(sess.run(rate))
    batch_size = 2
    print(batch_size)

train()
"""
TEST = """\
import tensorflow as tf
import net

flag = tf.placeholder(tf.bool)
x = tf.placeholder(tf.float32, [None, 16])
y = net.build(x, is_training=flag)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1] * 16] * 2, flag: False}))
"""


def upgrade(**files: str) -> dict[str, str]:
    found = run(**files)
    for result in found.values():
        assert result.level is Level.NATIVE, [f.message for f in result.left]
    return {name: after(result) for name, result in found.items()}


def test_a_decay_at_a_step_that_is_computed_is_a_part_of_the_run() -> None:
    text = upgrade(net=NET, train=TRAIN)["train"]
    assert "0.5, staircase=True)(batch * batch_size)\n" in text.replace("decay_rate=", "")
    assert "optimizer.learning_rate.assign(rate)\n" in text
    assert "batch.assign_add(1)\n" in text
    assert "batch_size2 = 2\n" in text  # not what the step reads


def test_a_default_is_written_where_another_program_gives_a_tensor() -> None:
    text = upgrade(evaluate=TEST, net=NET, train=TRAIN)["train"]
    assert "(x, True)" in text or "is_training=True" in text


def test_an_import_of_contrib_that_nothing_uses_goes() -> None:
    text = upgrade(net=NET, train=TRAIN)["train"]
    assert "slim" not in text


def test_a_decay_at_a_step_that_is_fed_is_a_part_of_the_run() -> None:
    text = upgrade(
        main="""\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
step = tf.placeholder(tf.int32, [])
w = tf.Variable(1.0)
rate = 0.01 + tf.train.exponential_decay(0.3, step, 20, 0.5)
train = tf.train.GradientDescentOptimizer(rate).minimize(tf.reduce_mean(x * w))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        sess.run(train, {x: [1.0], step: i})
        print(sess.run([w, rate], {step: i}))
"""
    )["main"]
    assert "tf.keras.optimizers.schedules.ExponentialDecay(0.3, 20, decay_rate=0.5)(step)" in text
    assert "train_step([1.0], i)" in text


def test_words_are_numbered_by_keras() -> None:
    text = single("""\
import tensorflow as tf

tokenizer = tf.keras.preprocessing.text.Tokenizer(num_words=9)
tokenizer.fit_on_texts(["a b", "b c"])
x = tf.placeholder(tf.float32, [None, None])
with tf.Session() as sess:
    print(sess.run(x * 2.0, {x: tokenizer.texts_to_sequences(["a b"])}))
""")
    assert "tf.keras.preprocessing.text.Tokenizer(num_words=9)" in text
