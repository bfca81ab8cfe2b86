"""`--to keras`: hooks of the program that evaluate or predict, and those of an EstimatorSpec."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import MODEL, after, stopped

HEAD = """import numpy as np
import tensorflow as tf


class Count(tf.train.SessionRunHook):
    def begin(self):
        self.count = 0

    def after_run(self, context, values):
        self.count += 1

"""
STOPS = HEAD.replace("self.count += 1", "context.request_stop()")
SPEC = "EstimatorSpec(mode, loss=loss)"
EVALUATED = "net.evaluate(input_fn"


def program(*changes: tuple[str, str], head: str = HEAD) -> str:
    text = head + MODEL
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_a_hook_that_evaluates() -> None:
    new = after(program((EVALUATED, f"{EVALUATED}, hooks=[Count()]")))
    assert "def on_test_begin(self, logs=None):" in new
    assert "def on_test_batch_end(self, batch, logs=None):" in new
    assert "net.evaluate(input_fn(), callbacks=[Count()], return_dict=True, verbose=0)" in new


def test_a_hook_that_stops_an_evaluation() -> None:
    new = after(program((EVALUATED, f"{EVALUATED}, hooks=[Count()]"), head=STOPS))
    assert "self.model.stop_evaluating = True" in new


def test_a_hook_that_trains_and_evaluates_has_all_names() -> None:
    new = after(
        program(
            ("steps=3", "steps=3, hooks=[Count()]"), (EVALUATED, f"{EVALUATED}, hooks=[Count()]")
        )
    )
    assert "    on_test_batch_end = on_train_batch_end\n" in new
    assert "    on_test_begin = on_train_begin\n" in new


def test_a_hook_that_predicts() -> None:
    more = ("print(net", "print(list(net.predict(input_fn, hooks=[Count()])))\nprint(net")
    new = after(program(more))
    assert "def on_predict_batch_end(self, batch, logs=None):" in new
    assert "net.predict(input_fn(), callbacks=[Count()], verbose=0)" in new


@pytest.mark.parametrize(
    ("field", "method"),
    [("evaluation_hooks", "evaluate"), ("prediction_hooks", "predict")],
)
def test_hooks_of_a_spec(field: str, method: str) -> None:
    old = SPEC if method == "evaluate" else "predictions={'logits': logits})"
    new = after(program((old, f"{old[:-1]}, {field}=[Count()])")))
    assert f"    def {method}(self, *args, callbacks=(), **kwargs):\n" in new
    assert "callbacks = [*callbacks, Count()]" in new
    assert f"return super().{method}(*args, callbacks=callbacks, **kwargs)" in new


@pytest.mark.parametrize("field", ["training_hooks", "training_chief_hooks"])
@pytest.mark.parametrize(
    ("hook", "said"),
    [
        ("tf.train.StopAtStepHook(last_step=9)", "StopAtStep(9)"),
        ("tf.train.StopAtStepHook(num_steps=params['n'])", "StopAfterSteps(self.params['n'])"),
        ("tf.train.ProfilerHook(5, output_dir='p')", "ProfileSteps('p', every_steps=5)"),
    ],
)
def test_hooks_of_tf_1_in_a_spec(field: str, hook: str, said: str) -> None:
    new = after(program(("train_op=train_op", f"train_op=train_op, {field}=[{hook}]")))
    assert f"callbacks = [*callbacks, {said}]" in new


def test_hooks_of_an_eval_spec() -> None:
    specs = (
        "tf.estimator.train_and_evaluate(net, tf.estimator.TrainSpec(input_fn, max_steps=4), "
        "tf.estimator.EvalSpec(input_fn, steps=None, hooks=[Count()]))\n"
    )
    text = program(("params={})", "params={}, model_dir='m')"))
    new = after(text[: text.index("net.train(")] + specs)
    assert "watched = [Count()]\nnet.fit(" in new
    assert "throttle_secs=600, callbacks=watched)" in new
    assert "net.evaluate(input_fn(), callbacks=watched, verbose=0)" in new


@pytest.mark.parametrize(
    ("changes", "head", "reason"),
    [
        (
            (("steps=3", "steps=3, hooks=[Count()]"), (EVALUATED, f"{EVALUATED}, hooks=[Count()]")),
            STOPS,
            "stops what trains and what evaluates",
        ),
        (
            (
                (
                    "print(net",
                    "for p in net.predict(input_fn, hooks=[Count()]):\n    print(p)\nprint(net",
                ),
            ),
            HEAD,
            "aren't made a list of at once",
        ),
        (
            ((SPEC, "EstimatorSpec(mode, loss=loss, evaluation_hooks=[Count(logits)])"),),
            HEAD,
            "made with what a model_fn computes",
        ),
        (
            ((SPEC, f"{SPEC[:-1]}, evaluation_hooks=[tf.train.SummarySaverHook(1)])"),),
            HEAD,
            "summaries of an evaluation beside its metrics",
        ),
        (
            (("steps=3", "steps=3, hooks=[tf.train.FinalOpsHook(None)]"),),
            HEAD,
            "can follow train()",
        ),
    ],
)
def test_hooks_that_stay(changes: tuple[tuple[str, str], ...], head: str, reason: str) -> None:
    assert reason in stopped(program(*changes, head=head))[1]
