"""`--to keras`: an Estimator that begins with the weights of another one."""

from __future__ import annotations

import pytest

from tests.rewriters.test_estimator_program import PROGRAM, after, stopped

MADE = "net = tf.estimator.Estimator(model_fn, params={})\n"
TWO = """first = tf.estimator.Estimator(model_fn, 'first', params={})
first.train(input_fn, steps=3)
net = tf.estimator.Estimator(model_fn, 'second', params={}, warm_start_from='first')
"""
SETTINGS = "tf.estimator.WarmStartSettings('first')"


def program(*changes: tuple[str, str]) -> str:
    text = TWO
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    assert MADE in PROGRAM
    return PROGRAM.replace(MADE, text)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ((), "warm_from='first'"),
        ((("_from='first'", f"_from={SETTINGS}"),), "warm_from='first'"),
        ((("_from='first'", "_from=first.model_dir"),), "warm_from=first.folder"),
        (
            (("net =", f"warm = {SETTINGS}\nnet ="), ("_from='first'", "_from=warm")),
            "warm = 'first'\nnet = Model({}, 'second', every_secs=600, warm_from=warm)",
        ),
        ((("'first'", "FOLDER"), ("first =", "FOLDER = 'm'\nfirst =")), "warm_from=FOLDER"),
    ],
)
def test_weights_of_another_estimator(changes: tuple[tuple[str, str], ...], said: str) -> None:
    new = after(program(*changes)).replace(", every_secs=600", "")
    assert said.replace(", every_secs=600", "") in new
    assert "self.begin_warm()" in new


@pytest.mark.parametrize(
    "changes",
    [
        (("_from='first'", "_from='other'"),),
        (("_from='first'", "_from=tf.estimator.WarmStartSettings('first', '.*hidden.*')"),),
        (("'second', params={}", "'second', params={'a': 2}"),),
        (("'second', params={}", "params={}"),),
        (("net =", f"warm = {SETTINGS}\nprint(warm)\nnet ="), ("_from='first'", "_from=warm")),
        (("'first'", "FOLDER"), ("first =", "FOLDER = 'm'\nfirst ="),
         ("net =", "FOLDER = 'n'\nnet =")),
    ],
)  # fmt: skip
def test_other_warm_starts_stay(changes: tuple[tuple[str, str], ...]) -> None:
    stopped(program(*changes))


def test_a_warm_start_that_no_call_gives() -> None:
    made = """def build(folder, warm=None):
    return tf.estimator.Estimator(model_fn, folder, params={}, warm_start_from=warm)


net = build('m')
"""
    new = after(PROGRAM.replace(MADE, made))
    assert "warm_from" not in new
    stopped(PROGRAM.replace(MADE, made.replace("build('m')", "build('m', 'other')")))
