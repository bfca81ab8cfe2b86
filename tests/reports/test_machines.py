"""Reports for machines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from migrate.engine.findings import FileResult
from migrate.reports import FORMATS, Report, renderer

Make = Callable[..., Report]


def shown(report: Report, name: str) -> str:
    return "".join(renderer(name)(report))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("command", ["check", "upgrade"])
def test_every_format_takes_everything_and_nothing(make: Make, name: str, command: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", shown(make(command), name))
    shown(make(command, results=[]), name)


def test_json(make: Make) -> None:
    records = json.loads(shown(make(), "json"))
    assert len(records) == 6
    assert records[1] == {
        "path": "src/a.py",
        "line": 2,
        "column": 5,
        "end_line": 2,
        "end_column": 11,
        "cell": None,
        "rule": "TFM101",
        "name": "renamed-endpoint",
        "endpoint": "tf.log",
        "message": "tf.log is tf.math.log",
        "applicability": "safe",
        "fix": "tf.math.log",
        "status": "fixed",
    }
    assert [record["status"] for record in records].count("left") == 5
    assert records[3]["cell"] == 3
    assert records[4]["name"] == "TFM777"
    assert shown(make(results=[]), "json") == "[]\n"


def test_github(make: Make) -> None:
    lines = shown(make(), "github").splitlines()
    assert lines[1] == (
        "::warning file=src/a.py,title=TFM101 (renamed-endpoint),line=2,col=5,endLine=2,"
        "endColumn=11::tf.log is tf.math.log"
    )
    assert lines[0].startswith("::notice ")
    assert lines[2].startswith("::error ")
    assert lines[3].startswith("::warning file=n.ipynb,title=TFM101 (renamed-endpoint)::cell 3, ")
    assert lines[4] == (
        "::error file=od\\x1bd%2Cna%3Ame.py,title=TFM777,line=1,col=1"
        "::\\x1b[2J\\x07evil%0D%0A::error::<b>&\"'\\u202e%25"
    )
    assert len(lines) == 6


def test_junit(make: Make) -> None:
    suite = ElementTree.fromstring(shown(make(), "junit"))[0]
    assert suite.attrib == {
        "name": "migrate check",
        "tests": "6",
        "failures": "3",
        "errors": "1",
        "skipped": "1",
    }
    kinds = [[child.tag for child in case] for case in suite]
    assert kinds == [["failure"], ["failure"], ["failure"], ["error"], ["skipped"], []]
    failure = suite[0][0]
    assert failure.attrib["message"] == "2 findings: TFM101, TFM601"
    assert "src/a.py:3:5: TFM601 tf.layers.dense is lost" in (failure.text or "")
    written = ElementTree.fromstring(shown(make("upgrade", written=True), "junit"))[0]
    assert written[0][0].attrib["message"] == "1 finding: TFM601"


def test_sarif(make: Make) -> None:
    document = json.loads(shown(make("upgrade"), "sarif"))
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == ["TFM101", "TFM601", "TFM777", "TFM901"]
    assert driver["rules"][0]["helpUri"].startswith("https://")
    assert driver["rules"][0]["help"]["text"]
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("none", "warning", "error")
        _check_location(result["locations"][0])
    assert [item["level"] for item in run["results"][:3]] == ["none", "warning", "error"]
    assert run["results"][4]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == (
        "od%1Bd%2Cna%3Ame.py"
    )
    assert run["invocations"][0]["executionSuccessful"] is False
    assert len(run["invocations"][0]["toolExecutionNotifications"]) == 1


def _check_location(location: dict[str, Any]) -> None:
    physical = location["physicalLocation"]
    assert not re.match(r"/|[a-z]+:|\.\.", physical["artifactLocation"]["uri"])
    region = physical.get("region", {"startLine": 1, "startColumn": 1})
    assert region["startLine"] >= 1
    assert region["startColumn"] >= 1


def test_sarif_carries_the_change_as_long_as_it_is_to_be_made(make: Make) -> None:
    results = json.loads(shown(make("upgrade"), "sarif"))["runs"][0]["results"]
    assert "fixes" not in results[0]
    (change,) = results[1]["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 2, "startColumn": 1, "endLine": 3, "endColumn": 1},
            "insertedContent": {"text": "x = tf.math.log(1)\n"},
        }
    ]
    written = json.loads(shown(make("upgrade", written=True), "sarif"))["runs"][0]["results"]
    assert not any("fixes" in result for result in written)


def test_sarif_without_a_text_has_no_change(make: Make) -> None:
    def results(before: bytes) -> list[FileResult]:
        found = make().results[:1]
        found[0].before = before
        return found

    report = make("upgrade", results=results(b"\xff\n"))
    assert "fixes" not in shown(report, "sarif")
    report = make("upgrade", results=results(make().results[0].after or b""))
    assert "fixes" not in shown(report, "sarif")


class _Page(HTMLParser):
    """Tags, and what could load or run something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "srcset", "style") or name.startswith("on"):
                self.loads.append(f"{tag} {name}={value}")


@pytest.mark.parametrize("command", ["check", "upgrade"])
def test_html(make: Make, command: str) -> None:
    text = shown(make(command), "html")
    page = _Page()
    page.feed(text)
    assert page.loads == []
    assert page.tags.count("script") == 1
    assert "link" not in page.tags
    assert "img" not in page.tags
    assert "<b>" not in text
    assert "\u202e" not in text
    assert "&lt;b&gt;&amp;" in text
    assert 'id="filter"' in text
    assert '<span class="add">+x = tf.math.log(1)\n</span>' in text


def test_the_page_allows_only_its_own_script(make: Make) -> None:
    import base64
    import hashlib

    text = shown(make(), "html")
    script = text.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text


def test_findings_stand_in_the_order_of_the_text(make: Make) -> None:
    lines = [record["line"] for record in json.loads(shown(make(), "json"))[:3]]
    assert lines == [1, 2, 3]
