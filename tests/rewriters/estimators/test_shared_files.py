"""`--to keras`: several programs whose train op is a function of a file that they share."""

from __future__ import annotations

import ast

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

TRAINING = '''"""How the models are trained."""
import tensorflow as tf

FLOOR = 0.01


def create_train_op(loss, rate, steps, clip=1.0):
    """A train op whose rate falls."""
    global_step = tf.train.get_or_create_global_step()
    learning_rate = tf.train.polynomial_decay(
        rate, global_step, steps, end_learning_rate=FLOOR, power=1.0, cycle=False)
    optimizer = tf.train.GradientDescentOptimizer(learning_rate)
    tvars = tf.trainable_variables()
    grads = tf.gradients(loss, tvars)
    (grads, _) = tf.clip_by_global_norm(grads, clip_norm=clip)
    return optimizer.apply_gradients(zip(grads, tvars), global_step=global_step)
'''
PROGRAM = '''"""Trains a model."""
import tempfile

import numpy as np
import tensorflow as tf

import training

x = np.random.RandomState(0).rand(32, 4).astype(np.float32)


def model_fn(features, labels, mode):
    """A model."""
    logits = tf.layers.dense(features["x"], 2, name="logits")
    loss = tf.reduce_mean(tf.square(logits))
    if mode == tf.estimator.ModeKeys.TRAIN:
        train_op = training.create_train_op(loss, 0.1, 10)
        return tf.estimator.EstimatorSpec(mode=mode, loss=loss, train_op=train_op)
    return tf.estimator.EstimatorSpec(mode=mode, loss=loss)


def input_fn():
    """Batches."""
    return tf.data.Dataset.from_tensor_slices({"x": tf.constant(x)}).repeat(2).batch(8)


estimator = tf.estimator.Estimator(model_fn, model_dir=tempfile.mkdtemp())
estimator.train(input_fn=input_fn, steps=6)
print(estimator.evaluate(input_fn=input_fn)["loss"])
'''
SECOND = PROGRAM.replace("loss, 0.1, 10)", "loss, 0.2, 8, clip=0.5)")


def upgraded(files: dict[str, str]) -> tuple[list[Level | None], dict[str, str], str]:
    results = list(texts({n: t.encode() for n, t in files.items()}, Options(to="keras")))
    reasons = " ".join(f.message for r in results for f in r.left)
    new = {r.path: (r.after or b"").decode() for r in results}
    return [r.level for r in results], new, reasons


def names(text: str) -> list[str]:
    return [n.name for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]


@pytest.mark.parametrize("imported", ["module", "name"])
def test_a_train_op_of_a_shared_file_is_written_in_each_program(imported: str) -> None:
    files = {"training.py": TRAINING, "first.py": PROGRAM, "second.py": SECOND}
    if imported == "name":
        files["training.py"] = TRAINING.replace("=FLOOR", "=0.01")
        for name in ("first.py", "second.py"):
            text = files[name].replace("training.create", "create")
            files[name] = text.replace("import training", "from training import create_train_op")
    levels, new, reasons = upgraded(files)
    assert set(levels) == {Level.NATIVE}, reasons
    assert "clip_norm=1.0" in new["first.py"]
    assert "clip_norm=0.5" in new["second.py"]
    floor = "0.01" if imported == "name" else "training.FLOOR"
    assert f"PolynomialDecay(0.1, 10, end_learning_rate={floor}" in new["first.py"]
    assert f"PolynomialDecay(0.2, 8, end_learning_rate={floor}" in new["second.py"]
    assert not any("create_train_op" in names(text) for text in new.values())


def test_a_function_of_that_name_in_a_program_that_does_not_share_it() -> None:
    own = PROGRAM.replace("import training\n", "").replace("training.create", "create")
    own = own.replace("def model_fn", TRAINING.partition("FLOOR = 0.01\n")[2] + "\n\ndef model_fn")
    own = own.replace("=FLOOR", "=0.05")
    levels, new, reasons = upgraded({"training.py": TRAINING, "first.py": PROGRAM, "own.py": own})
    assert set(levels) == {Level.NATIVE}, reasons
    assert "end_learning_rate=0.05" in new["own.py"]
    assert "end_learning_rate=training.FLOOR" in new["first.py"]
    assert "create_train_op" not in names(new["training.py"])


def test_a_program_that_calls_it_otherwise_keeps_them_all() -> None:
    again = "        make = training.create_train_op\n        train_op ="
    second = SECOND.replace("        train_op =", again)
    levels, new, reasons = upgraded(
        {"training.py": TRAINING, "first.py": PROGRAM, "second.py": second}
    )
    assert Level.NATIVE not in levels
    assert "trains what it is given" in reasons
    assert "create_train_op" in names(new["training.py"])


IMPORTS = "import tensorflow_hub as hub\n\nimport training"
OF_HUB = PROGRAM.replace("import training", IMPORTS).replace(
    'logits = tf.layers.dense(features["x"], 2, name="logits")',
    'logits = hub.Module("folder/of/a/module", trainable=True)(features["x"])',
)


def test_a_program_that_cannot_run_keeps_no_shared_file() -> None:
    files = {"training.py": TRAINING, "first.py": PROGRAM, "hub.py": OF_HUB}
    results = {
        r.path: r for r in texts({n: t.encode() for n, t in files.items()}, Options(to="keras"))
    }
    assert results["first.py"].level is Level.NATIVE
    assert results["training.py"].level is Level.NATIVE
    assert results["hub.py"].level is Level.COMPAT
    assert ("TFM243", 16) in {(f.rule, f.line) for f in results["hub.py"].left}


@pytest.mark.parametrize("own", [False, True])
def test_one_that_may_run_does(own: bool) -> None:
    """A module that is only made where there are some, or in a file that others import."""
    of_hub = OF_HUB.replace(
        'logits = hub.Module("folder/of/a/module", trainable=True)(features["x"])',
        'logits = tf.layers.dense(features["x"], 2)\n    if hasattr(hub, "Module"):\n'
        '        logits = hub.Module("folder/of/a/module", trainable=True)(features["x"])',
    )
    files = {"training.py": TRAINING, "first.py": PROGRAM, "hub.py": of_hub}
    if own:
        files["hub.py"] = OF_HUB
        files["second.py"] = SECOND.replace("import training", "import training\nimport hub")
    levels, _, reasons = upgraded(files)
    assert Level.NATIVE not in levels, reasons
