"""Sessions beside Estimators: `--to keras` makes functions of them, or they keep the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

KERAS = Path(__file__).parents[3] / "fixtures" / "keras"
PROGRAM = (KERAS / "session_beside" / "before.py").read_text(encoding="utf-8")
FUNCTION = "def scaled(x):\n"


def test_a_session_beside_an_estimator_becomes_a_function() -> None:
    new = after(PROGRAM)
    assert "mean = tf.reduce_mean(points, axis=0).numpy()" in new
    assert "compute_worst(found)" in new
    assert "class Model(tf.keras.Model)" in new
    assert "Session" not in new
    assert "__kept__" not in new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # What isn't followed of the session keeps all.
        ("series.eval()", "tf.contrib.bayesflow.entropy.renyi_ratio(series).eval()"),
        ("sess.run(tf.size(series))", "sess.graph.get_operations()"),
        # A class that is Keras's by then, and has to do with the session.
        ("    return [p['total'] for p", "    tf.Session().run(tf.reduce_sum(totals))\n"
         "    return [p['total'] for p"),
        # A function that both ask, where the session's part would change it.
        ("mean = sess.run(tf.reduce_mean(points, axis=0))",
         "mean = 1.\n    print(sess.run(scaled(tf.reduce_mean(points, axis=0))))"),
        # Two of one name: which of them a session asks isn't seen.
        (FUNCTION, "def scaled(x):\n    return x\n\n\n" + FUNCTION),
    ],
)  # fmt: skip
def test_a_session_that_isnt_followed_keeps_the_estimator(old: str, new: str) -> None:
    assert old in PROGRAM
    assert stopped(PROGRAM.replace(old, new))
