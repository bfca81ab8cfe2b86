"""One file's model, which a program trains and another one evaluates: two graphs of one class."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from tests.rewriters.sessions.test_files import after, reasons, run

CLASS = """
    import tensorflow as tf


    class Model(object):
        def __init__(self, hidden):
            self.x = tf.placeholder(tf.int32, [None, 5])
            table = tf.get_variable('table', [15, 4])
            inputs = tf.nn.embedding_lookup(table, self.x)
            with tf.variable_scope('rnn', initializer=tf.constant_initializer(0.1)):
                cell = tf.nn.rnn_cell.GRUCell(hidden)
                outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
            self.logits = tf.layers.dense(state, 3)
            self.loss = tf.reduce_mean(tf.square(self.logits))
            tvars = tf.trainable_variables()
            grads, _ = tf.clip_by_global_norm(tf.gradients(self.loss, tvars), 1.0)
            self.train = tf.train.GradientDescentOptimizer(0.1).apply_gradients(zip(grads, tvars))
    """
FUNCTION = """
    import tensorflow as tf


    def inference(x):
        table = tf.get_variable('table', [15, 4])
        inputs = tf.nn.embedding_lookup(table, x)
        cell = tf.nn.rnn_cell.GRUCell(6)
        outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
        return tf.layers.dense(state, 3)
    """
OF_CLASS = """
    import tensorflow as tf
    from model import Model


    def main():
        model = Model(6)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            {start}
            print(sess.run(model.loss, {{model.x: [[1, 2, 3, 4, 5]]}}))
            {end}


    main()
    """
OF_FUNCTION = """
    import tensorflow as tf
    from model import inference

    x = tf.placeholder(tf.int32, [None, 5])
    loss = tf.reduce_mean(tf.square(inference(x)))
    saver = tf.train.Saver()
    with tf.Session() as sess:
        {start}
        print(sess.run(loss, {{x: [[1, 2, 3, 4, 5]]}}))
        {end}
    """


@pytest.mark.parametrize(
    ("model", "program"), [(CLASS, OF_CLASS), (FUNCTION, OF_FUNCTION)], ids=["class", "function"]
)
def test_cells_and_scopes_in_both_graphs(model: str, program: str) -> None:
    found = run(
        model=model,
        evaluate=program.format(start="saver.restore(sess, 'm')", end=""),
        train=program.format(
            start="sess.run(tf.global_variables_initializer())", end="saver.save(sess, 'm')"
        ),
    )
    assert not reasons(found)
    assert {r.level for r in found.values()} == {Level.NATIVE}
    assert "GRUCell(" in after(found["model"])
    assert "saver.read('m')" in after(found["evaluate"])
