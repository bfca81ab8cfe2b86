"""TFM520 estimator-program: Estimators and the model_fns that they run, as Keras models.

With `migrate upgrade --to keras` a model_fn becomes a `keras.Model`: its layers are made in
`__init__`, applied in `call`, and what it did for each mode is `train_step`, `test_step` and
`predict_step`. `train`, `evaluate` and `predict` become `fit`, `evaluate` and `predict` on datasets
that give the same batches.

    def model_fn(features, labels, mode):             class Model(tf.keras.Model):
        logits = tf.layers.dense(features["x"], 3)        def __init__(self): ...
        ...                                       ->      def call(self, features, training=False):
    net = tf.estimator.Estimator(model_fn)            net = Model()
    net.train(input_fn, steps=100)                    net.fit(input_fn().take(100))

It is done for a whole program, where everything that the Estimators are made of and every use of
them can be followed, or not at all. What stopped it is reported at its line, and by
`migrate upgrade --to keras --explain-level`; the program then keeps its Estimators, on
`migrate.estimator_shim`.

https://www.tensorflow.org/guide/migrate/migrating_estimator
"""

from __future__ import annotations

from migrate.engine.rule import Rule

ESTIMATOR_PROGRAM = Rule(
    "TFM520",
    "estimator-program",
    "an Estimator, with --to keras",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/migrate/migrating_estimator",
)
