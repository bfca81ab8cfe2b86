"""`--to keras`: names by the modules they stand in. (Numbers: fixtures/keras/private_names.)"""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = """import numpy as np
import tensorflow as tf
IMPORT


def model_fn(features, labels, mode):
    logits = MADE(features)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def dataset():
    return tf.data.Dataset.from_tensor_slices((np.ones((8, 2), 'f'), np.zeros(8, 'i'))).batch(4)


net = tf.estimator.Estimator(model_fn)
net.train(dataset, steps=3)
"""
CLASS = """

class Two(tf.keras.Model):
    def __init__(self):
        super(Two, self).__init__()
        self.made = MADE

    def call(self, x):
        return self.made(x)
"""


def upgraded(text: str) -> tuple[Level | None, str, str]:
    (result,) = texts({"program.py": text.encode()}, Options(to="keras"))
    left = [f.message for f in result.left if f.rule == "TFM520"]
    return result.level, (result.after or b"").decode(), "".join(left)


@pytest.mark.parametrize(
    "line",
    [
        "from tensorflow.python.keras.layers import Dense",
        "from tensorflow.python.keras.layers.core import Dense",
        "from tensorflow.contrib.keras.python.keras.layers import Dense",  # up to TF 1.3
        "from tensorflow.contrib.keras.api.keras.layers import Dense",
    ],
)
@pytest.mark.parametrize("more", ["", ", input_shape=(2,)", ", input_dim=2, activation='relu'"])
def test_a_layer_of_a_private_module_is_keras_3s(line: str, more: str) -> None:
    text = PROGRAM.replace("IMPORT", line).replace("MADE", f"Dense(3{more})")
    level, after, said = upgraded(text)
    assert level is Level.NATIVE, said
    kept = more.partition("activation")
    assert f"tf.keras.layers.Dense(3{', activation=' if kept[1] else ''}" in after
    assert "input_" not in after
    assert "import Dense" not in after


def test_a_layer_in_a_class_of_the_program() -> None:
    line = "from tensorflow.python.keras.layers import Dense"
    text = PROGRAM.replace("IMPORT", line + CLASS.replace("MADE", "Dense(3)"))
    level, after, said = upgraded(text.replace("MADE", "Two()"))
    assert level is Level.NATIVE, said
    assert "self.made = tf.keras.layers.Dense(3)" in after


@pytest.mark.parametrize(
    ("line", "made", "why"),
    [
        (
            "from tensorflow.python.keras import initializers, layers",
            "layers.Dense(3, kernel_initializer=initializers.he_normal())",
            "which isn't of the Keras that TF 2.21 has",
        ),
        (
            "from tensorflow.python.keras import backend as K\nprint(K.learning_phase())",
            "tf.layers.Dense(3)",
            "which isn't of the Keras that TF 2.21 has",
        ),
        ("", "tf.keras.layers.Dense(3, input_shape=(np.prod([2]),))", "`input_shape`"),
        ("", "tf.keras.layers.Dense(3, weights=[])", "`weights` of tf.keras.layers.Dense"),
        (CLASS.replace("MADE", "tf.keras.layers.Dense(3, input_dim=2)"), "Two()", "`input_dim`"),
        ("import keras", "keras.layers.Dense(3)", "isn't seen"),
    ],
)
def test_what_stays(line: str, made: str, why: str) -> None:
    level, _, said = upgraded(PROGRAM.replace("IMPORT", line).replace("MADE", made))
    assert level is Level.COMPAT
    assert why in said


def test_a_train_op_that_optimize_loss_makes_in_one_mode() -> None:
    text = PROGRAM.replace("IMPORT", "").replace("MADE", "tf.layers.Dense(3)")
    old = "    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())\n"
    new = """    train_op = None
    if mode == tf.estimator.ModeKeys.TRAIN:
        train_op = tf.contrib.layers.optimize_loss(loss, tf.train.get_global_step(), .1, 'SGD')
"""
    assert old in text
    level, after, said = upgraded(text.replace(old, new))
    assert level is Level.NATIVE, said
    assert "tf.keras.optimizers.SGD(.1)" in after
    assert "train_op" not in after


def test_a_file_wholly_on_compat_v1_keeps_what_is_not_followed_there() -> None:
    """Between the passes the file is TF 1, however it was spelled before."""
    text = PROGRAM.replace("IMPORT", "").replace("MADE", "tf.layers.Dense(3)")
    for name in ("layers", "losses", "train"):
        text = text.replace(f"tf.{name}.", f"tf.compat.v1.{name}.")
    clear = "tf.compat.v1.summary.FileWriterCache.clear()\n"
    level, after, said = upgraded(text + clear)
    assert level is Level.NATIVE, said
    assert after.endswith(clear)


COLUMNS = """import numpy as np
import tensorflow as tf
from tensorflow.python.feature_column import feature_column_v2 as private

word = tf.feature_column.categorical_column_with_vocabulary_list('w', ['a', 'b'])


def made(column):
    if isinstance(column, private.VocabularyListCategoricalColumn):
        return tf.feature_column.embedding_column(column, len(column.vocabulary_list))
    return column


def input_fn():
    data = {'w': np.array(['a'] * 4)}, np.zeros(4, 'i')
    return tf.data.Dataset.from_tensor_slices(data).batch(2)


net = tf.estimator.DNNClassifier([3], [made(word)])
net.train(input_fn, steps=3)
"""


def test_a_class_of_columns_that_is_asked_for() -> None:
    new = after(COLUMNS)
    assert "if isinstance(column, VocabularyColumn):" in new
    assert "self.vocabulary_list = tuple(vocabulary_list)" in new
    assert "feature_column" not in new.replace("feature_columns", "")


def test_a_class_of_columns_that_is_used_otherwise_stays() -> None:
    old = "isinstance(column, private.VocabularyListCategoricalColumn)"
    assert old in COLUMNS
    other = COLUMNS.replace(old, "type(column) is private.VocabularyListCategoricalColumn")
    assert "a private class of columns" in stopped(other)[1]
