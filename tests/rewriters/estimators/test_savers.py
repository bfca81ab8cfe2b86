"""`--to keras`: what saves checkpoints, who listens to it, and what evaluates without any."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import MODEL, after, stopped

HEAD = "import numpy as np\nimport tensorflow as tf\n"
LISTENER = """import numpy as np
import tensorflow as tf


class Tell(tf.train.CheckpointSaverListener):
    def after_save(self, session, step):
        print(step)

"""
MADE = ("params={})", "params={}, model_dir='m')")
SAVER = "tf.train.CheckpointSaverHook('m', save_steps=5)"
EVALUATED = "    return tf.estimator.EstimatorSpec(mode, loss=loss)\n"
MEMORY = "tf.estimator.experimental.InMemoryEvaluatorHook(net, input_fn, every_n_iter=2)"


def program(*changes: tuple[str, str], head: str = HEAD) -> str:
    text = head + MODEL
    for old, new in (MADE, *changes):
        assert old in text, old
        text = text.replace(old, new)
    return text


def hooked(hook: str, *changes: tuple[str, str]) -> str:
    return program(("steps=3", f"steps=3, hooks=[{hook}]"), *changes)


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        (SAVER, "SaveCheckpoints(5, None)"),
        ("tf.train.CheckpointSaverHook(net.model_dir, save_secs=60)", "SaveCheckpoints(None, 60)"),
    ],
)
def test_a_saver_takes_the_place_of_the_models_own(hook: str, said: str) -> None:
    new = after(hooked(hook))
    assert f"callbacks=[{said}]" in new
    assert "savers = savers or [SaveCheckpoints(self.every_steps, self.every_secs)]" in new


def test_a_saver_of_a_spec() -> None:
    saver = SAVER.replace("=5", "=5, saver=tf.train.Saver(max_to_keep=2)")
    new = after(program(("train_op=train_op", f"train_op=train_op, training_hooks=[{saver}]")))
    assert "callbacks = [*callbacks, SaveCheckpoints(5, None)]" in new
    assert "self.keep = 2" in new


@pytest.mark.parametrize(
    ("hook", "reason"),
    [
        ("tf.train.CheckpointSaverHook('n', save_steps=5)", "another folder than the `model_dir`"),
        ("tf.train.CheckpointSaverHook('m')", "steps and seconds, or with none"),
        (SAVER.replace("=5", "=5, saver=tf.train.Saver()"), "`saver` of a CheckpointSaverHook"),
        (SAVER.replace("=5", "=5, checkpoint_basename='x'"), "`checkpoint_basename`"),
    ],
)
def test_savers_that_stay(hook: str, reason: str) -> None:
    assert reason in stopped(hooked(hook))[1]


def test_a_listener() -> None:
    new = after(program(("steps=3", "steps=3, saving_listeners=[Tell()]"), head=LISTENER))
    assert "class Tell(SavingListener):\n    def after_save(self, step):\n" in new
    assert "listeners=[Tell()], verbose=0)" in new
    assert "if step != self.step:\n            self.save(step)\n" in new


def test_a_listener_of_a_saver() -> None:
    saver = SAVER.replace("=5", "=5, listeners=[Tell()]")
    new = after(program(("steps=3", f"steps=3, hooks=[{saver}]"), head=LISTENER))
    assert "callbacks=[SaveCheckpoints(5, None, listeners=[Tell()])]" in new


@pytest.mark.parametrize(
    ("old", "changed", "reason"),
    [
        ("print(step)", "session.run(step)", "asks the session for something"),
        ("print(step)", "tf.train.get_global_step()", "in a listener"),
        ("(self, session, step)", "(self, *args)", "the arguments of a listener's `after_save`"),
        ("(tf.train.CheckpointSaverListener)", "(object)", "whose class isn't seen"),
    ],
)
def test_listeners_that_stay(old: str, changed: str, reason: str) -> None:
    head = LISTENER.replace(old, changed)
    text = program(("steps=3", "steps=3, saving_listeners=[Tell()]"), head=head)
    assert reason in stopped(text)[1]


def test_an_evaluation_in_memory() -> None:
    new = after(hooked(MEMORY))
    assert "callbacks=[EvaluateInMemory(input_fn(), every_steps=2)]" in new
    new = after(hooked(MEMORY.replace("input_fn,", "input_fn, steps=2, name='x',")))
    assert "EvaluateInMemory(input_fn().take(2), every_steps=2, name='x')" in new


@pytest.mark.parametrize(
    ("hook", "changes", "reason"),
    [
        (
            MEMORY.replace("net", "other"),
            (("net.train", "other = tf.estimator.Estimator(model_fn, 'n', params={})\nnet.train"),),
            "of another Estimator",
        ),
        (MEMORY, ((EVALUATED, ""),), "can't evaluate"),
    ],
)  # fmt: skip
def test_evaluations_in_memory_that_stay(
    hook: str, changes: tuple[tuple[str, str], ...], reason: str
) -> None:
    text = hooked(hook, *changes).replace("print(net.evaluate(input_fn)['loss'])\n", "")
    assert reason in stopped(text)[1]
