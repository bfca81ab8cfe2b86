"""`--to keras`: what of an input_fn's elements a module prints; imports that stand further down."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """import tensorflow as tf


def input_fn(name, mode='train'):
    data = tf.data.TextLineDataset(name).map(lambda row: tf.decode_csv(row, [[0.], [0]]))
    features, target = data.batch(4).make_one_shot_iterator().get_next()
    return {'x': features}, target


features, target = input_fn('')
SHOWN


def model_fn(features, labels, mode):
    logits = tf.layers.dense(tf.expand_dims(features['x'], -1), 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


net = tf.estimator.Estimator(model_fn)
net.train(lambda: input_fn('a.csv'), steps=3)
"""


def upgraded(shown: str) -> tuple[Level | None, str]:
    text = PROGRAM.replace("SHOWN", shown)
    (result,) = texts({"program.py": text.encode()}, Options(to="keras"))
    return result.level, (result.after or b"").decode()


@pytest.mark.parametrize(
    "shown",
    [
        "print('{}'.format(list(features.keys())), target)",
        "print('Features:', features['x'])",
        "print('of %s' % len(features))",
        "",
    ],
)
def test_elements_that_are_only_printed_are_described(shown: str) -> None:
    level, after = upgraded(shown)
    assert level is Level.NATIVE
    assert "features, target = input_fn('').element_spec\n" in after


@pytest.mark.parametrize(
    "shown",
    [
        "print(features['x'] + 1)",
        "print(tf.shape(target))",
        "kept = target",
        "def show():\n    print(target)",
        "print([t for t in target])",
    ],
)
def test_elements_that_are_computed_with_are_read(shown: str) -> None:
    _, after = upgraded(shown)
    assert ".element_spec" not in after


def test_an_import_further_down_is_not_there_yet() -> None:
    """A program's own import may stand behind what calls the definitions that it gets."""
    text = PROGRAM.replace("SHOWN", "").replace("(model_fn)", "(model_fn, 'there')")
    data = f"{text}import math\nimport time\n".encode()
    (result,) = texts({"program.py": data}, Options(to="keras"))
    assert result.after is not None
    head, _, tail = result.after.decode().partition("class Checkpointed")
    assert "import math\n" in head
    assert "import time\n" in head
    assert tail.endswith("import math\nimport time\n")
