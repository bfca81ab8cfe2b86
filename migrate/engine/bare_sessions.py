"""Programs in `tf.compat.v1`'s words alone that only TF 1 ran, by their sessions.

Where execution is eager, `tf.compat.v1.placeholder` raises and the default graph, that a session
without one of its own runs, stays empty. A program that makes both and no graph or function to make
them in never ran on TF 2, unless v2 behaviour is switched off: it is TF 1's as if it said `tf.`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from migrate.engine.functions import Stopped

if TYPE_CHECKING:
    from migrate.engine.document import Document
    from migrate.engine.judged import Analysis
    from migrate.engine.plan import Place
    from migrate.engine.site import FileContext

SESSIONS = frozenset({"tensorflow.Session", "tensorflow.InteractiveSession"})
NEEDS = frozenset({"tensorflow.placeholder", "tensorflow.global_variables_initializer"})
GRAPHS = frozenset(
    f"tensorflow.{name}"
    for name in ("Graph", "function", "wrap_function", "import_graph_def", "contrib.eager.defun")
)
SESSION, NEED, OTHER = "session", "need", "other"


def kinds(document: Document, file: FileContext, places: Sequence[Place]) -> list[str]:
    """What a file has of sessions, of what only a graph takes, and of what TF 2 may run."""
    from migrate.engine.spelling import as_tf1

    found = set()
    for place in places:
        call = place.ref.call
        if place.endpoint in GRAPHS or place.endpoint.startswith("tensorflow.estimator"):
            found.add(OTHER)
        elif place.v1 and call is not None and not place.tail:
            if place.endpoint in NEEDS:
                found.add(NEED)
            if place.endpoint in SESSIONS:
                given = len(call.args) > 1 or any(k.arg in ("graph", None) for k in call.keywords)
                found.add(OTHER if given else SESSION)
    if "as_default(" in file.text:
        found.add(OTHER)  # maybe of a library's
    if found and any(place.v1 for place in places):
        try:
            as_tf1(document, file.names, alone=False)
        except Stopped:
            found.add(OTHER)
    return sorted(found)


def of_tf1(files: Iterable[Analysis]) -> bool:
    """Whether a program's files together never ran on TF 2."""
    files = list(files)
    if any(a.switched or a.switches_eager or a.tf2 for a in files):
        return False
    return {kind for a in files for kind in a.bare} == {SESSION, NEED}
