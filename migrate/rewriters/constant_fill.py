"""TFM238 constant-fill: a constant whose shape is larger than its list of values.

TF 1's `tf.constant([1, 2], shape=[4])` went on with the last value: `[1, 2, 2, 2]`. TF 2 takes one
value for all places, or as many as there are, and stops otherwise. The list is written out.

https://www.tensorflow.org/api_docs/python/tf/constant
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext

FILL = Rule(
    "TFM238",
    "constant-fill",
    "a constant whose shape is larger than its list of values",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/constant",
)
NAMES = frozenset({"tensorflow.constant", "tensorflow.compat.v1.constant"})
MOST = 64  # values that are written out


@FILL.file
def filled(file: FileContext) -> Iterator[Result]:
    """Write the values that TF 1 added."""
    for reference in file.names.references:
        call = reference.call
        if call is None or reference.name not in NAMES or not file.tf1:
            continue
        given = dict(zip(("value", "dtype", "shape"), call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg is not None}
        value, shape = given.get("value"), given.get("shape")
        parts = _flat(value) if isinstance(value, (ast.List, ast.Tuple)) else None
        size = _size(shape)
        if value is None or parts is None or size is None or not 1 < len(parts) < size:
            continue
        message = f"TF 2 fills no shape of {size} with {len(parts)} values"
        if size > MOST or "#" in file.source(value):
            yield FILL.report(call, f"{message}; TF 1 went on with the last one", blocks=False)
            continue
        texts = [file.source(part) for part in parts]
        texts += texts[-1:] * (size - len(texts))
        start, end = file.index.span(value)
        edits = [Edit(start, end, f"[{', '.join(texts)}]")]
        yield FILL.fixed(call, message, "all values", edits)


def _flat(node: ast.expr) -> list[ast.expr] | None:
    """The numbers of a nested list, in order."""
    if isinstance(node, (ast.List, ast.Tuple)):
        parts = [_flat(part) for part in node.elts]
        return None if None in parts else [n for part in parts if part for n in part]
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    plain = isinstance(number, ast.Constant) and isinstance(number.value, (int, float, str))
    return [node] if plain else None


def _size(node: ast.expr | None) -> int | None:
    if not isinstance(node, (ast.List, ast.Tuple)):
        return None
    sizes = [n.value for n in node.elts if isinstance(n, ast.Constant)]
    whole = [n for n in sizes if type(n) is int]
    return math.prod(whole) if len(whole) == len(node.elts) else None
