"""Layers that are given the scope around them, by the name of its block.

``with tf.variable_scope("fc1") as scope: net = slim.fully_connected(net, 10, scope=scope)``: the
layer's variables are the scope's own, as those of a layer that is given the scope's name outside.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.meaning import SCOPES, T
from migrate.programs.graph.wording.spelled import Source, Spelled

MAKER = "perhaps"  # a function of the program, or what isn't seen
MAKERS = meaning.MAKING | meaning.VARIABLES | meaning.CELLS | {MAKER}
PLAIN = (ast.Name, ast.Attribute)
SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)


def check(walker: Any, value: ast.expr, reason: str) -> None:
    """See whether a layer is given the scope of the block that it stands in.

    Raises:
        Spelled: it is, and nothing else of the block makes variables.
    """
    if not isinstance(value, ast.Name):
        return
    block = _block(walker, value)
    if block is None:
        return
    (item,) = block.items
    call = item.context_expr
    if not isinstance(call, ast.Call) or len(call.args) != 1:
        return
    again = [k.value for k in call.keywords if k.arg == "reuse"]
    if len(again) != len(call.keywords):
        return
    name = call.args[0]
    if not isinstance(name, (ast.Name, ast.Constant)) or getattr(name, "value", "") is None:
        return
    if not all(isinstance(stmt, SIMPLE) for stmt in block.body):
        return
    named = (n for n in all_of(walker.files.at(value).tree, ast.Name))
    uses = [n for n in named if n.id == value.id]
    inside = {id(n) for n in walk(block)}
    mine = [n for n in uses if id(n) in inside and n is not item.optional_vars]
    others = [n for n in uses if id(n) not in inside and isinstance(n.ctx, ast.Load)]
    if mine != [value] or any(_reads(walker, n, value) for n in others):
        return
    makers = [
        n
        for n in all_of(block, ast.Call)
        if n is not call
        and (walker.endpoints.get(id(n.func), MAKER) in MAKERS or not isinstance(n.func, PLAIN))
    ]
    if len(makers) != 1 or not holds(makers[0], value):
        return
    own = [k.value for k in makers[0].keywords if k.arg == "reuse"]
    if own and again and ast.unparse(again[0]) != ast.unparse(own[0]):
        return
    told = [] if own else again  # a layer's scope is reused as the block is

    def written(source: Source) -> str | None:
        parts = [source(name), *(f"reuse={source(n)}" for n in told)]
        return _written(block, value, ", ".join(parts), source)

    raise Spelled(block, reason, [(block, written)])


def _block(walker: Any, value: ast.Name) -> ast.With | None:
    """The innermost block around a node, where it opens a scope under the node's name."""
    found: ast.With | None = None
    for n in walk(walker.files.at(value).tree):
        if isinstance(n, ast.With) and holds(n, value):
            found = n
    if found is None or len(found.items) != 1:
        return None
    (item,) = found.items
    opened = getattr(item.optional_vars, "id", "") == value.id
    func = getattr(item.context_expr, "func", None)
    named = walker.endpoints.get(id(func)) in SCOPES - {T + "name_scope"}
    return found if opened and named else None


def _reads(walker: Any, node: ast.Name, value: ast.Name) -> bool:
    """Whether a name elsewhere may be the block's: of the same function, not another block's."""
    block = _block(walker, node)
    if block is not None:
        return False
    for n in walk(walker.files.at(value).tree):
        if isinstance(n, ast.FunctionDef):
            nodes = set(map(id, walk(n)))
            if (id(node) in nodes) != (id(value) in nodes):
                return False
    return True


def _written(block: ast.With, value: ast.Name, name: str, source: Source) -> str | None:
    """The block's statements, a level less deep, with the scope's name instead of the scope."""
    lines = source(block).splitlines()
    head = block.items[0].context_expr.end_lineno or block.lineno
    first = block.body[0]
    if first.lineno <= head:
        return None  # it stands on the header's line
    deep = first.col_offset - block.col_offset
    out = []
    for number, line in enumerate(lines[head - block.lineno + 1 :], head + 1):
        text = line
        if number == value.lineno:
            at = value.col_offset
            if text.encode()[at : at + len(value.id)].decode(errors="replace") != value.id:
                return None
            raw = text.encode()
            text = (raw[:at] + name.encode() + raw[at + len(value.id) :]).decode()
        if text[:deep].strip():
            return None  # a text of several lines
        out.append(text[deep:])
    joined = "\n".join(out)
    return joined[block.col_offset :] if not joined[: block.col_offset].strip() else None
