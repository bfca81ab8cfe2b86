"""Reports: text, JSON, JUnit, HTML."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from migrate.parity import report
from migrate.parity.compare import Difference
from migrate.parity.errors import ParityError
from migrate.parity.verdict import (
    AGREE,
    COMPILES,
    DIFFER,
    FAILED,
    NOT_RUN,
    PASSED,
    Curve,
    Result,
    Rung,
    VariableRow,
)

DIFFERENCE = Difference(
    "<w>", "values differ", 3, 1, 4, 0.5, float("inf"), 0.1, [("[0, 1]", "1", "nan")]
)


def results() -> list[Result]:
    bad = Result("bad & worse", "a.py", "b.py", verdict=DIFFER, reason="<w> differs")
    bad.rungs = [
        Rung("exit", PASSED, compared=1),
        Rung("forward", FAILED, "<w>\x07 differs", difference=DIFFERENCE),
        Rung("outputs", NOT_RUN, "stopped at the rung 'forward'"),
    ]
    bad.curves = [Curve("loss", [1.0, 0.5, 0.25], [1.0, 0.5, float("nan")], [1e-7, 1e-7, 1e-6])]
    bad.variables = [VariableRow("w", "k", "trainable, by name", "[2]", "float32", 0.0, 0.1, 1.0)]
    good = Result("good", "a.py", "b.py", verdict=AGREE, reason="all")
    good.rungs = [Rung("exit", PASSED, compared=1)]
    good.curves = [Curve("loss", [1.0, 0.5], [1.0, 0.5])]
    return [bad, good]


def test_text_has_the_table() -> None:
    text = report.render(results(), "text")
    assert "[0, 1] | 1        | nan" in text
    assert "1 of 2 pairs agree." in text
    assert "not run  outputs" in text


def test_json_is_strict() -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    data = json.loads(report.render(results(), "json"), parse_constant=refuse)
    assert (data["agree"], data["total"]) == (1, 2)
    first = data["results"][0]
    assert (first["exit_code"], first["verdict"]) == (1, DIFFER)
    assert first["rungs"][1]["difference"]["max_rel"] == "inf"


def test_junit_counts_and_escapes() -> None:
    root = ET.fromstring(report.render(results(), "junit"))
    suite = root[0]
    assert suite.attrib["name"] == "bad & worse [cpu]"
    assert (suite.attrib["failures"], suite.attrib["skipped"]) == ("1", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.attrib["message"] == "<w>  differs"
    assert "[0, 1]" in (failure.text or "")


class Balance(HTMLParser):
    """Checks that tags are balanced and that nothing is loaded from outside."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        given = {name: value or "" for name, value in attrs}
        assert not {"src", "onload", "onclick"} & set(given)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_self_contained_and_balanced() -> None:
    page = report.render(results(), "html")
    parser = Balance()
    parser.feed(page)
    assert not parser.open
    assert not parser.links
    assert "script" not in parser.seen
    assert {"svg", "polyline", "table"} <= parser.seen
    assert "&lt;w&gt;" in page
    assert "<w>" not in page
    assert "The curves are equal in every bit." in page


def test_html_of_a_matrix_links_each_cell_to_its_section() -> None:
    """What only compiles looks like no agreement; what was not run gives its reason."""
    known = {"cpu": AGREE, "xla": DIFFER, "gpu": NOT_RUN, "tpu": COMPILES}
    every = [Result(name, "a.py", "b.py", device, verdict, f"<{verdict}> on {device}")
             for name in ("native/a", "b & c") for device, verdict in known.items()]  # fmt: skip
    page = report.render(every, "html")
    parser = Balance()
    parser.feed(page)
    assert not parser.open
    assert len(parser.ids) == len(set(parser.ids)) == len(every)
    assert [link.removeprefix("#") for link in parser.links] == parser.ids
    for device, state in (
        ("cpu", "passed"),
        ("xla", "failed"),
        ("gpu", "not"),
        ("tpu", "compiles"),
    ):
        cell = f'<td class="{state}" title="&lt;{known[device]}&gt; on {device}">'
        assert page.count(cell) == 2
    assert "2 of 8 cells agree" in page
    assert "cpu: 2 agree of 2" in page


@pytest.mark.parametrize(
    ("name", "start"),
    [("r.json", "{"), ("r.xml", "<?xml"), ("r.html", "<!doctype"), ("r.txt", "bad & worse")],
)
def test_suffix_chooses_the_format(name: str, start: str, tmp_path: Path) -> None:
    report.write(results(), tmp_path / "deep" / name)
    assert (tmp_path / "deep" / name).read_text().startswith(start)


def test_unknown_format_is_an_error() -> None:
    with pytest.raises(ParityError, match="Unknown format 'pdf'"):
        report.render([], "pdf")
