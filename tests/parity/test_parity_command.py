"""``migrate parity``: commands and exit codes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from parity_matrix import FIXTURES

from migrate.parity.command import parity
from migrate.parity.environment import Interpreter

GOLDEN = FIXTURES / "golden" / "inference"
AFTER = str(FIXTURES / "after" / "inference_native.py")


def call(*words: str | Path) -> Result:
    result = CliRunner().invoke(parity, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_subcommands() -> None:
    assert {"run", "record", "verify", "show", "setup"} <= set(parity.commands)


@pytest.mark.parametrize("name", sorted(parity.commands))
def test_every_command_has_help(name: str) -> None:
    result = call(name, "--help")
    assert result.exit_code == 0
    assert "Usage:" in result.output


def test_show_prints_a_bundle() -> None:
    result = call("show", GOLDEN)
    assert result.exit_code == 0
    assert "TensorFlow 1.15.5" in result.output
    assert "file        edges.pgm" in result.output


def test_show_refuses_what_is_no_report(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[]")
    assert call("show", path).exit_code == 2


def test_bare_command_without_configuration_is_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = call()
    assert result.exit_code == 2
    assert "[tool.migrate.parity]" in result.output


def test_an_interpreter_that_is_none_is_usage() -> None:
    result = call("record", "a.py", "-o", "b", "--tf1-python", "/no/python")
    assert result.exit_code == 2
    assert "/no/python" in result.output


@pytest.mark.tf2
@pytest.mark.parametrize(
    ("words", "code", "verdict"),
    [(("agree",), 0, "agree"), (("pixel",), 1, "differ"), ((), 3, "crashed")],
)
def test_verify_exits_with_the_verdict(
    words: tuple[str, ...], code: int, verdict: str, tmp_path: Path
) -> None:
    report = tmp_path / "r.json"
    result = call("verify", GOLDEN, AFTER, "--report", report, "--", *words)
    assert result.exit_code == code, result.output
    data = json.loads(report.read_text())
    assert data["results"][0]["verdict"] == verdict
    assert call("show", report).exit_code == 0


@pytest.mark.tf2
def test_programs_of_the_configuration_run_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.migrate.parity]\n"
        f'tf2-python = "{sys.executable}"\ngolden = "{FIXTURES / "golden"}"\n'
        "[[tool.migrate.parity.programs]]\n"
        f'name = "inference"\nafter = "{AFTER}"\nargs = ["agree"]\ndevices = ["cpu", "tpu"]\n'
    )
    monkeypatch.chdir(tmp_path)
    result = call("all", "--format", "json")
    found = {item["device"]: item for item in json.loads(result.stdout)["results"]}
    assert found["cpu"]["verdict"] == "agree"
    assert "no TPU in reach" in found["tpu"]["reason"]
    assert result.exit_code == 1
    assert call("all", "other").exit_code == 2


@pytest.mark.tf2
def test_a_matrix_begins_no_program_after_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.migrate.parity]\n"
        f'tf2-python = "{sys.executable}"\ngolden = "{FIXTURES / "golden"}"\n'
        "[[tool.migrate.parity.programs]]\n"
        f'name = "inference"\nafter = "{AFTER}"\nargs = ["agree"]\n'
    )
    monkeypatch.chdir(tmp_path)
    result = call("matrix", "--devices", "cpu,gpu", "--time-limit", "0", "--report", "m.html")
    assert "cpu: 1 not reached of 1" in result.stdout
    assert "gpu: 1 not reached of 1" in result.stdout
    assert "inference on cpu: not run: not reached within 0 s" in result.stdout
    assert "not reached" in (tmp_path / "m.html").read_text()
    assert result.exit_code == 0


@pytest.mark.tf1
def test_record_then_verify(tf1: Interpreter, tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    result = call("record", FIXTURES / "before" / "inference.py", "-o", out)
    assert result.exit_code == 0, result.output
    assert call("verify", out, AFTER, "--", "agree").exit_code == 0


@pytest.mark.tf1
def test_run_compares_both(tf1: Interpreter, tmp_path: Path) -> None:
    before = FIXTURES / "before" / "saver.py"
    after = FIXTURES / "after" / "saver_compat.py"
    page = tmp_path / "r.html"
    result = call(
        "run", before, after, "--after-args", "agree", "--report", page, "--envelope", "2"
    )
    assert result.exit_code == 0, result.output
    assert "<svg" in page.read_text()
