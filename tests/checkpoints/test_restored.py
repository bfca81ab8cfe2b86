"""TF 1.15.5's checkpoints in native models, by the names that the upgrade told: fixtures/native.

Programs of fixtures/native with a folder `restored` go on from what TF 1.15.5's Saver wrote there:
the checkpoint is converted by `migrate-names.json`, and what the upgraded program computes, prints
and trains from there on is what TF 1.15.5 printed (`scripts/record_restored.py`).
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from migrate.cli import cli
from migrate.parity import bundle, compare
from migrate.parity.harness import Harness, Options, Program

ROOT = Path(__file__).resolve().parents[2]


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


restored = _load(ROOT / "scripts" / "record_restored.py")
goldens = restored.goldens
CASES = [case for case in goldens.cases() if (case.folder / "restored").exists()]
needs_tf2 = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="TensorFlow 2.21 is not installed"
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every program with a Saver, upgraded by one run of the command."""
    work = tmp_path_factory.mktemp("restored")
    for case in CASES:
        goldens.copy_program(case, work / case.name)
        restored.prepare(work / case.name / case.entry)
    done = CliRunner().invoke(cli, ["upgrade", "--allow-no-vcs", "--no-cache", "-q", str(work)])
    assert done.exit_code <= 1, done.output  # 1: a finding is left
    return work


@pytest.fixture(scope="module")
def harness() -> Iterator[Harness]:
    """One process that has imported TensorFlow 2.21 and forks for each program."""
    with Harness(Options(), tf2=sys.executable) as made:
        yield made


@pytest.mark.tf2
@needs_tf2
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_checkpoint_of_tf1_is_what_the_native_model_goes_on_from(
    case: goldens.Case, programs: Path, harness: Harness
) -> None:
    folder, kept = programs / case.name, case.folder / "restored"
    assert "tf.train.Checkpoint" in (folder / case.entry).read_text(encoding="utf-8")
    shutil.copytree(kept, folder / "tf1", dirs_exist_ok=True)
    done = CliRunner().invoke(
        cli,
        ["checkpoint", "convert", str(folder / "tf1" / restored.CHECKPOINT),
         str(folder / restored.CHECKPOINT), "--map", str(folder / "migrate-names.json")],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    shutil.rmtree(folder / "tf1")
    harness.options = case.options()
    found = harness.run_program("tf2", Program(str(folder / case.entry)))
    assert not found.ending.get("code"), found.ending.get("traceback")
    rtol = harness.options.tolerances.printed
    expected = (kept / restored.PRINTED).read_text(encoding="utf-8")
    said = compare.texts("printed text", expected, found.stdout, rtol)
    assert said.difference is None, f"{said.difference}\n{found.stdout}\n--- 1.15.5\n{expected}"
    started = compare.texts("printed text", expected, bundle.read(case.golden).stdout, rtol)
    assert started.difference is not None  # the test would see that nothing was restored


def test_there_is_a_checkpoint_for_each_kind_of_model() -> None:
    assert len(CASES) >= 35
