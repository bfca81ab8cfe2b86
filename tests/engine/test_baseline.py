"""Known findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from migrate.engine import baseline
from migrate.engine.findings import Applicability, FileResult, Finding


def result(path: str, *lines: int, rule: str = "TFM101", cell: int | None = None) -> FileResult:
    return FileResult(
        path,
        left=[Finding(path, line, 1, rule, "m", endpoint="tf.log", cell=cell) for line in lines],
    )


def known(root: Path, *results: FileResult) -> baseline.Baseline:
    path = root / "known.json"
    text = baseline.dump(results, baseline.line_reader(str(root)))
    path.write_text(text, encoding="utf-8")
    return baseline.load(str(path))


def test_moved_lines_stay_known_and_edited_ones_do_not(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text("x = tf.log(1)\ny = tf.log(2)\n")
    kept = known(tmp_path, result("a.py", 1, 2))
    source.write_text("# new\n\n    x  =  tf.log(1)\ny = tf.log(3)\n")
    after = result("a.py", 3, 4)
    assert kept.filter(after, baseline.line_reader(str(tmp_path))) == 1
    assert [finding.line for finding in after.left] == [4]
    assert kept.stale({"a.py"}) == 1
    assert kept.stale({"b.py"}) == 0


def test_counts(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("tf.log(1)\ntf.log(1)\ntf.log(1)\n")
    kept = known(tmp_path, result("a.py", 1, 2))
    after = result("a.py", 1, 2, 3)
    assert kept.filter(after, baseline.line_reader(str(tmp_path))) == 2
    assert len(after.left) == 1


def test_another_rule_is_another_finding(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("tf.log(1)\n")
    kept = known(tmp_path, result("a.py", 1))
    assert kept.filter(result("a.py", 1, rule="TFM201"), baseline.line_reader(str(tmp_path))) == 0


def test_notebook_cells(tmp_path: Path) -> None:
    cells = [{"source": ["# hi\n"]}, {"source": ["a\n", "tf.log(1)"]}, {"source": "b\ntf.log(2)"}]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells}))
    results = [result("n.ipynb", 2, cell=2), result("n.ipynb", 2, cell=3)]
    document = json.loads(baseline.dump(results, baseline.line_reader(str(tmp_path))))
    assert [entry["text"] for entry in document["findings"]["n.ipynb"]] == [
        "tf.log(1)",
        "tf.log(2)",
    ]


@pytest.mark.parametrize("text", ["{", "[]", '{"cells": 3}', '{"cells": [3]}'])
def test_a_broken_notebook_has_no_lines(tmp_path: Path, text: str) -> None:
    (tmp_path / "n.ipynb").write_text(text)
    item = result("n.ipynb", 1, cell=1)
    assert baseline.line_reader(str(tmp_path))(item, item.left[0]) == ""


def test_notes_are_no_findings(tmp_path: Path) -> None:
    note = Finding("a.py", 1, 1, "TFM101", "m", applicability=Applicability.INFO)
    item = FileResult("a.py", left=[note])
    kept = known(tmp_path, item)
    assert kept.filter(item, baseline.line_reader(str(tmp_path))) == 0
    assert item.left == [note]


def test_text_given_beforehand_is_taken(tmp_path: Path) -> None:
    item = result("gone.py", 1)
    assert baseline.line_reader(str(tmp_path))(item, item.left[0]) == ""
    item.before = b"tf.log(1)\n"
    assert baseline.line_reader(str(tmp_path))(item, item.left[0]) == "tf.log(1)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot be read"),
        ("[]", "not of version 1"),
        ('{"version": 7}', "Received: 7"),
        ('{"version": 1}', "not understood"),
        ('{"version": 1, "findings": {"a.py": [{"rule": "TFM1"}]}}', "not understood"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(text)
    with pytest.raises(baseline.BaselineError, match=words):
        baseline.load(str(path))


def test_a_missing_file_says_how_to_write_it(tmp_path: Path) -> None:
    with pytest.raises(baseline.BaselineError, match="--write-baseline"):
        baseline.load(str(tmp_path / "none.json"))
