"""The fixture programs see on the shim what they see on TensorFlow 1.15.5."""

from __future__ import annotations

import os
from collections.abc import Collection
from functools import cache
from typing import Any

import pytest
from verify_shims import agreed

from .conftest import goldens

#: 1e-6, except where many steps follow each other or slots hold noise: rounding adds up.
RTOL = {
    "canned_dnn": 5e-6,
    "canned_heads": 5e-6,
    "canned_kmeans": 5e-6,
    "canned_linear": 1e-5,
    "canned_sdca": 2e-5,
    "canned_v2": 1e-5,  # a logit of 4e-4 is what is left of larger numbers
    "keras_layers": 5e-6,
    "keras_models": 2e-5,
    "learn_more": 2e-5,
    "learn_rnn": 5e-6,
    "long_run": 1e-5,
    "optimizers": 1e-5,
    "tpu_bert": 1e-5,
    "warm_start": 5e-6,
}


#: Families whose programs share a process; the others are the core's.
FAMILIES = ("canned", "columns", "contrib", "heads", "keras", "learn", "rnn", "tpu")


def family(name: str) -> str:
    first = name.partition("_")[0]
    if first == "trees":
        return name  # many trainings each: processes of their own
    return first if first in FAMILIES else "core"


@cache
def seen(python: str, flags: tuple[str, ...], of: str) -> dict[str, Any]:
    """What all programs of a family see, in one process."""
    names = [name for name in (WITH_V1 if flags else CHOSEN) if family(name) == of]
    result: dict[str, Any] = goldens.run(python, sorted(names), *flags)
    return result


#: Run on 1.15.5 each time, to see that what was recorded is what it does; CI has time for these.
AGAIN = {"canned_baseline", "tpu_train", "train_sgd"}
if os.environ.get("MIGRATE_ALL_GOLDENS"):
    AGAIN |= {"contrib_learn", "heads_core", "rnn_models"}


@cache
def seen_1_15(python: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = goldens.run(python, [name])[name]
    return found


def programs(names: Collection[str]) -> list[Any]:
    """Programs, each family for one worker of xdist."""
    return [
        pytest.param(name, marks=pytest.mark.xdist_group(f"estimator_{family(name)}"))
        for name in sorted(names)
    ]


def ran(found: dict[str, Any]) -> dict[str, Any]:
    """What a program saw, if it ran to its end."""
    crash = found.get("crash", "")
    if "No module named 'pandas'" in crash:
        pytest.skip("pandas is not installed there")
    assert not crash, crash
    return found


#: The shim builds its own graphs, so TF 1's behaviour changes little in them: it is tried on some
#: of those whose variables, loops and Keras models it does change, and on a few of the core (CI's
#: time; MIGRATE_ALL_GOLDENS=1 asks for more).
ALL = bool(os.environ.get("MIGRATE_ALL_GOLDENS"))
CORE = [name for name in goldens.names() if family(name) == "core"]
WITH_V1 = {"canned_linear", "contrib_learn", "keras_layers", "rnn_models", "tpu_train", *CORE[::9]}
if ALL:
    WITH_V1 |= {
        "canned_v2", "contrib_estimator", "heads_core", "keras_metrics", "keras_models",
        "learn_more", "trees_classifier", *CORE,
    }  # fmt: skip
#: Those that run on the shim. Boosted trees train many small graphs, a process each: CI has time
#: for three of six. Where nothing changed since all agreed (scripts/verify_shims.py), a sample.
CHOSEN = set(goldens.names())
if not ALL:
    CHOSEN -= {"trees_estimator", "trees_in_memory", "trees_pruning"}
    if agreed():
        CHOSEN = {
            "canned_baseline", "columns_kinds", "heads_core", "learn_canned", "trees_explain",
            *WITH_V1, *CORE[::3],
        }  # fmt: skip


def check(name: str, found: dict[str, Any]) -> None:
    wrong, _ = goldens.compare(goldens.golden(name), ran(found), RTOL.get(name, 1e-6))
    wrong = [w for w in wrong if not goldens.UNORDERED.search(w)]
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.tf2
@pytest.mark.slow
@pytest.mark.parametrize("name", programs(CHOSEN))
def test_same_as_recorded(name: str, tf2_python: str) -> None:
    check(name, seen(tf2_python, (), family(name))[name])


@pytest.mark.tf2
@pytest.mark.slow
@pytest.mark.parametrize("name", programs(WITH_V1))
def test_same_with_v1_behaviour(name: str, tf2_python: str) -> None:
    check(name, seen(tf2_python, ("--v1",), family(name))[name])


@pytest.mark.tf1
@pytest.mark.slow
@pytest.mark.parametrize("name", programs(goldens.names()))
def test_recorded_is_what_1_15_sees(name: str, tf1_python: str) -> None:
    """Programs that are as they were recorded are not run again, but for some."""
    if goldens.up_to_date(name) and name not in AGAIN:
        return
    wrong = goldens.differences(name, ran(seen_1_15(tf1_python, name)))
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
