"""Pages of rules."""

from __future__ import annotations

from collections.abc import Callable

from migrate.reports import RuleInfo
from migrate.reports.rulepages import page

Make = Callable[..., RuleInfo]


def test_a_page(fake_rule: Make) -> None:
    text = page(fake_rule("TFM101", "renamed-endpoint"))
    assert text.startswith("# TFM101 renamed-endpoint\n\nAn endpoint with another name.\n")
    assert "Because <of> this." in text
    assert "it is so" not in text
    assert "```python\ntf.log(x)\n```\n\nbecomes\n\n```python\ntf.math.log(x)\n```" in text
    assert "`# noqa: TFM101`" in text


def test_an_example_that_stays(fake_rule: Make) -> None:
    rule = fake_rule("TFM101", "x", examples=(("a", "a"), ("b", "c"), ("d", "e")))
    text = page(rule)
    assert "stays as it is, with a finding." in text
    assert "## Example 2" in text
    assert "```python\nd" not in text


def test_a_bare_rule(fake_rule: Make) -> None:
    text = page(fake_rule("TFM101", "x", doc="", url="", examples=()))
    assert "Example" not in text
    assert "More:" not in text
