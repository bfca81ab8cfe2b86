"""`--to keras`: Estimators beside eager execution. (Numbers: fixtures/keras/eager_beside.)"""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

MODEL = """import numpy as np
import tensorflow as tf


def dataset():
    return tf.data.Dataset.from_tensor_slices((np.ones((8, 2), 'f'), np.zeros(8, 'i'))).batch(4)


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features, 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
"""
RUN = """
net = tf.estimator.Estimator(model_fn)
net.train(dataset, steps=3)
"""


def upgraded(**files: str) -> dict[str, tuple[Level | None, str, str]]:
    done = texts({f"{n}.py": t.encode() for n, t in files.items()}, Options(to="keras"))
    return {
        r.path.removesuffix(".py"): (
            r.level,
            (r.after or b"").decode(),
            "".join(f.message for f in r.left if f.rule == "TFM520"),
        )
        for r in done
    }


@pytest.mark.parametrize("switch", ["tf.enable_eager_execution()", "tf.enable_v2_behavior()"])
def test_the_switch_goes_with_the_estimator(switch: str) -> None:
    text = MODEL + switch + RUN + "for x, y in dataset():\n    print(x.numpy().sum())\n"
    level, after, _ = upgraded(program=text)["program"]
    assert level is Level.NATIVE
    assert "class Model(tf.keras.Model):" in after
    assert "net.fit(dataset().take(3), verbose=0)" in after
    assert "eager" not in after
    assert "enable" not in after


def test_the_switch_may_stand_in_another_file() -> None:
    main = "import tensorflow as tf\nfrom model import dataset, model_fn\n"
    done = upgraded(model=MODEL, main=main + "tf.enable_eager_execution()\n" + RUN)
    assert [level for level, _, _ in done.values()] == [Level.NATIVE] * 2
    assert "class Model(tf.keras.Model):" in done["model"][1]
    assert "enable" not in done["main"][1]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("if tf.executing_eagerly():\n    print('eager')\n", "whether it runs eagerly is asked"),
        ("with tf.Graph().as_default():\n    sess = tf.Session()\n    sess.run(tf.zeros(2))\n", ""),
        ("print(net.get_variable_names())\n", ""),
    ],
)
def test_a_program_that_stays_keeps_its_switch(more: str, why: str) -> None:
    text = MODEL + "tf.enable_eager_execution()\n" + RUN + more
    level, after, said = upgraded(program=text)["program"]
    assert level is Level.COMPAT
    assert why in said
    assert "enable_eager_execution()" in after
    assert "estimator_shim.Estimator(model_fn)" in after


def test_an_eager_program_beside_it_keeps_what_it_is() -> None:
    """A file without Estimators, whose program is eager and shares the model's file."""
    other = "import tensorflow as tf\nimport model\ntf.enable_eager_execution()\nmodel.dataset()\n"
    done = upgraded(model=MODEL, main="from model import *\n" + RUN, other=other)
    assert done["model"][0] is done["main"][0]
