"""What became of every `tf.contrib` endpoint of TF 1.15.5, as pages of Markdown (docs/contrib/)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from migrate import symbols
from migrate.symbols import shims
from migrate.symbols.outcomes import Arguments, Behaviour, Gone, Record, Shim

V1 = "tensorflow.compat.v1"
CONTRIB = "tensorflow.contrib."
KINDS = ("shimmed", "moved", "gone")
_HEAD = """\
# tf.contrib

TensorFlow 2.0 removed `tf.contrib`. For each name of TF 1.15.5 these pages say what
`migrate upgrade --level compat` makes of it:

- **shimmed**: imported from [`migrate.tf1_shim`](../tf1_shim.md) or
  [`migrate.estimator_shim`](../estimator_shim.md);
- **moved**: TF 2.21 has it under the name given;
- **gone**: reported where it is used, with the reason.

"In TF 2" is the nearest thing for code that no longer keeps a graph.
"""


def standing(record: Record) -> tuple[str, str]:
    """How an endpoint stands at the compat level, and where it is or why it is gone."""
    home = shims.home(record.name)
    if home is not None:
        return "shimmed", home
    if record.target is not None:
        return "moved", _spelled(record.target)
    assert isinstance(record.outcome, (Shim, Gone))
    return "gone", record.outcome.reason


def _spelled(target: str) -> str:
    if target.startswith(f"{V1}."):
        return "tf" + target.removeprefix("tensorflow")
    v1 = f"{V1}.{target.removeprefix('tensorflow.')}"
    return "tf" + (v1 if symbols.resolves(v1) else target).removeprefix("tensorflow")


def native(record: Record) -> str:
    """The nearest thing in TF 2, for people."""
    outcome = record.outcome
    match outcome:
        case Shim():
            return outcome.native
        case Gone():
            return outcome.alternative
        case Behaviour():
            return outcome.note
        case Arguments():
            return "other arguments"
    return ""


def _records() -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for name in symbols.endpoints():
        record = symbols.outcome(name) if name.startswith(CONTRIB) else None
        if record is not None and record.kind != "module":
            found.setdefault(name.split(".")[2], []).append(record)
    return found


def pages() -> Iterator[tuple[str, str]]:
    """(file name, text) of the index and of a page for each package of contrib."""
    total: Counter[str] = Counter()
    rows = []
    for package, records in sorted(_records().items()):
        counts = Counter(standing(record)[0] for record in records)
        total.update(counts)
        rows.append(_row(f"[{package}]({package}.md)", counts))
        yield f"{package}.md", _page(package, records, counts)
    table = ["| tf.contrib. | names | " + " | ".join(KINDS) + " |", "|---|" + "---:|" * 4]
    yield "README.md", "\n".join([_HEAD, *table, *rows, _row("all", total), ""])


def _row(name: str, counts: Counter[str]) -> str:
    cells = " | ".join(str(counts[kind]) for kind in KINDS)
    return f"| {name} | {counts.total()} | {cells} |"


def _page(package: str, records: list[Record], counts: Counter[str]) -> str:
    said = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    lines = [
        f"# tf.contrib.{package}\n",
        f"{len(records)} names of TF 1.15.5: {said}. [All of tf.contrib](README.md).\n",
        "| name | | where, or why | in TF 2 |",
        "|---|---|---|---|",
    ]
    for record in records:
        kind, where = standing(record)
        short = record.name.removeprefix(f"{CONTRIB}{package}.")
        where = where if kind == "gone" else f"`{where}`"
        lines.append(f"| `{short}` | {kind} | {_cell(where)} | {_cell(native(record))} |")
    return "\n".join([*lines, ""])


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
