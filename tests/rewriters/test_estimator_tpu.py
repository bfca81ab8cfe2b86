"""TPUEstimators: what `--to keras` makes of them, and what keeps them on the shim."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.test_estimator_program import after, stopped

PROGRAM = (
    Path(__file__).parents[2] / "fixtures" / "keras" / "tpu_estimator" / "before.py"
).read_text(encoding="utf-8")
LAMBDA = "lambda labels, logits, per_example_loss: {}"


def changed(old: str, new: str) -> str:
    assert old in PROGRAM
    return PROGRAM.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("use_tpu=args.use_tpu,", "", "use_tpu=True"),
        ("params['hidden']", "params['batch_size']", "params"),
        ("loss=loss, train_op", "loss=loss, host_call=(print, [loss]), train_op", "host_call"),
        ("(metric_fn, [labels, logits,", "(metric_fn, [logits, labels,", "calls this `labels`"),
        ("(metric_fn, [labels, logits, ", "(metric_fn, [labels, ", "arguments of a metric_fn"),
        ("(metric_fn, ", f"({LAMBDA}, ", "metric_fn that isn't seen"),
        ("predicted", "hidden", "binds `hidden`"),
        ("    return {\n", "    if True:\n      return {\n", "doesn't end"),
        ("CrossShardOptimizer(optimizer)", "CrossShardOptimizer(optimizer, 'sum')", "arguments"),
    ],
)
def test_what_keeps_a_tpu_estimator_is_named(old: str, new: str, reason: str) -> None:
    assert reason in stopped(changed(old, new))[1]


def test_a_wrapped_optimizer_is_the_inner_one() -> None:
    old = "optimizer = tf.train.AdamOptimizer(rate)\n"
    new = "optimizer = tf.tpu.CrossShardOptimizer(tf.train.AdamOptimizer(rate))\n"
    assert "tf.keras.optimizers.Adam(rate" in after(changed(old, new))


def test_a_switch_that_is_off_needs_no_check() -> None:
    text = after(changed("use_tpu=args.use_tpu,", "use_tpu=False,"))
    assert "NotImplementedError" not in text
    assert "estimator = model_fn({'hidden': 6})" in text


FLAGS = (
    Path(__file__).parents[2] / "fixtures" / "keras" / "cluster_flags" / "before.py"
).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("    tpu_cluster_resolver = None\n", "    tpu_cluster_resolver = args\n", "isn't seen"),
        ("    run_config =", "    print(tpu_cluster_resolver)\n    run_config =",
         "is read by more"),
        ("if 'CLUSTER' in os.environ:", "for _ in range(1):", "`TF_CONFIG` is set"),
        ("classes = tf.argmax(logits, 1)\n    return {",
         "classes = tf.argmin(logits, 1)\n    return {", "binds `classes`"),
    ],
)  # fmt: skip
def test_what_keeps_a_program_of_clusters_is_named(old: str, new: str, reason: str) -> None:
    assert old in FLAGS
    assert reason in stopped(FLAGS.replace(old, new))[1]


def test_a_cluster_is_refused_once_where_estimators_are_made() -> None:
    text = after(FLAGS)
    assert text.count('get("cluster")') == 1
    assert "cluster_resolver" not in text
    plain = FLAGS.replace("    join_cluster()\n", "").replace("'TF_CONFIG'", "'OTHER'")
    assert "NotImplementedError" not in after(plain.replace("=args.use_tpu,", "=False,"))
