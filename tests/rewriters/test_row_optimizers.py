"""What is written for optimizers of rows does the same under XLA.

XLA's `tf.unique` of rows that came out of a `tf.unique` takes their padding for one more row.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures"
pytestmark = pytest.mark.tf2
#: Where each is written, and what it is made with.
WRITTEN = {
    "Momentum": ("native/embedding_momentum", {"momentum": 0.9}),
    "RMSprop": ("keras/row_optimizers", {"momentum": 0.5, "epsilon": 1e-10}),
    "Ftrl": ("keras/row_optimizers", {"l1_regularization_strength": 0.01}),
    "Adam": ("keras/row_optimizers", {}),
    "Adagrad": ("keras/row_optimizers", {}),
}
OWN = ("Momentum", "RMSprop", "Ftrl")  # the others are Keras's


def written(folder: str) -> dict[str, Any]:
    """The optimizers, and `sum_rows`, of what a fixture's program became."""
    import tensorflow as tf

    tree = ast.parse((FIXTURES / folder / "after.py").read_text(encoding="utf-8"))
    tree.body = [
        item
        for item in tree.body
        if (isinstance(item, ast.ClassDef) and "optimizers" in ast.unparse(item.bases[0]))
        or (isinstance(item, ast.FunctionDef) and item.name == "sum_rows")
    ]
    found = {"tf": tf}
    exec(compile(tree, folder, "exec"), found)
    return found


def trained(name: str, *, summed: bool, jit: bool) -> tuple[np.ndarray, ...]:
    """A table and its slots after six steps whose rows come out of a `tf.unique`, twice each."""
    import tensorflow as tf

    folder, options = WRITTEN[name]
    made = written(folder)
    optimizer = (made.get(name) or getattr(tf.keras.optimizers, name))(0.1, **options)
    sum_rows = written("keras/row_optimizers")["sum_rows"] if summed else lambda gradient: gradient
    start = np.random.RandomState(0).uniform(-1.0, 1.0, (12, 4)).astype(np.float32)
    table = tf.Variable(start)
    optimizer.build([table])

    @tf.function(jit_compile=jit)
    def step(ids: Any) -> None:
        with tf.GradientTape() as tape:
            rows, place = tf.unique(tf.reshape(ids, [-1]))
            both = tf.gather(table, tf.concat([rows, rows], 0))
            looked_up = tf.gather(both, tf.concat([place, place + tf.size(rows)], 0))
            loss = tf.reduce_sum(tf.cos(looked_up) * tf.range(1.0, 5.0))
        optimizer.apply_gradients([(sum_rows(tape.gradient(loss, table)), table)])

    for k in range(6):
        step(tf.constant(np.random.RandomState(k).randint(0, 9, (4, 3))))
    assert np.array_equal(table.numpy()[9:], start[9:])  # never looked up
    return tuple(v.numpy() for v in (table, *optimizer.variables) if v.shape == table.shape)


@pytest.mark.parametrize(
    ("name", "summed"),
    [(name, True) for name in WRITTEN] + [(name, False) for name in OWN],
)
def test_rows_are_the_same_under_xla(name: str, summed: bool) -> None:
    plain, compiled = (trained(name, summed=summed, jit=jit) for jit in (False, True))
    assert len(plain) == len(compiled) > 1
    for one, other in zip(plain, compiled, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", OWN)
def test_summed_rows_may_be_summed_again(name: str) -> None:
    """A program that makes several optimizers sums the rows for all of them."""
    for one, other in zip(
        trained(name, summed=False, jit=False), trained(name, summed=True, jit=False), strict=True
    ):
        np.testing.assert_array_equal(one, other)
