"""`migrate check`: findings, settings, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from migrate.engine.options import Options
from tests.cli.conftest import NEW, OLD, Engine, Invoke


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
