"""`--to keras`: metrics that a loop over constants makes."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import PROGRAM, after, stopped

LAST = "    return tf.estimator.EstimatorSpec(mode, loss=loss)\n"


def looped(head: str, key: str, above: str = "") -> str:
    body = (
        "    metrics = {}\n"
        f"    for {head}:\n"
        f"        metrics[{key}] = tf.metrics.recall(\n"
        "            tf.equal(labels, i), tf.equal(tf.argmax(logits, 1), i))\n"
    )
    spec = LAST.replace("loss=loss", "loss=loss, eval_metric_ops=metrics")
    text = PROGRAM.replace(LAST, f"{body}{spec}")
    return text.replace("\ndef model_fn", f"{above}\ndef model_fn", 1)


@pytest.mark.parametrize(
    ("head", "key", "above"),
    [
        ("i in range(2)", "'recall_%d' % i", ""),
        ("i in [0, 1]", "'recall_{}'.format(i)", ""),
        ("i in range(0, N)", "'recall_' + str(i)", "N = 2\n"),
        ("i, kind in enumerate(KINDS)", "f'recall_{kind}'", "KINDS = ['0', '1']\n"),
        ("i, kind in enumerate(('0', '1'))", "'recall_%s' % (kind,)", ""),
    ],
)
def test_the_rounds_are_said_one_by_one(head: str, key: str, above: str) -> None:
    new = after(looped(head, key, above))
    for place in (0, 1):
        assert f"self.recall_{place} = tf.keras.metrics.Recall()" in new
        assert f"'recall_{place}': self.recall_{place}.result()" in new
        assert f"tf.equal(tf.argmax(logits, 1), {place})" in new


@pytest.mark.parametrize(
    ("head", "key", "above"),
    [
        ("i in range(params['count'])", "'recall_%d' % i", ""),
        ("i in range(N)", "'recall_%d' % i", "N = 2\nN = 3\n"),
        ("i in KINDS", "'recall_%d' % i", "KINDS = [0]\nKINDS.append(1)\n"),
        ("i in range(2000)", "'recall_%d' % i", ""),
    ],
)
def test_rounds_that_are_not_seen_stay(head: str, key: str, above: str) -> None:
    stopped(looped(head, key, above))


def test_a_name_that_is_read_behind_the_loop_stays() -> None:
    text = looped("i in range(2)", "'recall_%d' % i")
    end = "    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)\n"
    assert text.count(end) == 1
    stopped(text.replace(end, f"    print(i)\n{end}"))
