"""TFM420 session-program: a graph that is built first and run by a session.

A program with `tf.Session`, `tf.placeholder` and `feed_dict` becomes functions: each distinct set
of fetches is a `tf.function`, placeholders are the specs of its parameters, train ops are a
`tf.GradientTape` and a Keras optimizer that gives TF 1's numbers. Variables are made once, eagerly;
initializers, sessions and their configuration go.

    cost = tf.reduce_mean(tf.square(x * w - y))            @tf.function(input_signature=[x, y])
    train = tf.train.GradientDescentOptimizer(.1)   ->     def train_step(x, y):
            .minimize(cost)                                    with tf.GradientTape() as tape: ...
    sess.run(train, {x: a, y: b})                          train_step(a, b)

It is done for a whole program, where everything that the graph is built from and every run can be
followed, or not at all. What stopped it is reported at its line, and by
`migrate upgrade --explain-level`; the program then keeps its graph and session on
`tensorflow.compat.v1`.

https://www.tensorflow.org/guide/migrate/migrate_tf2
"""

from __future__ import annotations

from migrate.engine.rule import Rule

SESSION_PROGRAM = Rule(
    "TFM420",
    "session-program",
    "a graph that a session runs",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/migrate/migrate_tf2",
)
