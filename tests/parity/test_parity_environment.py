"""Finding and making the interpreters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from migrate.parity import environment
from migrate.parity.errors import ParityError


def fake(folder: Path, name: str, package: str, version: str, python: str = "3.7.16") -> Path:
    """A "python" that answers the probe like one with this TensorFlow."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    parts = ", ".join(python.split("."))
    path.write_text(
        f'#!/bin/sh\necho \'{{"python": [{parts}], "packages": {{"{package}": "{version}"}}}}\'\n'
    )
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No interpreter of this machine is found."""
    monkeypatch.delenv(environment.VARIABLE, raising=False)
    monkeypatch.delenv(environment.VARIABLE_2, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")


def test_nothing_is_found(tmp_path: Path) -> None:
    assert environment.find_tf1() is None


def test_order_of_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path / "bin", "python3.7", "tensorflow", "1.15.0")
    assert environment.find_tf1().origin == "PATH"  # type: ignore[union-attr]
    fake(tmp_path / "pyenv" / "versions" / "3.7.9" / "bin", "python", "tensorflow-gpu", "1.15.2")
    assert environment.find_tf1().origin == "pyenv"  # type: ignore[union-attr]
    fake(environment.cache_folder() / "bin", "python", "tensorflow", "1.15.5")
    assert environment.find_tf1().origin == "migrate parity setup"  # type: ignore[union-attr]
    named = fake(tmp_path / "named", "python", "nvidia-tensorflow", "1.15.5+nv22")
    monkeypatch.setenv(environment.VARIABLE, str(named))
    found = environment.find_tf1()
    assert found is not None
    assert (found.origin, found.path) == (environment.VARIABLE, str(named))
    assert found.python == (3, 7, 16)


def test_pythons_without_1_15_are_passed_over(tmp_path: Path) -> None:
    fake(tmp_path / "pyenv" / "versions" / "3.7.9" / "bin", "python", "tensorflow", "2.4.0")
    assert environment.find_tf1() is None


@pytest.mark.parametrize("given", ["/no/such/python", "tf2"])
def test_what_is_named_has_to_be_tensorflow_1(given: str, tmp_path: Path) -> None:
    path = given if given != "tf2" else str(fake(tmp_path, "python", "tensorflow", "2.21.0"))
    with pytest.raises(ParityError, match=f"--tf1-python is '{path}'"):
        environment.find_tf1(path)


def test_tf2_has_to_be_tensorflow_2(tmp_path: Path) -> None:
    good = fake(tmp_path, "good", "tensorflow-cpu", "2.21.0", "3.11.7")
    assert environment.find_tf2(str(good)).tensorflow == "2.21.0"
    bad = fake(tmp_path, "bad", "tensorflow", "1.15.5")
    with pytest.raises(ParityError, match=r"found TensorFlow 1\.15\.5"):
        environment.find_tf2(str(bad))


def test_probe_reads_metadata_without_importing_tensorflow(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    (folder / "tensorflow-1.15.5.dist-info").mkdir(parents=True)
    (folder / "tensorflow_estimator-1.15.1.dist-info").mkdir()
    (folder / "tensorflow.py").write_text("raise ImportError('imported')")
    probe = f"import sys\nsys.path[:] = [{str(folder)!r}, *sys.path[1:4]]\n{environment.PROBE}"
    done = subprocess.run(
        [sys.executable, "-S", "-c", probe], capture_output=True, text=True, check=True
    )
    assert '"tensorflow": "1.15.5"' in done.stdout


def test_setup_without_python_3_7_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ParityError, match=r"pyenv install 3\.7"):
        environment.setup(tmp_path / "env")


def test_setup_installs_pinned_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        if command[1:3] == ["-m", "venv"]:
            fake(Path(command[3]) / "bin", "python", "tensorflow", "1.15.5")
        return subprocess.CompletedProcess(command, 0, "{}", "")

    plain = environment.probe
    monkeypatch.setattr(environment.subprocess, "run", run)
    monkeypatch.setattr(
        environment,
        "probe",
        lambda path, origin: (
            environment.Interpreter(path, (3, 7, 16), "1.15.5", origin)
            if len(commands) == 2
            else None
        ),
    )
    lines: list[str] = []
    found = environment.setup(tmp_path / "env", "/opt/python3.7", lines.append)
    assert found.path == str(tmp_path / "env" / "bin" / "python")
    assert commands[0] == ["/opt/python3.7", "-m", "venv", str(tmp_path / "env")]
    assert "tensorflow==1.15.5" in commands[1]
    assert all("==" in item for item in commands[1][5:])
    assert len(lines) == 3
    assert plain is not environment.probe


def test_setup_reports_what_pip_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "No matching distribution")

    monkeypatch.setattr(environment, "probe", lambda path, origin: None)
    monkeypatch.setattr(environment.subprocess, "run", run)
    with pytest.raises(ParityError, match="No matching distribution"):
        environment.setup(tmp_path / "env", "/opt/python3.7", lambda line: None)
