"""`--to keras`: several train ops, what each trains, and hooks that ask for a step's scalars."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """import numpy as np
import tensorflow as tf


def generator(noise):
    with tf.variable_scope('generator'):
        return tf.layers.dense(noise, 4)


def discriminator(image, reuse=False):
    with tf.variable_scope('discriminator', reuse=reuse):
        return tf.layers.dense(tf.layers.dense(image, 5, tf.nn.relu), 1)


def input_fn():
    data = {'real': np.ones((8, 4), 'f'), 'noise': np.ones((8, 2), 'f')}
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


def model_fn(features, labels, mode):
    step = tf.train.get_global_step()
    fake = generator(features['noise'])
    real_logits = discriminator(features['real'])
    fake_logits = discriminator(fake, reuse=True)
    d_loss = tf.reduce_mean(tf.nn.softplus(-real_logits)) + tf.reduce_mean(fake_logits)
    g_loss = tf.reduce_mean(tf.nn.softplus(-fake_logits))
    variables = tf.trainable_variables()
    d_vars = [v for v in variables if v.name.startswith('discriminator')]
    g_vars = [v for v in variables if 'generator/' in v.name]
    d_op = tf.train.AdamOptimizer(0.1).minimize(d_loss, var_list=d_vars)
    g_op = tf.train.AdamOptimizer(0.2).minimize(g_loss, step, var_list=g_vars)
    train_op = tf.group(d_op, g_op)
    return tf.estimator.EstimatorSpec(mode, loss=g_loss, train_op=train_op)


net = tf.estimator.Estimator(model_fn)
net.train(input_fn, steps=2)
"""
COUNTED = """    with tf.control_dependencies([d_op, g_op]):
        train_op = tf.assign_add(step, 1)
"""
HOOK = """class Watch(tf.train.SessionRunHook):
    def __init__(self, loss):
        self.loss = loss

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        print(run_values.results)


"""
HOOKED = [
    ("train_op=train_op)", "train_op=train_op, training_hooks=[Watch(g_loss)])"),
    ("def generator", HOOK + "def generator"),
]


def upgraded(*changes: tuple[str, str]) -> tuple[Level | None, str, str]:
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (result,) = texts({"program.py": text.encode()}, Options(to="keras"))
    reasons = " ".join(f.message for f in result.left if f.rule == "TFM520")
    return result.level, (result.after or b"").decode(), reasons


def test_two_losses_and_what_each_optimizer_trains() -> None:
    level, new, reasons = upgraded()
    assert level is Level.NATIVE, reasons
    assert "(self.optimizer, self.generator.trainable_variables)," in new
    assert ", self.discriminator.trainable_variables)," in new
    assert "with tf.GradientTape(persistent=True) as tape:" in new
    assert "zip((g_loss, d_loss), variables)" in new


@pytest.mark.parametrize(
    "said",
    [
        "tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='generator')",
        "tf.trainable_variables('generator')",
        "[v for v in variables if not v.name.startswith('discriminator')]",
        "[v for v in variables if v.name.split('/')[0] == 'generator']",
        "[v for v in variables if 'discriminator' not in v.name]",
    ],
)
def test_how_variables_are_said(said: str) -> None:
    level, new, reasons = upgraded(("[v for v in variables if 'generator/' in v.name]", said))
    assert level is Level.NATIVE, reasons
    assert "(self.optimizer, self.generator.trainable_variables)," in new


def test_a_step_that_is_counted_after_them() -> None:
    level, new, reasons = upgraded(
        ("    train_op = tf.group(d_op, g_op)\n", COUNTED), (", step, var", ", var")
    )
    assert level is Level.NATIVE, reasons
    assert "(self.optimizer, self.discriminator.trainable_variables)," in new


def test_one_optimizer_of_some_variables() -> None:
    level, new, reasons = upgraded(
        ("    train_op = tf.group(d_op, g_op)\n", "    train_op = g_op\n")
    )
    assert level is Level.NATIVE, reasons
    assert "        variables = self.generator.trainable_variables\n" in new
    assert "d_loss" not in new[new.index("def train_step") :]


def test_a_hook_of_a_spec_reads_what_a_step_came_to() -> None:
    level, new, reasons = upgraded(*HOOKED)
    assert level is Level.NATIVE, reasons
    assert "print(np.float32(logs[self.loss]))" in new
    assert "before_run" not in new
    assert "        callbacks = [*callbacks, Watch('loss')]\n" in new


def test_what_a_hook_does_besides_it_asks_stays() -> None:
    level, new, reasons = upgraded(
        *HOOKED,
        (
            "        return tf.train.SessionRun",
            "        self.n = 1\n        return tf.train.SessionRun",
        ),
    )
    assert level is Level.NATIVE, reasons
    assert "    def on_train_batch_begin(self, batch, logs=None):\n        self.n = 1\n" in new


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ([("'generator/' in", "'gen' in v.op.name or 'x' in")], "trains isn't seen"),
        ([("if 'generator/' in v.name", "if 'other/' in v.name")], "trains no layer"),
        ([("if 'generator/' in v.name", "if 'dense_1' in v.name")], "what is made in line"),
        ([(", step, var", ", var")], "doesn't count the global step"),
        ([("d_loss, var", "d_loss, step, var")], "several train ops that count"),
        ([("d_loss, var_list=d_vars", "d_loss")], "trains all variables"),
        ([*HOOKED, ("Watch(g_loss)", "Watch(fake)")], "isn't the loss, a mean or a sum"),
        (
            [*HOOKED, ("print(run_values", "print(run_context.session.run(step), run_values")],
            "`run_context` of a hook",
        ),
        ([*HOOKED, ("print(run_values", "print(self.loss, run_values")], "read as a tensor"),
        (
            [*HOOKED, ("[Watch(g_loss)]", "[tf.train.SummarySaverHook(save_steps=1)]")],
            "a SummarySaverHook without a `model_dir`",
        ),
    ],
)
def test_what_keeps_the_estimator(changes: list[tuple[str, str]], reason: str) -> None:
    level, _, reasons = upgraded(*changes)
    assert level is not Level.NATIVE
    assert reason in reasons


def test_a_loss_that_is_written_in_a_train_op_stays() -> None:
    level, _, reasons = upgraded(("minimize(d_loss, var", "minimize(0.5 * d_loss, var"))
    assert level is not Level.NATIVE
    assert "whose loss has no name" in reasons
