"""`tf.contrib.keras` in programs with Estimators, and what a notebook shows of their input_fns."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

FIXTURES = Path(__file__).parents[3] / "fixtures" / "keras"


def upgraded(
    name: str, old: str = "", new: str = "", *more: tuple[str, str]
) -> tuple[Level | None, str, str]:
    """The level of a fixture, some of which is written otherwise, what keeps it, and its text."""
    source = (FIXTURES / name / "before.py").read_text(encoding="utf-8")
    for before, after in ((old, new), *more):
        assert before in source
        source = source.replace(before, after) if before else source
    (result,) = texts({"program.py": source.encode()}, Options(to="keras"))
    reason = next((f.message for f in result.left if f.rule == "TFM520"), "")
    return result.level, reason, (result.after or b"").decode()


def test_layers_of_contrib_keras_begin_with_the_features() -> None:
    level, _, after = upgraded("contrib_keras")
    assert level is Level.NATIVE
    assert "contrib" not in after.partition('"""\n')[2]
    assert "v = features\n" in after


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        # A functional model begins with its `Input`, not with a tensor.
        ("contrib_keras", "    loss = ", "    m = tf.keras.Model(features, scores)\n    loss = "),
        ("contrib_keras", "Input(tensor=features)", "Input(tensor=features, name='in')"),
        ("contrib_keras", "scores, 2)", "scores, 2, class_id=1)"),
        ("exports_as_text", "train_input_fn()\n", "seen = train_input_fn()\n"),
        ("exports_as_text", "train_input_fn()\n", "print(train_input_fn)\n"),
    ],
)
def test_what_is_not_followed_keeps_the_estimator(name: str, old: str, new: str) -> None:
    level, reason, _ = upgraded(name, old, new)
    assert level is Level.COMPAT
    assert reason
