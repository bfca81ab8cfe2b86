"""Comments that keep findings quiet."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Finding
from migrate.engine.suppress import UNUSED, Suppressions


def finding(line: int, rule: str = "TFM204", end_line: int = 0) -> Finding:
    return Finding("a.py", line, 1, rule, "m", end_line=end_line)


def hidden(text: str, line: int, rule: str = "TFM204", span: tuple[int, int] | None = None) -> bool:
    return Suppressions.parse(text).hides(finding(line, rule), span)


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NOQA",
        "# noqa: TFM204",
        "# noqa:TFM204",
        "# noqa: E501, TFM204",
        "# noqa: E501 TFM2",
        "# noqa: TFM",
        "# type: ignore  # noqa: TFM204",
        "# migrate: ignore",
        "# migrate: ignore[TFM204]",
        "# migrate:ignore[TFM1, TFM2]",
        "# Migrate: Ignore[tfm204]",
    ],
)
def test_hides(comment: str) -> None:
    assert hidden(f"x = tf.log(1)  {comment}\n", 1)


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: TFM205",
        "# noqa: TFM3, E501",
        "# noqare",
        "# migrate: ignore[TFM205]",
        "# migrate: ignore[]",
        "# migrate: ignore[E501]",
        "# migrate: skip",
        "# migrate to TF 2",
        "# about noqable things",
    ],
)
def test_does_not_hide(comment: str) -> None:
    assert not hidden(f"x = tf.log(1)  {comment}\n", 1)


def test_a_comment_in_a_string_is_no_comment() -> None:
    text = 'x = "# noqa"\ny = """\n# migrate: skip-file\n"""\n'
    found = Suppressions.parse(text)
    assert not found.skip_file
    assert not found.hides(finding(1))


def test_first_and_last_line_of_the_statement_count_and_no_other() -> None:
    text = "x = f(  # noqa: TFM204\n    1,  # noqa: TFM101\n    2,\n)  # noqa: TFM3\n"
    for rule, hides in (("TFM204", True), ("TFM101", False), ("TFM301", True)):
        assert hidden(text, 3, rule, (1, 4)) is hides


def test_the_line_of_the_finding_itself_counts() -> None:
    assert hidden("x = f(\n    tf.log(1),  # noqa: TFM204\n)\n", 2, span=(1, 3))


def test_ignore_alone_on_a_line_is_for_the_next_line_of_code() -> None:
    text = "# migrate: ignore[TFM204]\n\n# more\nx = 1\ny = 2\n"
    assert hidden(text, 4)
    assert not hidden(text, 5)
    assert not hidden("# noqa: TFM204\nx = 1\n", 2)


def test_regions() -> None:
    text = "a\n# migrate: off\nb\nc  # migrate: on\nd\n# migrate: off\ne\n"
    found = Suppressions.parse(text)
    assert [line for line in range(1, 8) if found.hides(finding(line))] == [2, 3, 4, 6, 7]
    assert found.unused("a.py") == []


def test_skip_file() -> None:
    assert Suppressions.parse("x = 1\n# migrate: skip-file\n").skip_file


@pytest.mark.parametrize(
    "text",
    [
        "print 'x # noqa'\nx = `1`  # noqa: TFM204\n",
        "print 'x'\nx = (1  # noqa: TFM204\n",
        "def f():\n        a\n    b\nx = '\n\nfoo() # noqa: TFM204\n",
    ],
)
def test_text_that_does_not_tokenize_is_read_as_well(text: str) -> None:
    line = 1 + text[: text.index("TFM204")].count("\n")
    found = Suppressions.parse(text)
    assert found.hides(finding(line))
    assert not found.hides(finding(1)) or line == 1


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_lines_are_counted_as_python_does(newline: str) -> None:
    assert hidden(f"a{newline}b  # noqa: TFM204{newline}", 2)


def test_unused_comments_are_findings() -> None:
    text = (
        "a  # noqa: TFM204\n"
        "b  # noqa: TFM204, TFM301, E501\n"
        "c  # noqa\n"
        "d  # migrate: ignore\n"
        "e  # migrate: ignore[TFM1]\n"
        "# migrate: off\nf\n# migrate: on\n"
    )
    found = Suppressions.parse(text)
    assert found.hides(finding(2))
    unused = found.unused("a.py")
    assert [(item.line, item.column) for item in unused] == [
        (1, 4), (2, 4), (4, 4), (5, 4), (6, 1),
    ]  # fmt: skip
    assert {item.rule for item in unused} == {UNUSED}
    assert unused[1].message == "`# noqa: TFM204, TFM301, E501` hides no finding of TFM301"
    assert unused[0].end_column == 4 + len("# noqa: TFM204")


def test_rules_that_did_not_run_are_not_counted_as_unused() -> None:
    found = Suppressions.parse("a  # noqa: TFM204, TFM301\n")
    unused = found.unused("a.py", lambda rule: rule.startswith("TFM3"))
    assert [item.message for item in unused] == [
        "`# noqa: TFM204, TFM301` hides no finding of TFM301"
    ]


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("# migrate: ignroe[TFM204]", "did you mean `# migrate: ignore`?"),
        ("# migrate: skipfile", "did you mean `# migrate: skip-file`?"),
        ("# migrate: ignore[E501]", "'E501' is not a rule id"),
        ("# migrate: ignore[]", "no rule id stands in the brackets"),
        ("# migrate: off[TFM2]", "`off` takes no rule ids"),
        ("# migrate: on", "no `# migrate: off` stands before it"),
    ],
)
def test_a_slip_is_said(comment: str, words: str) -> None:
    (odd,) = Suppressions.parse(f"x = 1  {comment}\n").unused("a.py")
    assert words in odd.message


def test_prose_is_left_alone() -> None:
    text = "# migrate: users to the new table\n# TODO migrate: later\n"
    assert Suppressions.parse(text).unused("a.py") == []


def test_notebooks_count_lines_by_cell() -> None:
    found = Suppressions.parse("a\nb  # noqa: TFM204\nc  # noqa: TFM301\n")
    assert found.hides(finding(1), shift=1)
    assert not found.hides(finding(1))
    (unused,) = found.unused("n.ipynb", locate=lambda line: (2, line - 1))
    assert (unused.cell, unused.line, unused.end_line) == (2, 2, 2)
