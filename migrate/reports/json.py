"""A list of findings, one object each; plain ASCII, so nothing in it can reach a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from migrate.engine.findings import FileResult, Finding
from migrate.reports import Report, Status


def render(report: Report) -> Iterator[str]:
    """The report as a JSON array, a finding on each line."""
    first = True
    for result, finding, status in report.each():
        yield ("[\n " if first else ",\n ") + json.dumps(record(report, result, finding, status))
        first = False
    yield "[]\n" if first else "\n]\n"


def record(report: Report, result: FileResult, finding: Finding, status: Status) -> dict[str, Any]:
    """One finding as JSON has it."""
    return {
        "path": result.path,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line or None,
        "end_column": finding.end_column or None,
        "cell": finding.cell,
        "rule": finding.rule,
        "name": report.rule_name(finding.rule),
        "endpoint": finding.endpoint,
        "message": finding.message,
        "applicability": finding.applicability.value,
        "fix": finding.fix,
        "status": status,
    }
