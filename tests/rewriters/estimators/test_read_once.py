"""`--to keras`: files that a model_fn reads. (Numbers: fixtures/keras/read_once.)"""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import after, changed, stopped

LAYER = "    logits = tf.layers.dense(features['x'], 3)\n"
LOAD = """

def load(path):
    with open(path) as lines:
        return np.array([[float(n) for n in line.split()] for line in lines], 'f')


def model_fn"""


@pytest.mark.parametrize("read", ["load(params['path'])", "np.load(params['path'])"])
def test_what_is_computed_of_a_file_is_read_once(read: str) -> None:
    body = f"    scales = {read}\n{LAYER.replace('3)', '3) * tf.constant(scales)')}"
    text = after(changed(LAYER, body).replace("\ndef model_fn", LOAD))
    assert f"        self.scales = {read}\n" in text
    assert "tf.constant(self.scales)" in text
    assert text.count(read) == 1


def test_a_file_that_only_a_weight_begins_with_is_no_attribute() -> None:
    body = "    begun = np.load(params['path'])\n    w = tf.get_variable('w', initializer=begun)\n"
    text = after(changed(LAYER, body + LAYER.replace("features['x']", "features['x'] @ w")))
    assert "        begun = np.load(params['path'])\n" in text
    assert "self.begun" not in text


def test_an_attribute_that_the_model_has_gets_another_name() -> None:
    body = f"    weights = np.load(params['path'])\n{LAYER.replace('3)', '3) * weights')}"
    assert "        self.weights_1 = np.load(params['path'])\n" in after(changed(LAYER, body))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    with open(path) as lines:\n", "    global seen\n    with open(path) as lines:\n"),
        ("    with open(path)", "    x = tf.zeros([2])\n    with open(path)"),
    ],
)
def test_what_does_more_than_to_read_stays(old: str, new: str) -> None:
    body = f"    scales = load('s.txt')\n{LAYER.replace('3)', '3) * tf.constant(scales)')}"
    text = changed(LAYER, body).replace("\ndef model_fn", LOAD.replace(old, new))
    assert stopped(text)[0] > 1
