"""Moving averages that a `custom_getter` gives a second call of a function."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

KERAS = Path(__file__).parents[3] / "fixtures" / "keras"
CODE = (KERAS / "averaged_weights" / "before.py").read_text(encoding="utf-8")
APPLY = "    ema_op = ema.apply(variables)\n"
SECOND = """    logits_ema, scale_ema = graph_fn(
        features, labels, mode, params, reuse=True, getter=ema_getter(ema))
"""
TABLE = "        table = tf.get_variable("
MAKER = """def ema_getter(ema):

    def _getter(getter, name, *args, **kwargs):
        variable = getter(name, *args, **kwargs)
        average = ema.average(variable)
        return average if average else variable

    return _getter


"""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("return average if average else variable", "return average", "isn't one of"),
        ("average(variable)\n", "average(variable)\n        print(name)\n", "isn't one of"),
        ("=ema_getter(ema)", "=lambda get, *args, **kwargs: get(*args, **kwargs)", "isn't one"),
        (", reuse=True, getter", ", getter", "of variables that aren't used again"),
        (APPLY + SECOND, SECOND + APPLY, "read before they are kept"),
        (APPLY, "", "aren't kept once"),
        (APPLY, APPLY + APPLY.replace("ema_op", "other"), "aren't kept once"),
        (SECOND, SECOND + "    logits += tf.reduce_sum(ema.average(scale))\n", "`ema.average` in"),
        ("'trainable_variables', 'graph'", "'trainable_variables', 'other'", "no layer that"),
        ("ExponentialMovingAverage(0.8)", "ExponentialMovingAverage(0.8, 3)", "`num_updates`"),
        ("    ema = tf.train.Ex", "    ema = None\n    ema = tf.train.Ex", "a name of their own"),
        (TABLE, "        numbers = tf.layers.batch_normalization(numbers)\n" + TABLE,
         "batch normalization"),
        (TABLE, "        numbers *= tf.Variable(tf.ones([3]))\n" + TABLE, "no `custom_getter` is"),
        ("    return logits * scale, scale", "    return tf.layers.dense(logits, 3) * scale, scale",
         "`getter` isn't asked for"),
        ("getter=None):", "getter=ema_getter(None)):", "isn't one of"),
        ("custom_getter=getter):", "custom_getter=getter):\n        print(getter)", "custom_g"),
    ],
)  # fmt: skip
def test_what_keeps_averages_is_named(old: str, new: str, reason: str) -> None:
    assert old in CODE
    assert reason in stopped(CODE.replace(old, new))[1]


def test_a_getter_may_stand_in_the_model_fn() -> None:
    inner = """    def smooth(getter, name, *args, **kwargs):
        variable = getter(name, *args, **kwargs)
        average = ema.average(variable)
        return variable if average is None else average

"""
    code = CODE.replace(MAKER, "").replace(SECOND, inner + SECOND)
    text = after(code.replace("ema_getter(ema)", "smooth"))
    assert "self.ema.applied(self.graph, features, training=training)" in text
    assert "getter" not in text


def test_averages_that_no_step_moves_stay_what_they_were() -> None:
    text = after(CODE.replace("tf.group([train_op, ema_op])", "tf.group([train_op])"))
    assert ".ema.update(" not in text


def test_settings_that_a_model_fn_puts_in_are_its_own() -> None:
    assert "        params = dict(params)\n        with open(params['classes']) as f:" in after(
        CODE
    )
    deeper = CODE.replace("params['num_classes'] =", "params['x']['y'] =")
    assert "what is in `params` changes" in stopped(deeper)[1]


def test_labels_that_nothing_reads_are_no_part_of_the_forward_pass() -> None:
    text = after(CODE)
    assert "def call(self, features, training=False):" in text
    assert (
        "labels" not in text.split("def call(self, features, training=False):")[-1].split("def ")[0]
    )
