"""Parts of tensors that a run fetches, ``sess.run(net.out[:count], feed)`` of a local ``count``.

The function that computes them may stand where the name isn't seen, or be made before it changes.
It gives the tensor; the run takes its part of the array, ``sess.run(net.out, feed)[:count]``.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked, Fetch, Kind, Site
from migrate.programs.graph.wording.spelled import Source, Spelled

PLAIN = (
    ast.Name,
    ast.Attribute,
    ast.Constant,
    ast.Slice,
    ast.Tuple,
    ast.UnaryOp,
    ast.BinOp,
    ast.expr_context,
    ast.operator,
    ast.unaryop,
)


def check(site: Site, leaf: Fetch, name: str, reason: str) -> None:
    """See whether what a run fetches is a part of a tensor that ``name`` tells.

    Raises:
        Spelled: it is, and the run may take it.
    """
    part, call = leaf.node, site.node
    if not isinstance(part, ast.Subscript) or not isinstance(call.func, ast.Attribute):
        return
    if not all(isinstance(n, PLAIN) for n in walk(part.slice)):
        return
    if not all(
        isinstance(n, (ast.Name, ast.Attribute, ast.expr_context)) for n in walk(part.value)
    ):
        return
    if any(s.value.items is not None or s.value.data == "container" for s in leaf.uses):
        return  # an item of theirs
    told = leaf.hosts | {s.name for s in leaf.uses if s.value.kind is Kind.HOST}
    inside = {n.id for n in walk(part.slice) if isinstance(n, ast.Name)}
    if name not in inside or not inside <= told:
        return
    if any(isinstance(n, ast.Name) and n.id == name for n in walk(part.value)):
        return
    if call.func.attr != "run" or not call.args or part is not call.args[0]:
        return
    index = part.slice

    def whole(source: Source) -> str:
        run, text = source(call), source(part)
        at = run.index(text, len(source(call.func)))
        return f"{run[:at]}{source(part.value)}{run[at + len(text) :]}[{source(index)}]"

    raise Spelled(part, reason, [(call, whole)])


@contextlib.contextmanager
def instead(site: Site, leaf: Fetch, name: str) -> Iterator[None]:
    """What stops a name in what is fetched, where the run can't take its part itself.

    Raises:
        Spelled: it can.
    """
    try:
        yield
    except Blocked as error:
        if type(error) is Blocked:
            check(site, leaf, name, error.reason)
        raise
