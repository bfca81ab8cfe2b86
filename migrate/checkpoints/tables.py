"""Comparisons, plans and lists as text, JSON and HTML."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from migrate.checkpoints.compare import Comparison, Row
from migrate.checkpoints.convert import Outcome
from migrate.checkpoints.formats.base import Reader
from migrate.checkpoints.maps.plan import Item
from migrate.checkpoints.maps.roles import roles
from migrate.reports.escape import visible
from migrate.reports.summary import plural

_CANDIDATES = 6
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line) }
td.name { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere }
th.n, td.n { text-align: right } .bad { color: #c62828 } .good { color: #2e7d32 }
"""


def size_of(size: int) -> str:
    """Bytes for people."""
    amount = float(max(size, 0))
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> Iterator[str]:
    """Lines with columns as wide as they need to be."""
    if not rows:
        return
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(len(row[n]) for row in shown) for n in range(len(shown[0]))]
    for row in shown:
        cells = [
            cell.rjust(width) if n in right else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip() + "\n"


# -- lists --------


def listing(reader: Reader, names: Sequence[str]) -> Iterator[str]:
    """Name, dtype, shape, bytes, what it is for."""
    found = roles(reader.tensors)
    rows = []
    for name in names:
        tensor = reader.tensors[name]
        words = [reader.aliases.get(name, ""), found[name].words]
        if tensor.slices:
            words.append(f"in {tensor.slices} parts")
        text = ", ".join(word for word in words if word)
        size = size_of(tensor.nbytes) if tensor.nbytes >= 0 else "?"
        rows.append([name, tensor.dtype, str(list(tensor.shape)), size, text])
    yield from columns(rows, right=(3,))
    yield total(reader, names)


def total(reader: Reader, names: Sequence[str]) -> str:
    """The last line of a list."""
    size = sum(max(reader.tensors[name].nbytes, 0) for name in names)
    shards = getattr(reader, "shards", 1)
    more = f", {shards} shards" if shards > 1 else ""
    return f"{plural(len(names), 'tensor')}, {size_of(size)}: {visible(reader.words)}{more}\n"


def listing_json(reader: Reader, names: Sequence[str]) -> str:
    """The list as JSON."""
    found = roles(reader.tensors)
    items = [
        {
            "name": name,
            "dtype": reader.tensors[name].dtype,
            "shape": list(reader.tensors[name].shape),
            "bytes": max(reader.tensors[name].nbytes, 0),
            "slices": reader.tensors[name].slices,
            "variable": reader.aliases.get(name),
            "kind": found[name].kind,
            "of": found[name].of or None,
        }
        for name in names
    ]
    record = {"path": reader.path, "format": reader.format, "tensors": items}
    return json.dumps(record, indent=1) + "\n"


# -- comparisons --------


def _number(value: float) -> str:
    return f"{value:.3g}"


def _cells(row: Row) -> list[str]:
    if row.status in ("missing", "extra", "shape", "dtype"):
        return [row.name, row.status, "", "", "", row.left, row.right]
    worst = ""
    if row.worst is not None:
        index, left, right = row.worst
        worst = f"{list(index)}: {left} | {right}"
    counted = f"{row.mismatched:,} of {row.size:,}"
    return [row.name, row.status, _number(row.max_abs), _number(row.max_rel), counted, row.left,
            worst]  # fmt: skip


_HEAD = ["tensor", "status", "max abs", "max rel", "beyond", "form", "worst, or on the right"]


def closing(found: Comparison) -> str:
    """One line that sums a comparison up."""
    different = len(found.different)
    equal = sum(1 for row in found.rows if row.status == "equal")
    close = len(found.rows) - equal - different
    near = f", {close} within rtol {found.rtol:g}, atol {found.atol:g}" if close else ""
    return f"{plural(len(found.rows), 'tensor')}: {equal} equal{near}, {different} different"


def comparison_text(found: Comparison, every: bool) -> Iterator[str]:
    """A table of what differs, or of every tensor."""
    rows = [_cells(row) for row in found.rows if every or not row.fine]
    if rows:
        yield from columns([_HEAD, *rows], right=(2, 3, 4))
    yield closing(found) + ".\n"


def comparison_json(found: Comparison) -> str:
    """All tensors as JSON; what is infinite or not a number becomes a string."""

    def plain(value: float) -> float | str:
        return value if math.isfinite(value) else str(value)

    rows = [
        {
            "name": row.name,
            "status": row.status,
            "left": row.left or None,
            "right": row.right or None,
            "size": row.size,
            "mismatched": row.mismatched,
            "max_abs": plain(row.max_abs),
            "max_rel": plain(row.max_rel),
            "worst": None
            if row.worst is None
            else {"index": list(row.worst[0]), "left": row.worst[1], "right": row.worst[2]},
        }
        for row in found.rows
    ]
    record: dict[str, Any] = {
        "left": found.left,
        "right": found.right,
        "rtol": found.rtol,
        "atol": found.atol,
        "different": len(found.different),
        "tensors": rows,
    }
    return json.dumps(record, indent=1) + "\n"


def comparison_html(found: Comparison) -> Iterator[str]:
    """One page that loads nothing."""

    def text(value: str) -> str:
        return escape(visible(value), quote=True)

    title = "migrate checkpoint compare"
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<p>{text(found.left)} → {text(found.right)}: {text(closing(found))}</p>\n"
        "<table>\n<thead><tr>"
    )
    for place, head in enumerate(_HEAD):
        yield f"<th{' class=n' if place in (2, 3, 4) else ''}>{head}</th>"
    yield "</tr></thead>\n<tbody>\n"
    for row in found.rows:
        yield "<tr>"
        for place, cell in enumerate(_cells(row)):
            if place == 0:
                kind = ' class="name"'
            elif place == 1:
                kind = f' class="{"good" if row.fine else "bad"}"'
            else:
                kind = ' class="n"' if place in (2, 3, 4) else ""
            yield f"<td{kind}>{text(cell)}</td>"
        yield "</tr>\n"
    yield "</tbody>\n</table>\n</body>\n</html>\n"


# -- plans --------


def _origin(item: Item) -> str:
    if item.expression is None:
        return "—"
    return " + ".join(dict.fromkeys(item.expression.sources()))


def plan_text(outcome: Outcome) -> Iterator[str]:
    """What becomes of what, and everything that is left open."""
    plan = outcome.plan
    rows = [
        [_origin(item), "→", item.label or item.tensor.name, str(list(item.tensor.shape)), item.how,
         item.expression.words if item.expression is not None else ""]
        for item in plan.items
    ]  # fmt: skip
    if outcome.backwards:
        yield "The map is read backwards: the checkpoint holds what it leads to.\n"
    yield from columns(rows)
    if plan.ambiguous:
        yield f"\nAmbiguous, {plural(len(plan.ambiguous), 'target')}:\n"
        for name, candidates in plan.ambiguous.items():
            more = f" and {len(candidates) - _CANDIDATES} more" if len(candidates) > 6 else ""
            label = outcome.target.label(name) if outcome.target is not None else name
            shown = ", ".join(candidates[:_CANDIDATES])
            yield visible(f"  {label}: {shown}{more}") + "\n"
    if plan.unmatched:
        yield f"\nUnmatched, {plural(len(plan.unmatched), 'target')}:\n"
        for name, reason in plan.unmatched.items():
            label = outcome.target.label(name) if outcome.target is not None else name
            yield visible(f"  {label}: {reason}") + "\n"
    if plan.left_over:
        yield f"\nLeft over, {plural(len(plan.left_over), 'tensor')} of the checkpoint:\n"
        for name in plan.left_over:
            tensor = outcome.source.tensors[name]
            yield visible(f"  {name}  {tensor.dtype}{list(tensor.shape)}") + "\n"
    if plan.unused:
        yield f"\nNot taken, {plural(len(plan.unused), 'tensor')}:\n"
        for name, reason in plan.unused.items():
            yield visible(f"  {name}: {reason}") + "\n"
    for note in plan.notes:
        yield visible(f"note: {note}") + "\n"


def plan_json(outcome: Outcome) -> str:
    """The plan as JSON."""
    plan = outcome.plan
    record = {
        "matched": [
            {
                "target": item.tensor.name,
                "variable": item.label or None,
                "sources": []
                if item.expression is None
                else list(dict.fromkeys(item.expression.sources())),
                "steps": "" if item.expression is None else item.expression.words,
                "how": item.how,
                "dtype": item.tensor.dtype,
                "shape": list(item.tensor.shape),
            }
            for item in plan.items
        ],
        "ambiguous": plan.ambiguous,
        "unmatched": plan.unmatched,
        "left_over": plan.left_over,
        "not_taken": plan.unused,
        "notes": plan.notes,
        "backwards": outcome.backwards,
        "complete": plan.complete,
        "written": outcome.written,
        "verified": outcome.verified,
    }
    return json.dumps(record, indent=1) + "\n"


def names_json(outcome: Outcome) -> str:
    """The plan as a map to begin with: what is matched, and candidates for what is not."""
    from migrate.checkpoints.maps.expressions import Source

    names: dict[str, Any] = {}
    for item in outcome.plan.items:
        if isinstance(item.expression, Source) and not item.how.startswith(("slot", "training")):
            names[item.expression.name] = item.label or item.tensor.name
    target = outcome.target
    for name, candidates in outcome.plan.ambiguous.items():
        label = target.label(name) if target is not None else name
        names[f"$choose a source for {label}"] = candidates
    return json.dumps(names, indent=1) + "\n"
