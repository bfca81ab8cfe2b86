"""``self.step = tf.Variable(0, name="global_step")``: the global step that TF 1 finds by its name.

``create_train_op`` and ``get_or_create_global_step`` count that one on.
https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/training/training_util.py
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.spelled import Spelled, word

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
