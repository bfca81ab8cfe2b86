"""Keras's phase, parts of batches by number, columns and exports that are written otherwise."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.estimators.test_contrib_keras import FIXTURES, upgraded

NAME = "learning_phase"
TEST = "    if mode == tf.estimator.ModeKeys.TRAIN:\n        K.set_learning_phase(1)\n"
PHASES = TEST + "    else:\n        K.set_learning_phase(0)\n"
DROPS = "net = Dropout(0.5, noise_shape=(1, 1), seed=3)(net)"
OUTPUT = "{'kind': tf.argmax(logits, 1), 'chances': tf.nn.softmax(logits, name='chances')})"
BATCH = "    batch = data.make_one_shot_iterator().get_next()\n"


def turned(text: str) -> str:
    return text.replace("(1)", "(2)").replace("(0)", "(1)").replace("(2)", "(0)")


def test_layers_are_told_whether_they_train() -> None:
    level, reason, after = upgraded(NAME)
    assert level is Level.NATIVE, reason
    assert "net = self.dropout(net, training=training)" in after
    assert "backend" not in after
    assert "def batch_of(*batch):" in after
    assert "NumericColumn('pixels', shape=49)" in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PHASES, turned(PHASES).replace("==", "!=")),
        (
            PHASES,
            "    if mode == 'train':\n        K.set_learning_phase(True)\n    else:\n"
            "        K.set_learning_phase(False)\n",
        ),
        (DROPS, f"{DROPS}\n    net = Dropout(0.1)(net)"),
        (
            "return tf.data.Dataset.zip((images, labels))",
            "both = tf.data.Dataset.zip((images, labels))\n"
            "    return both.filter(lambda *row: True)",
        ),
        (
            "return tf.data.Dataset.zip((images, labels))",
            "return tf.data.Dataset.zip((images, labels)).map(lambda a, b: (a, b))",
        ),
        (OUTPUT, OUTPUT.replace(", name='chances'", "")),
        ("dimension=49", "dimension=49, normalizer=lambda x: x / 2.0"),
    ],
)
def test_other_words_for_the_same(old: str, new: str) -> None:
    level, reason, after = upgraded(NAME, old, new)
    assert level is Level.NATIVE, reason
    assert "training=" in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PHASES, TEST),  # the phase of other modes is Keras's own
        (PHASES, PHASES.replace("(0)", "(flag)")),
        (PHASES, PHASES.replace("mode ==", "images.shape[0] ==")),
        (PHASES, f"{PHASES}    K.set_learning_phase(0)\n"),
        # What isn't applied here, or asks by itself.
        (DROPS, "drop = Dropout(0.5)\n    net = drop(net)"),
        (DROPS, f"{DROPS}\n    net = tf.keras.layers.BatchNormalization()(net)"),
        (DROPS, f"{DROPS}\n    net = tf.keras.Sequential([Dropout(0.5)])(net)"),
        (DROPS, f"{DROPS}\n    net = K.in_train_phase(net, net * 2.0)"),
        ("Activation('tanh')", "Activation('hard_sigmoid')"),
        # One tensor's rows, or nothing that is seen.
        ("return tf.data.Dataset.zip((images, labels))", "return images"),
        (
            "return tf.data.Dataset.zip((images, labels))",
            "return tf.data.Dataset.zip((images, labels)).map(max)",
        ),
        (
            "return tf.data.Dataset.zip((images, labels))",
            "return tf.data.Dataset.zip((images, labels)).apply(print)",
        ),
        # The export isn't what is predicted.
        (OUTPUT, OUTPUT.replace("argmax", "argmin")),
        (OUTPUT, OUTPUT + "\n    predictions['more'] = logits"),
        ("    output = tf.est", "    logits = logits * 2.0\n    output = tf.est"),
        ("dimension=49", "dimension=None"),
        ("dimension=49", "**{'dimension': 49}"),
    ],
)
def test_what_may_be_another_thing_stays(old: str, new: str) -> None:
    level, reason, _ = upgraded(NAME, old, new)
    assert level is Level.COMPAT
    assert reason


SET = "\nrng = np.random.RandomState(5)"


@pytest.mark.parametrize("line", ["K.set_learning_phase(1)  # off", "K.set_learning_phase(0)"])
def test_the_phase_of_another_graph_goes(line: str) -> None:
    level, reason, after = upgraded(NAME, PHASES, "", (SET, f"\n{line}{SET}"))
    assert level is Level.NATIVE, reason
    assert "phase" not in after.partition('"""\n')[2].replace("'phases'", "")
    assert "net = self.dropout(net, training=False)" in after


def test_a_model_outside_of_estimators_may_have_that_phase() -> None:
    more = f"\nK.set_learning_phase(1)\nown = tf.keras.Sequential([Dense(2)]){SET}"
    level, _, _ = upgraded(NAME, PHASES, "", (SET, more))
    assert level is Level.COMPAT


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("from program import model_fn", Level.COMPAT),
        ("from program import (net,\n    model_fn)", Level.COMPAT),
        ("from program import *", Level.COMPAT),
        ("import program\n\nfn = program.model_fn", Level.COMPAT),
        ("import os  # beside model_fn", Level.NATIVE),
    ],
)
def test_another_file_may_ask_for_the_phase(line: str, level: Level) -> None:
    source = (FIXTURES / NAME / "before.py").read_text(encoding="utf-8")
    more = "def more(x):\n    return tf.keras.layers.Dropout(0.5)(x)\n"
    other = f"import tensorflow as tf\n{line}\n\n\n{more}"
    files = {"program.py": source.encode(), "other.py": other.encode()}
    both = {r.path: r.level for r in texts(files, Options(to="keras"))}
    assert both["program.py"] is level
