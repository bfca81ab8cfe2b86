"""The command line, with a stubbed engine where the engine is not the point."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrate.cli import cli
from migrate.commands import shared
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


# -- check -------------------------------------------------------------------------------


def test_check(call: Invoke, folder: Path) -> None:
    found = call("check")
    assert found.exit_code == 1
    assert found.stdout == (
        "a.py:1:1: TFM101 [*] old is new\n"
        "Found 1 finding in 1 file; `migrate upgrade` deals with 1.\n"
    )
    assert (folder / "a.py").read_bytes() == OLD


def test_another_keras_is_refused_with_words(call: Invoke) -> None:
    done = call("upgrade", "--keras", "2", "old.py")
    assert done.exit_code == 2
    assert "'2' is not one of '3', 'legacy'" in " ".join(done.output.split())


def test_check_of_a_clean_tree_is_silent(call: Invoke, folder: Path) -> None:
    (folder / "a.py").write_bytes(NEW)
    found = call("check", ".")
    assert (found.exit_code, found.output) == (0, "")


def test_exit_zero_and_quiet(call: Invoke) -> None:
    assert call("check", "--exit-zero").exit_code == 0
    found = call("check", "-q")
    assert (found.exit_code, found.output) == (1, "")


def test_a_file_that_failed_does_not_end_the_run(call: Invoke, folder: Path) -> None:
    (folder / "Broken.py").write_text("broken")
    found = call("check")
    assert found.exit_code == 3
    assert "Broken.py:1:1: TFM901 does not parse" in found.stdout
    assert "a.py:1:1: TFM101" in found.stdout
    quiet = call("check", "-q", "--exit-zero")
    assert (quiet.exit_code, quiet.stdout, quiet.stderr) == (3, "", "Broken.py: does not parse\n")


def test_output_goes_to_a_file(call: Invoke, folder: Path) -> None:
    found = call("check", "--format", "json", "--output", "report.json")
    assert found.exit_code == 1
    assert found.stdout == ""
    assert "Report: report.json" in found.stderr
    assert json.loads((folder / "report.json").read_text())[0]["path"] == "a.py"
    assert sorted(path.name for path in folder.iterdir()) == ["a.py", "report.json", "setup.py"]


def test_output_that_cannot_be_written(call: Invoke) -> None:
    found = call("check", "--output", "no/such/folder/r.txt")
    assert found.exit_code == 3
    assert "no/such/folder/r.txt" in found.stderr


@pytest.mark.parametrize("option", ["--statistics", "--show-fixes"])
def test_options_for_text_are_refused_elsewhere(call: Invoke, option: str) -> None:
    found = call("check", option, "--format", "json")
    assert found.exit_code == 2
    assert option in found.stderr


def test_check_of_standard_input(call: Invoke) -> None:
    found = call("check", "-", input=OLD)
    assert found.exit_code == 1
    assert "<stdin>:1:1: TFM101" in found.stdout
    named = call("check", "-", "--stdin-filename", "sub/b.py", input=OLD)
    assert "sub/b.py:1:1: TFM101" in named.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["check", "-", "a.py"], "stands alone"),
        (["check", "--stdin-filename", "a.py"], "goes with `-`"),
        (["check", "-", "--stdin-filename", "a.txt"], "Received: 'a.txt'"),
        (["check", "none.py"], "none.py"),
        (["check", "--select", "E501"], "Received: 'E501'"),
        (["check", "--select", "TFM777"], "no rule begins with 'TFM777'"),
        (["check", "--level", "v2"], "'native', 'compat'"),
        (["check", "-j", "-1"], "-1"),
        (["check", "--baseline", "none.json"], "--write-baseline"),
        (["chekc"], "Did you mean 'check'?"),
        (["zzz"], "Known: check"),
        (["upgrade"], "For the current folder: migrate upgrade ."),
        (["upgrade", ".", "--diff", "--out", "x"], "--diff writes nothing"),
        (["upgrade", ".", "--check", "--out", "x"], "--check writes nothing"),
        (["upgrade", ".", "--copy-other-files"], "goes with --out"),
        (["upgrade", "-", "--out", "x"], "standard output"),
        (["upgrade", ".", "--stdin-filename", "a.py"], "goes with `-`"),
        (["upgrade", ".", "--diff", "--format", "json"], "--output"),
        (["upgrade", "-", "--format", "json"], "--output"),
        (["upgrade", ".", "--out", "./inner"], "lies inside"),
        (["upgrade", "a.py", "--out", "."], "holds a.py"),
        (["upgrade", ".", "--explain-level", "--format", "html"], "text and json"),
        (["upgrade", "-", "--explain-level"], "not `-`"),
        (["upgrade", "--infile", "a.py"], "needs --outfile or --inplace"),
        (["upgrade", "--intree", "."], "needs --outtree or --inplace"),
        (["upgrade", "--infile", "a.py", "--outfile", "b", "--inplace"], "exclude each other"),
        (["upgrade", "--infile", "a.py", "--intree", "."], "exclude each other"),
        (["upgrade", "--infile", "a.py", "--outtree", "x"], "not with --outtree"),
        (["upgrade", "--intree", ".", "--outfile", "x"], "not with --outfile"),
        (["upgrade", "--infile", "a.py", "--out", "x"], "not with --out."),
        (["upgrade", "a.py", "--infile", "a.py"], "exclude each other"),
        (["upgrade", "a.py", "--outfile", "b.py"], "goes with --infile"),
        (["upgrade", "a.py", "--outtree", "b"], "goes with --intree"),
        (["upgrade", "a.py", "--copyotherfiles", "true"], "--copy-other-files"),
        (["upgrade", "--intree", ".", "--inplace", "--copyotherfiles", "no"], "--outtree"),
        (["upgrade", ".", "--inplace", "--out", "x"], "exclude each other"),
        (["upgrade", ".", "--mode", "SAFETY", "--level", "native"], "means --level compat"),
        (["upgrade", ".", "--no_import_rename"], "compat.v2"),
        (["upgrade", ".", "--no_upgrade_compat_v1_import"], "--level compat"),
        (["explain", "TFM10"], "Close: TFM101, TFM102"),
        (["explain", "renamed-endpont"], "renamed-endpoint"),
        (["explain", "@@@"], "`migrate rules` lists them"),
        (["undo", "--list", "--force"], "--list"),
        (["undo"], "no run to undo"),
    ],
)
def test_usage_errors_say_what_was_received(
    call: Invoke, folder: Path, args: list[str], words: str
) -> None:
    # What was upgraded in a folder above, such as /tmp, isn't found.
    (folder / ".migrate" / "journal").mkdir(parents=True)
    found = call(*args)
    assert found.exit_code == 2, found.output
    assert words in " ".join(found.stderr.split())


def test_settings_come_from_the_project_and_the_command_line_wins(
    call: Invoke, folder: Path, engine: Engine
) -> None:
    (folder / "pyproject.toml").write_text(
        '[tool.migrate]\nlevel = "compat"\njobs = 2\nignore = ["TFM2"]\nunsafe = true\n'
        'exclude = ["gen"]\n[tool.migrate.per-file-ignores]\n"tests" = ["TFM1"]\n'
    )
    call("check", "-j", "1", "--select", "TFM1,TFM201", "--no-unsafe", "--no-cache")
    assert engine.options == Options(
        level="compat",
        select=("TFM1", "TFM201"),
        ignore=("TFM2",),
        unsafe=False,
        jobs=1,
        cache=False,
        per_file_ignores=(("tests", ("TFM1",)),),
        exclude=("gen",),
        root=str(folder),
    )


def test_a_bad_setting_is_a_usage_error(call: Invoke, folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.migrate]\nlevle = "compat"\n')
    found = call("check")
    assert found.exit_code == 2
    assert "Did you mean 'level'?" in found.stderr
    (folder / "pyproject.toml").write_text('[tool.migrate]\nselect = ["TFM777"]\n')
    assert "pyproject.toml" in call("check").stderr


def test_the_root_is_the_project_not_the_folder_that_was_named(
    call: Invoke, folder: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "b.py").write_bytes(OLD)
    monkeypatch.chdir(folder / "sub")
    found = call("check", ".")
    assert engine.options is not None
    assert engine.options.root == str(folder)
    assert found.stdout.startswith("b.py:1:1:")
    found = call("check", "--format", "json")
    assert json.loads(found.stdout)[0]["path"] == "sub/b.py"


def test_baseline(call: Invoke, folder: Path) -> None:
    found = call("check", "--write-baseline", "known.json")
    assert (found.exit_code, found.stderr) == (0, "Wrote 1 findings to known.json\n")
    assert call("check", "--baseline", "known.json").output == ""
    (folder / "pyproject.toml").write_text('[tool.migrate]\nbaseline = "known.json"\n')
    assert call("check").exit_code == 0
    (folder / "a.py").write_bytes(b"y = old()\n")
    found = call("check")
    assert found.exit_code == 1
    assert "1 entries of" in found.stderr


def test_statistics_and_fixes(call: Invoke) -> None:
    assert "renamed-endpoint" in call("check", "--statistics").stdout
    assert "    fix: new\n" in call("check", "--show-fixes").stdout


# -- upgrade -----------------------------------------------------------------------------


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


# -- the official script's flags -----------------------------------------------------------


def test_infile_outfile(call: Invoke, folder: Path) -> None:
    found = call("upgrade", "--infile", "a.py", "--outfile", "out/b.py")
    assert found.exit_code == 1, found.output
    assert (folder / "out" / "b.py").read_bytes() == NEW
    assert (folder / "a.py").read_bytes() == OLD


def test_intree_outtree_copies_other_files_unless_told_not_to(call: Invoke, folder: Path) -> None:
    (folder / "data.bin").write_bytes(b"\x00")
    call("upgrade", "--intree", ".", "--outtree", "../one")
    call("upgrade", "--intree", ".", "--outtree", "../two", "--copyotherfiles", "false")
    assert (folder.parent / "one" / "data.bin").exists()
    assert not (folder.parent / "two" / "data.bin").exists()
    assert (folder.parent / "two" / "a.py").read_bytes() == NEW


def test_inplace_reportfile_mode_and_print_all(call: Invoke, folder: Path, engine: Engine) -> None:
    found = call(
        "upgrade", "--infile", "a.py", "--inplace", "--reportfile", "report.txt",
        "--mode", "SAFETY", "--print_all", "--allow-no-vcs",
    )  # fmt: skip
    assert found.exit_code == 1, found.output
    assert (folder / "a.py").read_bytes() == NEW
    assert "old is new" in found.stdout
    assert "old is new" in (folder / "report.txt").read_text()
    assert engine.options is not None
    assert engine.options.level == "compat"
    found = call("upgrade", "-", "--reportfile", "r.txt", "--mode", "DEFAULT", input=OLD)
    assert engine.options.level == "native"
    assert "Changed 1 of 1 file" in (folder / "r.txt").read_text()


# -- levels, rules, the rest ---------------------------------------------------------------


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


def migrate(folder: Path, *args: str, **more: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.run(
        [sys.executable, "-m", "migrate", *args],
        cwd=folder, env=environment, capture_output=True, text=True, **more,  # type: ignore[call-overload]
    )  # fmt: skip


def test_a_reader_that_leaves_is_no_error(folder: Path) -> None:
    for number in range(200):
        (folder / f"f{number}.py").write_text("import tensorflow as tf\n" + "tf.log(1)\n" * 50)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
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
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
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
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
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
    case = Path(__file__).parents[1] / "fixtures" / "native" / "files_model_class"
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


# -- terminals -----------------------------------------------------------------------------


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    silent = shared.Progress(quiet=True)
    silent(1, 2)
    silent.clear()
    assert screen.getvalue() == ""
    bar = shared.Progress(quiet=False)
    bar(0, 0)
    bar(1, 4)
    bar(2, 4)  # too soon after the first to be drawn
    bar(4, 4)
    bar.clear()
    assert screen.getvalue() == (
        "\r[######..................] 1 of 4 files\r[########################] 4 of 4 files\r\x1b[K"
    )


def test_colour_follows_the_terminal_and_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert shared.colourful(Terminal())
    assert not shared.colourful(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not shared.colourful(Terminal())


@pytest.mark.skipif(shutil.which("script") is None, reason="needs script(1) for a terminal")
def test_a_diff_on_a_terminal_is_escaped(call: Invoke, folder: Path) -> None:
    (folder / "a.py").write_bytes(b"x = old()  # \x1b[2J\n")
    done = subprocess.run(
        ["script", "-qec", f"{sys.executable} -c '{DIFF}'", os.devnull],
        cwd=folder, capture_output=True, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "TERM": "xterm"},
    )  # fmt: skip
    assert b"\\x1b[2J" in done.stdout
    assert b"\x1b[2J" not in done.stdout
    assert b"\x1b[32m+x = new()" in done.stdout


DIFF = """
from migrate.commands.upgrade import _show_diff
from migrate.engine.findings import FileResult
data = open("a.py", "rb").read()
_show_diff(FileResult("a.py", before=data, after=data.replace(b"old", b"new")))
"""


def test_text_that_the_terminal_has_no_letters_for(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    shared.write_out(["ü", b"\xff"], stream)
    assert raw.getvalue() == b"\\xfc\xff"
    text = io.StringIO()
    shared.write_out(["ü", b"x"], text)
    assert text.getvalue() == "üx"


def test_without_any_mark_the_root_is_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "_ROOT_MARKS", ("no-such-mark",))
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    assert shared._root(str(tmp_path / "sub")) == str(tmp_path)
    monkeypatch.chdir(tmp_path / "sub")
    assert shared._root(str(tmp_path)) == str(tmp_path)
