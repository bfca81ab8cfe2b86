"""Reports for people."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.engine.findings import Applicability, FileResult, Finding
from migrate.reports import Report
from migrate.reports.diff import for_terminal, unified
from migrate.reports.escape import visible, visible_lines
from migrate.reports.summary import plural, summarize
from migrate.reports.text import render

Make = Callable[..., Report]


def text(report: Report) -> str:
    return "".join(render(report))


def test_check(make: Make) -> None:
    assert text(make()).splitlines() == [
        "src/a.py:2:5: TFM101 [*] tf.log is tf.math.log",
        "src/a.py:3:5: TFM601 tf.layers.dense is lost",
        "n.ipynb:cell 3:4:2: TFM101 [--unsafe] maybe",
        "od\\x1bd,na:me.py:1:1: TFM777 \\x1b[2J\\x07evil\\r\\n::error::<b>&\"'\\u202e%",
        "broken.py:1:1: TFM901 does not parse: line 3"
        "\\x1b[2J\\x07evil\\r\\n::error::<b>&\"'\\u202e%",
        "Found 5 findings in 4 files; `migrate upgrade` deals with 1; "
        "1 file could not be handled.",
    ]  # fmt: skip


def test_a_clean_tree_is_met_with_silence(make: Make) -> None:
    assert text(make(results=[FileResult("clean.py"), FileResult("s.py", "skipped")])) == ""
    note = Finding("a.py", 1, 1, "TFM101", "m", applicability=Applicability.INFO)
    assert text(make(results=[FileResult("a.py", left=[note])])) == ""


def test_fixes_are_shown_on_demand(make: Make) -> None:
    lines = text(make(show_fixes=True)).splitlines()
    assert lines[:2] == ["src/a.py:2:5: TFM101 [*] tf.log is tf.math.log", "    fix: tf.math.log"]


def test_statistics(make: Make) -> None:
    assert text(make(statistics=True)).splitlines()[:3] == [
        "rule    fixable  left  notes",
        "TFM101        1     1      1  renamed-endpoint",
        "TFM601        0     1      0  lost-layers",
    ]


def test_upgrade(make: Make) -> None:
    shown = text(make("upgrade", written=True, undo="20260101"))
    assert "src/a.py: 1 place, native level\n" in shown
    assert "skipped.py: skipped: `# migrate: skip-file`\n" in shown
    assert "Left for you:\nsrc/a.py:1:1: TFM101 [note] kept\n" in shown
    assert "tf.log is tf.math.log" not in shown
    assert shown.endswith(
        "Changed 1 of 6 files: 1 place, 4 left for you; 1 file could not be handled.\n"
        "`migrate undo 20260101` takes it back.\n"
    )
    assert "tf.log is tf.math.log" in text(make("upgrade", verbose=True))
    assert "Would change 1 of 6 files" in text(make("upgrade"))


def test_paths_are_shown_from_where_the_reader_stands(make: Make) -> None:
    assert text(make(base="/work/x/src")).startswith("a.py:2:5:")
    assert text(make(base="/work/y")).startswith("../x/src/a.py:2:5:")


@pytest.mark.parametrize("command", ["check", "upgrade"])
def test_nothing_from_files_reaches_the_terminal(make: Make, command: str) -> None:
    shown = text(make(command, colour=False, verbose=True, show_fixes=True))
    assert not any(ord(char) < 32 and char != "\n" for char in shown)
    assert "\u202e" not in shown


def test_colour_is_ours_alone(make: Make) -> None:
    shown = text(make(colour=True))
    assert "\x1b[1msrc/a.py\x1b[0m:2:5: \x1b[31mTFM101\x1b[0m" in shown
    assert "\x1b[2J" not in shown


def test_what_the_baseline_hid_is_counted(make: Make) -> None:
    assert text(make(hidden=3)).endswith("; 3 known from the baseline.\n")


def test_visible() -> None:
    assert visible("ü\tx") == "ü\tx"
    assert visible("a\x00b\x9bc\ud800") == "a\\x00b\\x9bc\\ud800"
    assert visible_lines("a\x1b\nb") == "a\\x1b\nb"
    assert visible_lines("a\nb") == "a\nb"
    assert visible_lines("a\x1bb") == "a\\x1bb"


def test_plural() -> None:
    assert [plural(n, "entry") for n in (1, 2)] == ["1 entry", "2 entries"]
    assert plural(0, "file") == "0 files"


def test_summary_by_file(make: Make) -> None:
    files = summarize(make()).files
    assert list(files) == ["src/a.py", "n.ipynb", "od\x1bd,na:me.py", "broken.py"]
    assert (files["src/a.py"].fixed, files["src/a.py"].left, files["src/a.py"].notes) == (1, 1, 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\nb\n", b"a\nc\n"),
        (b"a\r\nb\r\n", b"a\r\nc\r\n"),
        (b"a\nb", b"a\nc"),
        (b"a\n\xffb\n", b"a\n\xffc\n"),
        (b"a\x0cb\nc\n", b"a\x0cb\nd\n"),
        (b"", b"a\n"),
    ],
)
def test_a_diff_can_be_applied(tmp_path: Path, before: bytes, after: bytes) -> None:
    (tmp_path / "o d.py").write_bytes(before)
    patch = "".join(unified("o d.py", before, after)).encode("utf-8", "surrogateescape")
    subprocess.run(["git", "apply", "--unsafe-paths", "-"], input=patch, cwd=tmp_path, check=True)
    assert (tmp_path / "o d.py").read_bytes() == after


def test_a_diff_names_odd_paths_as_git_does() -> None:
    head = next(iter(unified('a\n"\xe4\t.py', b"a", b"b")))
    assert head == '--- "a/a\\n\\"\\303\\244\\t.py"\n'


def test_a_diff_on_a_terminal() -> None:
    lines = unified("a.py", b"x\x1b[2J\r\n", b"y\r\n")
    assert list(for_terminal(lines, colour=False))[2:] == ["@@ -1 +1 @@\n", "-x\\x1b[2J\n", "+y\n"]
    lines = for_terminal(unified("a.py", b"x\n", b"y\n"), colour=True)
    assert list(lines)[-1] == "\x1b[32m+y\x1b[0m\n"
