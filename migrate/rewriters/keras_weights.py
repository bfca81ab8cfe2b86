"""Weights that a layer or metric of Keras makes itself: `self.add_weight("kernel", shape)`.

TF 1's first argument was the name; Keras 3 takes all by keyword. `add_variable` was another name
for it.
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound, bind
from migrate.engine.findings import Edit
from migrate.engine.rule import Result
from migrate.engine.site import FileContext, MethodSite
from migrate.engine.trees import all_of, holds, outward
from migrate.rewriters.keras_arguments import ARGUMENT

LAYER = (
    *("name", "shape", "dtype", "initializer", "regularizer", "trainable", "constraint"),
    *("partitioner", "use_resource", "synchronization", "aggregation"),
)
METRIC = ("name", "shape", "aggregation", "synchronization", "initializer", "dtype")
# What the variables of one process on one device don't differ in.
IDLE = ("use_resource", "synchronization", "aggregation")


@ARGUMENT.method("add_weight", "add_variable")
def weight(site: MethodSite) -> Result | None:
    """Name the arguments; `add_variable` is `add_weight`."""
    file, call, node = site.file, site.use.call, site.use.node
    if call is None or not isinstance(node.value, ast.Name):
        return None
    own = _class(file, call)
    base = _base(file, own) if own is not None else None
    if own is None or base is None or node.value.id != _first_argument(own, call):
        return None
    if any(n.name == node.attr for n in all_of(file.tree, ast.FunctionDef)):
        return None
    metric = base.startswith("tensorflow.keras.metrics.")
    message = f"`{node.attr}` of Keras 3 takes its arguments by name"
    try:
        bound = bind(file.text, file.index, call, METRIC if metric else LAYER)
        if bound.hidden:
            raise Unbound("`**` hides arguments")
    except Unbound as error:
        return ARGUMENT.report(node, f"{message}; {error}", blocks=False)
    for argument in IDLE:
        if bound.get(argument) is not None:
            bound.remove(argument)
    if bound.get("partitioner") is not None:
        return ARGUMENT.report(node, f"{message}; it has no `partitioner`", blocks=False)
    edits = bound.finish(lambda *_: False)
    if node.attr == "add_variable":
        end = file.index.span(node)[1]
        edits.insert(0, Edit(end - len(node.attr), end, "add_weight"))
    return ARGUMENT.fixed(node, message, "add_weight()", edits) if edits else None


def _class(file: FileContext, call: ast.Call) -> ast.ClassDef | None:
    """The innermost class that a call stands in."""
    return next((n for n in outward(file.tree, call) if isinstance(n, ast.ClassDef)), None)


def _first_argument(own: ast.ClassDef, call: ast.Call) -> str | None:
    for method in own.body:
        if isinstance(method, ast.FunctionDef) and holds(method, call):
            return method.args.args[0].arg if method.args.args else None
    return None


def _base(file: FileContext, own: ast.ClassDef) -> str | None:
    """The class of Keras that one of a file is made from, through others of the file."""
    named = {r.node: r.name for r in file.names.references}
    classes = {n.name: n for n in all_of(file.tree, ast.ClassDef)}
    seen: set[str] = set()
    todo = [own]
    for each in todo:
        for base in each.bases:
            if named.get(base, "").startswith("tensorflow.keras."):
                return named[base]
            if isinstance(base, ast.Name) and base.id in classes and base.id not in seen:
                seen.add(base.id)
                todo.append(classes[base.id])
    return None
