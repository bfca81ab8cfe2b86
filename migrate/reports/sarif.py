"""SARIF 2.1.0, for code scanning and editors.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from migrate import __version__
from migrate.engine.findings import FileResult, Finding
from migrate.reports import Report, severity

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(report: Report) -> Iterator[str]:
    """The report as one SARIF run."""
    order: dict[str, int] = {}
    results: list[dict[str, Any]] = []
    for result in report.results:
        hunks = _hunks(result, report)
        for finding, status in report.findings(result):
            index = order.setdefault(finding.rule, len(order))
            item: dict[str, Any] = {
                "ruleId": finding.rule,
                "ruleIndex": index,
                "kind": "informational" if severity(finding) == "note" else "fail",
                "level": "none" if severity(finding) == "note" else severity(finding),
                "message": {"text": _message(finding)},
                "locations": [_location(result, finding)],
                "properties": {
                    "status": status,
                    "applicability": finding.applicability.value,
                    "endpoint": finding.endpoint,
                    "fix": finding.fix,
                },
            }
            if status == "fixed" and (fix := _fix(result, finding, hunks)) is not None:
                item["fixes"] = [fix]
            results.append(item)
    failures = [result for result in report.results if result.status == "failed"]
    run = {
        "tool": {
            "driver": {
                "name": "migrate",
                "semanticVersion": __version__,
                "rules": [_rule(report, rule) for rule in order],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not failures,
                "toolExecutionNotifications": [
                    {
                        "level": "error",
                        "message": {"text": result.reason or "the file could not be handled"},
                        "locations": [
                            {"physicalLocation": {"artifactLocation": _artifact(result)}}
                        ],
                    }
                    for result in failures
                ],
            }
        ],
        "originalUriBaseIds": {
            "SRCROOT": {"description": {"text": "The root of the migrated project."}}
        },
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    yield json.dumps(document, indent=1) + "\n"


def _rule(report: Report, rule: str) -> dict[str, Any]:
    info = report.rules().get(rule)
    if info is None:
        return {"id": rule}
    described: dict[str, Any] = {
        "id": rule,
        "name": info.name,
        "shortDescription": {"text": info.summary or info.name},
        "fullDescription": {"text": info.summary or info.name},
        "help": {"text": info.doc or info.summary, "markdown": info.doc or info.summary},
        "properties": {
            "tags": ["tensorflow", "migration", info.family],
            "applicability": info.applicability.value,
            "since": info.since,
        },
    }
    if info.url:
        described["helpUri"] = info.url
    return described


def _message(finding: Finding) -> str:
    if finding.cell is None:
        return finding.message
    return f"cell {finding.cell}, line {finding.line}: {finding.message}"


def _artifact(result: FileResult) -> dict[str, str]:
    return {"uri": quote(result.path, errors="surrogateescape"), "uriBaseId": "SRCROOT"}


def _location(result: FileResult, finding: Finding) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(result)}
    if finding.cell is None:  # a notebook's cell has no lines of its own in the file
        region = {"startLine": finding.line, "startColumn": finding.column}
        if finding.end_line:
            region["endLine"] = finding.end_line
        if finding.end_column:
            region["endColumn"] = finding.end_column
        physical["region"] = region
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.endpoint:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.endpoint}]
    return location


_Hunk = tuple[int, int, list[str]]  # first line, line after the last, new lines


def _hunks(result: FileResult, report: Report) -> list[_Hunk]:
    """The replaced lines of a file that has not been written yet."""
    if report.written or result.before is None or result.after is None:
        return []
    try:
        before, after = _lines(result.before), _lines(result.after)
    except UnicodeDecodeError:
        return []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return [
        (first + 1, last + 1, after[start:stop])
        for tag, first, last, start, stop in matcher.get_opcodes()
        if tag != "equal"
    ]


def _lines(data: bytes) -> list[str]:
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", data.decode("utf-8-sig"))


def _fix(result: FileResult, finding: Finding, hunks: list[_Hunk]) -> dict[str, Any] | None:
    """The replacement that deals with a finding: the hunk that covers its lines."""
    if finding.cell is not None:
        return None
    for first, after_last, new in hunks:
        if first <= (finding.end_line or finding.line) and finding.line < max(
            after_last, first + 1
        ):
            replacement: dict[str, Any] = {
                "deletedRegion": {
                    "startLine": first,
                    "startColumn": 1,
                    "endLine": after_last,
                    "endColumn": 1,
                },
                "insertedContent": {"text": "".join(new)},
            }
            change = {"artifactLocation": _artifact(result), "replacements": [replacement]}
            return {
                "description": {"text": finding.fix or finding.message},
                "artifactChanges": [change],
            }
    return None
