"""Sessions beside Estimators: what is Keras by now is hidden while they become functions.

An Estimator has a graph of its own, so that neither has a tensor of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from migrate.engine.document import Document, edited
from migrate.engine.functions import TF2, Between, placed
from migrate.engine.judged import names_of
from migrate.engine.source import SourceError
from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.hidden import SESSIONS, hidden, shown
from migrate.rewriters.estimators.optimizing import tested_optimizers
from migrate.rewriters.sessions.convert import convert_files


def without_sessions(
    done: dict[str, Between], entries: Sequence[str], known: Iterable[str]
) -> dict[str, Between]:
    """Files whose Estimators became Keras, with functions for the sessions beside them, too.

    Where these can't be followed, the rules that come after say what needs a graph.

    Raises:
        Blocked: a test of a program's own optimizer can't be.
    """
    done = tested_optimizers.followed(done, known)
    seen = [(between.document, names_of(between.document)) for between in done.values()]
    if not any(ref.name in SESSIONS for _, names in seen for ref in names.references):
        return done
    try:
        said = [_words(document) for document, _ in seen]
        plain = [
            hidden(*file, set().union(*said[:i], *said[i + 1 :])) for i, file in enumerate(seen)
        ]
        files = [(document, names_of(document)) for document, _ in plain]
        converted = convert_files(files, TF2, entries, known)
        found = dict(done)
        for each in converted:
            at = each.part.document.path
            file, kept = next(p for p in plain if p[0].path == at)
            after = shown(done[at].document, file, edited(file, each.edits), kept)
            old = done[at]
            if after is None or each.root != old.root:
                return done
            more = [(placed(node, old.before, file), what) for node, what in each.said]
            found[at] = replace(
                old, document=after, changes=old.changes + more, names=old.names + each.names
            )
    except (Blocked, SourceError):
        return done
    return found


def _words(document: Document) -> set[str]:
    """What a file names."""
    return {
        name
        for n in walk(document.tree)
        for name in (getattr(n, "id", ""), getattr(n, "attr", ""), getattr(n, "name", ""))
    }
