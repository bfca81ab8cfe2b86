"""An input_fn of arrays under a second name, and Experiments of contrib.learn's own Estimator."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from tests.rewriters.test_estimator_contrib_keras import upgraded

NAME = "learn_experiment"
ALIAS = "        train_input = train_input_fn\n"


@pytest.mark.parametrize("new", [ALIAS, ALIAS.replace("= train", "= \\\n            train")])
def test_the_dataset_stands_where_a_second_name_stood(new: str) -> None:
    level, reason, after = upgraded(NAME, ALIAS, new)
    assert level is Level.NATIVE, reason
    assert "estimator.fit(train_dataset.take(STEPS), verbose=0)" in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (ALIAS, f"        first = train_input_fn\n{ALIAS}"),
        ("train_input_fn=train_input,", "train_input_fn=train_input_fn,"),
        (ALIAS, f"{ALIAS}        print(train_input)\n"),
        (ALIAS, f"{ALIAS}        other = train_input\n"),
        (ALIAS, ALIAS.replace("train_input =", "train_input = other =")),
        (ALIAS, f"{ALIAS}        train_input = test_input_fn\n        train_input = len\n"),
        (ALIAS, f"{ALIAS}        train_input.dtype = 1\n"),
        (
            "            train_steps=STEPS\n",
            "            train_steps=STEPS,\n            eval_metrics={}\n",
        ),
    ],
)
def test_what_is_read_elsewhere_stays(old: str, new: str) -> None:
    level, reason, _ = upgraded(NAME, old, new)
    assert level is Level.COMPAT
    assert reason
