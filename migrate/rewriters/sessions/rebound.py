"""Names that mean one thing after another: the later ones get names of their own.

A function of TF 2 reads a name when it is called. TF 1's graph had read it when it was built:
``w1`` of a first net stays what it was, whatever ``w1`` is of the second one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from migrate.engine.findings import Edit
from migrate.engine.joined import Part
from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph.model import Blocked, Region, Step, Symbol

# These read a name later; inside an f-string Python 3.11 doesn't tell where it is.
HIDING = (ast.Lambda, ast.GeneratorExp, ast.JoinedStr)
# In these a name may mean something else.
AT_ONCE = (ast.ListComp, ast.SetComp, ast.DictComp)


class Rebound(Blocked):
    """A name that is bound again, and where the later one stands, by its new name."""

    def __init__(self, node: ast.AST, reason: str, places: Sequence[tuple[ast.Name, str]]) -> None:
        super().__init__(node, reason)
        self.places = places
        self.edits: list[Edit] | None = None


@dataclass(frozen=True, slots=True)
class Binding:
    """A name, and the later statement that binds it again."""

    name: str
    again: ast.AST
    first: Symbol | None = None  # what it meant before


def blocked(module: Any, node: ast.AST, reason: str, found: Iterable[Binding]) -> Blocked:
    """What stops a program, with the names that would have to be told apart."""
    places: dict[int, tuple[ast.Name, str]] = {}
    taken = set(module.namer.taken)
    done: set[tuple[int, str]] = set()
    for binding in found:
        found_in = _step(module.walker.regions, binding.again)
        key = (id(found_in[1].function) if found_in is not None else 0, binding.name)
        if key in done:
            continue
        done.add(key)
        named = _named(module, binding, taken)
        if named is None:
            return Blocked(node, reason)
        places.update({id(place): (place, new) for place, new in named})
    return Rebound(node, reason, list(places.values())) if places else Blocked(node, reason)


def _named(module: Any, binding: Binding, taken: set[str]) -> list[tuple[ast.Name, str]] | None:
    """Every place of the later names with its new one; None where they can't be told."""
    found = _step(module.walker.regions, binding.again)
    if found is None:
        return None
    region, step = found
    scope = step.function
    if scope is None or not isinstance(scope, (ast.Module, ast.FunctionDef)):
        return None
    if isinstance(scope, ast.Module) and len(module.pages) > 1:
        return None  # other files may take it
    if any(
        isinstance(n, ast.Name) and n.id in ("globals", "locals", "vars", "exec", "eval", "__all__")
        for n in walk(module.walker.tree)
    ):
        return None
    places = _occurrences(scope, binding.name)
    steps = [s for s in region.steps if s.function is scope]
    if places is None:
        return None
    home: dict[int, Step] = {}
    for one in steps:
        if isinstance(one.node, ast.With) and one.drop:  # its body has steps of its own
            nodes = [n for item in one.node.items for n in walk(item)]
        elif one.value is not None and one.value.data == "main":
            nodes = []
        else:
            nodes = list(walk(one.node))
        for n in nodes:
            home[id(n)] = one
    if any(id(p) not in home for p in places):
        return None
    stores = [p for p in places if not isinstance(p.ctx, ast.Load)]
    loops = {id(p): loop for p in stores if (loop := _loop(home[id(p)].node, p)) is not None}
    if any(
        isinstance(p.ctx, ast.Del)
        or not (
            isinstance(home[id(p)].node, (ast.Assign, ast.AnnAssign))
            or id(p) in loops
            or _either_way(home[id(p)].node, p.id)
            or _each_round(home[id(p)].node, p.id)
        )
        for p in stores
    ):
        return None
    named: list[tuple[ast.Name, str]] = []
    starts = sorted({home[id(p)].order for p in stores})
    for start, end in zip(starts[1:], [*starts[2:], len(region.steps)], strict=True):
        again = region.steps[start]
        new = _wish(module, binding, again, taken)
        taken.add(new)
        reads = [p for p in places if p not in stores]
        later = [p for p in reads if start < home[id(p)].order <= end]
        if isinstance(again.node, (ast.For, ast.While)):
            if later:
                return None  # a loop without rounds leaves the name as it was
            head = again.node.iter if isinstance(again.node, ast.For) else again.node.test
            before = {id(n) for n in walk(head)}
            later = [p for p in reads if home[id(p)] is again and id(p) not in before]
        named += [(p, new) for p in stores if home[id(p)] is again] + [(p, new) for p in later]
    return named


def _loop(node: ast.AST, place: ast.Name) -> ast.For | None:
    """The loop that binds a name, and doesn't bind it again."""
    if not isinstance(node, ast.For) or place is not node.target:
        return None
    own = [n for n in all_of(node, ast.Name) if n.id == place.id]
    return node if sum(not isinstance(n.ctx, ast.Load) for n in own) == 1 else None


def _each_round(node: ast.AST, name: str) -> bool:
    """Whether each round of a loop binds a name before it reads it."""
    if not isinstance(node, (ast.For, ast.While)):
        return False
    body = {id(n) for stmt in node.body for n in walk(stmt)}
    every = [n for n in all_of(node, ast.Name) if n.id == name]
    if any(id(n) not in body for n in every):
        return False
    todo = list(node.body)
    while todo:
        stmt = todo.pop(0)
        own = [stmt] if not isinstance(stmt, ast.With) else [i.context_expr for i in stmt.items]
        read = any(n in every and _loads(n) for part in own for n in all_of(part, ast.Name))
        if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
            target = stmt.targets[0]
            parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
            if name in map(ast.unparse, parts):
                return not read
        if isinstance(stmt, ast.If):  # it is read where it is bound, or not at all
            ways = [
                w for w in (stmt.body, stmt.orelse) if set(every) <= {n for s in w for n in walk(s)}
            ]
            if ways:
                todo = list(ways[0])
                continue
        if _each_round(stmt, name) and set(every) <= set(walk(stmt)):
            return True
        if read or (not isinstance(stmt, ast.With) and any(n in every for n in walk(stmt))):
            return False
        if isinstance(stmt, ast.With):
            todo[:0] = stmt.body
    return False


def _either_way(node: ast.AST, name: str) -> bool:
    """Whether a branch binds a name on each of its ways, and does no more with it."""
    if not isinstance(node, ast.If):
        return False
    if any(isinstance(n, ast.Name) and n.id == name and _loads(n) for n in walk(node)):
        return False
    return all(
        any(
            _either_way(stmt, name)
            or (isinstance(stmt, ast.Assign) and [ast.unparse(t) for t in stmt.targets] == [name])
            for stmt in way
        )
        for way in (node.body, node.orelse)
    )


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _step(regions: Iterable[Region], node: ast.AST) -> tuple[Region, Step] | None:
    for region in regions:
        for step in region.steps:
            if isinstance(step.node, ast.Assign) and any(
                n is node for t in step.node.targets for n in walk(t)
            ):
                return region, step
            if isinstance(step.node, ast.For) and step.node.target is node:
                return region, step
            name = getattr(node, "id", "")
            alike = _either_way(step.node, name) or _each_round(step.node, name)
            if alike and node in walk(step.node):
                return region, step
    return None


def _occurrences(scope: ast.AST, name: str) -> list[ast.Name] | None:
    """Where a scope has a name; None where a scope in it may read it later, or declares it."""
    found: list[ast.Name] = []
    stack: list[ast.AST] = list(children(scope))
    if isinstance(scope, ast.FunctionDef) and name in {a.arg for a in all_of(scope.args, ast.arg)}:
        return None
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names:
            return None
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if node.name == name or _free(node, name):
                return None
            continue
        if isinstance(node, HIDING) and any(
            isinstance(n, ast.Name) and n.id == name for n in walk(node)
        ):
            return None
        if isinstance(node, AT_ONCE) and any(
            isinstance(n, ast.Name) and n.id == name
            for generator in node.generators
            for n in walk(generator.target)
        ):
            return None
        if isinstance(node, (ast.Import, ast.ImportFrom)) and any(
            (a.asname or a.name.partition(".")[0]) == name for a in node.names
        ):
            return None
        if isinstance(node, ast.ExceptHandler) and node.name == name:
            return None
        if isinstance(node, ast.Name) and node.id == name:
            found.append(node)
        stack.extend(children(node))
    return found


def _free(node: ast.AST, name: str) -> bool:
    """Whether a function, or a class, reads a name of the scopes around it."""
    for inner in walk(node):
        if isinstance(inner, (ast.Global, ast.Nonlocal)) and name in inner.names:
            return True
    if isinstance(node, ast.FunctionDef):
        args = node.args
        own = {a.arg for a in [*args.posonlyargs, *args.args, *args.kwonlyargs]}
        own |= {a.arg for a in (args.vararg, args.kwarg) if a is not None}
        if name in own:  # functions in it read that one
            around = [*node.decorator_list, *args.defaults, *filter(None, args.kw_defaults)]
            return any(n.id == name for part in around for n in all_of(part, ast.Name))
        own = {n.id for n in all_of(node, ast.Name) if isinstance(n.ctx, ast.Store)}
        if name in own and not any(
            isinstance(n, (ast.FunctionDef, ast.Lambda)) and n is not node for n in walk(node)
        ):
            return False
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(node))


def _wish(module: Any, binding: Binding, step: Step, taken: set[str]) -> str:
    """A new name: by the scope that tells the two variables apart, else by number."""
    name = binding.name
    later = next((s for s in step.defs if s.name == name), None)
    paths = [_path(module, s) for s in (binding.first, later) if s is not None]
    if len(paths) == 2 and all(paths):
        first, second = (p.split("/")[:-1] for p in paths)
        for old, new in zip(first, second, strict=False):
            if old != new and f"{new}_{name}".isidentifier() and f"{new}_{name}" not in taken:
                return f"{new}_{name}"
    number = 2
    while f"{name}_{number}" in taken or f"{name}{number}" in taken:
        number += 1
    return f"{name}{number}" if not name[-1].isdigit() else f"{name}_{number}"


def _path(module: Any, symbol: Symbol) -> str:
    """A variable's name in TF 1, as far as it is seen."""
    region = symbol.step.region
    for entry in (*module.walker.owned, *(region.owned if region is not None else ())):
        if entry.path and entry.place is not None and entry.place[1] is symbol.step.node:
            return str(entry.path)
    return ""


def told_apart(part: Part, places: Iterable[tuple[ast.Name, str]]) -> list[Edit] | None:
    """The edits of a file that give names to what they mean later."""
    found = []
    for node, new in places:
        start = part.document.index.offset(node.lineno - part.line, node.col_offset)
        if part.document.text[start : start + len(node.id)] != node.id:
            return None
        found.append(Edit(start, start + len(node.id), new))
    return sorted(found, key=lambda e: e.start)
