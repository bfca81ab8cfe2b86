"""Layers as wide as what they are given, star imports, units that a text says."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf


def weighed(first, values, groups):
    width = values.get_shape().as_list()[1]
    w = tf.get_variable("w", [width, groups])
    return tf.matmul(values, w) * first


def model_fn(features, labels, mode, params):
    net = weighed(features["x"], features["y"], params["groups"])
    for units in params["units"]:
        net = tf.layers.dense(net, units)
    logits = tf.layers.dense(net, 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
"""
TRAIN = """\


def input_fn():
    return tf.data.Dataset.from_tensors(({"x": [[1.0]], "y": [[1.0, 2.0]]}, [1])).repeat()


net = tf.estimator.Estimator(model_fn, params={"groups": 2, "units": UNITS})
net.train(input_fn, steps=3)
"""
PLAIN = TRAIN.replace("UNITS", "[4, 3]")


def upgraded(files: dict[str, str]) -> tuple[set[Level | None], dict[str, str], str]:
    results = list(texts({n: t.encode() for n, t in files.items()}, Options(to="keras")))
    kept = " ".join(f.message for r in results for f in r.left if f.rule == "TFM520")
    return {r.level for r in results}, {r.path: (r.after or b"").decode() for r in results}, kept


def test_a_variable_as_wide_as_an_argument_is_made_in_build() -> None:
    levels, new, kept = upgraded({"program.py": PROGRAM + PLAIN})
    assert levels == {Level.NATIVE}, kept
    text = new["program.py"]
    assert "    def build(self, first_shape, values_shape):\n" in text
    assert "        groups = self.groups\n        width = values_shape[1]\n" in text
    assert "self.w = self.add_weight(shape=[width, groups]" in text
    assert "get_shape" not in text  # `call` has no use for it
    assert "Dense(units) for units" in text


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("int(values.shape[-1])", "int(values_shape[-1])"),
        ("values.get_shape()[1].value * 2", "values_shape[1] * 2"),
        ("values.shape.as_list()[1:][0]", "list(values_shape)[1:][0]"),
    ],
)
def test_ways_to_ask_for_a_dimension(asked: str, said: str) -> None:
    text = PROGRAM.replace("values.get_shape().as_list()[1]", asked)
    levels, new, kept = upgraded({"program.py": text + PLAIN})
    assert levels == {Level.NATIVE}, kept
    assert f"        width = {said}\n" in new["program.py"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("values.get_shape().as_list()[1]", "tf.shape(values)[1]"),
        ("    width =", "    values = tf.concat([values, first], 1)\n    width ="),
        ('    w = tf.get_variable("w"', '    if groups:\n        w = tf.get_variable("w"'),
        ("    w =", "    width = width if groups else 1\n    w ="),
    ],
)
def test_what_build_cannot_know_is_asked_by_name(old: str, new: str) -> None:
    levels, after, kept = upgraded({"program.py": PROGRAM.replace(old, new) + PLAIN})
    assert levels == {Level.NATIVE}, kept
    assert 'w = named_weight("w"' in after["program.py"]


def test_a_star_import_says_the_names_that_are_read() -> None:
    files = {"net.py": PROGRAM, "train.py": "from net import *" + PLAIN}
    levels, new, kept = upgraded(files)
    assert levels == {Level.NATIVE}, kept
    assert new["train.py"].startswith("from net import Model\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import tensorflow", "__all__ = ['model_fn']\nimport tensorflow"),
        ("import tensorflow", "from other import *\nimport tensorflow"),
    ],
)
def test_a_star_import_whose_names_are_not_seen(old: str, new: str) -> None:
    files = {"net.py": PROGRAM.replace(old, new, 1), "train.py": "from net import *" + PLAIN}
    levels, _, kept = upgraded({**files, "other.py": "import tensorflow as tf\nx = 1\n"})
    assert Level.NATIVE not in levels
    assert "the model_fn isn't seen" in kept


def test_what_two_star_imports_both_import_is_one_thing() -> None:
    other = (
        "from functools import partial, reduce\nimport tensorflow as tf\nrate = tf.constant(0.1)\n"
    )
    files = {"net.py": "from functools import partial\n" + PROGRAM, "other.py": other}
    plain = PLAIN.replace("import tensorflow as tf\n", "")
    files["train.py"] = f"from net import *\nfrom other import *\n{plain}print(partial, rate)\n"
    levels, new, kept = upgraded(files)
    assert levels == {Level.NATIVE}, kept
    assert new["train.py"].startswith("from net import Model, partial\nimport tensorflow as tf\n")


def test_a_name_that_two_star_imports_give() -> None:
    files = {"net.py": PROGRAM, "other.py": PROGRAM.replace("0.1", "0.2")}
    files["train.py"] = "from net import *\nfrom other import *" + PLAIN
    levels, _, kept = upgraded(files)
    assert Level.NATIVE not in levels
    assert "the model_fn isn't seen" in kept


@pytest.mark.parametrize("units", ['"4,3".split(",")', 'open("units").read().split()'])
def test_units_that_a_text_says_are_whole_numbers(units: str) -> None:
    _, new, kept = upgraded({"program.py": PROGRAM + TRAIN.replace("UNITS", units)})
    assert kept == ""
    assert "tf.keras.layers.Dense(int(units)) for units" in new["program.py"]


@pytest.mark.parametrize("units", ['[int(n) for n in "4,3".split(",")]', 'map(int, "4".split())'])
def test_units_that_are_numbers_stay(units: str) -> None:
    _, new, _ = upgraded({"program.py": PROGRAM + TRAIN.replace("UNITS", units)})
    assert "tf.keras.layers.Dense(units) for units" in new["program.py"]


def test_hidden_units_of_a_canned_estimator_that_a_text_says() -> None:
    text = """\
import tensorflow as tf

x = tf.feature_column.numeric_column("x")
net = tf.estimator.DNNClassifier("4,3".split(","), [x])
net.train(lambda: tf.data.Dataset.from_tensors(({"x": [[1.0]]}, [1])), steps=1)
"""
    levels, new, kept = upgraded({"program.py": text})
    assert levels == {Level.NATIVE}, kept
    assert "tf.keras.layers.Dense(int(size), " in new["program.py"]
