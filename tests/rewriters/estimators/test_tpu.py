"""TPUEstimators: what `--to keras` makes of them, and what keeps them on the shim."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "tpu_estimator" / "before.py"
).read_text(encoding="utf-8")
LAMBDA = "lambda labels, logits, per_example_loss: {}"


def changed(old: str, new: str) -> str:
    assert old in PROGRAM
    return PROGRAM.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("use_tpu=args.use_tpu,", "", "use_tpu=True"),
        ("use_tpu=args.use_tpu,", "", "names no TPU"),
        ("params['hidden']", "params['batch_size']", "params"),
        ("loss=loss, train_op", "loss=loss, host_call=(print, [loss]), train_op", "host_call"),
        ("(metric_fn, [labels, logits,", "(metric_fn, [logits, labels,", "calls this `labels`"),
        ("(metric_fn, [labels, logits, ", "(metric_fn, [labels, ", "arguments of a metric_fn"),
        ("(metric_fn, ", f"({LAMBDA}, ", "metric_fn that isn't seen"),
        ("predicted", "loss", "binds `loss`"),
        ("    return {\n", "    if True:\n      return {\n", "doesn't end"),
        ("CrossShardOptimizer(optimizer)", "CrossShardOptimizer(optimizer, 'sum')", "arguments"),
    ],
)
def test_what_keeps_a_tpu_estimator_is_named(old: str, new: str, reason: str) -> None:
    assert reason in stopped(changed(old, new))[1]


def test_a_metric_fn_may_bind_what_the_model_fn_binds() -> None:
    new = "    labels = tf.reshape(labels, [-1])\n    hidden = tf.argmax(logits, axis=1)\n"
    text = changed("    predicted = tf.argmax(logits, axis=1)\n", new)
    text = after(text.replace("(labels, predicted)", "(labels, hidden)"))
    assert "labels = tf.reshape(labels, [-1])\n" in text
    assert "self.accuracy.update_state(labels, hidden)" in text


def test_what_a_metric_looks_at_stays_what_it_was() -> None:
    old = "    return {\n        'accuracy': tf.metrics.accuracy(labels, predicted),\n"
    new = "    right = tf.metrics.accuracy(labels, predicted)\n    labels = 1 - labels\n"
    text = changed(old, f"{new}    return {{\n        'accuracy': right,\n")
    assert "a metric of `labels`, which is bound again" in stopped(text)[1]


def test_a_wrapped_optimizer_is_the_inner_one() -> None:
    old = "optimizer = tf.train.AdamOptimizer(rate)\n"
    new = "optimizer = tf.tpu.CrossShardOptimizer(tf.train.AdamOptimizer(rate))\n"
    assert "tf.keras.optimizers.Adam(rate" in after(changed(old, new))


def test_a_switch_that_is_off_needs_no_check() -> None:
    text = after(changed("use_tpu=args.use_tpu,", "use_tpu=False,"))
    assert "NotImplementedError" not in text
    assert "estimator = model_fn({'hidden': 6})" in text


FLAGS = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "cluster_flags" / "before.py"
).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("    tpu_cluster_resolver = None\n", "    tpu_cluster_resolver = args\n", "isn't seen"),
        ("if 'CLUSTER' in os.environ:", "for _ in range(1):", "`TF_CONFIG` is set"),
    ],
)
def test_what_keeps_a_program_of_clusters_is_named(old: str, new: str, reason: str) -> None:
    assert old in FLAGS
    assert reason in stopped(FLAGS.replace(old, new))[1]


def test_a_metric_fn_that_computes_something_else_does_so_in_the_step() -> None:
    old = "classes = tf.argmax(logits, 1)\n    return {"
    text = after(FLAGS.replace(old, old.replace("argmax", "argmin")))
    assert text.partition("def test_step")[2].count("classes = tf.argmin(logits, 1)\n") == 1


def test_a_cluster_is_refused_once_where_estimators_are_made() -> None:
    assert after(FLAGS).count('get("cluster")') == 1
    plain = FLAGS.replace("    join_cluster()\n", "").replace("'TF_CONFIG'", "'OTHER'")
    plain = plain.replace("=args.use_tpu,", "=False,")
    text = after(plain)
    assert "NotImplementedError" not in text
    assert "cluster_resolver" not in text
    assert "strategy" not in text
    printed = plain.replace("    run_config =", "    print(tpu_cluster_resolver)\n    run_config =")
    assert "    print(None)\n" in after(printed)
    asked = printed.replace("print(tpu_cluster_resolver)", "print(tpu_cluster_resolver.master())")
    assert "is read by more" in stopped(asked)[1]


def test_a_model_for_tpus_is_made_in_the_scope_of_a_strategy() -> None:
    text = after(FLAGS)
    assert (
        """    if args.use_tpu:
        strategy = tpu_strategy(tpu_cluster_resolver)
"""
        in text
    )
    assert "    with strategy.scope():\n        estimator = Model({'wrap': False})\n" in text
    assert "'batch_size': 8 // estimator.distribute_strategy.num_replicas_in_sync}" in text
    assert ".take(4 * estimator.distribute_strategy.num_replicas_in_sync)" in text
    always = after(FLAGS.replace("use_tpu=args.use_tpu,", "use_tpu=True,"))
    assert "    strategy = tpu_strategy(tpu_cluster_resolver)\n" in always
    assert "self.replicated" in text
    assert "self.replicated" not in always


WRAPPED = """    if params['wrap']:
        optimizer = tf.contrib.tpu.CrossShardOptimizer(optimizer)
"""


def test_a_master_says_where_tpus_are() -> None:
    text = after(FLAGS.replace("cluster=tpu_cluster_resolver", "master=args.tpu_name"))
    assert "tpu_strategy(tf.distribute.cluster_resolver.TPUClusterResolver(args.tpu_name))" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cluster=tpu_cluster_resolver,", ""),  # no TPU is named
        (WRAPPED, ""),  # each core would train by itself
    ],
)
def test_where_it_cant_be_known_how_tpus_train_they_are_refused(old: str, new: str) -> None:
    assert old in FLAGS
    text = after(FLAGS.replace(old, new))
    assert "on TPUs the model is made in" in text
    assert "scope():" not in text.replace("tf.distribute.TPUStrategy(...).scope()", "")


SETTINGS = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "tpu_settings" / "before.py"
).read_text(encoding="utf-8")
LISTED = "[labels, tf.argmax(logits, axis=1), scaled]"
HELPER = "def helper(params):\n    return params['use_tpu']\n\n\ndef model_fn("


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        # A function that a model_fn or an input_fn may give its `params`.
        ("def model_fn(", HELPER, "`use_tpu` of a TPUEstimator's params"),
        ("params['use_tpu'] else", "params.get('use_tpu') else", "`use_tpu` of a TPUEstimator's"),
        # Names that the metric_fn or the model_fn has for something else.
        (LISTED, "[labels, tf.argmax(logits, axis=1), labels]", "calls this `each`"),
        (LISTED, "[labels, labels, scaled]", "calls this `predictions`"),
        ("def metric_fn(labels, predictions, each", "def metric_fn(labels, hidden, each",
         "calls this `hidden`"),
        ("        right = tf.m", "        scaled = 1\n        right = tf.m", "calls this `each`"),
    ],
)  # fmt: skip
def test_settings_and_names_that_keep_a_tpu_estimator(old: str, new: str, reason: str) -> None:
    assert old in SETTINGS
    text = SETTINGS.replace(old, new)
    assert reason in stopped(text)[1]
