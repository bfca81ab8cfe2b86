"""A file's new bytes, once the level of its program is decided."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from migrate.engine.analysis import accept, functions_of
from migrate.engine.document import Document, shelved
from migrate.engine.findings import Edit, FileResult, Finding, Level
from migrate.engine.judged import FAILED, UNREADABLE, Analysis, Decision, names_of
from migrate.engine.level import edits_of
from migrate.engine.options import Options
from migrate.engine.source import SourceError
from migrate.engine.suppress import Suppressions

if TYPE_CHECKING:
    from migrate.engine.functions import Between


def rewrite(path: str, data: bytes, options: Options, shown: str, decision: Decision) -> FileResult:
    """A file's new bytes; where it can't be handled, the finding that says why and no bytes."""
    result = FileResult(shown, level=decision.level)
    try:
        document = shelved(path, data)
        if decision.functions:
            return _rewrite_functions(path, data, document, options, shown, decision)
        edits, result.fixed, result.left = edits_of(document, options, shown, decision)
        return _changed(result, path, document, edits, options, decision)
    except SourceError as error:
        return failed(shown, UNREADABLE, str(error))
    except RecursionError:
        return failed(shown, UNREADABLE, "nested too deeply to be analysed")


def made(path: str, data: bytes, seen: Analysis, options: Options) -> FileResult | None:
    """A file's new bytes with functions for its sessions, as it was judged (``make``)."""
    between = seen.between
    if between is None:
        return None
    try:
        return _written(path, data, between, seen, options, Decision(tf1=True, functions=True))
    except SourceError as error:
        return failed(seen.path, UNREADABLE, str(error))
    except RecursionError:
        return failed(seen.path, UNREADABLE, "nested too deeply to be analysed")


def holds(decision: Decision) -> bool:
    """Whether what `made` gives is what `rewrite` would give."""
    return decision.functions and decision.level is Level.NATIVE and decision.tf1


def _changed(
    result: FileResult,
    path: str,
    document: Document,
    edits: list[Edit],
    options: Options,
    decision: Decision,
) -> FileResult:
    """A file's result with the bytes that edits make of it, once they are verified."""
    from migrate.engine.verify import verify

    if not edits and not document.modernized:
        return result
    after = document.encode(edits)
    if after == document.data:
        return result
    reason = verify(document, path, after, edits, options, result.path, decision)
    if reason:
        return failed(result.path, FAILED, reason)
    result.status, result.before, result.after = "changed", document.data, after
    return result


def _rewrite_functions(
    path: str, data: bytes, document: Document, options: Options, shown: str, decision: Decision
) -> FileResult:
    """A file whose sessions become functions: those first, then all the other rules."""
    seen = Analysis(shown)
    suppressions = Suppressions.parse(document.text)
    if decision.together is None:
        between = functions_of(seen, document, names_of(document), options, suppressions)
    else:
        between = decision.together.between(path, data)
        if between is not None:
            accept(seen, document, between, options, suppressions)
    if between is None:  # the file isn't what it was when it was judged
        return failed(shown, FAILED, seen.stopped.message if seen.stopped else "no session is left")
    return _written(path, data, between, seen, options, decision)


def _written(
    path: str,
    data: bytes,
    between: Between,
    seen: Analysis,
    options: Options,
    decision: Decision,
) -> FileResult:
    """A file that has functions for sessions, after all the other rules."""
    from migrate.engine.functions import finished

    # What it is between the passes is TF 1, however it was spelled before.
    inner = replace(decision, functions=False, eager=True, tf1=True, together=None)
    if between.edits is None:
        result = rewrite(path, between.document.data, options, seen.path, inner)
    else:
        result = FileResult(seen.path, level=decision.level)
        result = _changed(result, path, between.document, between.edits, options, inner)
    if result.status == "failed":
        return result
    result.fixed, result.left = seen.functions.fixed, seen.functions.left
    result.status, result.before, result.names = "changed", data, between.names
    result.after = finished(result.after or between.document.data, between)
    if options.keras == "legacy":
        from migrate.rewriters import legacy_keras

        result.after = legacy_keras.named(path, result.after)
    if result.after == data:
        result.status, result.before, result.after = "unchanged", None, None
    return result


def failed(path: str, rule: str, reason: str) -> FileResult:
    """A file that couldn't be handled: left as it was, and said."""
    finding = Finding(path, 1, 1, rule, f"left as it was: {reason}")
    return FileResult(path, "failed", left=[finding], reason=reason)
