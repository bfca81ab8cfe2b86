"""`--to keras`: comments of statements that go."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import after, changed

TRAIN = "net.train(input_fn, steps=3)\n"
LOGGED = """
# Log what is likely,
# every now and then.
tensors = {'logits': 'logits'}
hook = tf.train.LoggingTensorHook(tensors, every_n_iter=50)

# Train the model.
net.train(input_fn, steps=3, hooks=[hook])
"""


def test_what_is_said_of_a_paragraph_goes_with_it() -> None:
    text = after(changed(TRAIN, LOGGED))
    assert "likely" not in text
    assert "every now and then" not in text
    assert "net = Model({})\n\n# Train the model.\nnet.fit(" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("every_n_iter=50)\n", "every_n_iter=50)\nprint('here')\n"),
        ("tensors = {", "print('here')\ntensors = {"),
        ("# every now and then.\n", "# every now and then.\n\n"),
    ],
)
def test_what_is_said_of_more_stays(old: str, new: str) -> None:
    text = after(changed(TRAIN, LOGGED.replace(old, new)))
    assert "# Log what is likely,\n# every now and then.\n" in text
