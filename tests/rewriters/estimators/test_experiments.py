"""contrib.learn's Experiments, said as `train_and_evaluate` or as training and an evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

SOURCE = (Path(__file__).parents[3] / "fixtures" / "keras" / "experiments" / "before.py").read_text(
    encoding="utf-8"
)
MAKER = SOURCE.index("def make_experiment_fn")
HEAD = SOURCE[:MAKER]
MADE = """\
net = tf.estimator.Estimator(model_fn, params={'units': 4}, model_dir='out')
experiment = tf.contrib.learn.Experiment(
    net, train_input, test_input, train_steps=30MORE)
experiment.train_and_evaluate()
"""
RUN = """\
def build(output_dir):
    net = tf.estimator.Estimator(model_fn, params={'units': 4}, model_dir=output_dir)
    return tf.contrib.learn.Experiment(net, train_input, test_input, train_steps=30)


"""


def upgraded(source: str) -> tuple[Level | None, str, str]:
    """The level, what keeps it, and the text."""
    (result,) = texts({"program.py": source.encode()}, Options(to="keras"))
    reason = next((f.message for f in result.left if f.rule == "TFM520"), "")
    return result.level, reason, (result.after or b"").decode()


def test_a_function_that_makes_one_has_the_arguments_of_both() -> None:
    level, _, text = upgraded(SOURCE)
    assert level is Level.NATIVE
    assert (
        "# An experiment with so many units.\n# What learn_runner calls.\n"
        "def experiment_fn(run_config, hparams, units, steps=20):\n"
        "    net = Model({'units': units}, **run_config)\n"
        "    net.fit(train_input(), max_steps=steps, verbose=0)\n"
    ) in text
    assert (
        "experiment_fn(dict(folder=tempfile.mkdtemp(), every_steps=10), None, 4, steps=30)" in text
    )
    assert "learn_runner" not in text.partition('"""\n')[2].replace("What learn_runner", "")


@pytest.mark.parametrize("called", ["experiment.train", "tf.contrib.learn.Experiment"])
def test_one_that_is_run_by_hand(called: str) -> None:
    source = MADE.replace("MORE", "")
    if called != "experiment.train":
        source = source.replace("experiment = ", "").replace(")\nexperiment.", ").")
    level, _, text = upgraded(HEAD + source)
    assert level is Level.NATIVE
    assert "callbacks=[EvaluateCheckpoints(test_input().take(100), throttle_secs=5)]" in text
    assert "net.evaluate(test_input().take(100), verbose=0)\n" in text


@pytest.mark.parametrize(
    ("more", "native"),
    [
        (", check_interval_secs=9, eval_delay_secs=1, eval_metrics=None", True),
        (", min_eval_frequency=1", True),
        (", min_eval_frequency=7", False),
        (", export_strategies=[None]", False),
        (", train_steps_per_iteration=3", False),
        (",\n    # a comment would go\n    eval_steps=3", False),
        (", eval_steps='#'", True),
    ],
)
def test_arguments(more: str, native: bool) -> None:
    level, reason, text = upgraded(HEAD + MADE.replace("MORE", more))
    assert (level is Level.NATIVE) == native
    assert bool(reason) != native
    if "interval" in more:
        assert "throttle_secs=9" in text


@pytest.mark.parametrize(
    ("run", "native"),
    [
        ("learn_runner.run(build, 'out')", True),
        ("learn_runner.run(build, output_dir='out', schedule='train_and_evaluate')", True),
        ("learn_runner.run(build, 'out', 'train')", False),
        ("print(learn_runner.run(build, 'out'))", False),
        ("learn_runner.run(build, 'out')\nbuild('other')", False),
        ("learn_runner.run(build, run_config=tf.contrib.learn.RunConfig(model_dir='out'))", False),
    ],
)
def test_ways_to_run_one(run: str, native: bool) -> None:
    level, reason, text = upgraded(HEAD + RUN + run + "\n")
    assert (level is Level.NATIVE) == native
    assert bool(reason) != native
    if native:
        assert "\nbuild('out')\n" in text
