"""JUnit XML: a test case for each file, failed where it has findings."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from migrate.engine.findings import Applicability
from migrate.reports import Report
from migrate.reports.escape import visible
from migrate.reports.summary import plural
from migrate.reports.text import line


def render(report: Report) -> Iterator[str]:
    """The report as one test suite."""
    cases: list[str] = []
    failures = errors = skipped = 0
    plain = Report(
        report.command, report.results, report.root, report.rules, show_fixes=True, written=True
    )
    for result in report.results:
        body = ""
        problems = [
            (finding, status)
            for finding, status in plain.findings(result)
            if finding.applicability is not Applicability.INFO
        ]
        if report.written:  # what has been dealt with is no failure any more
            problems = [pair for pair in problems if pair[1] == "left"]
        lines = "".join("".join(line(plain, result, *pair)) for pair in problems)
        if result.status == "failed":
            errors += 1
            body = _element("error", result.reason, "failed", lines)
        elif problems:
            failures += 1
            rules = ", ".join(sorted({finding.rule for finding, _ in problems}))
            body = _element(
                "failure", f"{plural(len(problems), 'finding')}: {rules}", "finding", lines
            )
        elif result.status == "skipped":
            skipped += 1
            body = f"   <skipped message={_attribute(result.reason)}/>\n"
        head = f'  <testcase classname="migrate.{report.command}" name={_attribute(result.path)}'
        cases.append(f"{head}>\n{body}  </testcase>\n" if body else f"{head}/>\n")
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}"'
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites {counts}>\n"
    yield f' <testsuite name="migrate {report.command}" {counts} skipped="{skipped}">\n'
    yield from cases
    yield " </testsuite>\n</testsuites>\n"


def _element(tag: str, message: str, kind: str, text: str) -> str:
    return f'   <{tag} message={_attribute(message)} type="{kind}">{escape(text)}</{tag}>\n'


def _attribute(text: str) -> str:
    return quoteattr(visible(text))
