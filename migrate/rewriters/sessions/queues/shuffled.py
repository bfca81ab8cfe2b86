"""Functions that put elements into a queue of their own, and give what it hands out.

    input_tensors = [labels, frames]             dataset = dataset.map(parse)
    if shuffle:                                  if shuffle:
        least = count_records(files)                 least = count_records(files)
        input_tensors = _shuffle_inputs(             dataset = _shuffle_inputs(dataset, least)
            input_tensors, least)

Such a function is one that is given elements (`takers.py`); a branch may call it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import flows, takers
from migrate.rewriters.sessions.queues.flows import Flow
from migrate.rewriters.sessions.queues.module import loaded, stored

if TYPE_CHECKING:
    from migrate.rewriters.sessions.queues.scope import Scope


def shaped(scope: Scope, stmt: ast.stmt, floor: int, open_: list[Flow]) -> bool:
    """Whether a loop only says that elements have the shapes that they had before the queue."""
    mine = [f for f in open_ if loaded(stmt) & f.own]
    old = loaded(stmt) & scope.dead
    if not isinstance(stmt, ast.For) or len(mine) != 1 or len(old) != 1:
        return False
    flow, (name,), index = mine[0], old, ast.unparse(stmt.target)
    new = flow.names[0]
    said = {
        f"for {index} in {counts}(len({name})):\n"
        f"    {new}[{index}].set_shape({name}[{index}].{how})"
        for counts in ("range", "xrange")
        for how in ("shape", "get_shape()")
    }
    if flow.body or len(flow.names) > 1 or ast.unparse(stmt) not in said:
        return False
    scope.module.remove(stmt, floor)
    return True


def in_a_branch(scope: Scope, stmt: ast.stmt, floor: int, open_: list[Flow]) -> bool:
    """Whether a branch gives elements to such a function, and what it gives takes their name."""
    if not isinstance(stmt, ast.If) or stmt.orelse:
        return False
    pipelines, module = scope.pipelines, scope.module
    found = [s for s in stmt.body if takers.taker(pipelines, getattr(s, "value", None))]
    if len(found) != 1 or not isinstance(found[0], ast.Assign) or len(found[0].targets) != 1:
        return False
    one, (target,) = found[0], found[0].targets
    call = one.value
    function = takers.taker(pipelines, call)
    if function is None or not isinstance(call, ast.Call) or not isinstance(target, ast.Name):
        return False
    mine = [f for f in open_ if loaded(stmt) & f.own]
    if len(mine) != 1 or mine[0].ended or mine[0].trail or mine[0].summaries:
        return False
    flow, own = mine[0], set(mine[0].own)
    rest = [stmt.test, *(s for s in stmt.body if s is not one)]
    given = [a for a in [*call.args, *(k.value for k in call.keywords)] if loaded(a) & own]
    if any((loaded(n) | stored(n)) & own for n in rest) or len(given) != 1:
        return False
    if not isinstance(given[0], ast.Name) or given[0].id != target.id:
        return False
    _, several = flows.results(module, given[0], flow)
    places, elements, flow = takers.elements_of(scope, function, call, [flow])
    text, name = scope.mapped(flow, elements, "", None, False)
    if not name.isidentifier():
        source, name = name, scope.free("dataset")
        text += f"{module.indent(stmt)}{name} = {source}{module.text.newline}"
    scope.above(stmt, floor, text)
    scope.done(call)
    if given[0] in call.args:  # the call's lines stay as they are
        module.replace(target, name)
        module.replace(given[0], name)
    else:
        module.replace(one, f"{name} = {takers.written(scope, call, function, places, name)}")
    after = Flow(name, [target.id], several, stmt, floor, name, target.id)
    after.placed = True
    scope.dead |= flow.own - {target.id}
    open_[:] = [*(f for f in open_ if f is not flow), after]
    if several is None or pipelines.gives[function.name].several is not several:
        raise Blocked(stmt, "two kinds of elements in two branches")
    return True
