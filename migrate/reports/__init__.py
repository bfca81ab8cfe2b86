"""Reports of a run; each format is a module with ``render(report) -> Iterator[str]``."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from migrate.engine.findings import Applicability, FileResult, Finding

FORMATS = ("text", "json", "sarif", "github", "junit", "html")
FAILED = "TFM901"  # stands in for a failed file that carries no finding of its own

Status = Literal["fixed", "left"]


class RuleInfo(Protocol):
    """What reports and pages say about a rule."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def applicability(self) -> Applicability: ...
    @property
    def since(self) -> str: ...


@dataclass(slots=True, eq=False, repr=False)
class Report:
    """The results of a run and what is needed to show them."""

    command: Literal["check", "upgrade"]
    results: list[FileResult]
    root: str  # result paths are relative to it, with "/"
    rules: Callable[[], Mapping[str, RuleInfo]] = field(default=dict)
    written: bool = False  # upgrade has written what it reports
    base: str = ""  # the folder that a reader stands in; text paths are relative to it
    colour: bool = False
    show_fixes: bool = False
    statistics: bool = False
    verbose: bool = False  # list what was changed too, not only what is left
    hidden: int = 0  # findings that a baseline has taken out
    undo: str | None = None  # the run's name in the journal

    def rule_name(self, rule: str) -> str:
        """The name of a rule, or its id where no rule of that id is registered."""
        info = self.rules().get(rule)
        return info.name if info is not None else rule

    def findings(self, result: FileResult) -> list[tuple[Finding, Status]]:
        """A file's findings in the order of the text; a failure counts as one."""
        pairs: list[tuple[Finding, Status]] = [(finding, "fixed") for finding in result.fixed]
        pairs += [(finding, "left") for finding in result.left]
        pairs.sort(key=lambda pair: (pair[0].cell or 0, pair[0].line, pair[0].column, pair[0].rule))
        if result.status == "failed" and not any(
            finding.rule.startswith("TFM9") and finding.applicability is Applicability.MANUAL
            for finding in result.left
        ):
            pairs.insert(0, (Finding(result.path, 1, 1, FAILED, result.reason), "left"))
        return pairs

    def each(self) -> Iterator[tuple[FileResult, Finding, Status]]:
        """All findings, file by file."""
        for result in self.results:
            for finding, status in self.findings(result):
                yield result, finding, status

    def shown(self, path: str) -> str:
        """A path as the reader would type it."""
        if not self.base or self.base == self.root:
            return path
        return os.path.relpath(os.path.join(self.root, path), self.base).replace(os.sep, "/")


def severity(finding: Finding) -> Literal["error", "warning", "note"]:
    """How loud a finding is: a person must act, ``upgrade`` can act, nothing to do."""
    if finding.applicability is Applicability.INFO:
        return "note"
    return "warning" if finding.fixable else "error"


def renderer(name: str) -> Callable[[Report], Iterator[str]]:
    """The ``render`` of a format; only its module is imported."""
    render: Callable[[Report], Iterator[str]] = importlib.import_module(f"{__name__}.{name}").render
    return render
