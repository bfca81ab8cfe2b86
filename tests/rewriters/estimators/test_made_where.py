"""`--to keras`: layers that a setting and the mode ask for."""

from __future__ import annotations

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import numpy as np
import tensorflow as tf

TRAIN = tf.estimator.ModeKeys.TRAIN
{tower}

def model_fn(features, labels, mode, params):
    net = tf.layers.dense(features["x"], 8)
{body}
    scores = tf.layers.dense(net, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={{"scores": scores}})
    loss = tf.losses.mean_squared_error(labels, scores)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


x = np.ones((32, 4), np.float32)
input_fn = tf.estimator.inputs.numpy_input_fn({{"x": x}}, x[:, :1], batch_size=8, shuffle=False)
net = tf.estimator.Estimator(model_fn, params={{"rate": 0.3, "deep": True}})
net.train(input_fn, steps=3)
"""


def upgraded(body: str, tower: str = "") -> tuple[str, Level | None]:
    text = PROGRAM.format(body=body.rstrip("\n"), tower=tower)
    (result,) = texts({"net.py": text.encode()}, Options(to="keras"))
    return (result.after or b"").decode(), result.level


def test_a_setting_beside_the_mode_makes_the_layer() -> None:
    body = (
        '    if params["rate"] and params["deep"] and mode == TRAIN:\n'
        '        net = tf.layers.dropout(net, params["rate"], training=True)\n'
    )
    text, level = upgraded(body)
    assert level is Level.NATIVE
    assert (
        '        if params["rate"] and params["deep"]:\n'
        '            self.dropout = tf.keras.layers.Dropout(params["rate"])\n'
    ) in text
    assert (
        '        if self.params["rate"] and self.params["deep"] and training:\n'
        "            net = self.dropout(net, training=True)\n"
    ) in text
    assert "TRAIN" not in text  # nothing asks for the mode any more


def test_a_choice_of_settings_keeps_its_parentheses() -> None:
    body = (
        '    if mode == TRAIN and (params["rate"] or params["deep"]) and params["wide"]:\n'
        "        net = tf.layers.dropout(net, 0.5, training=True)\n"
    )
    text, _ = upgraded(body)
    assert (
        'if (params["rate"] or params["deep"]) and params["wide"]:\n            self.drop' in text
    )


def test_a_round_without_the_layer_has_none_in_a_helper() -> None:
    tower = (
        "\n\ndef tower(net, mode, params):\n"
        "    for units in (8, 4):\n"
        "        net = tf.layers.dense(net, units)\n"
        '        if params["rate"] is not None and mode == TRAIN and units > 4:\n'
        '            net = tf.layers.dropout(net, params["rate"], training=True)\n'
        "    return net\n"
    )
    text, level = upgraded("    net = tower(net, mode, params)\n", tower)
    assert level is Level.NATIVE
    test = 'params["rate"] is not None and units > 4'
    assert f'tf.keras.layers.Dropout(params["rate"]) if {test} else None' in text


def test_what_prediction_alone_leaves_out_stays() -> None:
    body = (
        '    if params["rate"] and mode != tf.estimator.ModeKeys.PREDICT:\n'
        '        net = tf.layers.dropout(net, params["rate"], training=True)\n'
    )
    _, level = upgraded(body)
    assert level is not Level.NATIVE


def test_what_asks_for_labels_before_a_layer_stays() -> None:
    """`call` has no labels, so it would leave the branch out."""
    drop = 'net = tf.layers.dropout(net, params["rate"], training=True)\n'
    for body in (
        f"    if labels is not None and mode == TRAIN:\n        {drop}",
        f"    if labels is not None:\n        if mode == TRAIN:\n            {drop}",
    ):
        _, level = upgraded(body)
        assert level is not Level.NATIVE
