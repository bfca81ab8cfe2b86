"""`migrate upgrade`: what is written, undone, shown, and copied elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import NEW, OLD, Engine, Invoke, git


def test_without_git_nothing_is_written_unless_asked(call: Invoke, folder: Path) -> None:
    found = call("upgrade", ".")
    assert found.exit_code == 2
    assert "--allow-no-vcs" in found.stderr
    assert call("upgrade", ".", "--allow-dirty").exit_code == 2
    assert (folder / "a.py").read_bytes() == OLD
    found = call("upgrade", ".", "--allow-no-vcs")
    assert found.exit_code == 1, found.output  # something was changed
    assert (folder / "a.py").read_bytes() == NEW


def test_in_a_git_tree_only_what_is_committed_is_changed(call: Invoke, folder: Path) -> None:
    git(folder, "init", "-q")
    found = call("upgrade", "a.py")
    assert found.exit_code == 2
    assert "    a.py\n" in found.stderr
    assert "--allow-dirty" in found.stderr
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    assert call("upgrade", ".").exit_code == 1
    assert (folder / "a.py").read_bytes() == NEW
    assert call("upgrade", ".").exit_code == 2  # the changes of the first run
    assert call("upgrade", ".", "--allow-dirty").exit_code == 0


def test_many_dirty_files_are_not_all_listed(call: Invoke, folder: Path) -> None:
    git(folder, "init", "-q")
    for number in range(20):
        (folder / f"f{number}.py").write_text("")
    assert "more" in call("upgrade", ".").stderr


def test_undo(call: Invoke, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = call("upgrade", ".", "--allow-no-vcs")
    name = found.stdout.partition("`migrate undo ")[2].partition("`")[0]
    assert name in call("undo", "--list").stdout
    (folder / "sub").mkdir()
    monkeypatch.chdir(folder / "sub")
    undone = call("undo", name)
    assert (undone.exit_code, undone.stdout) == (
        0,
        f"a.py: as before\nUndid {name}: 1 file given back.\n",
    )
    assert (folder / "a.py").read_bytes() == OLD
    assert "undone" in call("undo", "--list").stdout
    assert "were as before already" in call("undo", name).stdout
    assert call("undo").exit_code == 2


def test_undo_leaves_edited_files_alone(call: Invoke, folder: Path) -> None:
    call("upgrade", ".", "--allow-no-vcs")
    (folder / "a.py").write_text("mine\n")
    found = call("undo")
    assert found.exit_code == 1
    assert "a.py: left alone" in found.stderr
    assert call("undo", "--force").exit_code == 0
    assert (folder / "a.py").read_bytes() == OLD


def test_what_is_left_is_listed_and_makes_the_exit_code(call: Invoke, folder: Path) -> None:
    (folder / "b.py").write_text("odd\n")
    found = call("upgrade", ".", "--allow-no-vcs")
    assert found.exit_code == 1
    assert "Left for you:\nb.py:1:1: TFM101 odd\n" in found.stdout
    assert "old is new" not in found.stdout


def test_check_mode_writes_nothing(call: Invoke, folder: Path) -> None:
    found = call("upgrade", ".", "--check")
    assert found.exit_code == 1
    assert "Would change 1 of 2 files" in found.stdout
    assert (folder / "a.py").read_bytes() == OLD
    (folder / "a.py").write_bytes(NEW)
    assert call("upgrade", ".", "--check").exit_code == 0


def test_diff_goes_out_and_the_report_to_standard_error(call: Invoke, folder: Path) -> None:
    found = call("upgrade", ".", "--diff")
    assert found.exit_code == 1
    assert found.stdout == "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = old()\n+x = new()\n"
    assert "Would change" in found.stderr
    assert (folder / "a.py").read_bytes() == OLD


def test_a_file_that_cannot_be_written_fails_alone(call: Invoke, folder: Path) -> None:
    (folder / "b.py").write_bytes(OLD)
    (folder / "b.py").chmod(0o444)
    found = call("upgrade", ".", "--allow-no-vcs")
    assert found.exit_code == 3
    assert "read-only" in found.stdout
    assert (folder / "a.py").read_bytes() == NEW
    assert (folder / "b.py").read_bytes() == OLD


def test_out_makes_a_tree_that_runs(call: Invoke, folder: Path) -> None:
    (folder / "pkg").mkdir()
    (folder / "pkg" / "b.py").write_text("fine\n")
    (folder / "pkg" / "b.py").chmod(0o755)
    (folder / "pkg" / "data.bin").write_bytes(b"\x00")
    found = call("upgrade", ".", "--out", "../new")
    assert found.exit_code == 1, found.output
    new = folder.parent / "new"
    assert (new / "a.py").read_bytes() == NEW
    assert (new / "pkg" / "b.py").read_text() == "fine\n"
    assert (new / "pkg" / "b.py").stat().st_mode & 0o111
    assert not (new / "pkg" / "data.bin").exists()
    assert (folder / "a.py").read_bytes() == OLD
    assert not (folder / ".migrate").exists()
    (folder / "a.py").write_bytes(b"y = old()\n")
    assert call("upgrade", ".", "--out", "../new").exit_code == 1
    assert (new / "a.py").read_bytes() == b"y = new()\n"


def test_out_copies_the_rest_on_demand(call: Invoke, folder: Path) -> None:
    (folder / "data.bin").write_bytes(b"\x00")
    (folder / "link").symlink_to("data.bin")
    (folder / "escape").symlink_to("/etc/passwd")
    (folder / "up").symlink_to("../..")
    (folder / ".git").mkdir()
    (folder / "empty").mkdir()
    os.mkfifo(folder / "pipe")
    found = call("upgrade", ".", "--out", "../new", "--copy-other-files")
    new = folder.parent / "new"
    assert sorted(path.name for path in new.iterdir()) == [
        "a.py", "data.bin", "empty", "link", "setup.py",
    ]  # fmt: skip
    assert "escape: not copied: a symbolic link that leaves" in found.stderr
    assert "up: not copied" in found.stderr
    assert "pipe: not copied: not a regular file" in found.stderr
    assert os.readlink(new / "link") == "data.bin"
    assert call("upgrade", ".", "--out", "../new", "--copy-other-files").exit_code == 1


def test_out_does_not_write_through_links(call: Invoke, folder: Path) -> None:
    new = folder.parent / "new"
    new.mkdir()
    (folder.parent / "mine.py").write_text("mine\n")
    (new / "a.py").symlink_to("../mine.py")
    found = call("upgrade", ".", "--out", "../new")
    assert found.exit_code == 3
    assert "symbolic link" in found.stdout
    assert (folder.parent / "mine.py").read_text() == "mine\n"


def test_out_that_cannot_be_written(call: Invoke, folder: Path) -> None:
    (folder.parent / "file").write_text("")
    found = call("upgrade", "a.py", "--out", "../file/new")
    assert found.exit_code == 3
    assert "cannot be written" in found.stdout


def test_standard_input(call: Invoke) -> None:
    found = call("upgrade", "-", input=OLD)
    assert (found.exit_code, found.stdout_bytes) == (1, NEW)
    assert "<stdin>: 1 place" in found.stderr
    found = call("upgrade", "-", "-q", input=b"same\r\n\xff")
    assert (found.exit_code, found.stdout_bytes, found.stderr) == (0, b"same\r\n\xff", "")
    found = call("upgrade", "-", "--diff", "-q", input=OLD)
    assert found.exit_code == 1
    assert found.stdout.endswith("+x = new()\n")
    assert call("upgrade", "-", "--check", "-q", input=OLD).stdout == ""


def test_standard_input_that_fails_comes_out_as_it_was(call: Invoke) -> None:
    found = call("upgrade", "-", input=b"broken")
    assert (found.exit_code, found.stdout_bytes) == (3, b"broken")
    assert "does not parse" in found.stderr


def test_standard_input_has_a_name_for_the_settings(call: Invoke, engine: Engine) -> None:
    call("upgrade", "-", "--stdin-filename", "sub/b.py", input=OLD)
    assert engine.paths[0].endswith(os.path.join("sub", "b.py"))
    assert not os.path.exists(engine.paths[0])
