"""Progress, colours and diffs on terminals."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.commands import shared
from tests.cli.conftest import Invoke, Terminal


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
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "TERM": "xterm"},
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
