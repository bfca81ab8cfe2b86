from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from migrate.engine.files import PathError, discover


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def found(root: Path, *paths: str, **options: object) -> list[str]:
    given = [str(root / path) for path in paths or (".",)]
    result = discover(given, root=str(root), **options)  # type: ignore[arg-type]
    return [os.path.relpath(path, root) for path in result]


def git(root: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(root), *arguments],
        check=True,
        capture_output=True,
    )


@pytest.fixture(params=["plain", "git"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "git":
        git(tmp_path, "init", "-q")
    return tmp_path


def test_folders(root: Path) -> None:
    make(root, "b.py", "a/c.py", "a/d.ipynb", "a/e.txt", "a/f.pyi", "x.pyc", "ä/ö ü\n.py")
    for folder in (".venv", "venv", "__pycache__", "node_modules", "build", ".tox", ".eggs"):
        make(root, f"{folder}/x.py", f"a/{folder}/lib/x.py")
    make(root, "lib/site-packages/x.py", ".ipynb_checkpoints/b.ipynb", "build.py")
    everything = ["a/c.py", "a/d.ipynb", "b.py", "build.py", "ä/ö ü\n.py"]
    assert found(root) == everything
    assert found(root, "a", "b.py", "a/c.py", ".") == everything
    assert found(root, "a") == ["a/c.py", "a/d.ipynb"]
    assert found(root, "build") == ["build/x.py"]  # named: meant


def test_globs(root: Path) -> None:
    make(root, "a.py", "sub/b.py", "sub/deep/c.py", "tests/d.py", "x.script")
    assert found(root, exclude=["tests"]) == ["a.py", "sub/b.py", "sub/deep/c.py"]
    assert found(root, exclude=["sub/*.py"]) == ["a.py", "sub/deep/c.py", "tests/d.py"]
    assert found(root, "a.py", "tests/d.py", exclude=["tests"]) == ["a.py"]
    assert found(root, include=["*.script"]) == ["x.script"]
    assert found(root, "x.script", include=["*.script"]) == ["x.script"]


def test_missing_paths_are_named(root: Path) -> None:
    with pytest.raises(PathError, match=r"no such file or folder: .*nothing\.py"):
        found(root, "nothing.py")


def test_named_scripts(root: Path) -> None:
    make(root, "a.md", "stub.pyi")
    (root / "run").write_text("#!/usr/bin/env python3\n")
    (root / "sh").write_text("#!/bin/sh\n")
    refused: list[tuple[str, str]] = []
    taken = found(root, "run", "sh", "a.md", "stub.pyi", refused=lambda *what: refused.append(what))
    assert taken == ["run"]
    assert found(root) == []
    assert {os.path.basename(path) for path, _ in refused} == {"sh", "a.md", "stub.pyi"}
    assert {reason for _, reason in refused} == {"neither a Python file nor a notebook"}


def test_symlinks(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    make(outside, "secret.py", "folder/x.py")
    make(root, "a.py", "sub/b.py")
    (root / "0.py").symlink_to("a.py")
    (root / "loop").symlink_to(".")
    (root / "leaves.py").symlink_to(outside / "secret.py")
    (root / "gone.py").symlink_to("nothing.py")
    (root / "leaving").symlink_to(outside / "folder")
    refused: dict[str, str] = {}
    assert found(root, refused=refused.__setitem__) == ["a.py", "sub/b.py"]
    assert refused == {
        str(root / "leaves.py"): f"a symbolic link that leaves {root}",
        str(root / "gone.py"): "a symbolic link to nothing",
    }
    refused.clear()
    assert found(root, "leaves.py", "leaving", "0.py", refused=refused.__setitem__) == ["0.py"]
    assert len(refused) == 2
    # Outside of the root by the user's own word.
    paths = list(discover([str(outside)], root=str(root)))
    assert [os.path.basename(path) for path in paths] == ["x.py", "secret.py"]


def test_not_regular(root: Path) -> None:
    os.mkfifo(root / "pipe.py")
    refused: dict[str, str] = {}
    assert found(root, refused=refused.__setitem__) == []
    assert found(root, "pipe.py", refused=refused.__setitem__) == []
    assert refused == {str(root / "pipe.py"): "not a regular file"}


def test_gitignore(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    make(tmp_path, "a.py", "gen/b.py", "gen/kept.py", "c_pb2.py", "deleted.py", "nested/.git/x")
    make(tmp_path, "other/inner.py", "other/gen.py", "other/venv/x.py")
    (tmp_path / ".gitignore").write_text("gen/\n*_pb2.py\n")
    git(tmp_path, "add", "-f", "gen/kept.py", "deleted.py")
    (tmp_path / "deleted.py").unlink()
    git(tmp_path / "other", "init", "-q")
    (tmp_path / "other/.gitignore").write_text("gen.py\n")
    assert found(tmp_path) == ["a.py", "gen/kept.py", "other/inner.py"]
    assert found(tmp_path, "gen") == ["gen/kept.py"]
    assert found(tmp_path, "gen/b.py", "c_pb2.py") == ["c_pb2.py", "gen/b.py"]
    git(tmp_path, "rm", "-q", "--cached", "gen/kept.py")
    assert found(tmp_path, "gen") == ["gen/b.py", "gen/kept.py"]  # all ignored, but named
    assert found(tmp_path, respect_gitignore=False) == [
        "a.py",
        "c_pb2.py",
        "gen/b.py",
        "gen/kept.py",
        "other/gen.py",
        "other/inner.py",
    ]


def test_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q")
    make(tmp_path, "a.py", "b/c.py")
    monkeypatch.setenv("PATH", "")
    assert found(tmp_path) == ["a.py", "b/c.py"]
