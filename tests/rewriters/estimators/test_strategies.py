"""Strategies of RunConfigs: what `--to keras` makes of them, and what keeps them on the shim.

The programs of fixtures/strategies are run (tests/test_keras_strategies.py); here the text counts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

FIXTURES = Path(__file__).parents[3] / "fixtures" / "strategies"
CHOSEN, SUMMED, MIRRORED, WORKERS, CANNED, HEADED = (
    (FIXTURES / name / "before.py").read_text(encoding="utf-8")
    for name in ("chosen", "summed", "mirrored", "workers", "canned", "headed")
)
SOMETIMES = "    loss = 0.\n    if params['sum']:\n        loss = tf.losses"
EXPERIMENTAL = "tf.distribute.experimental."
MADE = "strategy = tf.distribute.Mirr"


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        (SUMMED, ", eval_distribute=strategy", ", eval_distribute=tf.distribute.MirroredStrategy()",
         "isn't that for training"),
        (SUMMED, "train_distribute=strategy, ", "", "isn't that for training"),
        (SUMMED, "tf.distribute.MirroredStrategy(devices=['/cpu:0', '/cpu:1'])",
         f"{EXPERIMENTAL}ParameterServerStrategy()", "ClusterCoordinator"),
        (SUMMED, "tf.distribute.MirroredStrategy(devices=['/cpu:0', '/cpu:1'])", "print()",
         "isn't seen"),
        (SUMMED, "reduction=tf.losses.Reduction.SUM", "reduction=params['r']", "reduc"),
        (SUMMED, "    loss = tf.losses", SOMETIMES, "on some ways"),
        (SUMMED, "{'CPU': 2}", "{'CPU': len(points)}", "CPUs that only a run knows"),
        (WORKERS, "train_distribute=strategy)", "train_distribute=strategy, model_dir='x')",
         "by its own clock"),
        (WORKERS, "WorkerMirroredStrategy()", "WorkerMirroredStrategy(communication=None or 1)",
         "several workers"),
        (CHOSEN, "devices=['/cpu:%d' % i for i in range(replicas)]", "auto_shard_dataset=True",
         "of a MirroredStrategy"),
        (SUMMED, "gradients, variables = zip(*optimizer.compute_gradients(loss))",
         "variables = tf.trainable_variables()\n    gradients = tf.gradients(loss, variables)",
         "of no optimizer"),
        (CHOSEN, "'accuracy': accuracy", "str(mode): accuracy", ""),
    ],
)  # fmt: skip
def test_what_keeps_a_strategy_is_named(text: str, old: str, new: str, reason: str) -> None:
    assert reason in stopped(changed(text, old, new))[1]


def test_a_strategy_that_may_be_none_is_the_default_one_then() -> None:
    text = after(CHOSEN)
    assert "with (distribution or tf.distribute.get_strategy()).scope():" in text
    assert "if not self.replicated:" in text
    text = after(MIRRORED)
    assert "    with strategy.scope():\n        estimator = Model(" in text
    assert "self.replicated" not in text


def test_what_a_run_config_makes_itself_gets_a_name() -> None:
    old = "strategy = tf.distribute.MirroredStrategy(devices=['/cpu:0', '/cpu:1'])\n"
    text = changed(SUMMED, old, "").replace(", eval_distribute=strategy", "")
    text = changed(text, "=strategy", "=tf.distribute.MirroredStrategy(['/cpu:0', '/cpu:1'])")
    text = after(text)
    assert "\nstrategy = tf.distribute.MirroredStrategy(devices=['/cpu:0', '/cpu:1'])\n" in text
    assert "\nwith strategy.scope():\n    estimator = Model(" in text


def test_contrib_strategies_are_those_of_tf_2() -> None:
    old = "devices=['/cpu:%d' % i for i in range(replicas)]"
    new = (
        "num_gpus=replicas, cross_tower_ops=tf.contrib.distribute.AllReduceCrossDeviceOps("
        "'nccl', num_packs=2)"
    )
    text = after(changed(CHOSEN, old, new))
    assert 'devices=[f"/gpu:{i}" for i in range(replicas)]' in text
    assert "cross_device_ops=tf.distribute.NcclAllReduce(num_packs=2)" in text
    assert "tf.distribute.OneDeviceStrategy('/cpu:0')" in text


def test_a_mean_is_divided_by_the_replicas_and_a_sum_is_not() -> None:
    assert "share = loss / self.distribute_strategy.num_replicas_in_sync" in after(MIRRORED)
    text = after(SUMMED)
    assert "share" not in text
    assert 'all_reduce("SUM", loss)' in text


def test_workers_are_told_by_tf_config_and_the_chief_saves() -> None:
    text = changed(WORKERS, "strategy)\n", "strategy, model_dir='x')\n")
    text = changed(
        text, "    tf.estimator.train_and_evaluate(\n        estimator,\n", "    print(\n"
    )
    text = changed(text, "tf.estimator.TrainSpec(input_fn, max_steps=6)", "6")
    text = changed(text, "tf.estimator.EvalSpec(test_input_fn, steps=None)", "'TF_CONFIG'")
    text = changed(text, "    print(\n", "    estimator.train(input_fn, max_steps=6)\n    print(\n")
    text = after(text)
    assert "self.folder if self.is_chief() else tempfile.mkdtemp()" in text
    assert "NotImplementedError" not in text


def test_dropout_differs_by_replica() -> None:
    assert "seed_generator_state" not in after(MIRRORED)
    text = changed(MIRRORED, "tf.layers.flatten(tf.nn.relu(net))",
                   "tf.layers.dropout(tf.layers.flatten(net), training=training)")  # fmt: skip
    assert "seed_generator_state" in after(text)


HANDED = (FIXTURES / "handed" / "before.py").read_text(encoding="utf-8")


def test_a_strategy_among_settings() -> None:
    new = after(HANDED)
    assert (
        "config = dict(folder=folder, strategy=strategy, every_steps=5, summary_steps=None)" in new
    )
    assert 'with (config.get("strategy") or tf.distribute.get_strategy()).scope():' in new
    assert 'with self.config["strategy"].scope():' in new
    assert "def __init__(self, folder=None, strategy=None, every_steps=None," in new


def test_a_call_that_makes_settings_gets_a_name() -> None:
    made = "    net = tf.estimator.Estimator(model_fn, config=config)"
    old = f"    config = make_config(name, replicas)\n{made}"
    new = "    net = tf.estimator.Estimator(model_fn, config=make_config(name, replicas))"
    text = after(changed(HANDED, old, new))
    assert "run_config = make_config(name, replicas)\n" in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("    return config\n", "    return config.replace(train_distribute=strategy)\n",
         "that a RunConfig gets by `replace`"),
        ("train_distribute=strategy)", "train_distribute=strategy, eval_distribute=print())",
         "isn't that for training"),
    ],
)  # fmt: skip
def test_other_strategies_among_settings_stay(old: str, new: str, reason: str) -> None:
    assert reason in stopped(changed(HANDED, old, new))[1]


def test_heads_share_their_losses_among_replicas() -> None:
    summed, shared = after(CANNED), after(HEADED)
    assert "class Checkpointed(Replicated):" in summed
    assert "class HeadModel(Checkpointed):" in summed
    assert 'all_reduce("SUM", loss)' in summed
    assert "share" not in summed
    assert "share = loss / self.distribute_strategy.num_replicas_in_sync" in shared
    assert "return self.head.results()" in shared


def test_variables_in_one_place_are_on_each_device() -> None:
    assert "MirroredStrategy(devices=['/cpu:0', '/cpu:1'])" in after(HEADED)


def test_both_optimizers_of_a_combined_model_are_built_first() -> None:
    old = "LinearRegressor(\n        [job, bounds], optimizer="
    new = (
        "DNNLinearCombinedRegressor(\n        model_dir='combined', linear_feature_columns=[job],"
        " dnn_feature_columns=[bounds], dnn_hidden_units=[3], linear_optimizer="
    )
    made = after(changed(CANNED, old, new))
    assert "for optimizer, variables in self.trained():" in made
    assert "parts = [self.weights, *(optimizer.variables for optimizer in optimizers)]" in made


def test_metrics_beside_a_canned_model_of_replicas_stay() -> None:
    made = "    wide.train("
    more = "    wide = tf.contrib.estimator.add_metrics(wide, lambda labels: {})\n"
    assert stopped(changed(CANNED, made, more + made))[1]
