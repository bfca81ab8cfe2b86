"""The tpu column without a TPU: libtpu compiles, and the words for what it does not take."""

from __future__ import annotations

import importlib.util
import json
import platform
import sys
from pathlib import Path

import pytest
from device_programs import Taker, program

from migrate.parity.devices import tpu
from migrate.parity.devices.steps import Steps
from migrate.parity.errors import ParityError
from migrate.parity.isolation import Limits
from migrate.parity.verdict import COMPILES, DIFFER, NOT_RUN, Result

needs_libtpu = pytest.mark.skipif(
    importlib.util.find_spec("libtpu") is None or importlib.util.find_spec("jax") is None,
    reason=f"jax or libtpu is not installed: {tpu.INSTALL}",
)
OUT_OF_MEMORY = (
    "JaxRuntimeError: RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the "
    "total memory required for HLO temporaries (1.28T) exceeds available HBM (15.75G). HLO: a"
)
FIGURES = {
    "seconds": 1.0, "chips": 4, "split": 1, "arguments": 1000, "results": 600, "temporary": 200,
    "code": 100, "shared": 600, "flop": 12345.0, "bytes accessed": 1.0, "all-reduce": 1,
}  # fmt: skip
BIG = """\
import tensorflow as tf

w = tf.Variable(tf.ones([37, 1]), name="w")


@tf.function(autograph=False)
def train_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(x @ w))
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss


train_step(tf.ones([8, 37]))
"""


def one(*functions: dict[str, object]) -> Steps:
    return Steps("migrated", Path("/steps"), {"functions": list(functions), "calls": []})


def function(**values: object) -> dict[str, object]:
    base: dict[str, object] = {"name": "train_step", "train": True, "module": "0.mlirbc",
                               "missing": [], "error": "", "inputs": []}  # fmt: skip
    return {**base, **values}


def judged(steps: Steps, compiled: tpu.Compiled) -> Result:
    result = Result("program", "before.py", "after.py", "tpu")
    tpu.judge(result, [steps], {compiled.topology: {(str(steps.folder), 0): compiled}})
    return result


def test_what_compiles_says_that_its_numbers_were_not_run() -> None:
    result = judged(one(function()), tpu.Compiled("v5e:2x2", "TPU v5 lite", FIGURES))
    assert result.verdict == COMPILES
    assert "on 4 chips, data-parallel, fits in 15.75 GiB" in result.reason
    assert result.reason.endswith("numbers not run")


def test_a_model_too_large_for_the_chip_is_a_failure() -> None:
    result = judged(one(function()), tpu.Compiled("v5e:2x2", "TPU v5 lite", error=OUT_OF_MEMORY))
    assert result.verdict == DIFFER
    assert (
        "does not fit on TPU v5 lite (v5e:2x2): the step needs 1.28TiB, the chip has 15.75GiB"
        in (result.reason)
    )


def test_a_step_that_xla_refuses_is_not_run() -> None:
    lacking = {"op": "PyFunc", "node": "PyFunc", "place": ["/train.py", 12]}
    steps = one(function(module=None, missing=[lacking], error="Detected unsupported operations"))
    result = judged(steps, tpu.Compiled("v5e:2x2"))
    assert result.verdict == NOT_RUN
    assert "PyFunc (train.py:12" in result.reason


def test_without_libtpu_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(sys, "version_info", (3, 12, 1))
    assert tpu.INSTALL in tpu.missing()


@pytest.mark.parametrize(
    ("system", "machine", "version", "words"),
    [
        ("darwin", "arm64", (3, 12, 1), "libtpu exists for Linux on x86-64 only, this is darwin"),
        ("linux", "aarch64", (3, 12, 1), "x86-64 only, this is linux on aarch64"),
        ("linux", "x86_64", (3, 10, 4), "needs Python 3.11, this is 3.10"),
    ],
)
def test_where_libtpu_can_t_be_installed_no_command_is_named(
    system: str, machine: str, version: tuple[int, ...], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(sys, "version_info", version)
    assert words in tpu.missing()
    assert tpu.INSTALL not in tpu.missing()


@needs_libtpu
@pytest.mark.tf2
@pytest.mark.slow
def test_steps_compile_for_two_generations(good: Steps, session_steps: Steps) -> None:
    said: list[str] = []
    for topology, device in (("v5e:2x2", "TPU v5 lite"), ("v6e:2x2", "TPU v6 lite")):
        found = tpu.compile_all([good, session_steps], topology, Limits(120.0), said.append)
        assert len(found) == 2
        for compiled in found.values():
            assert compiled.device == device
            assert compiled.error == ""
            assert compiled.figures["chips"] == 4
            assert compiled.figures["all-reduce"] >= 1
            assert compiled.figures["flop"] > 0
    assert len(said) == 4


@needs_libtpu
@pytest.mark.tf2
@pytest.mark.slow
def test_a_model_larger_than_the_chip_s_memory_is_refused(taker: Taker) -> None:
    small = taker("small", BIG)
    assert small.obstacle() == ""
    # The same step with 4e9 weights, 16 GB, written into its module's text.
    job = small.folder.with_name("big")
    job.mkdir()
    sys.path.insert(0, str(Path(tpu.__file__).parent))
    import run_steps

    sys.path.pop(0)
    context, module = run_steps.parse((small.folder / "0.mlirbc").read_bytes())
    with context:
        text = str(module).replace("37x", "4000000000x")
    (job / "0.mlirbc").write_bytes(text.encode())
    big = Steps(small.side, job, small.record)
    found = tpu.compile_all([big], "v5e:2x2", Limits(120.0), lambda text: None)
    result = Result("big", "", "", "tpu")
    tpu.judge(result, [big], {"v5e:2x2": found})
    assert result.verdict == DIFFER, json.dumps(result.as_dict())
    assert "does not fit on TPU v5 lite" in result.reason


@needs_libtpu
@pytest.mark.tf2
@pytest.mark.slow
def test_an_operation_that_a_tpu_lacks_is_named_with_its_line(good: Steps, lacking: Steps) -> None:
    """Beside a step that compiles: the one is named, the other isn't held back."""
    found = tpu.compile_all([good, lacking], "v5e:2x2", Limits(120.0), lambda text: None)
    assert len(found) == 1
    results = {}
    for name, side in (("good", good), ("lacking", lacking)):
        results[name] = Result(name, "", "", "tpu")
        tpu.judge(results[name], [side], {"v5e:2x2": found})
    assert results["good"].verdict == COMPILES
    assert results["lacking"].verdict == NOT_RUN
    reason = results["lacking"].reason
    assert "XLA has no kernel for SegmentSum (lacking.py:14: `loss += tf.math.segment_sum" in reason
    assert "tf.math.unsorted_segment_sum" in reason


@needs_libtpu
@pytest.mark.tf2
@pytest.mark.slow
def test_a_changed_constant_compiles_and_is_no_agreement(taker: Taker) -> None:
    """No number is run for a TPU: it says so; `export` and `xla` are the columns that see it."""
    other = taker("other", program(constant="0.1001"))
    found = tpu.compile_all([other], "v5e:2x2", Limits(120.0), lambda text: None)
    result = Result("other", "", "", "tpu")
    tpu.judge(result, [other], {"v5e:2x2": found})
    assert result.verdict == COMPILES  # which is no agreement
    assert result.reason.endswith("numbers not run")


@needs_libtpu
@pytest.mark.tf2
def test_an_unknown_topology_is_an_error(good: Steps) -> None:
    with pytest.raises(ParityError, match="v99:9x9"):
        tpu.compile_all([good], "v99:9x9", Limits(60.0), lambda text: None)
