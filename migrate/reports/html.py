"""One self-contained page: summary, tables by rule and by file, findings with a filter, diffs."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape

from migrate import __version__
from migrate.engine.findings import FileResult, Finding
from migrate.reports import Report, Status, severity
from migrate.reports.diff import for_terminal, unified
from migrate.reports.escape import visible
from migrate.reports.summary import Count, closing_line, summarize

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
code, pre, td.where { font-family: ui-monospace, monospace; font-size: 13px }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1.5rem }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line) }
td { vertical-align: top; overflow-wrap: anywhere }
th.n, td.n { text-align: right; width: 5rem }
input { font: inherit; width: 100%; box-sizing: border-box; padding: .4rem .6rem; margin: .5rem 0 }
summary { cursor: pointer; padding: .2rem 0 }
pre { background: var(--soft); padding: .6rem; overflow-x: auto }
.error { color: #c62828 } .warning { color: #b26a00 } .note { color: #777 }
.add { color: #2e7d32 } .del { color: #c62828 } .at { color: #0277bd }
"""

_SCRIPT = """
const box = document.getElementById("filter"), shown = document.getElementById("shown");
const rows = Array.from(document.querySelectorAll("#findings tbody tr"));
function apply() {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(word => text.includes(word));
    count += row.hidden ? 0 : 1;
  }
  shown.textContent = count + " of " + rows.length + " shown";
}
box.addEventListener("input", apply);
for (const link of document.querySelectorAll("a[data-filter]"))
  link.addEventListener("click", () => { box.value = link.dataset.filter; apply(); });
apply();
"""


def render(report: Report) -> Iterator[str]:
    """The report as an HTML page that loads nothing."""
    summary = summarize(report)
    allowed = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'"
    title = f"migrate {report.command}"
    yield f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<p>{escape(closing_line(report, summary))}</p>
"""
    done = "done" if report.written else "fixable"
    rules = {rule: f"{rule} {report.rule_name(rule)}" for rule in summary.rules}
    yield from _counts("By rule", "rule", done, summary.rules, rules)
    yield from _counts("By file", "file", done, summary.files, {})
    yield from _unhandled(report)
    yield '<h2>Findings</h2>\n<input id="filter" type="search" aria-label="Filter findings" '
    yield 'placeholder="Filter: words in path, rule, message">\n<p id="shown"></p>\n'
    yield '<table id="findings"><thead><tr><th>where</th><th>rule</th><th>finding</th>'
    yield "<th>status</th></tr></thead><tbody>\n"
    for result, finding, status in report.each():
        yield _row(report, result, finding, status)
    yield "</tbody></table>\n"
    yield from _diffs(report)
    yield f"<footer><p>migrate {escape(__version__)}</p></footer>\n"
    yield f"<script>{_SCRIPT}</script>\n</body>\n</html>\n"


def _text(text: str) -> str:
    return escape(visible(text), quote=True)


def _counts(
    title: str, noun: str, done: str, counts: dict[str, Count], names: dict[str, str]
) -> Iterator[str]:
    if not counts:
        return
    yield f'<h2>{title}</h2>\n<table><thead><tr><th>{noun}</th><th class="n">{done}</th>'
    yield '<th class="n">left</th><th class="n">notes</th></tr></thead><tbody>\n'
    for key, count in counts.items():
        link = f'<a href="#findings" data-filter="{_text(key)}">{_text(names.get(key, key))}</a>'
        numbers = (count.fixed, count.left, count.notes)
        yield f"<tr><td>{link}</td>" + "".join(f'<td class="n">{n}</td>' for n in numbers)
        yield "</tr>\n"
    yield "</tbody></table>\n"


def _unhandled(report: Report) -> Iterator[str]:
    odd = [item for item in report.results if item.status in ("failed", "skipped") and item.reason]
    if odd:
        yield "<h2>Not handled</h2>\n<table><tbody>\n"
        for item in odd:
            yield f'<tr><td class="where">{_text(item.path)}</td><td>{item.status}</td>'
            yield f"<td>{_text(item.reason)}</td></tr>\n"
        yield "</tbody></table>\n"


def _row(report: Report, result: FileResult, finding: Finding, status: Status) -> str:
    cell = f":cell {finding.cell}" if finding.cell is not None else ""
    where = f"{_text(result.path)}{cell}:{finding.line}:{finding.column}"
    info = report.rules().get(finding.rule)
    label = f"{_text(finding.rule)} {_text(report.rule_name(finding.rule)) if info else ''}"
    if info is not None and info.url.startswith("https://"):
        label = f'<a href="{_text(info.url)}" rel="noreferrer">{label}</a>'
    fix = f"<br><small>fix: {_text(finding.fix)}</small>" if finding.fix else ""
    endpoint = f"<code>{_text(finding.endpoint)}</code> " if finding.endpoint else ""
    level = severity(finding)
    state = "note" if level == "note" else status
    return (
        f'<tr><td class="where">{where}</td><td>{label}</td>'
        f'<td>{endpoint}{_text(finding.message)}{fix}</td><td class="{level}">{state}</td></tr>\n'
    )


def _diffs(report: Report) -> Iterator[str]:
    changed = [item for item in report.results if item.after is not None]
    if not changed:
        return
    yield "<h2>Changes</h2>\n"
    classes = {"+": "add", "-": "del", "@": "at"}
    for item in changed:
        assert item.after is not None
        yield f"<details><summary><code>{_text(item.path)}</code></summary><pre>"
        lines = for_terminal(unified(item.path, item.before or b"", item.after), colour=False)
        for line in lines:
            kind = classes.get(line[:1])
            text = escape(line)
            yield f'<span class="{kind}">{text}</span>' if kind else text
        yield "</pre></details>\n"
