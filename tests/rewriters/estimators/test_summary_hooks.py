"""`--to keras`: hooks of a spec that save summaries, and summaries that have names."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import PROGRAM, after, stopped

MADE = ("params={})", "params={}, model_dir='m')")
TRAIN = "    if mode == tf.estimator.ModeKeys.TRAIN:\n"
SHOWN = """        top = tf.reduce_max(logits)
        shown = tf.summary.scalar('top', top)
        tf.summary.scalar('least', tf.reduce_min(logits))
"""
HOOK = "tf.train.SummarySaverHook(5, output_dir='s', summary_op=tf.summary.merge_all())"


def program(hook: str = "", *changes: tuple[str, str], shown: str = SHOWN) -> str:
    hooks = f"train_op=train_op, training_hooks=[{hook}]" if hook else "train_op=train_op"
    text = PROGRAM
    for old, new in (MADE, (TRAIN, TRAIN + shown), ("train_op=train_op", hooks), *changes):
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_a_summary_under_a_name_is_written() -> None:
    new = after(program())
    assert "        self.write_scalar('top', top)\n" in new
    assert "shown" not in new


def test_a_summary_whose_text_a_step_reads_stays() -> None:
    text = program(
        "", ("loss=loss, train_op", "loss=loss + tf.cast(tf.size(shown), tf.float32), train_op")
    )
    assert "is read by what a step computes" in stopped(text)[1]


@pytest.mark.parametrize(
    ("hook", "made", "written"),
    [
        (HOOK, "SaveSummaries('s', every_steps=5)", 2),
        (HOOK.replace("(5,", "(save_secs=9,"), "SaveSummaries('s', every_secs=9)", 2),
        (HOOK.replace("merge_all()", "merge([shown])"), "SaveSummaries('s', every_steps=5)", 1),
        (HOOK.replace("tf.summary.merge_all()", "shown"), "SaveSummaries('s', every_steps=5)", 1),
        (
            HOOK.replace("summary_op=tf.summary.merge_all()",
                         "scaffold=tf.train.Scaffold(summary_op=tf.summary.merge_all())"),
            "SaveSummaries('s', every_steps=5)",
            2,
        ),
    ],
)  # fmt: skip
def test_a_hook_that_saves_summaries(hook: str, made: str, written: int) -> None:
    new = after(program(hook))
    assert f"self.summary_saver = {made}\n" in new
    assert "callbacks = [*callbacks, self.summary_saver]" in new
    place = "self.summary_saver"
    opened = f"with {place}.writer.as_default(), tf.summary.record_if({place}.due):\n"
    block = new.partition(opened)[2].partition("        self.optimizer")[0]
    assert block.count("            self.write_scalar(") == written


@pytest.mark.parametrize(
    ("hook", "changes", "reason"),
    [
        (HOOK, ((MADE[1], MADE[0]),), "without a `model_dir`"),
        (HOOK.replace("(5,", "("), (), "without a folder, summaries, or a time"),
        (HOOK.replace("merge_all()", "merge([logits])"), (), "which summaries"),
        (HOOK.replace("output_dir='s'", "summary_writer=None, output_dir=top"), (), "computes"),
        (
            HOOK,
            (("def input_fn", "def other(x):\n    tf.summary.scalar('x', x)\n\n\ndef input_fn"),),
            "beside summaries of other functions",
        ),
    ],
)
def test_hooks_that_save_other_summaries_stay(
    hook: str, changes: tuple[tuple[str, str], ...], reason: str
) -> None:
    assert reason in stopped(program(hook, *changes))[1]


@pytest.mark.parametrize("steps", ["None", "0"])
def test_no_summaries(steps: str) -> None:
    config = f"tf.estimator.RunConfig(save_summary_steps={steps})"
    new = after(program("", ("model_dir='m'", f"model_dir='m', config={config}")))
    assert "        if not self.summary_steps:\n            return False\n" in new
    assert f"summary_steps={steps})" in new
