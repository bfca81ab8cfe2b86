from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from migrate.engine import vcs


def git(root: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(root), *arguments],
        check=True,
        capture_output=True,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "r"
    root.mkdir()
    git(root, "init", "-q")
    for name in ("a.py", "b c.py", "sub/ü.py"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "x")
    return root


def dirty(root: Path, *paths: str) -> list[str] | None:
    return vcs.dirty([str(root / path) for path in paths], str(root))


def test_clean(repository: Path) -> None:
    assert dirty(repository, ".") == []
    assert dirty(repository, "a.py", "sub") == []


def test_changes_of_every_kind(repository: Path) -> None:
    (repository / "b c.py").write_text("y\n")
    (repository / "sub/ü.py").rename(repository / "sub/new.py")
    (repository / "*.py").write_text("")
    git(repository, "add", "sub")
    assert dirty(repository, ".") == ["*.py", "b c.py", "sub/new.py"]
    assert dirty(repository, "a.py") == []
    assert dirty(repository, "*.py") == ["*.py"]
    assert dirty(repository, "sub") == ["sub/new.py"]


def test_no_repository(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("")
    assert vcs.dirty([str(tmp_path)], str(tmp_path)) is None
    assert vcs.dirty([str(repository), str(tmp_path / "x.py")], str(tmp_path)) is None
    assert vcs.worktree(str(tmp_path / "r" / "sub")) == os.path.realpath(repository)


def test_ignored_files_cannot_be_given_back(repository: Path) -> None:
    (repository / ".gitignore").write_text("gen.py\n")
    (repository / "gen.py").write_text("")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "x")
    assert dirty(repository, ".") == []
    assert dirty(repository, "gen.py") is None


def test_hooks_variables_do_not_mislead(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nothing"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "nothing"))
    assert dirty(repository, ".") == []


def test_programs_named_in_the_repository_do_not_run(repository: Path, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    program.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(program))
    assert dirty(repository, ".") == []
    assert vcs.list_files(str(repository)) == ["a.py", "b c.py", "sub/ü.py"]
    assert not (tmp_path / "ran").exists()


def test_broken_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert vcs.dirty([str(tmp_path)], str(tmp_path)) is None
    assert vcs.list_files(str(tmp_path)) is None
