"""A run in numbers: by rule, by file, and why files were not handled."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.engine.findings import Applicability
from migrate.reports import Report


@dataclass(slots=True, eq=False, repr=False)
class Count:
    """What became of the findings under one heading."""

    fixed: int = 0
    left: int = 0
    notes: int = 0


@dataclass(slots=True, eq=False, repr=False)
class Summary:
    """Totals of a run."""

    total: Count
    rules: dict[str, Count]
    files: dict[str, Count]  # only those with findings
    changed: int
    failed: int
    skipped: int
    seen: int


def summarize(report: Report) -> Summary:
    """Count a report's findings and files."""
    total, rules, files = Count(), dict[str, Count](), dict[str, Count]()
    for result, finding, status in report.each():
        for count in (
            total,
            rules.setdefault(finding.rule, Count()),
            files.setdefault(result.path, Count()),
        ):
            if finding.applicability is Applicability.INFO:
                count.notes += 1
            elif status == "fixed":
                count.fixed += 1
            else:
                count.left += 1
    states = [result.status for result in report.results]
    return Summary(
        total=total,
        rules=dict(sorted(rules.items())),
        files=files,
        changed=states.count("changed"),
        failed=states.count("failed"),
        skipped=states.count("skipped"),
        seen=len(states),
    )


def plural(count: int, noun: str) -> str:
    """``1 file``, ``3 files``."""
    ending = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{count} {noun if count == 1 else ending}"


def closing_line(report: Report, summary: Summary) -> str:
    """The one line that says how a run ended."""
    total = summary.total
    if report.command == "check":
        text = f"Found {plural(total.fixed + total.left, 'finding')} in " + plural(
            sum(1 for count in summary.files.values() if count.fixed + count.left), "file"
        )
        if total.fixed:
            text += f"; `migrate upgrade` deals with {total.fixed}"
    else:
        verb = "Changed" if report.written else "Would change"
        text = f"{verb} {summary.changed} of {plural(summary.seen, 'file')}"
        text += f": {plural(total.fixed, 'place')}, {total.left} left for you"
    if summary.failed:
        text += f"; {plural(summary.failed, 'file')} could not be handled"
    if report.hidden:
        text += f"; {report.hidden} known from the baseline"
    return text + "."
