from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from migrate.engine import write
from migrate.engine.write import WriteError, create_atomic, write_atomic


def test_replaces(tmp_path: Path) -> None:
    path = tmp_path / "ä.py"
    path.write_bytes(b"a")
    path.chmod(0o751)
    write_atomic(str(path), b"a", b"b")
    assert path.read_bytes() == b"b"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert os.listdir(tmp_path) == ["ä.py"]


def test_changed_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"other")
    with pytest.raises(WriteError, match="changed while"):
        write_atomic(str(path), b"a", b"b")
    assert path.read_bytes() == b"other"

    path.write_bytes(b"a")
    real_fsync = os.fsync

    def edit_then_sync(descriptor: int) -> None:
        path.write_bytes(b"edited")
        real_fsync(descriptor)

    monkeypatch.setattr(os, "fsync", edit_then_sync)
    with pytest.raises(WriteError, match="changed while"):
        write_atomic(str(path), b"a", b"b")
    assert path.read_bytes() == b"edited"
    assert os.listdir(tmp_path) == ["a.py"]


def test_read_only(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"a")
    path.chmod(0o444)
    with pytest.raises(WriteError, match="read-only"):
        write_atomic(str(path), b"a", b"b")
    assert path.read_bytes() == b"a"


def test_missing_and_folders(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="No such file"):
        write_atomic(str(tmp_path / "a.py"), b"", b"b")
    with pytest.raises(WriteError, match="not a regular file"):
        write_atomic(str(tmp_path), b"", b"b")


def test_symlinks(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (tmp_path / "out.py").write_bytes(b"a")
    (root / "leaves.py").symlink_to("../out.py")
    with pytest.raises(WriteError, match="leaves"):
        write_atomic(str(root / "leaves.py"), b"a", b"b", root=str(root))
    (root / "sub/real.py").write_bytes(b"a")
    (root / "link.py").symlink_to("sub/real.py")
    write_atomic(str(root / "link.py"), b"a", b"b", root=str(root))
    assert (root / "link.py").is_symlink()
    assert (root / "sub/real.py").read_bytes() == b"b"
    # A root that is reached by a link itself.
    (tmp_path / "alias").symlink_to("root")
    write_atomic(str(tmp_path / "alias/link.py"), b"b", b"c", root=str(root))
    with pytest.raises(WriteError, match="leaves"):
        write_atomic(str(tmp_path / "alias/leaves.py"), b"a", b"b", root=str(root))
    assert (tmp_path / "out.py").read_bytes() == b"a"
    write_atomic(str(tmp_path / "out.py"), b"a", b"b", root=str(root))  # named outside: meant


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_failures_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"a")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(WriteError, match="cannot be written: No space left"):
        write_atomic(str(path), b"a", b"b")
    assert path.read_bytes() == b"a"
    assert os.listdir(tmp_path) == ["a.py"]


def test_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"a")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(str(path), b"a", b"b")
    assert os.listdir(tmp_path) == ["a.py"]


def test_create(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    create_atomic(str(path), b"a", mode=0o640)
    assert path.read_bytes() == b"a"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    with pytest.raises(WriteError, match="exists already"):
        create_atomic(str(path), b"b")
    with pytest.raises(WriteError, match="No such file"):
        create_atomic(str(tmp_path / "no/a.py"), b"b")

    def no_links(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(WriteError, match="exists already"):
        create_atomic(str(path), b"b")
    create_atomic(str(tmp_path / "b.py"), b"b")
    assert sorted(os.listdir(tmp_path)) == ["a.py", "b.py"]
    assert path.read_bytes() == b"a"


def test_temporary_names_are_not_taken_for_python() -> None:
    name = write.temporary_name("/x/äa.py")
    assert name.startswith(".a.py.")
    assert name.endswith(write.TEMPORARY)
    assert len(write.temporary_name("/" + "x" * 255).encode()) < 200
