"""``params = {"inputs": x, "units": 3}; y = tf.layers.dense(**params)``: what a call is given.

The display in the statement above is written as the call's keywords.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.wording.spelled import Source, Spelled

REASON = "`**` hides arguments"


def check(walker: Any, node: ast.Call) -> None:
    """As `check_in`, for a call of the function that is walked."""
    check_in(walker.frame.node, node)


def check_in(scope: ast.AST, node: ast.Call) -> None:
    """See whether a call is given a dict that is written right above it, and for it alone.

    Raises:
        Spelled: it is.
    """
    hidden = [k for k in node.keywords if k.arg is None]
    if len(hidden) != 1 or not isinstance(hidden[0].value, ast.Name):
        return
    name = hidden[0].value.id
    block, at = next(_place(scope, node), ([], 0))
    if at < 1 or isinstance(scope, ast.Module):
        return
    made = block[at - 1]
    shown = _items(made.value) if isinstance(made, ast.Assign) else None
    if not isinstance(made, ast.Assign) or shown is None:
        return
    if [getattr(t, "id", None) for t in made.targets] != [name]:
        return
    keys, values = shown
    words = [k for k in keys if isinstance(k, str) and k.isidentifier()]
    if len(words) != len(keys) or len(set(words)) != len(words):
        return
    if {k.arg for k in node.keywords} & set(words):
        return
    uses = sorted(
        (n for n in all_of(scope, ast.Name) if n.id == name),
        key=lambda n: (n.lineno, n.col_offset),
    )
    here = next((i for i, n in enumerate(uses) if n is hidden[0].value), None)
    if here is None or uses[here - 1] is not made.targets[0]:
        return
    after = uses[here + 1] if here + 1 < len(uses) else None
    if after is not None and not (isinstance(after.ctx, ast.Store) and _again(block, at, after)):
        return

    def given(source: Source) -> str:
        return ", ".join(
            f"{word}={source(value)}" for word, value in zip(words, values, strict=True)
        )

    def written(source: Source) -> str:
        whole, star = source(node), f"**{name}"
        return whole.replace(star, given(source), 1) if whole.count(star) == 1 else whole

    raise Spelled(node, REASON, [(made, lambda _: ""), (node, written)])


def _items(node: ast.expr) -> tuple[list[object], list[ast.expr]] | None:
    """The keys and values of a dict that is written out, as a display or by `dict()`."""
    if isinstance(node, ast.Dict):
        return [k.value if isinstance(k, ast.Constant) else None for k in node.keys], node.values
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "dict" and not node.args:
        return [k.arg for k in node.keywords], [k.value for k in node.keywords]
    return None


def _place(scope: ast.AST, node: ast.AST) -> Iterator[tuple[list[ast.stmt], int]]:
    """The block in which a call's statement stands, the innermost first, and where."""
    for outer in reversed(list(walk(scope))):
        for part in ("body", "orelse", "finalbody"):
            found = getattr(outer, part, None)
            block: list[ast.stmt] = found if isinstance(found, list) else []
            for at, stmt in enumerate(block):
                if holds(stmt, node):
                    yield block, at


def _again(block: list[ast.stmt], at: int, name: ast.Name) -> bool:
    """Whether a later statement of a block binds a name anew, and nothing around it loops."""
    return any(isinstance(s, ast.Assign) and name in s.targets for s in block[at + 1 :])
