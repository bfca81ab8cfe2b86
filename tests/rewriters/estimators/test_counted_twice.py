"""`--to keras`: combined models of contrib.learn that count each step twice; late optimizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_learn_canned import HEAD, X, program
from tests.rewriters.estimators.test_program import after, stopped

FIXTURE = Path(__file__).parents[3] / "fixtures" / "keras" / "steps_counted_twice" / "before.py"
PROGRAM = FIXTURE.read_text(encoding="utf-8")
A = "[tf.contrib.layers.real_valued_column('a')]"
COMBINED = (
    f"DNNLinearCombinedClassifier(linear_feature_columns={A}, dnn_feature_columns={A}, "
    "dnn_hidden_units=[3])"
)
ROWS = "def rows():\n    return {'a': tf.constant(data[:, :1])}, tf.constant(data[:, 0])\n\n\n"


def fitted(steps: str, made: str = COMBINED) -> str:
    return program(made, f"\nnet.fit(input_fn=rows, {steps})\n", HEAD + ROWS)


def changed(old: str, new: str) -> str:
    assert old in PROGRAM
    return PROGRAM.replace(old, new)


@pytest.mark.parametrize(
    ("steps", "taken"),
    [
        ("steps=200", "take(101)"),
        ("steps=7", "take(4)"),
        ("steps=data.size", "take(data.size // 2 + 1)"),
        ("steps=data.size * 2", "take((data.size * 2) // 2 + 1)"),
    ],
)
def test_a_model_that_counts_twice_takes_half_of_the_batches(steps: str, taken: str) -> None:
    new = after(fitted(steps))
    assert taken in new
    assert "self.optimizer.iterations.assign_add(1)" in new
    assert "batches_of" not in new


def test_a_combined_model_of_one_array() -> None:
    both = COMBINED.replace(A, X)
    new = after(program(both, "\nnet.fit(data, data[:, 0], steps=4, batch_size=3)\n"))
    assert "take(3)" in new
    assert "tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.Zeros())" in new


def test_a_model_that_counts_once_is_as_it_was() -> None:
    new = after(fitted("steps=200", COMBINED[:-1] + ", fix_global_step_increment_bug=True)"))
    assert "take(200)" in new
    assert "counts_twice" not in new


@pytest.mark.parametrize(
    ("steps", "seen"),
    [
        ("100", True),
        ("200", True),
        ("COUNT", True),
        ("50", False),
        ("101", False),
        ("len([])", False),
    ],
)
def test_checkpoints_by_steps_that_are_looked_at(steps: str, seen: bool) -> None:
    config = f"config=tf.contrib.learn.RunConfig(save_checkpoints_steps={steps}),\n"
    text = changed("dnn_hidden_units=", f"{config}            dnn_hidden_units=")
    if not seen:
        assert "counts each step twice, by steps" in stopped(text)[1]
        return
    assert f"DnnLinearCombinedClassifier(model_dir, every_steps={steps})" in after(text)


@pytest.mark.parametrize("test", ["if", "elif"])
def test_a_model_that_is_none_at_first(test: str) -> None:
    text = changed("    if model_type == 'wide'", "    m = None\n    if model_type == 'wide'")
    text = text.replace("    elif model_type", f"    {test} model_type")
    new = after(
        text.replace("    else:\n        m =", f"    {test} model_type == 'both':\n        m =")
    )
    assert "m.fit(input_fn(COUNT).take(batches_of(m, train_steps)), verbose=0)" in new


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("steps=train_steps", "max_steps=train_steps", "`max_steps` of a model that counts"),
        ("hidden_units=[9, 4])\n    return", "hidden_units=[9, 4],\n"
         "            dnn_optimizer=tf.train.AdamOptimizer(0.1))\n    return", "counts each step"),
        ("dnn_hidden_units=", "config=tf.contrib.learn.RunConfig(save_checkpoints_steps=5),\n"
         "            dnn_hidden_units=", "counts each step twice, by steps"),
        ("dnn_hidden_units=", "fix_global_step_increment_bug=COUNT > 9,\n"
         "            dnn_hidden_units=", "whether a combined model counts"),
    ],
)  # fmt: skip
def test_what_would_see_the_count_keeps_the_model(old: str, new: str, reason: str) -> None:
    assert reason in stopped(changed(old, new))[1]


def test_a_train_op_that_counts_by_two_stays() -> None:
    text = """import tensorflow as tf


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features['x'], 1))
    train = tf.group(
        tf.train.GradientDescentOptimizer(0.1).minimize(loss),
        tf.assign_add(tf.train.get_global_step(), 2))
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


tf.estimator.Estimator(model_fn).train(lambda: rows(), steps=4)
"""
    assert "counts each step twice" in stopped(text)[1]


@pytest.mark.parametrize(
    ("optimizer", "said"),
    [
        ("lambda: tf.train.AdamOptimizer(0.3)", "tf.keras.optimizers.Adam(0.3"),
        ("late", "tf.keras.optimizers.SGD(0.25)"),
    ],
)
def test_an_optimizer_may_be_made_late(optimizer: str, said: str) -> None:
    late = "def late():\n    return tf.train.GradientDescentOptimizer(0.25)\n\n\n"
    made = f"DNNClassifier([4], {X}, optimizer={optimizer})"
    assert said in after(program(made, head=HEAD + (late if optimizer == "late" else "")))


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ("0.25", True),
        ("learning_rate=RATE", True),
        ("rate()", False),
        ("rate", False),
    ],
)
def test_an_optimizer_under_a_name(arguments: str, written: bool) -> None:
    head = f"{HEAD}RATE = 0.25\nrate = 0.5\nrate = 0.25\n"
    head += f"optimizer = tf.train.GradientDescentOptimizer({arguments})\n"
    text = program(f"DNNClassifier([4], {X}, optimizer=optimizer)", head=head)
    if not written:
        assert "an optimizer that isn't made" in stopped(text)[1]
        return
    new = after(text)
    assert "tf.keras.optimizers.SGD(" in new
    assert "GradientDescent" not in new


NORMED = """import tensorflow as tf
layers = tf.contrib.layers


def model_fn(features, labels, mode):
    params = {{'keep_prob': 0.7, 'is_training': mode == 'train'}}
    net = layers.fully_connected(features['x'], 4, {more})
    loss = tf.reduce_mean(net)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


net = tf.estimator.Estimator(model_fn)
net.train(lambda: tf.data.Dataset.from_tensors(({{'x': [[1.]]}}, [1.])), steps=4)
"""


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("normalizer_fn=layers.dropout", ["Dropout(0.5)", "training=True", "tf.nn.relu("]),
        ("normalizer_fn=layers.dropout, normalizer_params=params, activation_fn=tf.tanh",
         ["Dropout(0.3)", "training=training", "tf.tanh("]),
    ],
)  # fmt: skip
def test_a_dropout_before_the_activation(more: str, said: list[str]) -> None:
    text = NORMED.format(more=more)
    new = after(text)
    assert all(word in new for word in (*said, "use_bias=False"))
    assert "normalizer" not in new


@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("    params['keep_prob'] = 0.9\n", "normalizer_params=params"),
        ("", "normalizer_params=dict(keep_prob=0.2)"),
    ],
)
def test_a_dropout_whose_share_is_not_seen_stays(line: str, more: str) -> None:
    text = NORMED.format(more=f"normalizer_fn=layers.dropout, {more}")
    text = text.replace("    net = layers", f"{line}    net = layers")
    assert "normalizer_fn" in stopped(text)[1]
