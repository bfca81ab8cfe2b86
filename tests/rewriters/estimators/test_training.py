"""`--to keras`: train ops, optimizers and learning rates that helpers make or steps compute."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """import numpy as np
import tensorflow as tf


def input_fn():
    data = {'x': np.ones((8, 2), 'f')}, np.zeros(8, 'i')
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


def helper(loss, rate):
    optimizer = tf.train.AdamOptimizer(rate)
    return optimizer.minimize(loss, tf.train.get_global_step())


def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(features['x'], 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = helper(loss, params['rate'])
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


net = tf.estimator.Estimator(model_fn, params={'rate': 0.1})
net.train(input_fn, steps=3)
"""
GRADIENTS = """    optimizer = tf.train.AdamOptimizer(rate)
    variables = tf.trainable_variables()
    grads = tf.gradients(loss, variables)
    return optimizer.apply_gradients(zip(grads, variables), tf.train.get_global_step())
"""
RATE = """    step = tf.train.get_global_step()
    rate = tf.maximum(tf.train.exponential_decay(rate, step, 2, 0.5), 0.01)
    return tf.train.AdamOptimizer(rate).minimize(loss, step)
"""
BODY = PROGRAM[PROGRAM.index("    optimizer =") : PROGRAM.index("\n\ndef model_fn")]


def upgraded(text: str) -> tuple[Level | None, str, str]:
    (result,) = texts({"program.py": text.encode()}, Options(to="keras"))
    reasons = " ".join(f.message for f in result.left if f.rule == "TFM520")
    return result.level, (result.after or b"").decode(), reasons


def test_a_train_op_of_a_helper() -> None:
    level, new, reasons = upgraded(PROGRAM)
    assert level is Level.NATIVE, reasons
    assert "helper" not in new
    assert "tf.keras.optimizers.Adam(params['rate']" in new


def test_a_train_op_that_a_spec_is_given_at_once() -> None:
    text = PROGRAM.replace("    train_op = helper(loss, params['rate'])\n", "")
    level, new, reasons = upgraded(text.replace("=train_op)", "=helper(loss, params['rate']))"))
    assert level is Level.NATIVE, reasons
    assert "helper" not in new


def test_fields_of_a_spec_that_the_mode_decides() -> None:
    made = "train_op = helper(loss, params['rate'])"
    chosen = made + " if mode == tf.estimator.ModeKeys.TRAIN else None"
    level, new, reasons = upgraded(PROGRAM.replace(made, chosen))
    assert level is Level.NATIVE, reasons
    assert "def train_step(self, data):" in new
    assert " if mode" not in new


def test_gradients_of_all_variables() -> None:
    level, new, reasons = upgraded(PROGRAM.replace(BODY, GRADIENTS))
    assert level is Level.NATIVE, reasons
    assert "variables = self.trainable_variables\n" in new
    assert "grads = tape.gradient(loss, variables)\n" in new
    assert "self.optimizer.apply_gradients(zip(grads, variables))" in new


def test_a_rate_that_each_step_computes() -> None:
    level, new, reasons = upgraded(PROGRAM.replace(BODY, RATE))
    assert level is Level.NATIVE, reasons
    assert "step = self.optimizer.iterations.value\n" in new
    assert "ExponentialDecay(rate, 2, decay_rate=0.5)(step), 0.01)\n" in new
    assert "self.optimizer.learning_rate.assign(" in new
    assert "compile(optimizer=tf.keras.optimizers.Adam(beta_2=" in new


def test_a_function_that_chooses_an_optimizer_stays_one() -> None:
    chosen = (
        "    if rate > 1:\n        return tf.train.AdagradOptimizer(rate)\n"
        "    return tf.train.AdamOptimizer(rate)\n"
    )
    text = PROGRAM.replace(BODY, chosen).replace("helper(loss, rate)", "helper(rate)")
    call = "helper(params['rate']).minimize(loss, tf.train.get_global_step())"
    level, new, reasons = upgraded(text.replace("helper(loss, params['rate'])", call))
    assert level is Level.NATIVE, reasons
    assert "        return tf.keras.optimizers.Adagrad(rate, epsilon=0)\n" in new
    assert "self.compile(optimizer=helper(params['rate'])" in new


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            BODY,
            GRADIENTS.replace("variables)\n    r", "variables[:1])\n    r"),
            "by some variables",
        ),
        (BODY, GRADIENTS.replace(", tf.train.get_global_step()", ""), "count the global step"),
        (BODY, "    if rate:\n        return None\n" + BODY, "trains what it is given"),
        (
            "train_op = helper(loss, params['rate'])",
            "train_op = [helper(loss, 1.)][0]",
            "isn't followed",
        ),
    ],
)
def test_what_keeps_an_estimator(old: str, new: str, reason: str) -> None:
    assert old in PROGRAM
    level, _, reasons = upgraded(PROGRAM.replace(old, new))
    assert level is Level.COMPAT
    assert reasons
    assert reason in reasons


@pytest.mark.parametrize(
    ("lookup", "new"),
    [
        (
            "tf.nn.embedding_lookup_sparse(table, features['ids'], None, combiner='sum')",
            "tf.nn.embedding_lookup_sparse(self.table.value, features['ids'], None, "
            "combiner='sum')",
        ),
        (
            "tf.nn.embedding_lookup_sparse(\n        table, sp_ids=features['ids'], "
            "sp_weights=features['x'], partition_strategy='div')",
            "tf.nn.embedding_lookup_sparse(self.table.value, features['ids'], features['x'])",
        ),
    ],
)
def test_rows_that_are_combined_are_of_the_weight_itself(lookup: str, new: str) -> None:
    # `tf.nn` asks a variable for its device, which Keras's own doesn't have.
    made = "    table = tf.get_variable('table', [9, 2])\n"
    old = "    logits = tf.layers.dense(features['x'], 3)\n"
    level, text, said = upgraded(
        PROGRAM.replace(old, f"{made}    logits = tf.layers.dense({lookup}, 3)\n")
    )
    assert level is Level.NATIVE, said
    assert new in text
    assert "tf.convert_to_tensor(g)" in text


def test_sampled_losses_have_gradients_of_rows() -> None:
    made = "    table = tf.get_variable('table', [9, 2])\n    bias = tf.get_variable('bias', [9])\n"
    old = "    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"
    new = f"{made}    loss = tf.reduce_mean(tf.nn.nce_loss(table, bias, labels, logits, 4, 9))\n"
    level, text, said = upgraded(PROGRAM.replace(old, new))
    assert level is Level.NATIVE, said
    assert "tf.convert_to_tensor(g)" in text


def test_labels_may_be_a_column_unless_their_rank_is_unknown() -> None:
    # TF 1 squeezes them; tf.nn's function raises.
    _, new, _ = upgraded(PROGRAM)
    assert "sparse_categorical_crossentropy(labels, logits, from_logits=True)" in new
    _, new, _ = upgraded(PROGRAM.replace("from_tensor_slices(data)", "from_generator(f, tf.int32)"))
    assert "sparse_categorical" not in new


def test_an_optimizer_by_the_name_that_a_canned_estimator_knows() -> None:
    text = PROGRAM.replace(
        "import tensorflow as tf\n",
        "import tensorflow as tf\nfrom tensorflow.python.estimator.canned import optimizers\n",
    ).replace(
        "helper(loss, params['rate'])", "optimizer.minimize(loss, tf.train.get_global_step())"
    )
    text = text.replace(BODY, "    return loss").replace(
        "    train_op",
        "    optimizer = optimizers.get_optimizer_instance(params['name'], learning_rate=0.1)\n"
        "    train_op",
    )
    level, new, reasons = upgraded(text)
    assert level is Level.NATIVE, reasons
    assert "estimator" not in new
    assert "get_optimizer_instance(params['name'], learning_rate=0.1)" in new
    assert "    if name == 'SGD':\n        return tf.keras.optimizers.SGD(learning_rate)\n" in new
    # Then it may be an optimizer that is given.
    level, _, reasons = upgraded(text.replace("'rate': 0.1", "'name': tf.train.AdamOptimizer()"))
    assert level is Level.COMPAT
    assert "how the optimizer is made isn't seen" in reasons


CLASS = PROGRAM.replace(BODY, "    return loss").replace(
    "    train_op = helper(loss, params['rate'])\n",
    "    optimizer = params.get('optimizer', tf.train.AdamOptimizer)\n"
    "    optimizer = optimizer(params['rate'])\n"
    "    train_op = optimizer.minimize(loss, tf.train.get_global_step())\n",
)
SGD = "lambda learning_rate: tf.keras.optimizers.SGD(learning_rate)"


def test_an_optimizer_whose_class_is_a_setting() -> None:
    setting = "'optimizer': tf.train.GradientDescentOptimizer}"
    level, new, reasons = upgraded(CLASS.replace("0.1}", f"0.1, {setting}"))
    assert level is Level.NATIVE, reasons
    assert f"net = Model({{'rate': 0.1, 'optimizer': {SGD}}})\n" in new
    assert "params.get('optimizer', lambda learning_rate: tf.keras.optimizers.Adam(lea" in new
    assert "        optimizer = optimizer(params['rate'])\n" in new
    level, new, reasons = upgraded(CLASS)
    assert level is Level.NATIVE, reasons
    assert "net = Model({'rate': 0.1})\n" in new


@pytest.mark.parametrize(
    "text",
    [
        CLASS.replace("params={'rate': 0.1}", "params=dict(rate=0.1)"),
        CLASS.replace("0.1}", "0.1, 'optimizer': len}"),
        CLASS.replace("params['rate'])\n", "params['rate'], 0.9)\n"),
        CLASS.replace(
            "optimizer(params['rate'])",
            "optimizer(tf.train.exponential_decay(0.1, tf.train.get_global_step(), 2, 0.5))",
        ),
    ],
)
def test_a_class_that_is_not_seen_in_the_settings(text: str) -> None:
    level, _, reasons = upgraded(text)
    assert level is Level.COMPAT
    assert "optimizer" in reasons
