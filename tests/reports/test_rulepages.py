"""Pages of rules."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.reports import RuleInfo, rulepages
from migrate.reports.rulepages import page

Make = Callable[..., RuleInfo]
ROOT = Path(__file__).parents[2]


def test_a_page_with_examples(
    fake_rule: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "TFM101_renamed_endpoint"
    folder.mkdir()
    (folder / "a_stays.py").write_text("tf.float32\n")
    (folder / "b_log.py").write_text(
        "# run\ntf.log(x)  # finding: TFM101\n\n# output\ntf.math.log(x)\n"
    )
    (folder / "c_exp.py").write_text("c\n# output\nd\n")
    (folder / "d_more.py").write_text("ee\n# output\nf\n")
    monkeypatch.setattr(rulepages, "CASES", tmp_path)
    text = page(fake_rule("TFM101", "renamed-endpoint"))
    assert text.startswith("# TFM101 renamed-endpoint\n\nAn endpoint with another name.\n")
    assert "Because <of> this." in text
    assert "it is so" not in text
    assert "```python\ntf.log(x)\n```\n\nbecomes\n\n```python\ntf.math.log(x)\n```" in text
    assert "## Example 2" in text
    assert "```python\ne" not in text
    assert "`# noqa: TFM101`" in text


def test_a_bare_rule(fake_rule: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rulepages, "CASES", tmp_path)
    text = page(fake_rule("TFM101", "x", doc="", url=""))
    assert "Example" not in text
    assert "More:" not in text


def test_the_script_writes_compares_and_removes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = runpy.run_path(str(ROOT / "scripts" / "build_docs.py"))
    main = program["main"]
    monkeypatch.setitem(main.__globals__, "DOCS", tmp_path)

    def run(*args: str) -> int:
        monkeypatch.setattr(sys, "argv", ["build_docs.py", *args])
        code: int = main()
        return code

    assert run("--check") == 1
    assert run() == 0
    assert run("--check") == 0
    (tmp_path / "rules" / "TFM000.md").write_text("gone")
    (tmp_path / "rules" / "README.md").write_text("edited")
    capsys.readouterr()
    assert run("--check") == 1
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "docs/rules/README.md",
        "docs/rules/TFM000.md",
    ]
    assert run() == 0
    assert run("--check") == 0
    assert run("--chekc") == 2
