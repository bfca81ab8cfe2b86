"""Functions that make layers in arg_scopes of two kinds: each kind has one of its own.

``with slim.arg_scope([slim.conv2d], normalizer_fn=None): net = padded(net, 64)``, while other calls
of ``padded`` are normalized: their layers are others.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.wording.known_branches import span
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, free

LINES = 60  # a longer function isn't written twice


def check(walker: Any, target: ast.FunctionDef, node: ast.Call, scoped: str, reason: str) -> None:
    """See whether a call can be of another function that says the same.

    Raises:
        Spelled: it can.
    """
    home = walker.files.at(target)
    if target not in home.tree.body or target.decorator_list:
        return
    if isinstance(node.func, ast.Name):
        if walker.files.at(node) is not home:
            return
    elif not isinstance(node.func, ast.Attribute) or node.func.attr != target.name:
        return
    stem = re.sub(r"_\d+$", "", target.name)
    for other in home.tree.body:
        known = walker.entered.get(id(other))
        if known is not None and re.fullmatch(rf"{stem}(_\d+)?", getattr(other, "name", "")):
            if known.scoped == scoped:
                raise Spelled(node, reason, [(node.func, _called(node.func, other.name))])
    if (target.end_lineno or 0) - target.lineno > LINES or _itself(target):
        return
    name = free(walker, f"{stem}_2")
    end = (target.end_lineno or 0, target.end_col_offset or 0)

    def copy(source: Source) -> str:
        text = source(target)
        return "\n\n\n" + re.sub(rf"^def\s+{target.name}\b", f"def {name}", text, count=1)

    found: list[Written] = [(span(end, end), copy), (node.func, _called(node.func, name))]
    raise Spelled(node, reason, found)


def _itself(target: ast.FunctionDef) -> bool:
    """Whether a function reads its own name, or what isn't only its own."""
    odd = (ast.Global, ast.Nonlocal)
    return any(n.id == target.name for n in all_of(target, ast.Name)) or any(
        all_of(target, kind) for kind in odd
    )


def _called(func: ast.expr, name: str) -> Any:
    def written(source: Source) -> str:
        return f"{source(func.value)}.{name}" if isinstance(func, ast.Attribute) else name

    return written
