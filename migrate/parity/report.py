"""A result as text, JSON, JUnit XML or one self-contained HTML page."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from xml.sax.saxutils import quoteattr

from migrate.parity.compare import Difference
from migrate.parity.errors import ParityError
from migrate.parity.verdict import AGREE, COMPILES, FAILED, NOT_RUN, PASSED, Curve, Result, Rung

MARKS = {PASSED: "ok", FAILED: "FAILED", NOT_RUN: "not run"}
FORMATS = ("text", "json", "junit", "html")
CONTROL = {number: " " for number in range(32) if number not in (9, 10, 13)}


def render(results: Sequence[Result], form: str) -> str:
    """All results in one document."""
    renderers = {"text": text, "json": as_json, "junit": junit, "html": html}
    if form not in renderers:
        raise ParityError(f"Unknown format {form!r}. Known: {', '.join(FORMATS)}.")
    return renderers[form](results)


def write(results: Sequence[Result], path: Path) -> None:
    """Write a report; the suffix chooses the format (.json, .xml, .html, else text)."""
    form = {".json": "json", ".xml": "junit", ".html": "html"}.get(path.suffix, "text")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(results, form), encoding="utf-8")


def read(path: Path) -> list[Result]:
    """Results of a JSON report.

    Raises:
        ParityError: the file is none.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return [Result.from_dict(item) for item in data["results"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ParityError(f"{path} is no JSON report of migrate parity: {error!r}") from error


# -- text --------


def text(results: Sequence[Result], *, verbose: bool = True) -> str:
    """For a terminal."""
    parts = [_text_of(result, verbose) for result in results]
    agree = sum(result.verdict == AGREE for result in results)
    if len(results) > 1:
        parts.append(f"{agree} of {len(results)} pairs agree.")
    return "\n\n".join(parts) + "\n"


def _text_of(result: Result, verbose: bool) -> str:
    lines = [
        f"{result.name} on {result.device}: {result.verdict.upper()} — {result.reason}",
        f"  {result.before or 'recorded original'}{_version(result, 'before')} "
        f"against {result.after}{_version(result, 'after')}",
    ]
    for rung in result.rungs:
        detail = rung.reason
        if rung.status == PASSED:
            detail = f"{rung.compared} compared"
            if rung.worst:
                detail += f", largest relative difference {rung.worst:.2g} ({rung.worst_of})"
        lines.append(f"  {MARKS[rung.status]:>7}  {rung.name:<12} {detail}".rstrip())
        if rung.difference is not None:
            lines += ["           " + row for row in table(rung.difference)]
        if verbose:
            lines += [f"           ({note})" for note in rung.notes]
    lines += _witness_lines(result)
    if result.not_compared and verbose:
        lines.append("  without counterpart, not compared: " + ", ".join(result.not_compared[:8]))
    return "\n".join(lines)


def _version(result: Result, side: str) -> str:
    """TensorFlow's version where it is known: steps that were taken out have other runtimes."""
    found = result.runtimes.get(side, {}).get("tensorflow")
    return f" (TensorFlow {found})" if found else ""


def _witness_lines(result: Result) -> list[str]:
    witness = result.witness
    if not witness:
        return []
    if witness.get("status") != "run":
        return [f"  original's graph on TensorFlow 2: not run, {witness.get('reason')}"]
    return [
        f"  original's graph on TensorFlow 2, {witness['steps']} steps: "
        f"{_percent(witness['runtime'])} from 1.15 (the runtime), "
        f"{_percent(witness['migration'])} from the migrated program (the migration)"
    ]


def _percent(value: float | None) -> str:
    return "nothing to compare" if value is None else f"{value:.2g}"


def table(difference: Difference) -> list[str]:
    """Rows index | 1.15 | 2.x, aligned."""
    if not difference.rows:
        return []
    rows = [("", "original", "migrated"), *difference.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return [
        " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


# -- machines --------


def as_json(results: Sequence[Result]) -> str:
    """The twin of the text, for programs."""
    data = {
        "schema": 1,
        "agree": sum(result.verdict == AGREE for result in results),
        "total": len(results),
        "results": [result.as_dict() for result in results],
    }
    return json.dumps(data, indent=1, sort_keys=True) + "\n"


def junit(results: Sequence[Result]) -> str:
    """One suite a pair, one case a rung."""
    suites = [_suite(result) for result in results]
    head = '<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="migrate parity">\n'
    return head + "\n".join(suites) + "\n</testsuites>\n"


def _suite(result: Result) -> str:
    failures = sum(rung.status == FAILED for rung in result.rungs)
    skipped = sum(rung.status == NOT_RUN for rung in result.rungs)
    name = _attribute(f"{result.name} [{result.device}]")
    cases = "\n".join(_case(result, rung) for rung in result.rungs)
    return (
        f'<testsuite name={name} tests="{len(result.rungs)}" failures="{failures}" '
        f'skipped="{skipped}" errors="0" time="{result.seconds:.3f}">\n{cases}\n</testsuite>'
    )


def _case(result: Result, rung: Rung) -> str:
    head = f"<testcase classname={_attribute(result.name)} name={_attribute(rung.name)}"
    if rung.status == PASSED:
        return head + "/>"
    if rung.status == NOT_RUN:
        return f"{head}><skipped message={_attribute(rung.reason)}/></testcase>"
    body = "\n".join(table(rung.difference)) if rung.difference else ""
    return (
        f"{head}><failure message={_attribute(rung.reason)}>"
        f"{escape(body.translate(CONTROL))}</failure></testcase>"
    )


def _attribute(value: str) -> str:
    return quoteattr(value.translate(CONTROL))


# -- HTML --------

STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:.5rem 0 1.5rem}td,th{padding:.15rem .7rem;text-align:left;
border-bottom:1px solid #ddd;vertical-align:top}td.n{font-variant-numeric:tabular-nums}
code,pre{font:13px ui-monospace,monospace}.passed{color:#17692b}.compiles{color:#1f5fae}
.failed{color:#b3141b;font-weight:600}.not{color:#777}figure{margin:1rem 0}figcaption{color:#555}
@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}td,th{border-color:#333}
.passed{color:#6fcf86}.compiles{color:#7fb2ff}.failed{color:#ff7b80}figcaption{color:#aaa}}
"""
#: Classes of verdicts; what only compiles has a colour of its own, as it is no agreement.
STATES = {AGREE: "passed", COMPILES: "compiles", NOT_RUN: "not"}
WIDTH, HEIGHT, MARGIN = 720, 220, 48


def html(results: Sequence[Result]) -> str:
    """One page without scripts or external files."""
    body = "\n".join(_section(result) for result in results)
    if len({result.device for result in results}) > 1:
        from migrate.parity.devices.matrix import html_table

        body = html_table(results) + "\n" + body
    agree = sum(result.verdict == AGREE for result in results)
    what = "pairs" if body.startswith("<h2") else "cells"
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Parity: {agree} of {len(results)} agree</title><style>{STYLE}</style>\n"
        f"<h1>Parity: {agree} of {len(results)} {what} agree</h1>\n{body}\n</html>\n"
    )


def _section(result: Result) -> str:
    from migrate.parity.devices.matrix import anchor

    state = STATES.get(result.verdict, "failed")
    parts = [
        f'<h2 id="{anchor(result)}">{escape(result.name)} on {escape(result.device)}: '
        f'<span class="{state}">{escape(result.verdict)}</span></h2>',
        f"<p>{escape(result.reason)}</p>",
        f"<p><code>{escape(result.before)}</code>{escape(_version(result, 'before'))}"
        f" against <code>{escape(result.after)}</code>{escape(_version(result, 'after'))}</p>",
        _rungs(result.rungs) if result.rungs else "",
    ]
    parts += [figure(curve) for curve in result.curves]
    parts += [f"<p>{escape(line.strip())}</p>" for line in _witness_lines(result)]
    if result.variables:
        parts.append(_variables(result))
    return "\n".join(parts)


def _rungs(rungs: Sequence[Rung]) -> str:
    rows = []
    for rung in rungs:
        detail = escape(rung.reason)
        if rung.status == PASSED:
            detail = f"{rung.compared} compared"
            if rung.worst is not None:
                detail += f", largest relative difference {rung.worst:.2g}"
        if rung.difference is not None:
            detail += "<pre>" + escape("\n".join(table(rung.difference))) + "</pre>"
        detail += "".join(f"<br>{escape(note)}" for note in rung.notes)
        rows.append(
            f'<tr><td>{escape(rung.name)}</td><td class="{rung.status.split()[0]}">'
            f"{escape(rung.status)}</td><td>{detail}</td><td>{escape(rung.tolerance)}</td></tr>"
        )
    head = "<tr><th>rung</th><th>result</th><th></th><th>tolerance</th></tr>"
    return f"<table>{head}{''.join(rows)}</table>"


def _variables(result: Result) -> str:
    def number(value: float | None) -> str:
        return "—" if value is None else f"{value:.3g}"

    rows = "".join(
        f"<tr><td><code>{escape(row.before)}</code></td><td><code>{escape(row.after)}</code></td>"
        f"<td>{escape(row.how)}</td><td>{escape(row.shape)} {escape(row.dtype)}</td>"
        f'<td class="n">{number(row.start)}</td><td class="n">{number(row.end)}</td>'
        f'<td class="n">{number(row.moved)}</td></tr>'
        for row in result.variables
    )
    head = (
        "<tr><th>original</th><th>migrated</th><th>paired</th><th>shape</th>"
        "<th>start: max abs</th><th>end: max abs</th><th>moved by training</th></tr>"
    )
    return f"<h3>Variables</h3><table>{head}{rows}</table>"


def figure(curve: Curve) -> str:
    """Loss curves of both sides, and below them their difference on a logarithmic scale."""
    count = min(len(curve.before), len(curve.after))
    distance = [abs(a - b) for a, b in zip(curve.before[:count], curve.after[:count], strict=True)]
    lines = [(curve.before, "#2a6fbb", "original"), (curve.after, "#d1621c", "migrated")]
    first = _plot(lines, logarithmic=False)
    shown: list[tuple[Sequence[float], str, str]] = [(distance, "#8a3fa0", "difference")]
    if curve.envelope:
        shown.append((curve.envelope[:count], "#999", "1-ulp envelope of the original"))
    second = _plot(shown, logarithmic=True)
    caption = f"{curve.name}: both sides (above), their absolute difference (below)"
    return f"<figure>{first}{second}<figcaption>{escape(caption)}</figcaption></figure>"


def _plot(lines: Sequence[tuple[Sequence[float], str, str]], *, logarithmic: bool) -> str:
    def place(value: float) -> float | None:
        if not math.isfinite(value) or (logarithmic and value <= 0):
            return None
        return math.log10(value) if logarithmic else value

    placed = [[place(value) for value in values] for values, _, _ in lines]
    known = [value for values in placed for value in values if value is not None]
    if not known:
        return "" if not logarithmic else "<p>The curves are equal in every bit.</p>"
    low, high = min(known), max(known)
    if high == low:
        low, high = low - 0.5, high + 0.5
    last = max(1, max(len(values) for values in placed) - 1)
    drawn = []
    for values, (_, colour, label) in zip(placed, lines, strict=True):
        points = " ".join(
            f"{MARGIN + (WIDTH - MARGIN - 8) * step / last:.1f},"
            f"{8 + (HEIGHT - 32) * (high - value) / (high - low):.1f}"
            for step, value in enumerate(values)
            if value is not None
        )
        drawn.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{points}">'
            f"<title>{escape(label)}</title></polyline>"
        )
    legend = "".join(
        f'<text x="{MARGIN + 8 + 200 * place}" y="20" fill="{colour}">{escape(label)}</text>'
        for place, (_, colour, label) in enumerate(lines)
    )
    top = f"{10**high:.1e}" if logarithmic else f"{high:.4g}"
    bottom = f"{10**low:.1e}" if logarithmic else f"{low:.4g}"
    axis = (
        f'<path d="M{MARGIN} 8V{HEIGHT - 24}H{WIDTH - 8}" fill="none" stroke="#999"/>'
        f'<text x="2" y="16" fill="#888">{top}</text>'
        f'<text x="2" y="{HEIGHT - 26}" fill="#888">{bottom}</text>'
        f'<text x="{WIDTH - 60}" y="{HEIGHT - 6}" fill="#888">step {last}</text>'
    )
    return (
        f'<svg role="img" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'font-family="system-ui,sans-serif" font-size="12">{axis}{legend}{"".join(drawn)}</svg>'
    )
