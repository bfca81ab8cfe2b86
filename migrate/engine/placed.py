"""Results of rules as findings: where they are shown, and which of them a comment hides."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from migrate.engine.document import Document
from migrate.engine.findings import Applicability, Finding
from migrate.engine.judged import SWITCH
from migrate.engine.options import Options
from migrate.engine.rule import Result
from migrate.engine.site import FileContext
from migrate.engine.star_names import IMPORTS, RULE
from migrate.engine.suppress import Suppressions
from migrate.engine.switch import of_tensorflow


def finding_at(
    document: Document,
    path: str,
    node: ast.AST,
    rule: str,
    message: str,
    endpoint: str | None,
    applicability: Applicability = Applicability.MANUAL,
    fix: str | None = None,
) -> Finding:
    line: int = getattr(node, "lineno", 1)
    end: int = getattr(node, "end_lineno", None) or line
    column = document.index.column(line, getattr(node, "col_offset", 0))
    end_column = document.index.column(end, getattr(node, "end_col_offset", 0) or 0)
    cell, shown = document.locate(line)
    _, shown_end = document.locate(end)
    return Finding(
        path,
        shown,
        column,
        rule,
        message,
        endpoint,
        applicability,
        fix,
        shown_end,
        end_column,
        cell,
    )


def finding_of(document: Document, path: str, result: Result) -> Finding:
    return finding_at(
        document,
        path,
        result.node,
        result.rule.id,
        result.message,
        result.endpoint,
        result.applicability if result.fix is not None else Applicability.MANUAL,
        result.fix,
    )


def selected(
    results: Iterable[Result],
    options: Options,
    suppressions: Suppressions,
    path: str,
    document: Document,
) -> list[tuple[Result, Finding]]:
    """The results that the user wants to see, with their findings."""
    kept = []
    for result in results:
        finding = finding_of(document, path, result)
        if not options.enabled_for(path, result.rule.id):
            continue
        if not hidden(suppressions, document, result.node, finding):
            kept.append((result, finding))
    return kept


def hidden(suppressions: Suppressions, document: Document, node: ast.AST, finding: Finding) -> bool:
    """Whether a comment covers what is found at a node."""
    if not suppressions:
        return False
    first: int = getattr(node, "lineno", 1)
    span = _statement_lines(document, first)
    return suppressions.hides(finding, span, shift=first - finding.line)


def _statement_lines(document: Document, line: int) -> tuple[int, int]:
    """The first and the last line of the simple statement (or header) on a line."""
    body: list[ast.stmt] = document.tree.body
    while True:
        for stmt in body:
            if stmt.lineno <= line <= (stmt.end_lineno or stmt.lineno):
                break
        else:
            return line, line
        inner = getattr(stmt, "body", None)
        if not isinstance(inner, list):
            return stmt.lineno, stmt.end_lineno or stmt.lineno
        head = inner[0].lineno - 1 if inner else stmt.lineno
        if line <= head:
            return stmt.lineno, head
        blocks = [inner, *(getattr(stmt, name, None) or [] for name in ("orelse", "finalbody"))]
        blocks.extend(h.body for h in getattr(stmt, "handlers", ()))
        blocks.extend(c.body for c in getattr(stmt, "cases", ()))
        body = [s for block in blocks for s in block]


def python2_findings(document: Document, path: str, options: Options) -> Iterable[Finding]:
    if options.enabled_for(path, "TFM801"):
        for line, message in document.python2:
            cell, shown = document.locate(line)
            yield Finding(
                path, shown, 1, "TFM801", message, None, Applicability.SAFE, "Python 3", cell=cell
            )


def star_findings(document: Document, path: str, options: Options) -> Iterable[Finding]:
    """The imports that a file gets where another file's star import gave it TensorFlow or NumPy."""
    line, names = document.brought
    if options.enabled_for(path, RULE):
        for name in names:
            what = "NumPy" if name == "np" else "TensorFlow"
            message = f"`{name}` comes from another file's import: {what} is imported here"
            cell, shown = document.locate(line)
            yield Finding(
                *(path, shown, 1, RULE, message, None, Applicability.SAFE),
                IMPORTS[name],
                cell=cell,
            )


def note_findings(document: Document, path: str, options: Options) -> Iterable[Finding]:
    if options.enabled_for(path, "TFM802"):
        for line, message in document.notes:
            cell, shown = document.locate(line)
            yield Finding(path, shown, 1, "TFM802", message, cell=cell)


def switch_finding(document: Document, context: FileContext, path: str) -> Finding:
    """The finding that stands for that call, at the import of TensorFlow."""
    ours = [stmt for stmt, _, _ in context.names.imports if of_tensorflow(stmt)]
    node = ours[0] if ours else document.tree.body[0]
    message = "v2 behaviour is switched off when the program starts, as TF 1 had it"
    bare = finding_at(document, path, node, SWITCH, message, None)
    return replace(bare, applicability=Applicability.SAFE, fix="disable_v2_behavior()")
