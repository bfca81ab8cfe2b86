"""Dimensions that a division gives: TF 1.15 took the float, TF 2.21 refuses it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.engine.findings import Edit
from migrate.engine.names import Reference
from migrate.engine.plan import by_name
from migrate.engine.source import LineIndex
from migrate.engine.trees import all_of

# Endpoint -> its shape: the keyword and the place. Whatever else takes shapes refused floats in
# 1.15.5 too (`tf.truncated_normal`) or still takes them (`tf.zeros`).
SHAPES = {
    "tensorflow.get_variable": ("shape", 1),
    "tensorflow.placeholder": ("shape", 1),
    "tensorflow.placeholder_with_default": ("shape", 1),
    "tensorflow.TensorShape": ("dims", 0),
}


def divisions(text: str, tree: ast.Module, references: list[Reference]) -> Iterator[ast.BinOp]:
    """The divisions that are dimensions of static shapes."""
    shapes: list[ast.expr] = []
    for ref in references:
        if ref.call is None:
            continue
        place = by_name(ref)
        if place.endpoint in SHAPES and not place.tail:
            shapes.extend(_shape(ref.call, *SHAPES[place.endpoint]))
    for node in all_of(tree, ast.Call) if "set_shape" in text else ():
        if isinstance(node.func, ast.Attribute) and node.func.attr == "set_shape":
            shapes.extend(_shape(node, "shape", 0))
    seen: set[int] = set()
    for shape in shapes:
        if isinstance(shape, (ast.List, ast.Tuple)):
            for item in shape.elts:
                if isinstance(item, ast.BinOp) and isinstance(item.op, ast.Div):
                    if id(item) not in seen:
                        seen.add(id(item))
                        yield item


def _shape(call: ast.Call, keyword: str, place: int) -> Iterator[ast.expr]:
    yield from (k.value for k in call.keywords if k.arg == keyword)
    if len(call.args) > place and not any(isinstance(a, ast.Starred) for a in call.args):
        yield call.args[place]


def whole(node: ast.BinOp, text: str, index: LineIndex) -> Edit:
    """The division, without a remainder."""
    _, left = index.span(node.left)
    right, _ = index.span(node.right)
    # Brackets, blanks and comments stand around it.
    found = next(m for m in re.finditer(r"#[^\n]*|/", text[left:right]) if m[0] == "/")
    at = left + found.start()
    return Edit(at, at + 1, "//")
