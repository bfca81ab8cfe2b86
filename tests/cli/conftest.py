"""The command line in a project, with a small engine where the engine is not the point."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrate.cli import cli
from migrate.engine import runner
from migrate.engine.findings import Applicability, FileResult, Finding, Level
from migrate.engine.options import Options

OLD, NEW = b"x = old()\n", b"x = new()\n"

Invoke = Callable[..., Result]


def finding(path: str, line: int = 1, **more: object) -> Finding:
    fields: dict[str, object] = {"rule": "TFM101", "message": "old is new", **more}
    return Finding(path, line, 1, **fields)  # type: ignore[arg-type]


class Engine:
    """Replaces `old` by `new`, reports `odd`, fails on `broken`."""

    def __init__(self) -> None:
        self.options: Options | None = None
        self.paths: list[str] = []

    def _files(self, paths: Sequence[str]) -> Iterator[Path]:
        for path in map(Path, paths):
            if path.is_dir():
                yield from sorted(p for p in path.rglob("*.py") if ".migrate" not in p.parts)
            else:
                yield path

    def run(self, paths: Sequence[str], options: Options, write: bool) -> Iterator[FileResult]:
        self.options, self.paths = options, list(paths)
        for file in self._files(paths):
            shown = os.path.relpath(file.absolute(), options.root)
            data = file.read_bytes()
            if b"broken" in data:
                yield FileResult(shown, "failed", reason="does not parse")
                continue
            result = FileResult(shown)
            if b"old" in data:
                fix = {"applicability": Applicability.SAFE, "fix": "new"}
                result.fixed.append(finding(shown, **fix))
                result.level = Level.NATIVE
                if write:
                    result.status = "changed"
                    result.before, result.after = data, data.replace(b"old", b"new")
            if b"odd" in data:
                result.left.append(finding(shown, message="odd"))
            yield result

    def check(
        self, paths: Sequence[str], options: Options, progress: object = None
    ) -> Iterator[FileResult]:
        return self.run(paths, options, write=False)

    def upgrade(
        self, paths: Sequence[str], options: Options, progress: object = None
    ) -> Iterator[FileResult]:
        return self.run(paths, options, write=True)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    """A small engine instead of the real one."""
    stub = Engine()
    monkeypatch.setattr(runner, "check", stub.check)
    monkeypatch.setattr(runner, "upgrade", stub.upgrade)
    return stub


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one file to change, as the current folder."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "setup.py").write_text("")
    (project / "a.py").write_bytes(OLD)
    monkeypatch.chdir(project)
    return project


@pytest.fixture
def call(folder: Path, engine: Engine) -> Invoke:
    """Run `migrate …` in the project."""

    def invoke(*args: str, **more: object) -> Result:
        return CliRunner().invoke(cli, list(args), **more)  # type: ignore[arg-type]

    return invoke


def git(folder: Path, *args: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *args],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip


def migrate(folder: Path, *args: str, **more: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        [sys.executable, "-m", "migrate", *args],
        cwd=folder, env=environment, capture_output=True, text=True, **more,  # type: ignore[call-overload]
    )  # fmt: skip


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True
