"""Decays that are kept in a list or a dict and fetched at once."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

step = tf.train.get_or_create_global_step()
w = tf.Variable(1.0)
"""
DECAY = "tf.train.exponential_decay(0.1, step, 2, 0.5)"
RUNS = """\
train = tf.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(train)
"""


@pytest.mark.parametrize(
    ("decays", "written"),
    [
        (
            f"rates = {{'a': {DECAY}, 'b': {DECAY}}}",
            "{name: rate(step).numpy() for name, rate in rates.items()}",
        ),
        (f"rates = [{DECAY}, {DECAY}]", "[rate(step).numpy() for rate in rates]"),
        (f"rate = [{DECAY}, {DECAY}]", "[each_rate(step).numpy() for each_rate in rate]"),
    ],
)
def test_each_is_asked_at_its_step(decays: str, written: str) -> None:
    name = decays.partition(" ")[0]
    source = f"{HEAD}{decays}\n{RUNS}print(sess.run({name}))\n"
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert f"print({written})\n" in str(result.after, "utf-8")


def test_decays_among_other_fetches_keep_the_session() -> None:
    source = f"{HEAD}rates = [{DECAY}]\n{RUNS}print(sess.run([train, rates])[1])\n"
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT
