"""Gradients of variables that objects have, and rows of tables that their methods look up."""

from __future__ import annotations

from rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Scorer(object):
    def __init__(self, n):
        self.bias = tf.Variable(tf.zeros([n]))

    def {name}(self, ids):
        return {read}


ids = tf.placeholder(tf.int32, [None])
score = Scorer(5)
loss = tf.reduce_sum(tf.square(score{call}(ids) - 1.0))
train = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss], {{ids: [0, 1, 1]}})[1])
"""
GATHER = "tf.gather(self.bias, ids)"


def test_another_objects_variables_are_watched() -> None:
    assert "variables = tape.watched_variables()\n" in after(
        PROGRAM.format(name="__call__", read=GATHER, call="")
    )


def test_rows_that_methods_look_up_are_summed() -> None:
    """TF 1's optimizers add up the rows of a table that is looked up twice; Keras's don't."""
    made = "gradients = [tf.convert_to_tensor(g) for g in tape.gradient(loss, variables)]\n"
    assert made in after(PROGRAM.format(name="__call__", read=GATHER, call=""))
    assert made in after(PROGRAM.format(name="of", read=GATHER, call=".of"))
    dense = PROGRAM.format(name="of", read="self.bias * 2.0", call=".of")
    assert "convert_to_tensor" not in after(dense)


RATE = """\
import tensorflow as tf


class Model(object):
    def __init__(self):
        self.w = tf.Variable(2.0)
        self.step = tf.Variable(0, trainable=False)
        {rate} = tf.train.exponential_decay(0.1, self.step, 2, 0.5)
        {more}
        loss = tf.square(self.w)
        self.train = tf.train.GradientDescentOptimizer({rate}).minimize(loss, self.step)


model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([model.train, model.lr])[1])
    print(sess.run(model.lr))
"""


def test_a_decayed_rate_of_an_object_is_fetched() -> None:
    for rate, more in (("self.lr", "pass"), ("lr", "self.lr = lr")):
        text = after(RATE.format(rate=rate, more=more))
        assert "rate = self.lr(self.step)\n" in text
        assert "print(model.lr(model.step).numpy())" in text


LOOKED = """\
import functools
import tensorflow as tf

ids = tf.placeholder(tf.int32, [None])
table = tf.Variable(tf.zeros([5]))
pick = {pick}
loss = tf.reduce_sum(tf.square({read} - 1.0))
train = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss], {{ids: [0, 1, 1]}})[1])
"""


def test_rows_that_lambdas_and_gather_nd_look_up_are_summed() -> None:
    for pick, read in (
        ("lambda i: tf.gather(table, i)", "pick(ids)"),
        ("None", "tf.gather_nd(table, tf.expand_dims(ids, 1))"),
    ):
        assert "tf.convert_to_tensor(g)" in after(LOOKED.format(pick=pick, read=read))


COUNT = """\
class Count(object):
    def __init__(self):
        self.step = tf.Variable(0, trainable=False)


"""


def test_a_rate_that_counts_another_objects_steps_stays() -> None:
    source = RATE.format(rate="self.lr", more="pass").replace(
        "self.step = tf.Variable(0, trainable=False)", "self.count = Count()"
    )
    source = source.replace("self.step", "self.count.step").replace(
        "class Model", f"{COUNT}class Model"
    )
    assert stopped(source)


def test_sums_hand_rows_on_and_products_do_not() -> None:
    made = "tf.convert_to_tensor(g)"
    for read, sparse in (
        ("tf.gather(table + 1.0, ids)", True),
        ("tf.gather(table * 2.0, ids)", False),
        ("tf.gather_nd(table + 1.0, tf.stack([ids], axis=1))", True),
        ("tf.gather_nd(tf.diag(table), tf.stack([ids, ids], axis=1))", False),
    ):
        assert (made in after(LOOKED.format(pick="None", read=read))) is sparse, read
