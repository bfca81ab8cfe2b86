"""`--to keras`: defaults of scopes, loops over variables. (Numbers: keras/scope_defaults.)"""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import after, changed, stopped

LAYER = "    logits = tf.layers.dense(features['x'], 3)\n"
FIRST = "tf.random_normal_initializer(stddev=0.1)"
KERAS = "tf.keras.initializers.RandomNormal(stddev=0.1)"
SCOPE = f"""    with tf.variable_scope('net', initializer={FIRST}):
        w = tf.get_variable('w', [2, 2])
        logits = tf.layers.dense(tf.matmul(features['x'], w), 3)
"""


def test_variables_are_given_the_initializer_of_their_scope() -> None:
    text = after(changed(LAYER, SCOPE))
    assert f"self.w = self.add_weight(shape=[2, 2], initializer={KERAS}" in text
    assert f"self.logits = tf.keras.layers.Dense(3, kernel_initializer={KERAS})" in text
    assert "compat" not in text


def test_an_initializer_that_a_variable_has_stays() -> None:
    own = SCOPE.replace("[2, 2]", "[2, 2], initializer=tf.ones_initializer()")
    text = after(changed(LAYER, own))
    assert "initializer=tf.keras.initializers.Ones()" in text
    assert text.count(KERAS) == 1


def test_an_initializer_under_a_name_is_written_where_it_is_used() -> None:
    named = f"    first = {FIRST}\n    w = tf.get_variable('w', [2, 2], initializer=first)\n"
    text = after(changed(LAYER, named + LAYER.replace("features['x']", "features['x'] @ w")))
    assert KERAS in text
    assert "first" not in text


def test_a_regularizer_of_a_scope_is_of_kernels_and_biases() -> None:
    regularizer = "tf.contrib.layers.l2_regularizer(0.1)"
    scope = SCOPE.replace(f"initializer={FIRST}", f"regularizer={regularizer}")
    total = "    loss += tf.losses.get_regularization_loss()\n"
    total += "    if mode == tf.estimator.ModeKeys.TRAIN"
    text = after(changed(LAYER, scope).replace("    if mode == tf.estimator.ModeKeys.TRAIN", total))
    assert text.count("regularizer=tf.keras.regularizers.L2(0.05)") == 3
    assert "bias_regularizer=tf" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        logits =", "        features['x'] = net(features['x'])\n        logits ="),
        ("tf.layers.dense(", "tf.layers.separable_conv2d(features['x'], 2, 2) + tf.layers.dense("),
    ],
)
def test_scopes_in_which_variables_may_be_made_unseen(old: str, new: str) -> None:
    program = changed(LAYER, SCOPE.replace(old, new))
    net = "def net(x):\n    return x * tf.get_variable('s', [2])\n\n\ndef model_fn"
    assert "`initializer` of a scope" in stopped(program.replace("def model_fn", net))[1]


@pytest.mark.parametrize("named", [False, True])
def test_a_loop_over_all_variables(named: bool) -> None:
    gathered = "tf.trainable_variables()"
    head = f"    weights = {gathered}\n" if named else ""
    loop = (
        f"{head}    for v in {'weights' if named else gathered}:\n"
        "        if 'bias' not in v.name:  # what shifts stays\n"
        "            loss += 0.1 * tf.nn.l2_loss(v)\n    if mode == tf.estimator.ModeKeys.TRAIN"
    )
    text = after(changed("    if mode == tf.estimator.ModeKeys.TRAIN", loop))
    assert f"for v in {'weights' if named else 'self.trainable_variables'}:\n" in text
    assert text.count("if 'bias' not in v.name:  # what shifts stays\n") == 2


def test_a_weight_that_begins_with_numbers() -> None:
    begun = "    b = tf.get_variable('b', initializer=tf.constant([0.1, 0.2, 0.3]))\n"
    text = after(changed(LAYER, begun + LAYER.replace("3)\n", "3) + b\n")))
    assert "self.b = tf.keras.Variable(tf.constant([0.1, 0.2, 0.3]), name='b')" in text
