"""`--to keras`: models of Keras's functional API that functions of the program make."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import PROGRAM, after, stopped

MAKER = """
def create_model(units):
    inp = tf.keras.layers.Input(shape=(2,))
    x = tf.keras.layers.Dense(units)(inp)
    return tf.keras.Model(inputs=inp, outputs=x)


def model_fn"""


OTHER = "\ndef other():\n    a = layers.Input((3,))\n    return Model(a, a)"


def program(*changes: tuple[str, str]) -> str:
    text = PROGRAM.replace("\ndef model_fn", MAKER)
    text = text.replace("tf.layers.dense(features['x'], 3)", "create_model(3)(features['x'])")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_the_function_stays() -> None:
    new = after(program())
    assert MAKER.partition("\n\n\ndef")[0] in new
    assert "= create_model(3)" in new
    assert "(features['x'], training=False)" in new


def test_models_of_the_private_keras() -> None:
    private = "import tensorflow as tf\nfrom tensorflow.python.keras import Model, layers\n"
    new = after(
        program(
            ("import tensorflow as tf\n", private),
            ("tf.keras.layers.", "layers."),
            ("tf.keras.Model", "Model"),
            ("\ndef model_fn", f"{OTHER}\n\n\ndef model_fn"),
        )
    )
    assert "tensorflow.python" not in new
    assert "return tf.keras.Model(a, a)" in new
    assert "tf.keras.Input(shape=(2,))" in new


@pytest.mark.parametrize(
    "maker",
    [
        "x = tf.keras.layers.Embedding(9, units)(inp)\n    x = tf.keras.layers.Flatten()(x)",
        "table = tf.keras.layers.Embedding(9, 4)\n    x = tf.keras.layers.Flatten()(table(inp))",
    ],
)
def test_tables_have_whole_gradients(maker: str) -> None:
    new = after(program(("x = tf.keras.layers.Dense(units)(inp)", maker)))
    assert "IndexedSlices" in new or "convert_to_tensor" in new


def test_tables_of_classes_have_whole_gradients() -> None:
    net = """
class Net(tf.keras.Model):
    def __init__(self, units):
        super().__init__()
        self.table = tf.keras.layers.Embedding(9, units)

    def call(self, inputs):
        return tf.reduce_sum(self.table(inputs), 1)


def model_fn"""
    text = PROGRAM.replace("\ndef model_fn", net)
    new = after(text.replace("tf.layers.dense(features['x'], 3)", "Net(3)(features['x'])"))
    assert "convert_to_tensor" in new


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ((("(inp)", "(tf.nn.relu(inp))"),), "tf.nn.relu in a model of Keras"),
        ((("(inp)", "(inp, training=True)"),), "the arguments of the call"),
        ((("units)(inp)", "units, weights=[])(inp)"),), "`weights` of tf.keras.layers.Dense"),
        ((("shape=(2,)", "tensor=None, shape=(2,)"),), "the arguments of an input of Keras"),
        ((("outputs=x)", "outputs=x, trainable=False)"),), "the arguments of a model of Keras"),
        ((("(features['x'])", "([features['x'], features['x']])"),), "how many tensors"),
        ((("create_model(3)(features['x'])", "create_model(3)(features)"),
          ("predictions={", "predictions={'x': features['x'], ")), "how many tensors"),
        ((("Dense(units)(inp)", "Dense(units)(inp)\n    inp.model.summary()"),), "isn't seen"),
        ((("Dense(units)", "BatchNormalization()"),), "BatchNormalization in a model of Keras"),
    ],
)  # fmt: skip
def test_what_keras_3_may_take_otherwise(changes: tuple[tuple[str, str], ...], why: str) -> None:
    assert why in stopped(program(*changes))[1]
