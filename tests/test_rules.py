"""The rule cases of fixtures/rules: what they become, their variants, and the proof by running."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from rewriters import cases as rule_cases
from rewriters.cases import Case

from migrate.engine.analysis import analyse
from migrate.engine.document import read
from migrate.engine.findings import FileResult
from migrate.engine.judged import names_of
from migrate.engine.options import Options
from migrate.engine.runner import texts

CASES = rule_cases.cases()
CHANGING = [case for case in CASES if case.after is not None]
OPTIONS = Options()


def upgraded(text: str | bytes) -> FileResult:
    """What a run makes of one file."""
    data = text.encode() if isinstance(text, str) else text
    (result,) = texts({"case.py": data}, OPTIONS)
    assert result.status != "failed", result.reason
    return result


def written(text: str) -> str:
    """The text after a run."""
    result = upgraded(text)
    return text if result.after is None else result.after.decode()


def named(found: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", found, ids=[case.name for case in found])


@named(CASES)
def test_becomes(case: Case) -> None:
    result = upgraded(case.before)
    text = case.before if result.after is None else result.after.decode()
    if case.blocks:
        assert case.after is None
        found = analyse("case.py", case.before.encode(), OPTIONS, "case.py")
        places = {(b.line, b.rule) for b in found.native.blocks}
        assert set(case.blocks) <= places
        assert result.level is not None
        assert result.level.value == "compat"
    else:
        assert text == case.ends
        assert result.level is None or result.level.value == case.level
    places = {(f.line, f.rule) for f in (*result.fixed, *result.left)}
    assert set(case.findings) <= places
    ast.parse(text)
    assert written(text) == text, "a second pass changes something"
    assert not rule_cases.comments(case.before) - rule_cases.comments(text)


@named(CASES)
def test_findings_are_what_changes(case: Case) -> None:
    result = upgraded(case.before)
    assert bool(result.fixed) == (result.after is not None)


@named(CASES)
def test_bytes(case: Case) -> None:
    """The mark at the beginning, line ends and the last line stay as they are."""
    plain = written(case.before)
    marked = upgraded(b"\xef\xbb\xbf" + case.before.encode())
    if marked.after is not None:
        assert marked.after == b"\xef\xbb\xbf" + plain.encode()
    crlf = case.before.replace("\n", "\r\n")
    assert written(crlf) == plain.replace("\n", "\r\n")
    assert written(case.before.rstrip("\n")) == plain.rstrip("\n")


@named([c for c in CASES if not c.blocks and c.level == "native"])
def test_spellings(case: Case) -> None:
    for label, before, after in rule_cases.spelled(case):
        assert written(before) == after, label
    single = rule_cases.from_import(case)
    if single is not None:
        text = written(single)
        expected = rule_cases.meanings(case.ends)
        found = rule_cases.meanings(text)
        # An endpoint that is passed on counts where it is used, not where it is imported.
        assert set(found) >= set(expected), text
        assert written(text) == text


@named([case for case in CASES if case.name < "TFM8"])
def test_shadowed(case: Case) -> None:
    text = rule_cases.shadowed(case)
    if text is not None:
        assert written(text) == text


@named([c for c in CASES if not c.blocks and c.level == "native" and c.layouts])
def test_layouts(case: Case) -> None:
    wanted = rule_cases.dump(case.ends)
    for label, text in rule_cases.laid_out(case):
        after = written(text)
        assert rule_cases.dump(after) == wanted, f"{label}:\n{after}"
        assert not rule_cases.comments(text) - rule_cases.comments(after), label


@named(CHANGING)
def test_inside_strings(case: Case) -> None:
    """Code inside f-strings is changed as well, or left alone, never broken."""
    text = rule_cases.strings(case)
    if text is not None:
        after = written(text)
        ast.parse(after)
        assert written(after) == after


SYNTAX = sorted((rule_cases.ROOT.parent / "syntax").glob("*.py"))


@pytest.mark.parametrize("path", SYNTAX, ids=[path.stem for path in SYNTAX])
def test_syntax(path: Path) -> None:
    """Odd but valid source: every cast in it is found, and nothing else changes."""
    data = path.read_bytes()
    result = upgraded(data)
    after = data if result.after is None else result.after
    document = read(os.fspath(path), after)
    left = [r.name for r in names_of(document).references if ".to_" in r.name]
    assert not left
    assert upgraded(after).after is None
    old = read(os.fspath(path), data)
    assert not rule_cases.comments(old.text) - rule_cases.comments(document.text)
    assert old.text.count("\n") == document.text.count("\n")


def test_more_stay_than_change() -> None:
    """A wrong change costs more than a missed one."""
    staying = [case for case in CASES if case.after is None and not case.blocks]
    assert len(staying) > len(CHANGING)


def test_every_rule_has_cases() -> None:
    covered = {case.name.partition("_")[0] for case in CASES}
    assert covered >= {f"TFM{number}" for number in range(204, 220)}


# -- proved by running -------------------------------------------------------------------

TF1 = os.environ.get("MIGRATE_TF1_PYTHON") or shutil.which("python-tf1")
GOLDEN: dict[str, dict[str, object]] = (
    json.loads(rule_cases.GOLDEN.read_text("utf-8")) if rule_cases.GOLDEN.is_file() else {}
)


def test_goldens_are_of_these_cases() -> None:
    """What was recorded is what the cases say now: `python -m rewriters.record` makes it so."""
    found = {case.name: rule_cases.digest(case.before) for case in rule_cases.runnable()}
    assert {name: answer["source"] for name, answer in GOLDEN.items()} == found
    assert not [name for name, answer in GOLDEN.items() if "error" in answer]


@pytest.mark.tf1
@pytest.mark.slow
@pytest.mark.skipif(TF1 is None, reason="set MIGRATE_TF1_PYTHON to a Python with TF 1.15.5")
def test_tf1_prints_the_goldens() -> None:
    fresh = rule_cases.golden_of(str(TF1))
    wrong = {
        name: rule_cases.difference(GOLDEN[name].get("out"), answer.get("out"))
        for name, answer in fresh.items()
    }
    assert not {name: why for name, why in wrong.items() if why}


@pytest.mark.tf2
@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="TensorFlow 2.21 is not installed"
)
def test_tf2_prints_the_goldens(tmp_path: Path) -> None:
    found = rule_cases.runnable()
    answers = rule_cases.execute(sys.executable, {c.name: (c.run, c.ends) for c in found})
    wrong = {}
    for case in found:
        answer = answers[case.name]
        if "error" in answer:
            wrong[case.name] = f"{answer['error']} {answer.get('where')}"
        else:
            wrong[case.name] = rule_cases.difference(GOLDEN[case.name]["out"], answer["out"])
    assert not {name: why for name, why in wrong.items() if why}
