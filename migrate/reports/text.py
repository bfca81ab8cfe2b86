"""For people: one line a finding, then the summary. Quiet where there is nothing to say."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.engine.findings import Applicability, FileResult, Finding
from migrate.reports import Report, Status
from migrate.reports.escape import visible
from migrate.reports.summary import Summary, closing_line, plural, summarize

_BOLD, _DIM, _RED, _GREEN, _YELLOW, _CYAN = "1", "2", "31", "32", "33", "36"


def render(report: Report) -> Iterator[str]:
    """The report as lines of text."""
    summary = summarize(report)
    yield from (_check if report.command == "check" else _upgrade)(report, summary)


def _check(report: Report, summary: Summary) -> Iterator[str]:
    if report.statistics:
        yield from _by_rule(report, summary)
    else:
        for result, finding, status in report.each():
            if finding.applicability is not Applicability.INFO:
                yield from line(report, result, finding, status)
    if summary.total.fixed + summary.total.left or summary.failed:
        yield closing_line(report, summary) + "\n"


def _upgrade(report: Report, summary: Summary) -> Iterator[str]:
    left = [
        (result, finding, status)
        for result, finding, status in report.each()
        if status == "left" or report.verbose
    ]
    for result in report.results:
        if result.status == "changed":
            counts = summary.files.get(result.path)
            places = plural(counts.fixed, "place") if counts else "changed"
            level = f", {result.level.value} level" if result.level else ""
            path = _paint(report, _BOLD, visible(report.shown(result.path)))
            yield f"{path}: {places}{level}\n"
    for result in report.results:
        if result.status == "skipped" and result.reason:
            yield f"{visible(report.shown(result.path))}: skipped: {visible(result.reason)}\n"
    if left:
        yield "\n" + ("Done and left for you:\n" if report.verbose else "Left for you:\n")
        for result, finding, status in left:
            yield from line(report, result, finding, status)
    if summary.rules:
        yield "\n"
        yield from _by_rule(report, summary)
        yield "\n"
    yield closing_line(report, summary) + "\n"
    if report.undo is not None:
        yield f"`migrate undo {visible(report.undo)}` takes it back.\n"


def line(report: Report, result: FileResult, finding: Finding, status: Status) -> Iterator[str]:
    """One finding: ``path:line:column: TFM204 [*] message``."""
    cell = f":cell {finding.cell}" if finding.cell is not None else ""
    path = _paint(report, _BOLD, visible(report.shown(result.path)))
    rule = _paint(report, _RED, visible(finding.rule))
    mark = _mark(report, finding, status)
    where = f"{path}{cell}:{finding.line}:{finding.column}"
    yield f"{where}: {rule} {mark}{visible(finding.message)}\n"
    if report.show_fixes and finding.fix is not None:
        yield f"    {_paint(report, _DIM, 'fix:')} {visible(finding.fix)}\n"


def _mark(report: Report, finding: Finding, status: Status) -> str:
    if finding.applicability is Applicability.INFO:
        return _paint(report, _DIM, "[note]") + " "
    if status == "fixed":
        return _paint(report, _GREEN, "[*]") + " "
    if finding.applicability is Applicability.UNSAFE:
        return _paint(report, _YELLOW, "[--unsafe]") + " "
    return ""


def _by_rule(report: Report, summary: Summary) -> Iterator[str]:
    done = "fixable" if report.command == "check" else "done"
    rows = [("rule", done, "left", "notes", "")]
    rows += [
        (rule, str(count.fixed), str(count.left), str(count.notes), report.rule_name(rule))
        for rule, count in summary.rules.items()
        if count.fixed or count.left or report.command == "upgrade"
    ]
    if len(rows) == 1:
        return
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for index, row in enumerate(rows):
        cells = [row[0].ljust(widths[0])]
        cells += [row[column].rjust(widths[column]) for column in range(1, 4)]
        text = visible("  ".join(cells) + ("  " + row[4] if row[4] else ""))
        yield (_paint(report, _CYAN, text) if index == 0 else text) + "\n"


def _paint(report: Report, code: str, text: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if report.colour else text
