"""Training up to a step without a `model_dir`: a model's only one, or the Estimator stays."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from tests.rewriters.estimators.test_contrib_keras import upgraded

NAME = "learn_experiment"
RUN = "learn_runner.run(generate_experiment_fn(), tempfile.mkdtemp())"
MAIN = f"def main():\n    {RUN}\n\n\n"


@pytest.mark.parametrize("new", [RUN, f"if rng:\n    {RUN}", f"{MAIN}main()"])
def test_what_runs_once(new: str) -> None:
    level, reason, after = upgraded(NAME, RUN, new)
    assert level is Level.NATIVE, reason
    assert "take(STEPS)" in after


@pytest.mark.parametrize(
    "new",
    [
        f"{RUN}\n{RUN}",
        f"for _ in range(2):\n    {RUN}",
        f"{MAIN}main()\nmain()",
        f"{MAIN}for main_ in [main, main]:\n    main_()",
        f"{RUN}\nestimator.fit(input_fn=train_input_fn, steps=3)",
        f"estimator.fit(input_fn=train_input_fn, steps=3)\n{RUN}",
        f"class Runs:\n    def go(self):\n        {RUN}\n\n\nRuns().go()",
    ],
)
def test_what_may_train_again_stays(new: str) -> None:
    level, reason, _ = upgraded(NAME, RUN, new)
    assert level is Level.COMPAT
    assert "may be trained before" in reason


def test_a_function_that_makes_experiments_runs_twice() -> None:
    run = "learn_runner.run(\n    make_experiment_fn(4, steps=30),"
    end = " save_checkpoints_steps=10))"
    again = "\nlearn_runner.run(make_experiment_fn(2), run_config=tf.contrib.learn.RunConfig())"
    level, reason, after = upgraded("experiments", run, run, (end, end + again))
    assert level is Level.NATIVE, reason
    assert after.count("def experiment_fn(") == 1
    assert after.count("\nexperiment_fn(") == 2
