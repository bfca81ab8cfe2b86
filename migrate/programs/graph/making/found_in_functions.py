"""Variables that a function finds again are those that stand beside it: it reads their names.

``with tf.variable_scope("cell", reuse=True): w = tf.get_variable("w", …)`` in ``def cell(x, h)``,
of a ``w`` that the module has made in that scope. Where its name means something else further
down, the first one gets another name.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import all_of, holds, parents_of, walk
from migrate.programs.graph.meaning import SCOPES, T
from migrate.programs.graph.scoping.scopes import scope_name
from migrate.programs.graph.sizing.size_texts import own_nodes
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Spelled, Written, free, word

Home = ast.Module | ast.FunctionDef


@dataclass(slots=True, eq=False)
class Found:
    """A statement that finds a variable: its target, and the variable's name and making."""

    stmt: ast.Assign
    local: str
    ref: str
    path: str
    made: ast.stmt


def check(walker: Any, node: ast.Call, reason: str) -> None:
    """See whether a function finds variables that it could read.

    Raises:
        Spelled: it could.
    """
    target = walker.frame.node
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return
    block = next((s for s in target.body if holds(s, node)), None)
    if not isinstance(block, ast.With) or len(block.items) != 1 or block.items[0].optional_vars:
        return
    calls = known_branches.every(walker, target)
    home = _home(walker, target)
    if home is None or not calls or not all(_plain(walker, home, c) for c in calls):
        return
    found: list[Found] = []
    for stmt in block.body:
        one = _found(walker, home, target, stmt)
        if one is not None:
            found.append(one)
    if not any(holds(one.stmt, node) for one in found):
        return
    last = max((_outer(home, c).end_lineno or 0) for c in calls)
    written: list[Written] = []
    taken: list[str] = []
    for one in found:
        name = _named(walker, home, one, last, written, taken)
        if name is None or not _renamed(target, one, name, written):
            return
        taken.append(name)
    whole = len(found) == len(block.body)
    gone: list[ast.stmt] = [block] if whole else [one.stmt for one in found]
    raise Spelled(node, reason, [*((s, lambda _: "") for s in gone), *written])


def _home(walker: Any, target: ast.FunctionDef) -> Home | None:
    """The module or the function in whose body a function stands."""
    tree = walker.files.at(target).tree
    homes = [n for n in walk(tree) if isinstance(n, (ast.Module, ast.FunctionDef))]
    return next((n for n in homes if target in n.body), None)


def _plain(walker: Any, home: Home, call: ast.Call) -> bool:
    """Whether a call stands in a function's own statements, in no scope of theirs."""
    inside = own_nodes(home)
    scoped = {
        id(n)
        for block in own_nodes(home)
        if isinstance(block, ast.With)
        and any(walker.endpoints.get(id(m)) in SCOPES for i in block.items for m in walk(i))
        for n in walk(block)
    }
    return any(n is call for n in inside) and id(call) not in scoped


def _found(walker: Any, home: Home, target: ast.FunctionDef, stmt: ast.stmt) -> Found | None:
    """What a statement finds, where that has one name beside the function."""
    match stmt:
        case ast.Assign([ast.Name(local)], ast.Call() as call):
            pass
        case _:
            return None
    if walker.endpoints.get(id(call.func)) != T + "get_variable":
        return None
    tail = scope_name(walker.bound(T + "get_variable", call).get("name"))
    open_scopes = [s.name for s in walker.scopes if not s.ops_only]
    if tail is None or None in open_scopes:
        return None
    path = "/".join([*(s for s in open_scopes if s), tail])
    for entry in walker.owned:
        alone = entry.layer is None and entry.cell is None and entry.looped is None
        if not alone or entry.when or entry.owner or entry.path != path or entry.place is None:
            continue
        made = entry.value.node if entry.value is not None else None
        if entry.place[0] is not home or made is None or not str(entry.ref).isidentifier():
            return None
        stores = [n for n in all_of(target, ast.Name) if n.id == local]
        if sum(not isinstance(n.ctx, ast.Load) for n in stores) != 1:
            return None
        return Found(stmt, local, entry.ref, path, _outer(home, made))
    return None


def _outer(home: Home, node: ast.AST) -> ast.stmt:
    """The statement of a function's body in which a node stands."""
    return next(s for s in home.body if holds(s, node))


def _named(
    walker: Any, home: Home, one: Found, last: int, written: list[Written], taken: list[str]
) -> str | None:
    """A name that means the variable wherever the function is called; None where there is none."""
    own = [n for n in own_nodes(home) if isinstance(n, ast.Name) and n.id == one.ref]
    stores = [n for n in own if not isinstance(n.ctx, ast.Load)]
    if any(isinstance(n, (ast.Global, ast.Nonlocal)) and one.ref in n.names for n in walk(home)):
        return None
    first, end = one.made.lineno, one.made.end_lineno or 0
    later = [n for n in stores if n.lineno > end]
    if sum(first <= n.lineno <= end for n in stores) != 1:
        return None
    if not later:
        return one.ref
    inner = set(map(id, own))
    elsewhere = [n for n in all_of(home, ast.Name) if n.id == one.ref]
    others = {n.id for f in _functions(home) for n in all_of(f, ast.Name)}
    end = min(_outer(home, n).lineno for n in later)
    if end <= last or any(id(n) not in inner and not _bound(home, n) for n in elsewhere):
        return None
    scope = re.sub(r"\W", "_", one.path.rpartition("/")[0])
    name = free(walker, f"{scope}_{one.ref}", [*taken, *others])
    written += [(n, word(name)) for n in own if first <= n.lineno < end]
    return name


def _functions(home: Home) -> list[ast.AST]:
    return [n for n in own_nodes(home) if isinstance(n, (ast.FunctionDef, ast.Lambda))]


def _bound(home: Home, node: ast.Name) -> bool:
    """Whether a name in another function, or a class, is that function's own."""
    parents = parents_of(home)
    at: ast.AST | None = node
    while at is not None and at is not home:
        at = parents.get(id(at))
        if isinstance(at, (ast.FunctionDef, ast.Lambda)):
            names = {a.arg for a in all_of(at.args, ast.arg)}
            names |= {n.id for n in all_of(at, ast.Name) if not isinstance(n.ctx, ast.Load)}
            if node.id in names:
                return True
    return False


def _renamed(target: ast.FunctionDef, one: Found, name: str, written: list[Written]) -> bool:
    """Read the variable's name in the function; whether nothing else there is called so."""
    if name != one.local:
        if any(name in (getattr(n, "id", ""), getattr(n, "arg", "")) for n in walk(target)):
            return False
        reads = [n for n in all_of(target, ast.Name) if n.id == one.local]
        written += [(n, word(name)) for n in reads if isinstance(n.ctx, ast.Load)]
    return True
