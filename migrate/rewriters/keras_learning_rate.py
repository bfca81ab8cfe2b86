"""TFM231 keras-learning-rate: `model.optimizer.lr`, which is `learning_rate` in Keras 3.

`K.set_value(model.optimizer.lr, rate)` is an assignment: Keras 3's `set_value` doesn't take the
rate of an optimizer. Elsewhere the attribute is renamed. What `LearningRateScheduler` and
`ReduceLROnPlateau` log as `lr` is `learning_rate`, too: `history.history["lr"]`.

https://keras.io/api/optimizers/
"""

from __future__ import annotations

import ast
import re

from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import MethodSite
from migrate.engine.trees import all_of
from migrate.rewriters.keras_generators import uses_keras

RATE = Rule(
    "TFM231",
    "keras-learning-rate",
    "`optimizer.lr`, which Keras 3's optimizers don't have",
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/optimizers/",
)


@RATE.method("lr", "learning_rate")
def rate(site: MethodSite) -> Result | None:
    """Read and write `learning_rate`."""
    file, node = site.file, site.use.node
    owner = node.value
    if not (isinstance(owner, ast.Attribute) and owner.attr == "optimizer"):
        return None
    if site.use.call is not None or not uses_keras(site):
        return None
    old = node.attr == "lr"
    message = "Keras 3's optimizers have no `lr`"
    end = file.index.span(node)[1]
    edits = [Edit(end - len(node.attr), end, "learning_rate")] if old else []
    stmt = site.use.stmt
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if isinstance(call, ast.Call) and call.args and call.args[0] is node:
        func = call.func
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if name == "set_value":
            if not old:
                message = "Keras 3's `set_value` doesn't take an optimizer's rate"
            if len(call.args) != 2 or call.keywords or isinstance(call.args[1], ast.Starred):
                return RATE.report(node, f"{message}; assign `learning_rate`", blocks=False)
            start, stop = file.index.span(call)
            target, value = file.index.span(node), file.index.span(call.args[1])
            several = "\n" in file.text[value[0] : value[1]]
            if "#" in file.text[start:stop]:
                return RATE.report(node, f"{message}; assign `learning_rate`", blocks=False)
            edits.append(Edit(start, target[0], ""))
            edits.append(Edit(target[1], value[0], " = (" if several else " = "))
            edits.append(Edit(value[1], stop, ")" if several else ""))
    return RATE.fixed(node, message, "learning_rate", edits) if edits else None


SCHEDULES = re.compile(r"\b(LearningRateScheduler|ReduceLROnPlateau)\b")


@RATE.method("history")
def logged(site: MethodSite) -> Result | None:
    """``history.history["lr"]``, which Keras 3's callbacks call `learning_rate`."""
    file, node = site.file, site.use.node
    if not SCHEDULES.search(file.text) or not uses_keras(site):
        return None
    keys = [
        s.slice
        for s in all_of(file.tree, ast.Subscript)
        if s.value is node and isinstance(s.slice, ast.Constant) and s.slice.value == "lr"
    ]
    own = any(
        isinstance(s.slice, ast.Constant) and s.slice.value == "lr" and isinstance(s.ctx, ast.Store)
        for s in all_of(file.tree, ast.Subscript)
    )
    if not keys or own:  # a callback of the program's own may log it
        return None
    start, end = file.index.span(keys[0])
    quote = file.text[start]
    message = "Keras 3's callbacks log the rate as `learning_rate`"
    edits = [Edit(start, end, f"{quote}learning_rate{quote}")]
    return RATE.fixed(keys[0], message, "`learning_rate`", edits)
