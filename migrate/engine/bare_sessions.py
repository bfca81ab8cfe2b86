"""Programs in `tf.compat.v1`'s words alone that only TF 1 ran, by their sessions.

Where execution is eager, `tf.compat.v1.placeholder` raises and the default graph, that a session
without one of its own runs, stays empty. A program that makes both and no graph or function to make
them in never ran on TF 2, unless v2 behaviour is switched off: it is TF 1's as if it said `tf.`.

A test case's `self.test_session()` gives None there, and a graph in TF 1.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from migrate.engine.functions import Stopped
from migrate.engine.trees import walk

if TYPE_CHECKING:
    from migrate.engine.document import Document
    from migrate.engine.judged import Analysis
    from migrate.engine.plan import Place
    from migrate.engine.site import FileContext

SESSIONS = frozenset({"tensorflow.Session", "tensorflow.InteractiveSession"})
# These run the default graph, whatever they are given.
MONITORED = frozenset(
    f"tensorflow.train.{name}"
    for name in ("MonitoredSession", "MonitoredTrainingSession", "SingularMonitoredSession")
)
# What sessions take of tf.estimator, which by itself makes no graph.
HOOKS = ("Hook", ".SessionRunArgs", ".SessionRunContext", ".SessionRunValues")
NEEDS = frozenset({"tensorflow.placeholder", "tensorflow.global_variables_initializer"})
GRAPHS = frozenset(
    f"tensorflow.{name}"
    for name in ("Graph", "function", "wrap_function", "import_graph_def", "contrib.eager.defun")
)
SESSION, NEED, OTHER = "session", "need", "other"
CASE = "tensorflow.test.TestCase"
# Decorators of TensorFlow's own tests that make a graph, or another function, of a test.
DECORATORS = ("run_v1_only", "run_deprecated_v1", "run_in_graph", "graph_mode_only", "run_all_in")


def kinds(document: Document, file: FileContext, places: Sequence[Place]) -> list[str]:
    """What a file has of sessions, of what only a graph takes, and of what TF 2 may run."""
    from migrate.engine.spelling import as_tf1

    found = set()
    for place in places:
        call = place.ref.call
        models = place.endpoint.startswith("tensorflow.estimator")
        if place.endpoint in GRAPHS or (models and not place.endpoint.endswith(HOOKS)):
            found.add(OTHER)
        elif place.v1 and call is not None and not place.tail:
            if place.endpoint in NEEDS:
                found.add(NEED)
            if place.endpoint in MONITORED:
                found.add(SESSION)
            if place.endpoint in SESSIONS:
                given = len(call.args) > 1 or any(k.arg in ("graph", None) for k in call.keywords)
                found.add(OTHER if given else SESSION)
        elif place.v1 and place.endpoint == CASE and "test_session(" in file.text:
            found.update(_of_tests(document.tree))
    if "as_default(" in file.text or any(d in file.text for d in DECORATORS):
        found.add(OTHER)  # maybe of a library's
    if found and any(place.v1 for place in places):
        try:
            as_tf1(document, file.names, alone=False)
        except Stopped:
            found.add(OTHER)
    return sorted(found)


def _of_tests(tree: ast.Module) -> set[str]:
    """What the sessions of test cases are used for: one that runs something needs a graph."""
    found = set()
    for node in (n for stmt in tree.body for n in walk(stmt) if isinstance(n, ast.With)):
        for item in node.items:
            call = item.context_expr
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            if call.func.attr == "test_session":
                given = bool(call.args) or any(k.arg in ("graph", None) for k in call.keywords)
                found.add(OTHER if given else SESSION)
                name = item.optional_vars.id if isinstance(item.optional_vars, ast.Name) else ""
                asked = (n for n in walk(node) if isinstance(n, ast.Attribute))
                if any(isinstance(n.value, ast.Name) and n.value.id == name for n in asked):
                    found.add(NEED)
    return found


def of_tf1(files: Iterable[Analysis]) -> bool:
    """Whether a program's files together never ran on TF 2."""
    files = list(files)
    if any(a.switched or a.switches_eager or a.tf2 for a in files):
        return False
    return {kind for a in files for kind in a.bare} == {SESSION, NEED}
