"""`--to keras`: Estimators that functions make, one in each branch; files in a cycle."""

from __future__ import annotations

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

TASK = '''"""Trains what the settings say."""
import argparse
import tempfile

import numpy as np
import tensorflow as tf

import model

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=0.1)
parser.add_argument("--kind", default="classification")
SETTINGS = parser.parse_args()
LABELS = ["cat", "dog"]


def data():
    draw = np.random.RandomState(1)
    x = draw.rand(32, 3).astype(np.float32)
    words = np.array(LABELS)[(x.sum(1) > 1.5).astype(int)]
    return x, words


def input_fn(batch=8, epochs=2):
    x, words = data()
    dataset = tf.data.Dataset.from_tensor_slices(({"x": x}, words))
    dataset = dataset.map(lambda features, target: ({"x": features["x"] * 2.0}, target))
    dataset = dataset.batch(batch).repeat(epochs)
    iterator = dataset.make_one_shot_iterator()
    features, target = iterator.get_next()
    return features, target


def main():
    config = tf.estimator.RunConfig(model_dir=tempfile.mkdtemp(), save_checkpoints_steps=4)
    if SETTINGS.kind == "classification":
        estimator = model.create_classifier(config=config)
    elif SETTINGS.kind == "wide":
        estimator = model.create_wide(config)
    else:
        estimator = model.create_other(config=config)
    estimator.train(input_fn)
    result = estimator.evaluate(input_fn)
    print(sorted((k, round(float(v), 4)) for k, v in result.items()))


if __name__ == "__main__":
    main()
'''
MODEL = '''"""The models."""
import tensorflow as tf

import task


def metric_fn(labels, predictions):
    """What is measured besides."""
    metrics = {}
    shares = predictions["logistic"]
    metrics["mean_share"] = tf.metrics.mean(shares)
    return metrics


def create_classifier(config):
    columns = [tf.feature_column.numeric_column("x", shape=[3])]
    estimator = tf.estimator.DNNClassifier(
        [4], columns, n_classes=len(task.LABELS), label_vocabulary=task.LABELS,
        optimizer=tf.train.AdagradOptimizer(task.SETTINGS.rate), config=config)
    estimator = tf.contrib.estimator.add_metrics(estimator, metric_fn)
    print("a model: {}".format(estimator) is None)
    return estimator


def create_wide(config):
    columns = [tf.feature_column.numeric_column("x", shape=[3])]
    wide = tf.estimator.LinearClassifier(
        columns, n_classes=len(task.LABELS), label_vocabulary=task.LABELS, config=config)
    wide = tf.contrib.estimator.add_metrics(wide, metric_fn)
    return wide
'''


def upgraded(task: str, model: str) -> tuple[set[Level | None], dict[str, str], str]:
    files = {"task.py": task.encode(), "model.py": model.encode()}
    results = list(texts(files, Options(to="keras")))
    reasons = " ".join(f.message for r in results for f in r.left)
    new = {r.path: (r.after or b"").decode() for r in results}
    return {r.level for r in results}, new, reasons


def test_files_that_import_each_other_and_a_function_that_is_not_there() -> None:
    levels, new, reasons = upgraded(TASK, MODEL)
    assert levels == {Level.NATIVE}, reasons
    assert "estimator = model.create_other(config=config)\n" in new["task.py"]
    assert "estimator.fit(input_fn(), verbose=0)\n" in new["task.py"]
    # A lambda's `features` isn't the iterator's.
    assert ".batch(batch).repeat(epochs)\n    return dataset\n" in new["task.py"]
    # Two labels make a binary head, whose name the export of a model may ask for.
    assert "BinaryClassHead(label_vocabulary=task.LABELS)" in new["model.py"]
    assert "len(task.LABELS) == 2" not in new["model.py"]
    said = new["model.py"].partition("class MetricFn")[2].partition("\ndef ")[0]
    assert said.endswith(
        """shares = predictions["logistic"]
        self.mean_share.update_state(shares)
        return {"mean_share": self.mean_share.result()}

"""
    )


def test_labels_that_may_grow_have_no_length_that_is_known() -> None:
    task = TASK.replace("def data", "LABELS.append(SETTINGS.kind)\n\n\ndef data")
    levels, new, reasons = upgraded(task, MODEL)
    assert levels == {Level.NATIVE}, reasons
    assert "if len(task.LABELS) == 2 else MultiClassHead(" in new["model.py"]


def test_a_function_that_may_return_something_else_keeps_them() -> None:
    model = MODEL.replace("    return wide\n", "    return wide if config else None\n")
    levels, _, _ = upgraded(TASK, model)
    assert levels == {Level.COMPAT}


def test_metrics_that_are_looked_into_keep_them() -> None:
    model = MODEL.replace("    return metrics\n", "    print(len(metrics))\n    return metrics\n")
    levels, _, reasons = upgraded(TASK, model)
    assert levels == {Level.COMPAT}
    assert "metrics that are looked into" in reasons


def test_a_private_class_of_columns_keeps_them() -> None:
    model = MODEL.replace("import task\n", "import task\n" + PRIVATE)
    model = model.replace(
        "    wide = tf.e", "    print(isinstance(columns[0], fc._NumericColumn))\n    wide = tf.e"
    )
    levels, _, reasons = upgraded(TASK, model)
    assert levels == {Level.COMPAT}
    assert "`_NumericColumn`, a private class of columns" in reasons


PRIVATE = "from tensorflow.python.feature_column import feature_column as fc\n"
