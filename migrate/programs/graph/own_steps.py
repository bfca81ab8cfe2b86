"""``self.step = tf.Variable(0, name="global_step")``: the global step that TF 1 finds by its name.

``create_train_op`` and ``get_or_create_global_step`` count that one on.
https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/training/training_util.py
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.spelled import Spelled, word

REASON = "a global step that is found again"


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
