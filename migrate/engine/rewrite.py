"""A file's new bytes, once the level of its program is decided."""

from __future__ import annotations

from dataclasses import replace

from migrate.engine.analysis import accept, functions_of
from migrate.engine.document import Document, read
from migrate.engine.findings import FileResult, Finding
from migrate.engine.judged import FAILED, UNREADABLE, Analysis, Decision, names_of
from migrate.engine.level import edits_of
from migrate.engine.options import Options
from migrate.engine.source import EditConflict, SourceError
from migrate.engine.suppress import Suppressions


def rewrite(path: str, data: bytes, options: Options, shown: str, decision: Decision) -> FileResult:
    """A file's new bytes; where it can't be handled, the finding that says why and no bytes."""
    from migrate.engine.verify import verify

    result = FileResult(shown, level=decision.level)
    try:
        document = read(path, data)
        if decision.functions:
            return _rewrite_functions(path, data, document, options, shown, decision)
        edits, fixed, left = edits_of(document, options, shown, decision)
        result.fixed, result.left = fixed, left
        if not edits and not document.modernized:
            return result
        after = document.encode(edits)
        if after == data:
            return result
        reason = verify(document, path, after, edits, options, shown, decision)
        if reason:
            return failed(shown, FAILED, reason)
        result.status, result.before, result.after = "changed", data, after
    except (SourceError, EditConflict) as error:
        return failed(shown, UNREADABLE if isinstance(error, SourceError) else FAILED, str(error))
    except RecursionError:
        return failed(shown, UNREADABLE, "nested too deeply to be analysed")
    return result


def _rewrite_functions(
    path: str, data: bytes, document: Document, options: Options, shown: str, decision: Decision
) -> FileResult:
    """A file whose sessions become functions: those first, then all the other rules."""
    from migrate.engine.functions import finished

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
    inner = replace(decision, functions=False, eager=True, together=None)
    result = rewrite(path, between.document.data, options, shown, inner)
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
