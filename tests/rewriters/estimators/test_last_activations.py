"""Last outputs of sequences, an optimizer named around the model_fn, elements of one tensor."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from tests.rewriters.estimators.test_contrib_keras import upgraded

NAME = "last_activations"
LAST = """rnn_common.select_last_activations(outputs,
                                                  size)"""
BUILT = "get_model_fn([4, 3], optimizer='Adam', rate=0.02, layers=[4])"
ONE = "data = tf.data.Dataset.from_tensors((letters))"


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        (LAST, LAST, "tf.gather(outputs, size - 1, batch_dims=1)"),
        (LAST, LAST.replace("size)", "sequence_lengths=size + 0)"), "(size + 0) - 1, batch_dims"),
        (LAST, LAST.replace("size)", "None)"), "last = outputs[:, -1]"),
        (BUILT, "get_model_fn([4], 'RMSProp', layers=[])", "RMSprop(rate"),
        (BUILT, "get_model_fn([4])", "optimizers.SGD(rate)"),
        (BUILT, f"{BUILT}\n    other = {BUILT}", "optimizers.Adam(rate"),
        (BUILT, BUILT.replace("'Adam'", "KIND"), "optimizers.Adam(rate"),
        (
            ONE,
            "data = tf.data.Dataset.from_tensor_slices(tf.stack([letters]))",
            "(letter):\n",
        ),
    ],
)
def test_what_is_written(old: str, new: str, wanted: str) -> None:
    level, reason, after = upgraded(
        NAME, old, new, ("\n\ndef get_input_fn", "\nKIND = 'Adam'\n\n\ndef get_input_fn")
    )
    assert level is Level.NATIVE, reason
    assert wanted in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LAST, LAST.replace("size)", "*[size])")),
        (LAST, LAST.replace("size)", "size, 1)")),
        (BUILT, f"{BUILT}\n    other = {BUILT.replace('Adam', 'SGD')}"),
        (BUILT, f"{BUILT}\n    other = get_model_fn([4])"),
        (BUILT, BUILT.replace("'Adam'", "str(names.dtype)")),
        (BUILT, BUILT.replace("optimizer='Adam'", "**{'optimizer': 'Adam'}")),
        (BUILT, f"{BUILT}\n    made = [get_model_fn]"),
        (BUILT, BUILT.replace("'Adam'", "'Nadam'")),
        ("def get_model_fn(", "@property\ndef get_model_fn("),
        (ONE, "data = tf.data.Dataset.from_tensors(name)"),
        (ONE, "data = tf.data.Dataset.from_tensors(tf.nn.moments(letters, 0))"),
        (ONE, f"{ONE}.map(len)"),
    ],
)
def test_what_may_be_another_thing_stays(old: str, new: str) -> None:
    level, reason, _ = upgraded(NAME, old, new)
    assert level is Level.COMPAT
    assert reason
