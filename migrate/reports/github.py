"""Workflow commands: GitHub shows each finding beside its line.

https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Iterator

from migrate.reports import Report, severity
from migrate.reports.escape import visible

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report) -> Iterator[str]:
    """A workflow command for each finding."""
    for result, finding, _ in report.each():
        properties = {"file": result.path, "title": _title(report, finding.rule)}
        message = finding.message
        if finding.cell is None:
            properties["line"] = str(finding.line)
            properties["col"] = str(finding.column)
            if finding.end_line:
                properties["endLine"] = str(finding.end_line)
            if finding.end_column and finding.end_line in (0, finding.line):
                properties["endColumn"] = str(finding.end_column)
        else:  # the file on disk has other lines than the cell
            message = f"cell {finding.cell}, line {finding.line}: {message}"
        listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        yield f"::{_COMMANDS[severity(finding)]} {listed}::{_data(message)}\n"


def _title(report: Report, rule: str) -> str:
    name = report.rule_name(rule)
    return rule if name == rule else f"{rule} ({name})"


def _data(text: str) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return visible(text)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
