"""Recurrent layers of tf.keras in a model_fn: what 1.15.5 takes for granted is written."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from tests.rewriters.estimators.test_contrib_keras import upgraded

NAME = "keras_gates"
GRU = "GRU(params['units'], input_shape=(6, 4), return_sequences=True)(features)"
HARD = "recurrent_activation=hard_sigmoid"


@pytest.mark.parametrize(
    ("new", "wanted"),
    [
        (GRU, f"GRU(params['units'], return_sequences=True, {HARD}, reset_after=False)"),
        (
            "tf.keras.layers.GRU(units=3, reset_after=False)(features)",
            f"GRU(units=3, reset_after=False, {HARD})",
        ),
        (
            "GRU(3, recurrent_activation='hard_sigmoid', activation='relu')(features)",
            f"GRU(3, {HARD}, activation='relu', reset_after=False)",
        ),
        (
            "GRU(3, activation='hard_sigmoid', recurrent_activation='tanh')(features)",
            "GRU(3, activation=hard_sigmoid, recurrent_activation='tanh', reset_after=False)",
        ),
    ],
)
def test_gates_are_written(new: str, wanted: str) -> None:
    level, reason, after = upgraded(NAME, GRU, new)
    assert level is Level.NATIVE, reason
    assert wanted in after


def test_a_layer_under_a_name() -> None:
    level, reason, after = upgraded(NAME, GRU, "features\n    cell = GRU(3)\n    net = cell(net)")
    assert level is Level.NATIVE, reason
    assert f"GRU(3, {HARD}, reset_after=False)" in after


@pytest.mark.parametrize(
    "new",
    [
        "GRU(3, reset_after=True)(features)",
        "GRU(3, 'relu')(features)",
        "GRU(3, dropout=0.1)(features)",
        "GRU(3, dropout=params['drop'])(features)",
        "GRU(3, recurrent_activation=tf.sigmoid)(features)",
        "GRU(3, recurrent_activation='hard' + '_sigmoid')(features)",
        "GRU(3, stateful=True)(features)",
        "GRU(3, **params)(features)",
        "GRU(3, recurrent_regularizer='l2')(features)",
        "GRU(3)(features, mask=features > 0)",
        "GRU(3)(features, initial_state=features[:, 0, :3])",
        "tf.keras.layers.Bidirectional(GRU(3))(features)",
        "tf.keras.Sequential([GRU(3)])(features)",
        "tf.keras.layers.CuDNNGRU(3)(features)",
        "GRU(3)(tf.keras.layers.Embedding(9, 3, mask_zero=True)(features[:, :, 0]))",
    ],
)
def test_what_may_be_another_thing_stays(new: str) -> None:
    level, reason, _ = upgraded(NAME, GRU, new)
    assert level is Level.COMPAT
    assert reason
