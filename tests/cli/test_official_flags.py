"""The official script's flags."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import NEW, OLD, Engine, Invoke


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
