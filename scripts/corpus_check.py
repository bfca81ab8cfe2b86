"""What an upgrade of a whole tree does to its files: `corpus.py check`."""

from __future__ import annotations

import ast
import difflib
import json
import re
import tempfile
import time
from pathlib import Path
from typing import Any

from corpus_counts import COLUMNS, Counts
from corpus_damage import UNNAMED, damage, sources
from corpus_references import check_references


def check(trees: list[Path], jobs: int, report: Path | None, level: str) -> int:
    """Upgrade each tree in memory and count; the table goes to stdout, the places to ``report``."""
    everything = {}
    print("| tree | " + " | ".join(COLUMNS) + " | levels | s |")
    print("|---" * (len(COLUMNS) + 3) + "|")
    total = Counts()
    for tree in trees:
        counts = _check_tree(tree, jobs, level)
        everything[tree.name] = counts
        _print_row(tree.name, counts)
        for column in COLUMNS:
            setattr(total, column, getattr(total, column) + getattr(counts, column))
        total.seconds += counts.seconds
        total.levels.update(counts.levels)
    _print_row("total", total)
    if report is not None:
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text(json.dumps({k: vars(v) for k, v in everything.items()}, indent=1))
        print(f"places: {report}")
    return 1 if total.wrong else 0


def _print_row(name: str, counts: Counts) -> None:
    cells = [str(getattr(counts, column)) for column in COLUMNS]
    levels = ", ".join(f"{k} {v}" for k, v in sorted(counts.levels.items()))
    print(f"| {name} | {' | '.join(cells)} | {levels} | {counts.seconds:.1f} |", flush=True)


def _check_tree(tree: Path, jobs: int, level: str) -> Counts:
    from migrate.engine import runner
    from migrate.engine.options import Options

    counts = Counts()
    options: dict[str, Any] = {"jobs": jobs, "cache": False, "level": level}
    start = time.perf_counter()
    try:
        results = list(runner.upgrade([str(tree)], Options(root=str(tree), **options)))
    except Exception as error:
        counts.crashes += 1
        counts.notes.append(f"crash: the whole tree: {type(error).__name__}: {error}")
        return counts
    counts.seconds = time.perf_counter() - start
    after: dict[str, bytes] = {}
    for result in results:
        path = tree / result.path
        before = path.read_bytes() if path.is_file() else b""
        counts.files += 1
        counts.lines += before.count(b"\n")
        if result.level is not None:
            counts.levels[result.level.value] += 1
        if result.status == "failed":
            internal = "internal error" in result.reason
            counts.crashes += internal
            counts.declined += not internal
            kind = "crash" if internal else "declined"
            counts.notes.append(f"{kind}: {result.path}: {result.reason}")
            continue
        new = before if result.after is None else result.after
        after[result.path] = new
        if new != before:
            counts.changed += 1
            _check_change(result, before, new, counts)
        check_references(result, before, new, counts)
    _check_second_pass(tree, after, options, counts)
    return counts


def _check_change(result: Any, before: bytes, after: bytes, counts: Counts) -> None:
    why = damage(before, after, result)
    if why.endswith(UNNAMED) and any(f.rule.startswith("TFM8") for f in result.fixed):
        counts.unannounced += 1
        counts.notes.append(f"unannounced: {result.path}: {why}")
    elif why:
        if any(f.rule == "TFM420" for f in result.fixed):
            return  # its statements moved into functions: tests/test_native.py runs such programs
        counts.damaged += 1
        counts.notes.append(f"damaged: {result.path}: {why}")
    error = _syntax_error(result.path, before, after)
    if error:
        counts.unparseable += 1
        counts.notes.append(f"unparseable: {result.path}: {error}")


def _syntax_error(path: str, before: bytes, after: bytes) -> str:
    """What does not parse; a notebook's cell that its author had left unfinished does not count."""
    try:
        new = sources(path, after)
    except (SyntaxError, ValueError) as error:
        return str(error)
    try:
        old = sources(path, before)
    except (SyntaxError, ValueError):
        old = new
    notebook = path.endswith(".ipynb")
    for i, source in enumerate(new):
        error_here = _parse_error(source)
        if error_here and not notebook:
            return error_here
        if error_here and (not _parse_error(old[i]) or PYTHON_2.search(old[i])):
            return f"{error_here}, in code cell {i + 1}"
    return ""


PYTHON_2 = re.compile(r"(?m)^\s*(?:print\s+[^(=\s]|except \w+, \w+|raise \w+, )")


def _parse_error(source: str) -> str:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError) as error:
        return str(error)
    return ""


def _check_second_pass(
    tree: Path, after: dict[str, bytes], options: dict[str, Any], counts: Counts
) -> None:
    from migrate.engine import runner
    from migrate.engine.options import Options

    with tempfile.TemporaryDirectory() as tmp:
        for name, data in after.items():
            target = Path(tmp) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        for again in runner.upgrade([tmp], Options(root=tmp, **options)):
            if again.after is not None and again.after != after.get(again.path):
                counts.second_pass += 1
                first = next(
                    (
                        line
                        for line in difflib.unified_diff(
                            after.get(again.path, b"").decode("utf-8", "replace").splitlines(),
                            again.after.decode("utf-8", "replace").splitlines(),
                            lineterm="",
                            n=0,
                        )
                        if line.startswith("+") and not line.startswith("+++")
                    ),
                    "",
                )
                counts.notes.append(f"second pass: {again.path}: {first}")
