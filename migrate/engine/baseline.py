"""A file of known findings, so that a check fails only on new ones.

An entry is a path, a rule, an endpoint and the text of the line without its spacing, with a count:
code that moves stays known, code that is edited does not.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from migrate.engine.findings import Applicability, FileResult, Finding

VERSION = 1

Key = tuple[str, str, str, str]  # path, rule, endpoint, text
Lines = Callable[[FileResult, Finding], str]


class BaselineError(ValueError):
    """A baseline file that cannot be read; the message names it and says what to do."""


@dataclass(slots=True)
class Baseline:
    """The known findings; ``filter`` uses them up, ``stale`` tells which never came."""

    counts: Counter[Key]

    def filter(self, result: FileResult, text_of: Lines) -> int:
        """Take the known findings out of a result; returns how many they were."""
        hidden = 0
        for findings in (result.fixed, result.left):
            kept: list[Finding] = []
            for finding in findings:
                key = _key(result, finding, text_of)
                if counted(finding) and self.counts[key] > 0:
                    self.counts[key] -= 1
                    hidden += 1
                else:
                    kept.append(finding)
            findings[:] = kept
        return hidden

    def stale(self, paths: Collection[str]) -> int:
        """How many entries of these files were met by no finding."""
        return sum(count for key, count in self.counts.items() if key[0] in paths)


def counted(finding: Finding) -> bool:
    """Whether a finding is a problem at all, and so worth an entry."""
    return finding.applicability is not Applicability.INFO


def load(path: str) -> Baseline:
    """Read a baseline file."""
    try:
        with open(path, encoding="utf-8") as stream:
            document = json.load(stream)
    except FileNotFoundError as error:
        raise BaselineError(
            f"baseline {path} does not exist; `migrate check --write-baseline {path}` writes it"
        ) from error
    except (OSError, ValueError) as error:
        raise BaselineError(f"baseline {path} cannot be read: {error}") from error
    if not isinstance(document, dict) or document.get("version") != VERSION:
        received = document.get("version") if isinstance(document, dict) else document
        raise BaselineError(
            f"baseline {path} is not of version {VERSION}. Received: {received!r}; "
            f"`migrate check --write-baseline {path}` writes it anew"
        )
    counts: Counter[Key] = Counter()
    try:
        for file, entries in document["findings"].items():
            for entry in entries:
                key = (file, entry["rule"], entry.get("endpoint") or "", entry["text"])
                counts[key] += int(entry.get("count", 1))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BaselineError(
            f"baseline {path} has an entry that is not understood: {error!r}"
        ) from (error)
    return Baseline(counts)


def dump(results: Iterable[FileResult], text_of: Lines) -> str:
    """The text of a baseline file with every finding of the results."""
    counts: Counter[Key] = Counter()
    for result in results:
        for finding in (*result.fixed, *result.left):
            if counted(finding):
                counts[_key(result, finding, text_of)] += 1
    files: dict[str, list[Mapping[str, Any]]] = {}
    for (path, rule, endpoint, text), count in sorted(counts.items()):
        entry: dict[str, Any] = {"rule": rule, "text": text, "count": count}
        if endpoint:
            entry["endpoint"] = endpoint
        files.setdefault(path, []).append(entry)
    document = {"version": VERSION, "tool": "migrate", "findings": files}
    return json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def line_reader(root: str) -> Lines:
    """Look lines up in the files under ``root`` (one file is held at a time), or in ``before``."""
    held: tuple[str, list[str], dict[int, list[str]]] | None = None

    def text_of(result: FileResult, finding: Finding) -> str:
        nonlocal held
        if held is None or held[0] != result.path:
            held = (result.path, *_read(os.path.join(root, result.path), result.before))
        _, lines, cells = held
        if finding.cell is not None:
            lines = cells.get(finding.cell, [])
        return lines[finding.line - 1] if 0 < finding.line <= len(lines) else ""

    return text_of


def _read(path: str, data: bytes | None) -> tuple[list[str], dict[int, list[str]]]:
    if data is None:
        try:
            with open(path, "rb") as stream:
                data = stream.read()
        except OSError:
            return [], {}
    text = data.decode("utf-8", "backslashreplace")
    cells: dict[int, list[str]] = {}
    if path.endswith(".ipynb"):
        try:
            for number, cell in enumerate(json.loads(text)["cells"], 1):
                source = cell.get("source", "")
                cells[number] = (source if isinstance(source, str) else "".join(source)).split("\n")
        except (ValueError, KeyError, TypeError, AttributeError):
            cells = {}
    return re.split(r"\r\n|\r|\n", text) if not cells else [], cells


def _key(result: FileResult, finding: Finding, text_of: Lines) -> Key:
    text = " ".join(text_of(result, finding).split())
    return (result.path.replace(os.sep, "/"), finding.rule, finding.endpoint or "", text)
