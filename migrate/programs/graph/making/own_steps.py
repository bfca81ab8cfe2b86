"""``self.step = tf.Variable(0, name="global_step")``: the global step that TF 1 finds by its name.

``create_train_op`` and ``get_or_create_global_step`` count that one on.
https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/training/training_util.py
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled, word

REASON = "a global step that is found again"
# What makes a global step, or finds the one of a graph that isn't the program's text.
MAKES = frozenset(
    (
        *("create_global_step", "get_or_create_global_step", "create_train_op", "optimize_loss"),
        *("Supervisor", "MonitoredTrainingSession", "MonitoredSession", "Scaffold", "Estimator"),
        *("EstimatorSpec", "import_meta_graph", "import_graph_def"),
    )
)


def check(walker: Any, node: ast.Call) -> None:
    """See that no variable which has no plain name here is the global step already.

    Raises:
        Spelled: one is, an attribute of the method's own object.
        Blocked: one is, elsewhere.
    """
    for entry in walker.owned:
        if entry.path != "global_step":
            continue
        method = walker.frame.node
        place = entry.place[0] if entry.place is not None else None
        classes = (c.body for c in all_of(walker.tree, ast.ClassDef))
        beside = next((body for body in classes if method in body), [method])
        if str(entry.ref).startswith("self.") and not entry.owner and place in beside:
            raise Spelled(node, REASON, [(node, word(str(entry.ref)))])
        raise Blocked(node, REASON)


def none(walker: Any, node: ast.Call) -> None:
    """``minimize(loss, global_step=tf.train.get_global_step())`` where no graph has one: None.

    Raises:
        Spelled: the program makes none, and nothing that it calls may.
    """
    for tree in walker.program():
        for n in walk(tree):
            if isinstance(n, ast.Constant) and "global_step" in str(n.value):
                return
            if walker.endpoints.get(id(n), "").rpartition(".")[2] in MAKES:
                return
    raise Spelled(node, "a global step that isn't seen", [(node, word("None"))])


def again(walker: Any, node: ast.Call, known: Any) -> None:
    """``global_step = tf.train.get_global_step()`` of one that has a name there already.

    It goes by the name that ends the other's, or by the older one.

    Raises:
        Spelled: both names are bound once, in one function or by the module.
    """
    scope, stmt = walker.frame.node, walker.stmt
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) and stmt.value is node else None
    if not isinstance(target, ast.Name) or len(stmt.targets) != 1 or known.attribute:
        return
    if walker.nested or known.step.region is not walker.frame.region:
        return
    new, old = target.id, known.name
    named = [n for n in all_of(scope, ast.Name) if n.id in (new, old)]
    stores = [n for n in named if not isinstance(n.ctx, ast.Load)]
    odd = (ast.ClassDef, ast.Global, ast.Nonlocal, ast.AsyncFunctionDef)
    inner = {n.arg for n in all_of(scope, ast.arg)} & {new, old}
    if new == old or len(stores) != 2 or inner or any(isinstance(n, odd) for n in walk(scope)):
        return
    if any(n.id == new and n.lineno < stmt.lineno for n in named):
        return
    blocks = (getattr(n, f, ()) for n in walk(scope) for f in ("body", "orelse"))
    body = next((b for b in blocks if isinstance(b, list) and stmt in b), [])
    if len(body) < 2:
        return
    gone, kept = (old, new) if old.endswith(f"_{new}") else (new, old)
    renamed = [(n, word(kept)) for n in named if n.id == gone and n is not target]
    raise Spelled(node, "a second name for the global step", [(stmt, word("")), *renamed])
