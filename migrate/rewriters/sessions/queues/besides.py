"""What a function returns beside elements: its caller has the dataset, and the rest as it was.

return x, y, num_batch                               return dataset, num_batch

x, y, n = get_batch_data()                           dataset, n = get_batch_data()
                                                     x, y = dataset.…get_next()
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import flows
from migrate.rewriters.sessions.queues.beginnings import names_of
from migrate.rewriters.sessions.queues.files import Given
from migrate.rewriters.sessions.queues.flows import Flow
from migrate.rewriters.sessions.queues.module import TAKE, loaded

if TYPE_CHECKING:
    from migrate.rewriters.sessions.queues.scope import Scope

UNPACKED = "what is returned beside a queue's elements isn't unpacked"
TOGETHER = "elements of a queue are returned together with other things"


def returned(
    scope: Scope, stmt: ast.Return, value: ast.expr, flow: Flow, before: ast.stmt | None
) -> tuple[str, Given] | None:
    """What stands before such a return and it itself; and what the function gives.

    Raises:
        Blocked: the elements don't stand together.
    """
    if not isinstance(value, (ast.List, ast.Tuple)):
        return None
    mine = [bool(loaded(e) & flow.own) for e in value.elts]
    if all(mine):
        return None
    place, width = mine.index(True), sum(mine)
    parts = value.elts[place : place + width]
    hidden = any(isinstance(e, ast.Starred) for e in value.elts)
    if hidden or not all(mine[place : place + width]) or flow.trail or flow.summaries:
        raise Blocked(stmt, TOGETHER)
    whole: ast.expr = ast.copy_location(ast.Tuple(parts, ast.Load()), value)
    given, several = flows.results(scope.module, whole if width > 1 else parts[0], flow)
    if width == 1 and several is None:
        raise Blocked(stmt, TOGETHER)
    text, source = scope.mapped(flow, given, "", before, True)
    others = [scope.module.source(e) for e in value.elts]
    others[place : place + width] = [source]
    nl = scope.module.text.newline
    line = f"{text}{scope.indent}return {', '.join(others)}{nl}"
    return line, Given(several, place=place, width=width, total=len(value.elts))


def kept(
    scope: Scope, stmt: ast.stmt, value: ast.expr | None, floor: int, open_: list[Flow]
) -> bool:
    """Whether a statement keeps what such a function gives; it is rewritten.

    Raises:
        Blocked: it doesn't keep each thing by itself.
    """
    given = scope.pipelines.given_by(value.func) if isinstance(value, ast.Call) else None
    if given is None or given.place is None or value is None:
        return False
    assert isinstance(value, ast.Call)
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
    if not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != given.total:
        raise Blocked(stmt, UNPACKED)
    if any(isinstance(e, ast.Starred) for e in target.elts):
        raise Blocked(stmt, UNPACKED)
    module, place, width = scope.module, given.place, given.width
    scope.done(value)
    name = scope.free("dataset")
    targets = [module.source(e) for e in target.elts]
    elements = ast.copy_location(ast.Tuple(target.elts[place : place + width], ast.Store()), target)
    taken = ", ".join(targets[place : place + width])
    targets[place : place + width] = [name]
    text = f"{', '.join(targets)} = {module.source(value)}"
    names = names_of(elements)
    if names is None:  # attributes: an iterator gives them
        text += f"{module.text.newline}{scope.indent}{taken} = {name}{TAKE}"
    else:
        flow = Flow(name, names, given.several, stmt, floor, name, taken)
        flow.unpacked, flow.placed = width > 1, True
        open_.append(flow)
    module.replace(stmt, text)
    return True
