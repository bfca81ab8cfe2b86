"""Export, run by JAX alone, and the result that joins the matrix."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

import pytest
from device_programs import Taker, program

from migrate.parity.config import Comparison
from migrate.parity.devices import gpu, matrix
from migrate.parity.devices.steps import Steps
from migrate.parity.errors import ParityError
from migrate.parity.harness import Options, Program
from migrate.parity.isolation import Limits
from migrate.parity.tolerances import Tolerances
from migrate.parity.verdict import AGREE, DIFFER, NOT_RUN, Result

needs_jax = pytest.mark.skipif(
    importlib.util.find_spec("jax") is None, reason="jax is not installed"
)


def joined(name: str, steps: Steps, found: dict[str, object]) -> Result:
    result = Result(name, "", "", "export")
    gpu.add(result, [steps], found, Tolerances())
    return result


@pytest.mark.tf2
def test_an_export_holds_all_that_jax_needs(good: Steps, lacking: Steps, tmp_path: Path) -> None:
    left_out = gpu.export({"good": [good], "lacking": [lacking]}, tmp_path, "cuda")
    assert len(left_out) == 1
    assert left_out[0].startswith("lacking (migrated): XLA has no kernel for SegmentSum")
    manifest = json.loads((tmp_path / gpu.MANIFEST).read_text())
    assert [item["name"] for item in manifest["programs"]] == ["good"]
    assert (tmp_path / "run_steps.py").is_file()
    assert "import tensorflow" not in (tmp_path / "run_steps.py").read_text()
    with pytest.raises(ParityError, match="SegmentSum"):
        gpu.export({"lacking": [lacking]}, tmp_path / "none", "cuda")


@pytest.mark.tf2
def test_a_result_of_another_gpu_joins(good: Steps) -> None:
    calls = [
        {"call": place, "outputs": [1e-7], "norms": dict.fromkeys(call["norms"], 0.0)}
        for place, call in enumerate(good.calls)
    ]
    device = {"platform": "gpu", "device": "NVIDIA X", "jax": "0.10.2"}
    found = {"tf32": False, "device": device, "programs": {"good": {"migrated": {"calls": calls}}}}
    result = joined("good", good, found)
    assert result.verdict == AGREE
    assert "NVIDIA X" in result.reason
    calls[3] = {**calls[3], "outputs": [1e-3]}
    result = joined("good", good, found)
    assert result.verdict == DIFFER
    assert result.first_step == 3
    assert joined("other", good, found).verdict == NOT_RUN


@pytest.mark.tf2
@pytest.mark.parametrize(
    ("platform", "column"), [("cuda", "gpu"), ("gpu", "gpu"), ("tpu", "tpu"), ("cpu", "export")]
)
def test_a_result_joins_the_column_of_its_device(
    platform: str, column: str, good: Steps, tmp_path: Path
) -> None:
    calls = [{"call": place, "outputs": [1e-7], "norms": dict.fromkeys(call["norms"], 0.0)}
             for place, call in enumerate(good.calls)]  # fmt: skip
    device = {"platform": platform, "device": "X", "jax": "0.10.2"}
    found = {"schema": 2, "tf32": False, "device": device,
             "programs": {"good": {"migrated": {"calls": calls}}}}  # fmt: skip
    path = tmp_path / "result.json"
    path.write_text(json.dumps(found))
    for columns in (("gpu", "tpu", "export"), ("xla",)):
        item = Comparison("good", None, Program("good.py"), Options())
        row = matrix.Row(item, sides=[good])
        row.cells = {name: Result("good", "", "", name, NOT_RUN, "no device") for name in columns}
        if "export" in columns and column != "export":
            del row.cells["export"]
        plan = matrix.Plan(tuple(row.cells), None, "python", tmp_path, results=(path,))
        said: list[str] = []
        matrix._exports([row], plan, said.append)
        for name, cell in row.cells.items():
            assert cell.verdict == (AGREE if name == column else NOT_RUN), cell.reason
        assert bool(said) == (columns == ("xla",))


@pytest.mark.tf2
def test_without_a_gpu_it_says_what_can_be_exported(
    good: Steps, lacking: Steps, tmp_path: Path
) -> None:
    reasons = {}
    for name, side in (("good", good), ("lacking", lacking)):
        item = Comparison(name, None, Program(f"{name}.py"), Options())
        row = matrix.Row(item, sides=[side])
        row.cells["gpu"] = Result(name, "", "", "gpu", NOT_RUN, "no GPU in reach")
        matrix._exports([row], matrix.Plan(("gpu",), None, "python", tmp_path), lambda text: None)
        reasons[name] = row.cells["gpu"].reason
    assert reasons["good"].startswith("no GPU in reach. Elsewhere: `migrate parity export")
    assert reasons["lacking"].startswith("no GPU in reach. Its steps can't be exported either: XLA")


def test_an_original_that_does_not_run_is_the_reason(tmp_path: Path) -> None:
    """Not that of programs beside it, nor that there is nothing to export."""
    row = matrix.Row(Comparison("dead", None, Program("dead.py"), Options()))
    row.cells["export"] = Result("dead", "", "", "export", NOT_RUN, "the original fails")
    matrix._exports([row], matrix.Plan(("export",), None, "python", tmp_path), lambda text: None)
    assert row.cells["export"].reason == "the original fails"


@pytest.mark.tf2
def test_tf32_is_a_rung_of_its_own(good: Steps) -> None:
    device = {"platform": "gpu", "device": "NVIDIA X", "jax": "0.10.2"}
    calls = [{"call": place, "outputs": [1e-3], "norms": dict.fromkeys(call["norms"], 0.0)}
             for place, call in enumerate(good.calls)]  # fmt: skip
    programs = {"good": {"migrated": {"calls": calls}}}
    for tf32, verdict in ((True, AGREE), (False, DIFFER)):
        found = {"tf32": tf32, "device": device, "programs": programs}
        result = joined("good", good, found)
        assert result.verdict == verdict
        assert result.rungs[0].name == "migrated on gpu" + (" with TF32" if tf32 else "")


def test_what_is_no_result_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text("[]")
    with pytest.raises(ParityError, match="no result of run-export"):
        gpu.results(path)


@needs_jax
@pytest.mark.tf2
@pytest.mark.slow
def test_jax_alone_runs_both_kinds(
    good: Steps, session_steps: Steps, taker: Taker, tmp_path: Path
) -> None:
    """And a step changed in one constant differs at its first step: the negative control."""
    other = taker("other", program(constant="0.1001"))
    place = tmp_path / "changed"
    shutil.copytree(good.folder, place)
    shutil.copy2(other.folder / "0.mlirbc", place / "0.mlirbc")
    changed = Steps(good.side, place, good.record)
    every = {"good": [good], "session": [session_steps], "changed": [changed]}
    gpu.export(every, tmp_path / "export", "cpu")
    output = tmp_path / "result.json"
    found, reason = gpu.run_export(tmp_path / "export", output, Limits(100.0), "cpu")
    assert found is not None, reason
    assert joined("good", good, found).verdict == AGREE
    assert joined("session", session_steps, found).verdict == AGREE
    result = joined("changed", changed, found)
    assert result.verdict == DIFFER
    assert result.first_step == 0
    assert "norm of w" in result.reason
