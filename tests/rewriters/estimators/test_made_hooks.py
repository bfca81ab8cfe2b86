"""`--to keras`: hooks that a function of the program makes."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import HEAD, PROGRAM, after, stopped

MAKES = """
NAMES = ['loss']


def logger(tensors=None, every=100, **kwargs):
    if tensors is None:
        tensors = NAMES
    return tf.train.LoggingTensorHook(tensors=tensors, every_n_iter=every)

"""
TRAIN = "net.train(input_fn, steps=3)\n"


def program(hooks: str, *changes: tuple[str, str], more: str = "") -> str:
    makes = MAKES
    for old, new in changes:
        assert old in makes, old
        makes = makes.replace(old, new)
    train = f"{more}net.train(input_fn, steps=3, hooks={hooks})\n"
    return PROGRAM.replace(HEAD, HEAD + makes, 1).replace(TRAIN, train)


@pytest.mark.parametrize(
    ("hooks", "more"),
    [
        ("[logger()]", ""),
        ("[logger(['a'], every=2, size=3), logger()]", ""),
        ("[shown]", "shown = logger({'a': 'b'})\n"),
    ],
)
def test_a_function_that_makes_a_hook_which_logs(hooks: str, more: str) -> None:
    new = after(program(hooks, more=more))
    assert "def logger" not in new
    assert "logger(" not in new
    assert "net.fit(input_fn().take(3), verbose=0)" in new


@pytest.mark.parametrize(
    ("hooks", "changes", "more"),
    [
        ("[logger(print(3))]", (), ""),
        ("[logger()]", (), "print(logger())\n"),
        ("[logger()]", (("        tensors = NAMES", "        tensors = list(NAMES)"),), ""),
        ("[logger()]", (("        tensors = NAMES", "        NAMES[0] = 'a'"),), ""),
        ("[logger()]", (("LoggingTensorHook(tensors=tensors, every_n_iter=every",
                         "FinalOpsHook(tensors"),), ""),
    ],
)  # fmt: skip
def test_functions_that_do_more_stay(
    hooks: str, changes: tuple[tuple[str, str], ...], more: str
) -> None:
    stopped(program(hooks, *changes, more=more))
