"""The fixture programs see on the shim what they see on TensorFlow 1.15.5."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from .conftest import goldens

#: 1e-6, except where many steps follow each other or slots hold noise: rounding adds up.
RTOL = {
    "canned_dnn": 5e-6,
    "canned_linear": 1e-5,
    "canned_sdca": 2e-5,
    "keras_models": 2e-5,
    "learn_more": 2e-5,
    "long_run": 1e-5,
    "optimizers": 1e-5,
    "tpu_bert": 1e-5,
    "warm_start": 5e-6,
}

#: With much to do elsewhere, 1.15.5 now and then reads a global step that has moved on already,
#: and writes summaries some steps early. What is recorded is a run without that.
RACE = re.compile(r"/(events1|(steps|more|input_ends)/events)/|/twice/")
#: A canned linear model's summaries read its bias and weights while the step updates them: nothing
#: orders the two, on neither side.
UNORDERED = re.compile(r"/events/(linear/)?(bias|fraction_of_zero_weights): ")


#: Families whose programs share a process; the others are the core's.
FAMILIES = ("canned", "contrib", "heads", "keras", "learn", "rnn", "tpu", "trees")


def family(name: str) -> str:
    first = name.partition("_")[0]
    return first if first in FAMILIES else "core"


@cache
def seen(python: str, flags: tuple[str, ...], of: str) -> dict[str, Any]:
    """What all programs of a family see, in one process."""
    names = [name for name in goldens.names() if family(name) == of]
    result: dict[str, Any] = goldens.run(python, names, *flags)
    return result


def programs() -> list[Any]:
    """The programs, each family for one worker of xdist."""
    return [
        pytest.param(name, marks=pytest.mark.xdist_group(f"estimator_{family(name)}"))
        for name in goldens.names()
    ]


def ran(found: dict[str, Any]) -> dict[str, Any]:
    """What a program saw, if it ran to its end."""
    crash = found.get("crash", "")
    if "No module named 'pandas'" in crash:
        pytest.skip("pandas is not installed there")
    assert not crash, crash
    return found


@pytest.mark.tf2
@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), ("--v1",)], ids=["v2_behaviour", "v1_behaviour"])
@pytest.mark.parametrize("name", programs())
def test_same_as_recorded(name: str, flags: tuple[str, ...], tf2_python: str) -> None:
    found = ran(seen(tf2_python, flags, family(name))[name])
    wrong, _ = goldens.compare(goldens.golden(name), found, RTOL.get(name, 1e-6))
    wrong = [w for w in wrong if not UNORDERED.search(w)]
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.tf1
@pytest.mark.slow
@pytest.mark.parametrize("name", programs())
def test_recorded_is_what_1_15_sees(name: str, tf1_python: str) -> None:
    found = ran(seen(tf1_python, (), family(name))[name])
    wrong, _ = goldens.compare(goldens.golden(name), found, 1e-6)
    wrong = [w for w in wrong if not RACE.match(w) and not UNORDERED.search(w)]
    assert not wrong, "\n".join(wrong[:20])


def test_a_nudged_number_is_found() -> None:
    array = {"dtype": "float32", "shape": [2], "data": [1.0, 2.0]}
    nudged = {"dtype": "float32", "shape": [2], "data": [1.0, 2.00001]}
    assert goldens.compare({"a": array}, {"a": array}, 1e-6) == ([], 0.0)
    assert goldens.compare({"a": array}, {"a": nudged}, 1e-6)[0]
    assert goldens.compare({"a": array}, {"b": array}, 1e-6)[0]
    assert goldens.compare({"a": [1, "x"]}, {"a": [1, "y"]}, 1e-6)[0]
    nan = {"dtype": "float32", "shape": [2], "data": [1.0, float("nan")]}
    assert goldens.compare(array, nan, 1e-6)[0]
