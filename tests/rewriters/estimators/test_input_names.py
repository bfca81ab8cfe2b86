"""An input_fn of arrays under a second name, and Experiments of contrib.learn's own Estimator."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.estimators.test_contrib_keras import upgraded

NAME = "learn_experiment"
ALIAS = "        train_input = train_input_fn\n"


@pytest.mark.parametrize("new", [ALIAS, ALIAS.replace("= train", "= \\\n            train")])
def test_the_dataset_stands_where_a_second_name_stood(new: str) -> None:
    level, reason, after = upgraded(NAME, ALIAS, new)
    assert level is Level.NATIVE, reason
    assert "estimator.fit(train_dataset.take(STEPS), verbose=0)" in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (ALIAS, f"        first = train_input_fn\n{ALIAS}"),
        ("train_input_fn=train_input,", "train_input_fn=train_input_fn,"),
        (ALIAS, f"{ALIAS}        print(train_input)\n"),
        (ALIAS, f"{ALIAS}        other = train_input\n"),
        (ALIAS, ALIAS.replace("train_input =", "train_input = other =")),
        (ALIAS, f"{ALIAS}        train_input = test_input_fn\n        train_input = len\n"),
        (ALIAS, f"{ALIAS}        train_input.dtype = 1\n"),
        (
            "            train_steps=STEPS\n",
            "            train_steps=STEPS,\n            eval_metrics={}\n",
        ),
    ],
)
def test_what_is_read_elsewhere_stays(old: str, new: str) -> None:
    level, reason, _ = upgraded(NAME, old, new)
    assert level is Level.COMPAT
    assert reason


CODE = """\
import numpy as np
import tensorflow as tf

__all__ = [{exported}]
x, y = {{'x': np.ones([8, 1], 'float32')}}, np.ones(8)
train_input_fn = tf.estimator.inputs.numpy_input_fn(x, y, num_epochs=None, shuffle=False)
{more} = tf.estimator.inputs.numpy_input_fn(x, batch_size=2, shuffle=False)
net = tf.estimator.LinearRegressor([tf.feature_column.numeric_column('x')])
net.train(train_input_fn, steps=2)
"""
READ = "\nprint(predict_input_fn)\n"


def read(code: str) -> tuple[Level | None, str]:
    (result,) = texts({"program.py": code.encode()}, Options(to="keras"))
    return result.level, (result.after or b"").decode()


def test_an_input_fn_that_nobody_reads_is_a_dataset() -> None:
    level, after = read(CODE.format(exported="", more="predict_input_fn"))
    assert level is Level.NATIVE
    assert "predict_dataset = tf.data.Dataset.from_tensor_slices(x).batch(2)\n" in after


@pytest.mark.parametrize(
    "code",
    [
        CODE.format(exported="'predict_input_fn'", more="predict_input_fn"),
        CODE.format(exported="", more="first = predict_input_fn"),
        CODE.format(exported="", more="x['f']"),
        CODE.format(exported="", more="predict_input_fn") + READ,
    ],
)
def test_others_keep_the_estimator(code: str) -> None:
    level, _ = read(code)
    assert level is Level.COMPAT
