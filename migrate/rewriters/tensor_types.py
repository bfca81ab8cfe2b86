"""TFM244 type-of-tensor: a comparison of a tensor's type with `tf.Tensor` itself.

The tensors of a graph were `tf.Tensor` in TF 1 and nothing below it. In TF 2.21 they are of a class
below it, in graphs another one than outside of them, so `type(x) is tf.Tensor` is false for every
tensor, without a word. `isinstance` asks what was meant, in both. Among several types
(`type(x) in [tf.Tensor, np.ndarray]`) the rest may be meant as it is: that is reported.

https://www.tensorflow.org/api_docs/python/tf/Tensor
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.findings import Applicability, Edit
from migrate.engine.plan import canonical
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, FileContext
from migrate.engine.trees import all_of, parents_of

TYPES = Rule(
    "TFM244",
    "type-of-tensor",
    "a tensor's type compared with tf.Tensor",
    Applicability.SAFE,
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/Tensor",
)
TENSOR = frozenset({"tensorflow.Tensor", f"{V1}.Tensor", "tensorflow.python.framework.ops.Tensor"})
SAME, OTHER = (ast.Is, ast.Eq), (ast.IsNot, ast.NotEq)
#: What `not isinstance(…)` stands in as `type(…) is not …` did.
LOOSE = (ast.BoolOp, ast.If, ast.IfExp, ast.While, ast.Assert, ast.Return, ast.Assign, ast.keyword)


@TYPES.file
def comparisons(file: FileContext) -> Iterator[Result]:
    """Every comparison of `type(x)` with the class."""
    if "type(" not in file.text or "Tensor" not in file.text or file.eager:
        return
    classes = {id(r.node) for r in file.names.references if canonical(r.name) in TENSOR}
    if not classes or any(n.id == "type" and _bound(n) for n in all_of(file.tree, ast.Name)):
        return
    parents = parents_of(file.tree)
    for node in all_of(file.tree, ast.Compare):
        if len(node.ops) != 1:
            continue
        left, op, right = node.left, node.ops[0], node.comparators[0]
        given = _given(left)
        if given is not None and isinstance(op, (ast.In, ast.NotIn)):
            if isinstance(right, (ast.List, ast.Tuple, ast.Set)) and any(
                id(e) in classes for e in right.elts
            ):
                yield TYPES.report(node, f"{MESSAGE}; instead: isinstance", blocks=False)
            continue
        if not isinstance(op, SAME + OTHER):
            continue
        if given is None or id(right) not in classes:
            given, right = _given(right), left
        if given is None or id(right) not in classes:
            continue
        yield _isinstance(file, node, given, right, parents.get(id(node)))


MESSAGE = "no tensor's type is tf.Tensor itself in TF 2.21"


def _bound(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _given(node: ast.expr) -> ast.expr | None:
    """What `type(x)` is asked of."""
    if not isinstance(node, ast.Call) or node.keywords or len(node.args) != 1:
        return None
    named = isinstance(node.func, ast.Name) and node.func.id == "type"
    return node.args[0] if named and not isinstance(node.args[0], ast.Starred) else None


def _isinstance(
    file: FileContext, node: ast.Compare, given: ast.expr, cls: ast.expr, parent: ast.AST | None
) -> Result:
    span, text = file.index.span, file.text
    start, end = span(node)
    (a, b), (c, d) = span(given), span(cls)
    new = f"isinstance({text[a:b]}, {text[c:d]})"
    negated = isinstance(node.ops[0], OTHER)
    if negated:
        alone = isinstance(parent, LOOSE) or (text[:start][-1:], text[end : end + 1]) == ("(", ")")
        new = f"not {new}" if alone else f"(not {new})"
    if "#" in text[start:end] or a > c:
        return TYPES.report(node, f"{MESSAGE}; instead: {new}", blocks=False)
    edits = [
        Edit(start, a, new[: new.index("(", 1 if new[0] == "(" else 0) + 1]),
        Edit(b, c, ", "),
        Edit(end, end, "))" if new.startswith("(") else ")"),
    ]
    return TYPES.fixed(node, MESSAGE, new, edits)
