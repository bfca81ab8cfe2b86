from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from migrate.engine.journal import Journal, JournalError, Run, list_runs, undo
from migrate.engine.write import WriteError


def run(root: Path, *files: str) -> Run:
    """A run that has appended to files."""
    with Journal(str(root), ["migrate", "upgrade", "."]) as journal:
        for name in files:
            path = root / name
            before = path.read_bytes()
            journal.replace(str(path), before, before + b"!")
    return list_runs(str(root))[-1]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_bytes(name.encode())
    return tmp_path


def test_undo(root: Path) -> None:
    (root / "a.py").chmod(0o700)
    done = run(root, "a.py", "b.py")
    assert done.paths == ["a.py", "b.py"]
    assert done.command == ("migrate", "upgrade", ".")
    assert (root / "a.py").read_bytes() == b"a.py!"
    assert (root / ".migrate/.gitignore").read_text() == "*\n"
    result = undo(str(root))
    assert result.restored == ["a.py", "b.py"]
    assert (result.run, result.already, result.refused) == (done.name, [], [])
    assert (root / "a.py").read_bytes() == b"a.py"
    assert (root / "a.py").stat().st_mode & 0o777 == 0o700
    [again] = list_runs(str(root))
    assert again.undone
    with pytest.raises(JournalError, match="no run to undo"):
        undo(str(root))
    assert undo(str(root), done.name).already == ["a.py", "b.py"]


def test_nothing_written_leaves_nothing(root: Path) -> None:
    with Journal(str(root)) as journal:
        journal.replace(str(root / "a.py"), b"a.py", b"a.py")
    assert sorted(os.listdir(root)) == ["a.py", "b.py"]
    assert list_runs(str(root)) == []


def test_the_newest_run_first(root: Path) -> None:
    first, second = run(root, "a.py"), run(root, "a.py", "b.py")
    assert [found.name for found in list_runs(str(root))] == [first.name, second.name]
    assert undo(str(root)).run == second.name
    assert (root / "a.py").read_bytes() == b"a.py!"
    assert undo(str(root)).run == first.name
    assert (root / "a.py").read_bytes() == b"a.py"
    with pytest.raises(JournalError, match="no run 'x'"):
        undo(str(root), "x")


def test_edited_since(root: Path) -> None:
    done = run(root, "a.py", "b.py")
    (root / "a.py").write_bytes(b"mine")
    result = undo(str(root))
    assert result.restored == ["b.py"]
    [(path, reason)] = result.refused
    assert path == "a.py"
    assert "edited since" in reason
    assert (root / "a.py").read_bytes() == b"mine"
    assert not list_runs(str(root))[0].undone
    assert undo(str(root), force=True).restored == ["a.py"]
    assert (root / "a.py").read_bytes() == b"a.py"
    kept = Path(done.folder, "before").iterdir()
    assert b"mine" in [path.read_bytes() for path in kept]


def test_deleted_since(root: Path) -> None:
    run(root, "a.py")
    (root / "a.py").unlink()
    assert "deleted since" in undo(str(root)).refused[0][1]
    undo(str(root), force=True)
    assert (root / "a.py").read_bytes() == b"a.py"


def test_a_file_written_twice_in_a_run(root: Path) -> None:
    with Journal(str(root)) as journal:
        journal.replace(str(root / "a.py"), b"a.py", b"1")
        journal.replace(str(root / "a.py"), b"1", b"2")
    assert undo(str(root)).restored == ["a.py"]
    assert (root / "a.py").read_bytes() == b"a.py"


def test_created_files(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    with Journal(str(root)) as journal:
        journal.create(str(root / "out/deep/x.py"), b"x", mode=0o600)
        journal.create(str(root / "y.py"), b"y")
        with pytest.raises(WriteError, match="exists"):
            journal.create(str(root / "a.py"), b"y")
        with pytest.raises(WriteError, match="cannot make its folder"):
            journal.create(str(root / "a.py/x/y"), b"y")
    assert (root / "out/deep/x.py").read_bytes() == b"x"
    assert undo(str(root)).restored == ["out/deep/x.py", "y.py"]
    assert sorted(os.listdir(root)) == [".migrate", "a.py", "b.py"]


def test_edited_created_files_are_kept(root: Path) -> None:
    with Journal(str(root)) as journal:
        journal.create(str(root / "x.py"), b"x")
    (root / "x.py").write_bytes(b"mine")
    assert len(undo(str(root)).refused) == 1
    assert (root / "x.py").read_bytes() == b"mine"


def test_refused_files_are_not_in_the_run(root: Path) -> None:
    (root / "a.py").chmod(0o444)
    with Journal(str(root)) as journal:
        with pytest.raises(WriteError, match="read-only"):
            journal.replace(str(root / "a.py"), b"a.py", b"x")
        with pytest.raises(WriteError, match="changed"):
            journal.replace(str(root / "b.py"), b"other", b"x")
    assert list_runs(str(root)) == []


def test_outside_of_the_root(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.py").write_bytes(b"x")
    with Journal(str(root)) as journal:
        journal.replace(str(outside / "x.py"), b"x", b"y")
        (root / "leaves.py").symlink_to(outside / "x.py")
        with pytest.raises(WriteError, match="leaves"):
            journal.replace(str(root / "leaves.py"), b"y", b"z")
        with pytest.raises(WriteError, match="leaves"):
            journal.create(str(root / "leaves.py"), b"z")
    assert "outside of" in undo(str(root)).refused[0][1]
    assert (outside / "x.py").read_bytes() == b"y"
    assert undo(str(root), force=True).restored == [str(outside / "x.py")]
    assert (outside / "x.py").read_bytes() == b"x"


def test_a_link_in_place_of_the_journal(root: Path, tmp_path: Path) -> None:
    (root / ".migrate").symlink_to(tmp_path)
    with Journal(str(root)) as journal, pytest.raises(JournalError, match="symbolic link"):
        journal.replace(str(root / "a.py"), b"a.py", b"x")
    assert (root / "a.py").read_bytes() == b"a.py"


def test_no_journal_no_write(root: Path) -> None:
    (root / ".migrate").write_text("in the way")
    with Journal(str(root)) as journal, pytest.raises(JournalError, match="cannot keep a journal"):
        journal.replace(str(root / "a.py"), b"a.py", b"x")
    assert (root / "a.py").read_bytes() == b"a.py"


def test_damaged_copies_are_not_restored(root: Path) -> None:
    done = run(root, "a.py", "b.py")
    manifest = Path(done.folder, "manifest.jsonl")
    for copy in Path(done.folder, "before").iterdir():
        copy.write_bytes(b"?")
    refused = undo(str(root)).refused
    assert [reason for _, reason in refused] == ["the journal's copy is damaged"] * 2
    lines = manifest.read_text().splitlines()
    entry = json.loads(lines[1])
    entry["before"] = "../../x"
    manifest.write_text(lines[0] + "\n[3]\n" + json.dumps(entry) + "\n{torn")
    assert undo(str(root)).refused == [("a.py", "the journal is damaged")]
    assert (root / "a.py").read_bytes() == b"a.py!"


def test_torn_lines_are_passed_over(root: Path) -> None:
    done = run(root, "a.py")
    with Path(done.folder, "manifest.jsonl").open("ab") as stream:
        stream.write(b'{"path": "b.p')
    assert undo(str(root)).restored == ["a.py"]
    assert list_runs(str(root))[0].undone


def test_foreign_things_in_the_journal(root: Path) -> None:
    run(root, "a.py")
    (root / ".migrate/journal/empty").mkdir()
    (root / ".migrate/journal/0file").write_text("")
    assert len(list_runs(str(root))) == 1


def test_a_closed_journal_refuses(root: Path) -> None:
    journal = Journal(str(root))
    journal.replace(str(root / "a.py"), b"a.py", b"x")
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        journal.replace(str(root / "b.py"), b"b.py", b"x")


WRITER = """
import sys
from migrate.engine.journal import Journal
root, count = sys.argv[1], int(sys.argv[2])
with Journal(root) as journal:
    for n in range(count):
        print(n, flush=True)
        path = f"{root}/{n}.py"
        data = open(path, "rb").read()
        journal.replace(path, data, data.replace(b"old", b"new"))
        journal.create(f"{root}/out/{n}.py", b"new" * 9000)
"""


def test_kill_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    before = {f"{n}.py": b"old %d\n" % n * 5000 for n in range(30)}
    after = {name: data.replace(b"old", b"new") for name, data in before.items()}
    chance = random.Random(7)
    interrupted = 0
    for _ in range(30):
        for name, data in before.items():
            (tmp_path / name).write_bytes(data)
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", WRITER, str(tmp_path), str(len(before))],
            stdout=subprocess.PIPE,
            cwd=os.getcwd(),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert process.stdout is not None
        # Between two files, or within one, however busy the machine is.
        for n in range(chance.randrange(len(before))):
            assert process.stdout.readline() == b"%d\n" % n
        time.sleep(chance.random() * 0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        changed = 0
        for name, data in before.items():
            present = (tmp_path / name).read_bytes()
            assert present in (data, after[name])
            changed += present != data
        for created in (tmp_path / "out").glob("*.py"):
            assert created.read_bytes() == b"new" * 9000
        interrupted += 0 < changed < len(before)
        try:
            assert undo(str(tmp_path)).refused == []
        except JournalError:
            assert changed == 0
        for name, data in before.items():
            assert (tmp_path / name).read_bytes() == data
        assert not [path for path in tmp_path.iterdir() if path.name.endswith("-tmp")]
        assert not (tmp_path / "out").exists()
    assert interrupted >= 5  # the moments were well chosen
