"""`--to keras`: model_fns that read their RunConfig, where that has only one answer."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import PROGRAM, after, stopped

FIRST = "    logits ="
ARGUMENTS = ("mode, params)", "mode, params, config)")


def program(lines: str) -> str:
    return (
        PROGRAM.replace(*ARGUMENTS).replace(FIRST, f"{lines}{FIRST}").replace("'x'], 3", "'x'], n")
    )


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("    n = 3 + config.num_ps_replicas\n", "n = 3 + 0"),
        ("    n = config.num_ps_replicas if config else 3\n", "n = 0 if True else 3"),
        ("    n = 3 if config.is_chief else 2\n", "n = 3 if True else 2"),
    ],
)
def test_what_a_run_config_says_of_one_process(lines: str, said: str) -> None:
    new = after(program(lines))
    assert said in new
    assert "config" not in new


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("    n = len(config.model_dir)\n", "`.model_dir` of it"),
        ("    n = len(str(config))\n", "hands its RunConfig on"),
    ],
)
def test_other_model_fns_that_read_it_stay(lines: str, reason: str) -> None:
    assert reason in stopped(program(lines))[1]
