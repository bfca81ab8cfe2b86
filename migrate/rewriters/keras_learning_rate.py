"""TFM231 keras-learning-rate: `model.optimizer.lr`, which is `learning_rate` in Keras 3.

`K.set_value(model.optimizer.lr, rate)` is an assignment: Keras 3's `set_value` doesn't take the
rate of an optimizer. Elsewhere the attribute is renamed.

https://keras.io/api/optimizers/
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import MethodSite
from migrate.rewriters.keras_generators import uses_keras

RATE = Rule(
    "TFM231",
    "keras-learning-rate",
    "`optimizer.lr`, which Keras 3's optimizers don't have",
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/optimizers/",
)


@RATE.method("lr")
def rate(site: MethodSite) -> Result | None:
    """Read and write `learning_rate`."""
    file, node = site.file, site.use.node
    owner = node.value
    if not (isinstance(owner, ast.Attribute) and owner.attr == "optimizer"):
        return None
    if site.use.call is not None or not uses_keras(site):
        return None
    message = "Keras 3's optimizers have no `lr`"
    end = file.index.span(node)[1]
    edits = [Edit(end - len(node.attr), end, "learning_rate")]
    stmt = site.use.stmt
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if isinstance(call, ast.Call) and call.args and call.args[0] is node:
        func = call.func
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if name == "set_value":
            if len(call.args) != 2 or call.keywords or isinstance(call.args[1], ast.Starred):
                return RATE.report(node, f"{message}; assign `learning_rate`", blocks=False)
            start, stop = file.index.span(call)
            target, value = file.index.span(node), file.index.span(call.args[1])
            edits.append(Edit(start, target[0], ""))
            edits.append(Edit(target[1], value[0], " = "))
            edits.append(Edit(value[1], stop, ""))
            if "\n" in file.text[start:stop] or "#" in file.text[start:stop]:
                return RATE.report(node, f"{message}; assign `learning_rate`", blocks=False)
    return RATE.fixed(node, message, "learning_rate", edits)
