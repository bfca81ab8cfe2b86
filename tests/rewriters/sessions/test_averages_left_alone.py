"""Runs that train batch normalizations and leave their averages alone (fixture of that name)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

FILE = Path(__file__).parents[3] / "fixtures/native/averages_left_alone/before.py"
PROGRAM = FILE.read_text()
WATCH = "net.energy.eval({net.pictures: images[others]})"
LOSS = "{net.pictures: images[others], net.labels: kinds[others]}"
CALL = "encode(net.pictures, 4, reuse=True, training=False)"


def test_the_runs_that_leave_them_alone_say_so() -> None:
    text = after(PROGRAM)
    assert text.count("with averages_kept():") == 2
    step = text[text.index("def train_step") :]
    assert "averages_kept" not in step
    assert "compute_loss(" not in step[: step.index("self.train_step")]


def test_without_such_runs_there_is_no_such_class() -> None:
    text = PROGRAM.replace(WATCH, "0").replace(f"net.loss.eval({LOSS})", "0")
    assert "averages_kept" not in after(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # a kernel that keeps another variance
        ("(x, training=training)", "(x, training=training, fused=False)"),
        # one run does both
        (WATCH, f"sess.run([net.energy, net.update], {WATCH[16:-1]})[0]"),
        # another number of kernels: other variables
        (CALL, CALL.replace("4", "3")),
        ("kernels = (2, 4)", "kernels = [2, 4]"),
        ("kernels = (2, 4)", "kernels = (2, 4)\nkernels = (3, 4)"),
    ],
)
def test_what_is_not_told_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    made = "            self.step ="
    both = f"            self.update = tf.identity(self.loss)\n{made}"
    text = PROGRAM.replace(made, both) if "update" in new else PROGRAM
    stopped(text.replace(old, new))
