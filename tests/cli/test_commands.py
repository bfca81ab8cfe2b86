"""Levels, rules, and what every command has in common."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from migrate.engine import runner
from migrate.engine.findings import FileResult, Finding, Level
from migrate.engine.options import Options
from tests.cli.conftest import NEW, Engine, Invoke, finding, migrate


def test_explain_level(call: Invoke, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    def levels(
        paths: Sequence[str], options: Options
    ) -> Iterator[tuple[tuple[str, ...], Level, list[Finding]]]:
        yield ("a.py", "b.py"), Level.COMPAT, [finding("a.py", message="keeps its graph")]
        yield tuple("cdefghij"), Level.NATIVE, []

    monkeypatch.setattr(runner, "explain_level", levels)
    found = call("upgrade", ".", "--explain-level")
    assert found.exit_code == 0
    assert found.stdout == (
        "compat: a.py, b.py\n    a.py:1:1: TFM101 keeps its graph\n"
        "native: c, d, e, f, g, h and 2 more\n"
        "2 programs: 1 compat, 1 native\n"
    )
    found = call("upgrade", ".", "--explain-level", "--format", "json", "--output", "l.json")
    written = json.loads((folder / "l.json").read_text())
    assert written[0]["level"] == "compat"
    assert written[1]["files"] == list("cdefghij")


def test_rules_and_explain(call: Invoke) -> None:
    listed = json.loads(call("rules", "--format", "json").stdout)
    assert [rule["id"] for rule in listed] == sorted(rule["id"] for rule in listed)
    assert "TFM101" in call("rules").stdout
    assert "| TFM101 |" in call("rules", "--format", "markdown").stdout
    assert call("explain", "tfm101").stdout.startswith("# TFM101 ")
    assert call("explain", listed[0]["name"]).exit_code == 0


def test_help_imports_no_command(call: Invoke) -> None:
    found = call("--help")
    assert found.exit_code == 0
    assert "Compare a program on TF 1.15.5 and TF 2.21." in found.stdout


def test_an_internal_error_is_said_to_be_one(call: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*args: object) -> Iterator[FileResult]:
        raise RuntimeError("oops")

    monkeypatch.setattr(runner, "check", bug)
    found = call("check")
    assert found.exit_code == 3
    assert "RuntimeError: oops" in found.stderr
    assert "internal error" in found.stderr


def test_an_interrupt_leaves_whole_files_and_says_so(
    call: Invoke, monkeypatch: pytest.MonkeyPatch, folder: Path, engine: Engine
) -> None:
    def interrupted(*args: object) -> Iterator[FileResult]:
        yield from engine.run(["a.py"], args[1], True)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "upgrade", interrupted)
    found = call("upgrade", ".", "--allow-no-vcs")
    assert found.exit_code == 130
    assert "1 files were written; `migrate undo " in found.stderr
    assert (folder / "a.py").read_bytes() == NEW
    assert call("undo").exit_code == 0
    found = call("upgrade", ".", "--out", "../new")
    assert found.exit_code == 130


def test_a_reader_that_leaves_is_no_error(folder: Path) -> None:
    for number in range(200):
        (folder / f"f{number}.py").write_text("import tensorflow as tf\n" + "tf.log(1)\n" * 50)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        f"{sys.executable} -m migrate check -j 1 --no-cache . | head -n 1",
        shell=True, cwd=folder, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


def test_check_starts_light(folder: Path) -> None:
    (folder / "a.py").write_text("import tensorflow as tf\nx = tf.log(1.0)\n")
    program = (
        "import sys\n"
        "from migrate.cli import cli\n"
        "try:\n    cli(['check', 'a.py'])\n"
        "except SystemExit as end:\n    code = end.code\n"
        "heavy = ('libcst', 'tensorflow', 'numpy', 'gast', 'beniget', 'fissix',\n"
        "    'difflib', 'migrate.reports.sarif', 'migrate.reports.html', 'migrate.reports.json',\n"
        "    'migrate.reports.junit', 'migrate.reports.github', 'migrate.reports.diff',\n"
        "    'migrate.commands.upgrade', 'migrate.parity.command', 'multiprocessing')\n"
        "print('code', code, [name for name in heavy if name in sys.modules])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "code 1 []", done.stdout + done.stderr


def test_importing_the_command_line_imports_no_command() -> None:
    program = (
        "import sys, migrate.cli\n"
        "print([name for name in sys.modules if name.startswith('migrate.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.stdout == "['migrate.cli']\n"


def test_the_real_engine_end_to_end(folder: Path) -> None:
    source = "import tensorflow as tf\nprint(tf.log(1.0))\n"
    (folder / "a.py").write_text(source)
    assert migrate(folder, "check").returncode == 1
    done = migrate(folder, "upgrade", ".", "--allow-no-vcs")
    assert done.returncode in (0, 1), done.stderr
    assert (folder / "a.py").read_text() != source
    assert migrate(folder, "undo").returncode == 0
    assert (folder / "a.py").read_text() == source


def test_files_of_one_program_are_written_one_by_one_and_all(folder: Path) -> None:
    case = Path(__file__).parents[2] / "fixtures" / "native" / "files_model_class"
    names = ["data.py", "models/__init__.py", "models/layers.py", "models/mlp.py"]
    (folder / "models").mkdir()
    for name in ("before.py", *names):
        shutil.copy(case / name, folder / name)
    done = migrate(folder, "upgrade", ".", "--allow-no-vcs")
    assert done.returncode == 1, done.stderr
    assert (folder / "before.py").read_text() == (case / "after.py").read_text()
    for name in names:
        after = case / "after" / name
        assert (folder / name).read_text() == (after if after.exists() else case / name).read_text()
