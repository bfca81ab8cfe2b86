"""TFM211 row-selection: tf.where(condition, x, y) broadcasts in TF 2 and did not in TF 1.

https://www.tensorflow.org/api_docs/python/tf/where

TF 1 took `x` and `y` of one shape, and a condition of that shape or a vector that picks whole rows;
TF 2 broadcasts all three, so a vector condition picks columns. With the condition alone, and where
it provably has the shape of `x` or `y` or two dimensions, both do the same and the call stays.
Otherwise TF 1's `tf.compat.v1.where` is kept.
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.engine.values import Values, values_of
from migrate.rewriters.kept import keep
from migrate.rewriters.ranks import Ranks

WHERE = Rule(
    "TFM211",
    "row-selection",
    "tf.where with a condition whose shape isn't known to be that of x and y",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/where",
)
COMPARISONS = frozenset({"equal", "not_equal", "greater", "greater_equal", "less", "less_equal"})


def shape_of(node: ast.expr, values: Values) -> str | None:
    """A text that stands for an expression's shape; None if it can't be told, "" for a scalar."""
    match node:
        case ast.Constant(value=bool() | int() | float()):
            return ""
        case ast.Name() | ast.Attribute():
            return None if values.endpoint(node) else ast.dump(node)
        case ast.UnaryOp(op=ast.USub() | ast.Invert()):
            return shape_of(node.operand, values)
        case ast.BinOp():
            return _same([node.left, node.right], values)
        case ast.Compare() if len(node.ops) == 1 and _elementwise(node.ops[0]):
            return _same([node.left, node.comparators[0]], values)
        case ast.Call() if node.args and not isinstance(node.args[0], ast.Starred):
            if values.elementwise(node):
                return shape_of(node.args[0], values)
            module, _, name = values.endpoint(node.func).rpartition(".")
            if module in ("", "math") and name in COMPARISONS and len(node.args) == 2:
                return _same(node.args, values)
    return None


def _elementwise(op: ast.cmpop) -> bool:
    return isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE))


def _same(parts: list[ast.expr], values: Values) -> str | None:
    """The shape of what combines parts: known where all but scalars have the same one."""
    shapes = {shape_of(part, values) for part in parts} - {""}
    if None in shapes or len(shapes) > 1:
        return None
    return shapes.pop() if shapes else ""


@WHERE.endpoint("tensorflow.where")
def where(site: Site) -> Result | None:
    """Leave what is the same, keep TF 1's otherwise."""
    try:
        call = site.bind()
    except Unbound as error:
        return keep(site, WHERE, str(error))
    if call.hidden or "condition" not in call.args:
        return keep(site, WHERE, "its arguments can't be seen")
    given = [call.args[name].value for name in ("x", "y") if name in call.args]
    if len(given) < 2 and not any(not _none(value) for value in given):
        return None
    if given and all(_none(value) for value in given):
        return None
    values = values_of(site.file)
    shape = shape_of(call.args["condition"].value, values)
    if shape is not None and any(shape_of(value, values) == shape for value in given):
        return None
    if Ranks(site.file.tree, values).least(call.args["condition"].value) > 1:
        return None  # TF 1 wanted x and y of its shape
    return keep(site, WHERE, "TF 2 broadcasts, where a vector condition picked whole rows")


def _none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
