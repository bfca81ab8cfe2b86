"""The programs of fixtures/checkpoints/record.py as a user would have migrated them."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf
from keras import layers


def compiled(model: Any, optimizer: Any) -> Any:
    model.compile(optimizer, "mse")
    model.optimizer.build(model.trainable_variables)
    return model


def adam() -> Any:
    return keras.optimizers.Adam(0.01, epsilon=1e-8)


def mlp() -> Any:
    stack = [layers.Dense(16, "relu"), layers.Dense(16, "relu"), layers.Dense(3)]
    return compiled(keras.Sequential([keras.Input((8,)), *stack]), adam())


def mlp_other_names() -> Any:
    """Names that say nothing, and two layers of one shape less: 8-16, 16-16, 16-3."""
    stack = [
        layers.Dense(16, "relu", name="hidden_a"),
        layers.Dense(16, "relu", name="hidden_b"),
        layers.Dense(3, name="out"),
    ]
    return keras.Sequential([keras.Input((8,)), *stack])


def twins() -> Any:
    """Three layers of one shape."""
    stack = [layers.Dense(8, name=name) for name in ("one", "two", "three")]
    return keras.Sequential([keras.Input((8,)), *stack])


def convnet() -> Any:
    stack = [
        layers.Conv2D(4, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.SeparableConv2D(5, 3),
        layers.Flatten(),
        layers.Dense(3, name="logits"),
    ]
    optimizer = keras.optimizers.RMSprop(0.01, momentum=0.5, centered=True, epsilon=1e-10)
    return compiled(keras.Sequential([keras.Input((8, 8, 3)), *stack]), optimizer)


def contrib() -> Any:
    stack = [
        layers.Dense(12, "relu", name="fc1"),
        layers.BatchNormalization(name="bn"),
        layers.Dense(3, name="fc2"),
    ]
    return keras.Sequential([keras.Input((8,)), *stack])


def low_level() -> Any:
    x = keras.Input((6,))
    h = layers.Dense(10, "tanh", name="hidden")(x)
    left = layers.Dense(2, use_bias=False, name="left")(h)
    right = layers.Dense(3, "sigmoid", use_bias=False, name="right")(h)
    return keras.Model(x, layers.Concatenate()([left, right]))


def embedding() -> Any:
    stack = [
        layers.Embedding(10, 4, name="words"),
        layers.GlobalAveragePooling1D(),
        layers.Dense(2, name="dense"),
    ]
    optimizer = keras.optimizers.Adagrad(0.1, epsilon=1e-7)
    return compiled(keras.Sequential([keras.Input((5,)), *stack]), optimizer)


def partitioned() -> Any:
    stack = [layers.Dense(4, use_bias=False, name="p"), layers.Dense(5, use_bias=False, name="q")]
    return compiled(keras.Sequential([keras.Input((8,)), *stack]), adam())


def recurrent(*cells: Any) -> Any:
    return keras.Sequential([keras.Input((5, 6)), *cells, layers.Dense(2, name="dense")])


def lstm() -> Any:
    return recurrent(layers.LSTM(7, name="lstm"))


def basic_lstm() -> Any:
    return compiled(lstm(), adam())


def stacked_lstm() -> Any:
    return recurrent(
        layers.LSTM(7, return_sequences=True, name="first"), layers.LSTM(7, name="second")
    )


def gru_before() -> Any:
    return recurrent(layers.GRU(7, reset_after=False, name="gru"))


def gru() -> Any:
    return compiled(gru_before(), adam())


def cudnn_gru() -> Any:
    return compiled(recurrent(layers.GRU(7, name="gru")), adam())


def basic_rnn() -> Any:
    return compiled(recurrent(layers.SimpleRNN(7, name="rnn")), adam())


class Module(tf.Module):
    """The multi-layer perceptron on bare variables."""

    def __init__(self) -> None:
        super().__init__()
        sizes = [(8, 16), (16, 16), (16, 3)]
        self.dense = [tf.Variable(tf.zeros(size)) for size in sizes]
        self.bias = [tf.Variable(tf.zeros(size[1])) for size in sizes]
        self.steps = tf.Variable(0, dtype=tf.int64)

    def __call__(self, x: Any) -> Any:
        for place, (kernel, bias) in enumerate(zip(self.dense, self.bias, strict=True)):
            x = x @ kernel + bias
            x = tf.nn.relu(x) if place < 2 else x
        return x


def wrong() -> Any:
    raise RuntimeError("no such model today")


def one_layer() -> Any:
    return keras.Sequential([keras.Input((3,)), layers.Dense(2, "relu", name="dense")])


def after_keras() -> Any:
    stack = [layers.Dense(12, "relu"), layers.BatchNormalization(), layers.Dense(3)]
    return compiled(keras.Sequential([keras.Input((8,)), *stack]), adam())


def after_keras_bare() -> Any:
    stack = [layers.Dense(12, "relu"), layers.BatchNormalization(), layers.Dense(3)]
    return keras.Sequential([keras.Input((8,)), *stack])


def checkpoint() -> Any:
    """A user's own tf.train.Checkpoint, with parts of other names."""
    model = mlp()
    return tf.train.Checkpoint(net=model, opt=model.optimizer)
