"""A run behind a branch that decides what it is fed stands in each way."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

SOURCE = (Path(__file__).parents[3] / "fixtures/native/fed_ways/before.py").read_text()
FED = "                    feed[model.labels] = label[start:end]\n"
RUN = "                loss, accuracy, _ = sess.run(\n"


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def after(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    return (result.after or b"").decode()


def test_each_way_has_a_function() -> None:
    text = after(SOURCE)
    assert text.count("model.train_step(**feed)]\n") == 1
    assert text.count("model.train_step_2(**feed)]  # a step\n") == 1
    second = text[text.index("def train_step_2") :].partition("self.train_step_2")[0]
    assert "self.of_several(logits, labels)" in second
    assert "accuracy = tf.constant(0.5)\n" in second
    assert "tf.equal" not in second


def test_a_third_way_stops_in_either_program() -> None:
    """Neither placeholder is fed there, but the run is, as `elif` says."""
    elif_ = SOURCE.replace(
        f"                else:\n{FED}",
        f"                elif FLAGS.classes:\n{FED}                else:\n"
        "                    feed[model.labels] = label[start:end] * 0.5\n",
    )
    assert elif_ != SOURCE
    assert after(elif_).count("model.train_step_2(**feed)") == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (RUN, f"                print(len(feed))\n{RUN}"),
        (f"                else:\n{FED}", f"                if FLAGS.several:\n{FED}"),
        (FED, f"{FED}                    continue\n"),
        (
            "                if not FLAGS.several:\n",
            "                if not FLAGS.several: feed[model.label] = label[start:end]\n"
            "                elif not FLAGS.several:\n",
        ),
    ],
)
def test_what_isn_t_right_behind_its_branch_keeps_the_session(old: str, new: str) -> None:
    source = SOURCE.replace(old, new, 1)
    assert source != SOURCE
    assert upgrade(source).level is Level.COMPAT


OPTIMIZED = "tf.contrib.layers.optimize_loss(self.loss, self.step, 0.01, 'Adam')"
ADAM = "tf.train.AdamOptimizer(0.01).minimize(self.loss, global_step=self.step)"


@pytest.mark.parametrize("train", [ADAM, OPTIMIZED])
def test_a_branch_behind_the_loss_trains_what_it_has(train: str) -> None:
    """One that only an accuracy comes from doesn't count, see above."""
    assert upgrade(SOURCE.replace(ADAM, train)).level is Level.NATIVE
    source = SOURCE.replace(
        "        losses = tf.nn.sparse",
        "        self.more = tf.get_variable('more', [])\n"
        "        losses = self.more * tf.nn.sparse",
    )
    assert source != SOURCE
    assert upgrade(source.replace(ADAM, train)).level is Level.COMPAT
