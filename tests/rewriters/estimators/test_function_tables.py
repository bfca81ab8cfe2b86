"""A function that a setting chooses in a dict is called in branches."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """
import numpy as np
import tensorflow as tf


def small(x):
    return tf.layers.dense(x, 3)


def large(x):
    return tf.layers.dense(tf.layers.dense(x, 8), 3)


def model_fn(features, labels, mode, params):
{body}
    loss = tf.losses.mean_squared_error(labels, out)
    train_op = tf.train.GradientDescentOptimizer(.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    x = np.ones((8, 3), 'f')
    return tf.data.Dataset.from_tensor_slices(({{'x': x}}, x)).batch(4)


net = tf.estimator.Estimator(model_fn, params={{'kind': 'small'}})
net.train(input_fn)
{more}
"""
TABLE = "table = {'small': small, 'large': large}"
TWO = f"{TABLE}\nmodel = table[params['kind']]\nout = model(features['x'])"


def upgraded(body: str, more: str = "", other: str = "") -> tuple[Level | None, str]:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    files = {"a.py": PROGRAM.format(body=lines, more=more).encode()}
    if other:
        files["b.py"] = other.encode()
    result = next(r for r in texts(files, Options(to="keras")) if r.path == "a.py")
    return result.level, (result.after or b"").decode()


@pytest.mark.parametrize(
    ("body", "more"),
    [
        (TWO, ""),
        (f"{TABLE}\nout = table[params['kind']](features['x'])", ""),
        ("out = table[params['kind']](features['x'])", TABLE),
    ],
)
def test_each_function_is_called_in_a_branch(body: str, more: str) -> None:
    level, after = upgraded(body, more)
    assert level is Level.NATIVE
    assert "if self.params['kind'] == 'small':" in after
    assert "elif self.params['kind'] == 'large':" in after
    assert "raise KeyError(self.params['kind'])" in after


@pytest.mark.parametrize(
    ("body", "more"),
    [
        (TWO.replace("'large': large", "'large': lambda x: x"), ""),
        (TWO.replace("'large'", "'small'"), ""),
        (TWO.replace("table[params['kind']]", "table.get(params['kind'])"), ""),
        (TWO + "\nprint(model)", ""),
        (TWO + "\nout = model(out)", ""),
        (TABLE + "\ntable['large'] = small\nout = table[params['kind']](features['x'])", ""),
        ("out = table[params['kind']](features['x'])", TABLE + "\ntable['large'] = small"),
    ],
)
def test_other_tables_stay(body: str, more: str) -> None:
    assert upgraded(body, more)[0] is Level.COMPAT


def test_a_table_that_another_file_may_change_stays() -> None:
    body = "out = table[params['kind']](features['x'])"
    other = "import a\na.table['large'] = a.small\n"
    assert upgraded(body, TABLE, other)[0] is Level.COMPAT
