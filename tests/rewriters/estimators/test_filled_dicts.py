"""`--to keras`: calls that are given dicts which a function fills."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = """import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(features, params['units'])
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensor_slices((np.ones((8, 2), 'f'), np.zeros(8, 'i'))).batch(4)


def build(flags):
    keys = {}
    # What the flags say.
    keys['save_checkpoints_steps'] = flags.steps
    keys['session_config'] = None
    if flags.folder:
        keys['model_dir'] = flags.folder
    config = tf.estimator.RunConfig(**keys)
    given = dict(model_fn=model_fn, params={'units': 3})
    given['config'] = config
    return tf.estimator.Estimator(**given)


def main(flags):
    net = build(flags)
    net.train(input_fn, steps=3)


main(tf.app.flags.FLAGS)
"""


def test_words_are_given_one_by_one() -> None:
    text = after(PROGRAM)
    start = text.index("def build")
    assert text[start : text.index("def main")] == (
        "def build(flags):\n"
        "    model_dir = None\n"
        "    # What the flags say.\n"
        "    if flags.folder:\n"
        "        model_dir = flags.folder\n"
        "    return Model({'units': 3}, model_dir, every_steps=flags.steps)\n\n\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("= flags.steps\n", "= int(flags.steps)\n", "save_checkpoints_steps = int(flags.steps)\n"),
        ("= flags.steps\n", "= flags.steps\n    flags.steps = 4\n", "_steps = flags.steps\n"),
        ("= flags.steps\n", "= flags.steps\n    print(flags)\n", "_steps = flags.steps\n"),
        (
            "= flags.steps\n",
            "= flags.steps\n    if flags.folder:\n        keys['save_checkpoints_steps'] = 9\n",
            "    if flags.folder:\n        save_checkpoints_steps = 9\n",
        ),
    ],
)
def test_what_may_be_another_thing_by_then_gets_a_name(old: str, new: str, kept: str) -> None:
    assert kept in after(PROGRAM.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    config =", "    print(keys)\n    config ="),
        ("    config =", "    keys.update(flags.more)\n    config ="),
        ("    config =", "    for key in flags.more:\n        keys[key] = 1\n    config ="),
        (
            "    keys['save_checkpoints_steps']",
            "    if flags.folder:\n        keys['save_checkpoints_steps']",
        ),
        ("    keys = {}", "    keys = flags.keys"),
    ],
)
def test_dicts_that_are_not_seen_whole(old: str, new: str) -> None:
    assert old in PROGRAM
    assert "`**` hides arguments" in stopped(PROGRAM.replace(old, new))[1]
