"""Estimators in lists and dicts: what loops and keys take out is followed; all else stays."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import PROGRAM, after, stopped

BODY = PROGRAM.partition("net = tf.estimator")[0]
MAKE = "tf.estimator.Estimator(model_fn, params={})"


@pytest.mark.parametrize(
    "uses",
    [
        f"nets = {{'a': {MAKE}}}\nfor name, net in nets.items():\n    net.train(input_fn)",
        f"nets = {{}}\nnets['a'] = {MAKE}\nfor net in nets.values():\n    net.train(input_fn)",
        f"nets = {{}}\nnets['a'] = {MAKE}\nnets['a'].train(input_fn)\nprint(len(nets))",
        f"nets = {{'a': {MAKE}}}\nfor name in nets:\n    nets[name].train(input_fn)",
        f"nets = {{r: {MAKE} for r in 'ab'}}\nfor r, net in sorted(nets.items()):\n"
        "    net.train(input_fn)",
        f"nets = [{MAKE} for _ in range(2)]\nfor net in nets:\n    net.train(input_fn)\n"
        "print([net.evaluate(input_fn)['loss'] for net in nets])",
        f"nets = []\nnets.append({MAKE})\nfor i, net in enumerate(nets):\n    net.train(input_fn)",
        f"nets = [{MAKE}]\nfor i, net in zip('a', nets):\n    net.train(input_fn)",
    ],
)
def test_what_is_taken_out_is_followed(uses: str) -> None:
    new = after(f"{BODY}{uses}\n")
    assert "Model({})" in new
    assert ".fit(input_fn(), verbose=0)" in new


@pytest.mark.parametrize(
    "uses",
    [
        f"nets = [{MAKE}, object()]\nfor net in nets:\n    net.train(input_fn)",
        f"nets = [{MAKE}]\nnets.append(int)\nnets[0].train(input_fn)",
        f"nets = [{MAKE}]\nother = nets\nother[0].train(input_fn)",
        f"nets = [{MAKE}]\nfor net in nets:\n    pass\nnet.train(input_fn)",
        f"nets = [{MAKE}]\nnets.pop().train(input_fn)",
        f"nets = [{MAKE}]\nnet = open\nfor net in nets:\n    net.train(input_fn)",
    ],
)
def test_what_may_be_something_else_stays(uses: str) -> None:
    stopped(f"{BODY}{uses}\n")


SET = PROGRAM.replace("features['x'], 3)", "features['x'], 3, kernel_initializer=params['init'])")
UNIFORM = "'init': tf.random_uniform_initializer(-1., 1.)"


def test_an_initializer_among_the_settings_is_keras_s() -> None:
    new = after(SET.replace("params={}", f"params={{{UNIFORM}}}"))
    assert "'init': tf.keras.initializers.RandomUniform(" in new
    assert "kernel_initializer=params['init']" in new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("params={}", "params={'init': make()}"),
        ("params={}", "params={'other': tf.zeros_initializer()}"),
        ("params={}", "params=dict(init=tf.zeros_initializer())"),
        ("    logits =", f"    params['init'] = 3\n    print({{{UNIFORM}}})\n    logits ="),
        (
            "    logits =",
            "    w = tf.get_variable('w', [2], initializer=params.get('init'))\n    logits =",
        ),
    ],
)
def test_an_initializer_that_is_not_seen_stays(old: str, new: str) -> None:
    text = SET.replace(old, new, 1).replace("params={}", f"params={{{UNIFORM}}}")
    stopped(text)
