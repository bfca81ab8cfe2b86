"""One optimizer or another, chosen by a chain of conditions, with dense and sparse gradients."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

MODEL = """\
import tensorflow as tf


class Model:
    def __init__(self, kind="adam"):
        self.kind = kind
        self.ids = tf.placeholder(tf.int32, [None])
        self.table = tf.Variable(tf.ones([5, 2]))
        self.loss = tf.reduce_sum(tf.square({used}))
        if self.kind == "adam":
            self.train_op = tf.train.AdamOptimizer(0.1).minimize(self.loss)
        {chain}
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def train(self, ids):
        return self.sess.run([self.loss, self.train_op], {{self.ids: ids}})[0]


print(Model().train([1, 1, 2]))
"""
ANY = ("Model()", "Model(input())")  # no program says which optimizer
ROWS = "tf.nn.embedding_lookup(self.table, self.ids)"


def branch(name: str, given: str = "0.1", test: str = 'self.kind == "other"') -> str:
    train = f"self.train_op = tf.train.{name}Optimizer({given}).minimize(self.loss)"
    return f"elif {test}:\n            {train}"


def test_a_chain_without_else() -> None:
    text = after(MODEL.format(used="self.table", chain=branch("GradientDescent")))
    assert (
        'elif self.kind == "other":\n            optimizer = tf.keras.optimizers.SGD(0.1)' in text
    )


def test_a_chain_that_asks_something_else_may_make_none() -> None:
    source = MODEL.format(used="self.table", chain=branch("GradientDescent", test="len(kind) > 9"))
    assert "an optimizer is made in a loop, a branch or a helper" in stopped(source.replace(*ANY))


def test_sparse_gradients_are_made_dense_for_all() -> None:
    text = after(MODEL.format(used=ROWS, chain=branch("Adagrad")))
    assert "[tf.convert_to_tensor(g) for g in tape.gradient(loss, variables)]" in text


def test_momentum_needs_the_rows() -> None:
    text = after(MODEL.format(used=ROWS, chain=branch("Momentum", "0.1, 0.9")))
    assert "[sum_rows(g) for g in tape.gradient(loss, variables)]" in text
    assert "class Momentum(tf.keras.optimizers.SGD)" in text


def test_rmsprop_needs_the_rows_too() -> None:
    text = after(MODEL.format(used=ROWS, chain=branch("RMSProp")))
    assert "[sum_rows(g) for g in tape.gradient(loss, variables)]" in text
    assert "only rows with a gradient move" in text


def test_adadelta_moves_its_rows_alone() -> None:
    text = after(MODEL.format(used=ROWS, chain=branch("Adadelta")))
    assert "class Adadelta(tf.keras.optimizers.Adadelta)" in text


def test_what_has_no_form_for_rows_stops() -> None:
    source = MODEL.format(used=ROWS, chain=branch("RMSProp", "0.1, centered=True"))
    assert "`centered` of tf.train.RMSPropOptimizer with sparse gradients" in stopped(
        source.replace(*ANY)
    )


def test_where_all_objects_have_one_the_others_go() -> None:
    text = after(MODEL.format(used=ROWS, chain=branch("RMSProp", "0.1, centered=True")))
    assert "optimizers.Adam(" in text
    assert "RMSprop" not in text


GETTER = """\
import numpy as np
import tensorflow as tf


class Line:
    def __init__(self, kind):
        self.kind = kind
        self.x = tf.placeholder(tf.float32, [None, 3])
        w = tf.get_variable("w", [3, 1])
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w)))
        {made}

    def get_optimizer(self):
        {body}

    def step(self, sess, x):
        return sess.run([self.train_op, self.loss], feed_dict={{self.x: x}})[1]


line = Line(input())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(line.step(sess, np.ones([4, 3])))
"""
MADE = "optimizer = self.get_optimizer()\n        self.train_op = optimizer.minimize(self.loss)"
BRANCHES = """\
optimizer = None
if self.kind == "adam":
    optimizer = tf.train.AdamOptimizer(0.1)
if self.kind == "sgd":
    optimizer = tf.train.GradientDescentOptimizer(0.1)
return optimizer"""
RETURNS = """\
if self.kind == "adam":
    return tf.train.AdamOptimizer(0.1)
elif self.kind == "momentum":
    return tf.train.MomentumOptimizer(0.1, 0.9)
else:
    return tf.train.GradientDescentOptimizer(0.1)"""


def _inner(body: str) -> str:
    return body.replace("\n", "\n        ")


def test_a_method_gives_the_optimizer_that_branches_made() -> None:
    text = after(GETTER.format(made=MADE, body=_inner(BRANCHES)))
    assert "self.get_optimizer()\n" in text
    assert '        if self.kind == "sgd":\n            self.optimizer = tf.keras' in text
    assert "self.optimizer.apply_gradients(" in text
    assert "return optimizer" not in text


def test_a_method_returns_an_optimizer_in_each_branch() -> None:
    text = after(GETTER.format(made=MADE, body=_inner(RETURNS)))
    assert "        else:\n            self.optimizer = tf.keras.optimizers.SGD(0.1)" in text
    assert "self.optimizer.apply_gradients(" in text


def test_an_attribute_is_one_optimizer_or_another() -> None:
    made = _inner(BRANCHES).rpartition("\n")[0].replace("optimizer =", "self.opt =")
    text = after(
        GETTER.format(
            made=made + "\n        self.train_op = self.opt.minimize(self.loss)", body="pass"
        )
    )
    assert "            self.opt = tf.keras.optimizers.SGD(0.1)" in text
    assert "self.opt.apply_gradients(" in text


def test_optimizers_of_rates_that_change_differently_keep_the_session() -> None:
    body = BRANCHES.replace("SGD", "sgd").replace(
        "GradientDescentOptimizer(0.1)", "GradientDescentOptimizer(self.rate)"
    )
    source = GETTER.format(made=MADE, body=_inner(body)).replace(
        "        self.kind = kind\n",
        "        self.kind = kind\n        self.rate = tf.placeholder(tf.float32, [])\n",
    )
    source = source.replace("{self.x: x}", "{self.x: x, self.rate: 0.1}")
    assert "rates change differently" in stopped(source)
