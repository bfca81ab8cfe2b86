"""`--to keras`: functions that a file defines again later on."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import PROGRAM, after, stopped

USED = """
net.train(lambda: input_fn(), steps=3)
print(net.evaluate(lambda: input_fn())['loss'])


def input_fn(count):
    return tf.data.Dataset.from_tensor_slices({'x': np.ones((count, 2), 'f')}).batch(4)


for each in net.predict(lambda: input_fn(5)):
    print(each['logits'])
"""
HEAD = PROGRAM.partition("net.train(")[0]


def program(*changes: tuple[str, str]) -> str:
    text = HEAD + USED
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    "changes",
    [
        (),
        (("lambda: input_fn(5)", "last"), ("\nfor each", "last = lambda: input_fn(5)\nfor each")),
    ],
)  # fmt: skip
def test_an_input_fn_that_is_defined_again(changes: tuple[tuple[str, str], ...]) -> None:
    new = after(program(*changes))
    assert "def input_fn():" in new
    assert "def input_fn_2(count):" in new
    assert "net.fit(input_fn().take(3), verbose=0)" in new
    assert "input_fn_2(5)" in new


@pytest.mark.parametrize(
    "changes",
    [
        (("net.train(lambda: input_fn()", "train = lambda: input_fn()\nnet.train(train"),),
        (("\n\ndef input_fn(count)", "\n\nif net:\n    input_fn = None\n\n\ndef input_fn(count)"),),
        (("\n\ndef input_fn(count)", "\n\ndef more():\n    return input_fn()\n\n\n"
          "def input_fn(count)"),),
        (("for each", "print('input_fn')\nfor each"),),
        (("net.evaluate(lambda: input_fn())", "net.predict(lambda: input_fn())"), ("['loss']", "")),
    ],
)  # fmt: skip
def test_definitions_that_are_read_later_stay(changes: tuple[tuple[str, str], ...]) -> None:
    stopped(program(*changes))
