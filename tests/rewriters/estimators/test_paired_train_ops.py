"""Functions that give a train op and something else: other spellings, and what stops."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

KERAS = Path(__file__).parents[3] / "fixtures" / "keras"
CODE = (KERAS / "paired_train_ops" / "before.py").read_text(encoding="utf-8")
CALL = "        train_op, _ = create_optimizer(loss, params['rate'], 20)\n"
APPLY = "self.optimizer.apply_gradients(zip(grads, tvars))"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (CALL, CALL.replace("train_op, _", "train_op, pace")),
        (CALL, CALL.replace("train_op, _", "(train_op, pace)")),
        ("    return train_op, rate\n", "    found = train_op, rate\n    return train_op, rate\n"),
    ],
)
def test_the_train_op_is_a_part(old: str, new: str) -> None:
    assert old in CODE
    assert APPLY in after(CODE.replace(old, new))


def test_a_summary_of_the_rate() -> None:
    text = CODE.replace(
        CALL, CALL.replace(", _", ", pace") + "        tf.summary.scalar('pace', pace)\n"
    )
    text = text.replace("params={'rate': 0.1})", "params={'rate': 0.1}, model_dir='here')")
    assert "self.write_scalar('pace', self.optimizer.learning_rate)" in after(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (CALL, CALL.replace("train_op, _", "_, train_op")),
        (CALL, CALL + "        train_op = tf.identity(train_op)\n"),
    ],
)
def test_another_part_keeps_the_estimator(old: str, new: str) -> None:
    assert "a train op" in stopped(CODE.replace(old, new))[1]
